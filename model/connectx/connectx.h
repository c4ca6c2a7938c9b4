// A ConnectX adapter with two ports behind one PCIe function. Only the first one receives; frames leave by both.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <systemc>
#include <vector>

#include "model/base/timeline.h"
#include "model/connectx/command_interface.h"
#include "model/connectx/config.h"
#include "model/connectx/context.h"
#include "model/connectx/engines.h"
#include "model/connectx/objects.h"
#include "model/connectx/rx_engine.h"
#include "model/connectx/tx_engine.h"
#include "model/fabric/ports.h"
#include "model/probe/observer.h"
#include "model/probe/statistics.h"
#include "model/wire/frame.h"

namespace ringside {

// Where the completion entries of a queue are: 64-byte entries, 1 << log_size of them.
struct CqRange {
  std::uint32_t cqn;
  PhysAddr base;
  std::uint32_t log_size;
};

// Frames in from the wire, registers from the host, everything else by DMA. Its units act as DMA readers and timeline
// events themselves.
class ConnectX : public sc_core::sc_module, public FrameSink, public MmioTarget {
 public:
  ConnectX(const sc_core::sc_module_name& name, const ConnectxConfig& config, Timeline& timeline, DmaFabric& fabric);

  // At most one; nullptr for none. A packet lost to an error completion is reported by completed(error) and dropped().
  void set_observer(PacketObserver* observer) { context_.observer = observer; }
  void set_detail_observer(DeviceObserver* observer) { context_.details = observer; }

  // Hears of each frame that leaves by a port at its last bit; nullptr for nobody. Set it before the first frame.
  void set_transmit_sink(FrameSink* sink, std::size_t port = 0) { transmit_[port].port().set_sink(sink); }

  void on_frame(Time now, const Frame& frame) override { engine_.on_frame(now, frame); }
  void mmio_write(Time now, std::uint64_t offset, std::uint32_t size, std::uint64_t value) override;
  std::uint64_t mmio_read(Time now, std::uint64_t offset, std::uint32_t size) override;

  void register_statistics(Statistics& statistics) const;

  // Completion queues that exist now.
  std::vector<CqRange> cq_ranges() const;

  // Packets that are neither dropped nor completed.
  std::uint64_t packets_inside() const { return engine_.packets_inside(); }

  // Packets whose completion was posted but is not visible to the host at `now`.
  std::uint64_t completions_in_flight(Time now) const { return engine_.completions_in_flight(now); }

  std::uint64_t packets_offered() const { return context_.counters.offered; }
  std::uint64_t packets_dropped() const { return context_.counters.dropped; }
  std::uint64_t packets_completed() const { return context_.counters.completed; }

  // Throws InvariantError unless offered = dropped + inside + completed. The engine checks it at each step, too.
  void check_conservation(Time now) const { engine_.check_conservation(now); }

  // What each unit waits for, a line each: for the report of a run that is stuck.
  std::string waiting_for() const;

 private:
  connectx::Context context_;
  connectx::Objects objects_;
  connectx::RxEngine engine_;
  std::array<connectx::TxEngine, connectx::kPorts> transmit_;
  connectx::Engines engines_;
  connectx::CommandInterface commands_;
};

}  // namespace ringside
