// Counters as `ethtool -S DEV` prints them.
#pragma once

#include <string>

#include "tb/report/run_result.h"

namespace ringside {

// The driver's counters and the NIC's that ethtool has under these names; what nstat, /proc or nobody counts is left out.
std::string ethtool_text(const RunResult& run);

}  // namespace ringside
