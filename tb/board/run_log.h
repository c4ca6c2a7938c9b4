// The event log of one run of a board.
#pragma once

#include <cstdint>
#include <vector>

#include "model/core/core.h"
#include "model/core/image.h"
#include "model/memory/physical_memory.h"
#include "model/wire/ethernet_wire.h"
#include "tb/board/device.h"
#include "tb/board/guest_counters.h"
#include "tb/board/packet_tracker.h"
#include "tb/log/event_recorder.h"
#include "tb/report/run_result.h"
#include "tb/scenario/scenario.h"

namespace ringside {

// Listens between the models and the tracker. What becomes of packets in the guest is looked up in its counters whenever
// it reads a completion.
class RunLog final : private CallObserver {
 public:
  RunLog(const Scenario& scenario, const Image& image, Device& device, EthernetWire& wire, PacketTracker& tracker);

  // The guest is set up. Its functions are logged from here on.
  void start_traffic(Core& core, const PhysicalMemory& memory, std::uint64_t statistics_table);

  void read(Time now, const PacketTracker::Consumed& packet);
  void sleeps(Time now) { recorder_.sleeps(now); }

  // The file appears.
  void finish(const RunResult& result);

 private:
  void entered(Time now, FunctionId function) override;
  void left(Time now, FunctionId function) override;
  void look_at_ends(Time now);

  struct End {
    GuestCounter counter;
    std::uint64_t seen;
  };
  const Image& image_;
  EventRecorder recorder_;
  std::vector<std::uint64_t> functions_;  // strings of the log
  std::vector<End> ends_;
};

}  // namespace ringside
