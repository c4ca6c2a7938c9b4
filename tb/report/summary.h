// The result of a run as text for a terminal.
#pragma once

#include <iosfwd>
#include <string_view>

#include "tb/report/run_result.h"

namespace ringside {

// An xdp-bench style line, cycles and instructions per packet, functions, stall reasons, use of rings, caches and links,
// drops by cause, and what limited the run. `scenario` is its name.
void print_summary(std::ostream& out, std::string_view scenario, const RunResult& result, const HostResult& host);

}  // namespace ringside
