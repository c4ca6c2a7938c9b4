// Rates and ratios of a run, each defined once for the report and the summary.
#pragma once

#include <vector>

#include "tb/report/run_result.h"

namespace ringside {

// Of the measured window; 0 where nothing was measured. Deterministically rounded.
class Measures {
 public:
  explicit Measures(const Window& window) : window_(window) {}

  double mpps() const;           // delivered packets per microsecond
  double gbps() const;           // delivered frames with FCS, without preamble and gap
  double goodput_gbps() const;   // what processes have read of TCP connections
  double ns_per_packet() const;
  double instructions_per_packet() const;
  double cycles_per_packet() const;
  double ipc() const;            // instructions per cycle

 private:
  const Window& window_;
};

// Most used first; ties keep their order.
std::vector<Limit> sorted_limits(std::vector<Limit> limits);

// Most cycles first; ties by name.
std::vector<FunctionCost> sorted_functions(std::vector<FunctionCost> functions);

// Most cycles first; ties by the names on the path.
std::vector<StackCost> sorted_stacks(std::vector<StackCost> stacks);

}  // namespace ringside
