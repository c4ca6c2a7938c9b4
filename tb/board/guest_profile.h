// What the guest's code cost, by call path.
#pragma once

#include <vector>

#include "model/core/call_tree.h"
#include "model/core/image.h"
#include "tb/report/run_result.h"

namespace ringside {

// The paths that have cycles, in the order in which they were first taken.
std::vector<StackCost> call_stacks(const CallTree& tree, const Image& image);

}  // namespace ringside
