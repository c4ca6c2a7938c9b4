// The blocks guest.profile and guest.stacks of a report.
#pragma once

#include <nlohmann/json.hpp>

#include "tb/report/profile.h"
#include "tb/report/report_node.h"
#include "tb/report/run_result.h"

namespace ringside {

// {"l2": 1234, ...}: cycles by reason, without reasons that have none.
nlohmann::ordered_json stall_cycles_json(const StallCycles& cycles);
nlohmann::ordered_json profile_json(const Profile& profile);
nlohmann::ordered_json stacks_json(const std::vector<StackCost>& stacks);

// The same read back. Throw InputError.
StallCycles read_stall_cycles(const ReportNode& node);
Profile read_profile(const ReportNode& node);
std::vector<StackCost> read_stacks(const ReportNode& node);

}  // namespace ringside
