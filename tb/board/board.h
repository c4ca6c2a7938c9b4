// A machine under test: memory, caches, PCIe, a ConnectX, a wire with traffic and cores that run a guest image.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/base/kernel_bridge.h"
#include "model/base/timeline.h"
#include "model/core/image.h"
#include "model/memory/memory_system.h"
#include "model/memory/physical_memory.h"
#include "model/probe/statistics.h"
#include "model/wire/ethernet_wire.h"
#include "model/wire/traffic.h"
#include "tb/board/device.h"
#include "tb/board/convergence.h"
#include "tb/board/counter_guide.h"
#include "tb/board/packet_tracker.h"
#include "tb/board/processors.h"
#include "tb/board/recorder.h"
#include "tb/board/run_log.h"
#include "tb/board/simulate.h"
#include "tb/report/run_result.h"
#include "tb/scenario/scenario.h"

namespace ringside {

class Board : private CoreObserver, private InterruptSink, private EventTarget {
 public:
  Board(const Scenario& scenario, Progress& progress, const std::atomic<bool>& interrupted);
  ~Board() override;

  // Boots the guest and runs to the end. Once only.
  RunResult run();

 private:
  void set_up_coherence();
  void start_traffic(Time now);
  void watch_completions();
  void start_window();
  void end(Time now, StopReason reason);
  bool quiet() const;
  void check_progress(Time now);
  void check_delivery(Time now);
  void account_for_all_packets() const;
  std::string stuck() const;

  // From the core, the fabric and the timeline.
  void watched_load(Time now, std::uint64_t address) override;
  void console(char byte) override;
  void stale_load(Time now, std::uint64_t address, const std::string& where) override;
  void statistics_table(std::uint64_t address) override { guest_statistics_ = address; }
  void idle(Time now) override;
  bool keep_running(Time now) override;
  void interrupt(Time now, std::uint32_t vector) override;
  void fire(Time now, std::uint64_t argument) override;

  RunResult result();
  void report_functions(RunResult& result) const;
  void report_stacks(RunResult& result);
  void report_counters(RunResult& result) const;
  void report_core_counters(RunResult& result) const;
  void report_cores(RunResult& result) const;
  void report_guest_counters(RunResult& result) const;
  void report_uses(RunResult& result) const;

  // Totals whose growth over the window is reported.
  struct Totals {
    Time at;
    std::vector<std::uint64_t> cycles;  // by core
    std::uint64_t delivered, delivered_bytes, interrupts;
    std::uint64_t wire_busy, dram_bytes;
    std::vector<Device::Busy> device_busy;
    std::optional<std::uint64_t> bytes_read;  // by the guest's processes
  };
  Totals totals() const;
  std::uint64_t window_cycles(const Totals& now) const;  // of all cores
  std::optional<std::uint64_t> bytes_read() const;       // by the guest's processes, if it counts them
  // What the report's time series are made of.
  std::vector<Recorder::Reading> readings() const;
  void record(Time now) {
    if (recorder_.due(now)) [[unlikely]]
      recorder_.record(now, readings());
  }
  // Of the guest's table, with what they say now.
  std::vector<Counter> guest_counters() const;

  const Scenario& scenario_;
  Progress& progress_;
  const std::atomic<bool>& interrupted_;

  Timeline timeline_;
  KernelBridge bridge_;
  PhysicalMemory memory_;
  MemorySystem caches_;
  std::unique_ptr<DramImage> dram_image_;  // where DMA is not coherent, or is thought not to be
  Image image_;
  std::unique_ptr<TrafficSource> traffic_;
  std::unique_ptr<Device> device_;
  EthernetWire wire_;
  Processors cpus_;
  Core& core_;  // the one that boots, and that devices interrupt
  PacketTracker tracker_;
  Recorder recorder_;
  std::unique_ptr<RunLog> log_;  // where the scenario wants one
  Time residual_{};  // work of a kernel per packet that the guest does not contain
  Statistics wire_statistics_, memory_statistics_, peer_statistics_;

  CounterGuide counter_guide_;
  std::uint64_t guest_statistics_ = 0;
  std::string console_;
  std::vector<StaleLoad> stale_loads_;  // the first ones
  bool traffic_started_ = false;
  bool warmed_up_ = false;
  Totals window_start_{};
  std::uint64_t window_target_ = 0;  // delivered packets at which the run or its warm-up ends
  Convergence convergence_;
  Time batch_start_{};
  std::uint64_t batch_end_ = 0;

  Time progress_at_{};
  std::uint64_t progress_mark_ = 0;
  std::uint64_t progress_delivered_ = 0, progress_offered_ = 0;  // when a packet was last seen to be delivered
  StopReason reason_ = StopReason::exhausted;
  Time ended_at_{};
  bool ended_ = false;
};

}  // namespace ringside
