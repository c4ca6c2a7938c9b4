// The result of a run as text for a terminal.
#pragma once

#include <iosfwd>

#include "tb/report/run_result.h"
#include "tb/scenario/scenario.h"

namespace ringside {

// An xdp-bench style line, cycles and instructions per packet, functions, stall reasons, use of rings, caches and links,
// drops by cause, and what limited the run.
void print_summary(std::ostream& out, const Scenario& scenario, const RunResult& result, const HostResult& host);

}  // namespace ringside
