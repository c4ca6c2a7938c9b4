// What the guest's code cost, by call path and by instruction.
#pragma once

#include <filesystem>
#include <vector>

#include "model/core/image.h"
#include "tb/board/processors.h"
#include "tb/report/run_result.h"

namespace ringside {

// The paths that have cycles, in the order in which they were first taken.
std::vector<StackCost> call_stacks(const CallTree& tree, const Image& image);

// Decoded blocks of all cores with their counts.
std::vector<const Block*> blocks_of(const Processors& cpus);

// The instructions that ran of the functions that took at least 0.5 % of `cycles`, with the source lines that they come from:
// relative names are looked up in `sources`. `cpus` have run `image`; what they did is added up.
Profile guest_profile(const Processors& cpus, const Image& image, std::uint64_t cycles, const std::filesystem::path& sources);

}  // namespace ringside
