// What the guest's code cost, by call path and by instruction.
#pragma once

#include <filesystem>
#include <vector>

#include "model/core/core.h"
#include "model/core/image.h"
#include "tb/report/run_result.h"

namespace ringside {

// The paths that have cycles, in the order in which they were first taken.
std::vector<StackCost> call_stacks(const CallTree& tree, const Image& image);

// The instructions that ran of the functions that took at least 0.5 % of `cycles`, with the source lines that they come from:
// relative names are looked up in `sources`. `core` has run `image`.
Profile guest_profile(const Core& core, const Image& image, std::uint64_t cycles, const std::filesystem::path& sources);

}  // namespace ringside
