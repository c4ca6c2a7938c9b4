// The one call that runs a scenario.
#pragma once

#include <atomic>
#include <cstdint>

#include "model/base/units.h"
#include "tb/report/run_result.h"
#include "tb/scenario/scenario.h"

namespace ringside {

// How far a run is. Called every few thousand packets: implementations decide whether anybody wants to see it.
class Progress {
 public:
  virtual ~Progress() = default;
  virtual void update(Time simulated, std::uint64_t delivered_packets) = 0;
};

// Builds the board that `scenario` describes, boots scenario.image and runs it until one of run.{packets,time,converge} is
// reached, the traffic ends, or `interrupted` becomes true. A guest fault, a broken invariant or a watchdog ends the run
// with StopReason::error and what was measured until then. Throws InputError for bad captures and images.
RunResult simulate(const Scenario& scenario, Progress& progress, const std::atomic<bool>& interrupted);

}  // namespace ringside
