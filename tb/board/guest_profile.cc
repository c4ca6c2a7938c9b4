#include "tb/board/guest_profile.h"

namespace ringside {

std::vector<StackCost> call_stacks(const CallTree& tree, const Image& image) {
  const std::vector<CallTree::Node>& nodes = tree.nodes();
  std::vector<std::vector<std::string>> paths(nodes.size());
  std::vector<StackCost> stacks;
  for (std::size_t i = 1; i < nodes.size(); ++i) {
    const CallTree::Node& node = nodes[i];
    paths[i] = paths[node.parent];
    paths[i].push_back(image.function_names()[node.function]);
    if (node.cycles != 0) stacks.push_back({paths[i], node.cycles, node.instructions, node.calls});
  }
  return stacks;
}

}  // namespace ringside
