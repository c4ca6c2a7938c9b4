// A folder of baselines: each names a scenario, which is run and checked.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "tb/check/check.h"

namespace ringside {

// The baselines of a folder (*.toml), by name. Throws InputError when there are none.
std::vector<std::filesystem::path> baselines_in(const std::filesystem::path& folder);

// Runs the scenario of each baseline as a process of `program` (ringside itself), `jobs` at a time, and checks its report.
// With a reason, the baselines take the values that were found. Never throws for one of them: its result says what is wrong.
std::vector<CheckResult> check_suite(const std::vector<std::filesystem::path>& baselines, const std::filesystem::path& program,
                                     unsigned jobs, const std::optional<std::string>& update_reason);

}  // namespace ringside
