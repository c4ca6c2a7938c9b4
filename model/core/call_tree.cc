#include "model/core/call_tree.h"

#include <algorithm>

namespace ringside {

CallTree::CallTree(Frequency frequency) : frequency_(frequency) {
  nodes_.reserve(kMaxNodes);
  frames_.reserve(kMaxFrames);
  nodes_.push_back({kUnknownFunction, 0, 0});
}

void CallTree::settle(Progress progress) {
  Node& node = nodes_[node_];
  node.cycles += (progress.cycles - booked_.cycles).value;
  node.instructions += progress.instructions - booked_.instructions;
  booked_ = progress;
}

void CallTree::reset(Progress progress) {
  for (Node& node : nodes_) node.cycles = node.instructions = node.calls = 0;
  booked_ = progress;
  unfollowed_calls_ = unbalanced_returns_ = 0;
}

// The node of `function` below `parent`; the parent itself where the tree ends.
std::uint32_t CallTree::child_of(std::uint32_t parent, FunctionId function) {
  std::uint32_t child = nodes_[parent].first_child;
  while (child != 0 && nodes_[child].function != function) child = nodes_[child].next_sibling;
  if (child != 0) return child;
  const bool full = nodes_.size() == kMaxNodes || nodes_[parent].depth == kMaxDepth;
  if (full && parent != 0) return parent;
  if (full) return nodes_[0].first_child;
  child = static_cast<std::uint32_t>(nodes_.size());
  nodes_.push_back({function, parent, nodes_[parent].depth + 1, 0, nodes_[parent].first_child});
  nodes_[parent].first_child = child;
  return child;
}

void CallTree::push(Place to, std::uint64_t return_address) {
  const std::uint32_t parent = frames_.empty() ? 0 : node_;
  node_ = child_of(parent, to.function);
  function_ = to.function;
  frames_.push_back({return_address, function_, node_});
  Node& node = nodes_[node_];
  const bool followed = node.parent == parent && node.function == function_;
  if (!followed) ++unfollowed_calls_;
  if (followed && to.at_start) ++node.calls;
  if (observer_ != nullptr) observer_->entered(now(), function_);
}

void CallTree::pop() {
  if (observer_ != nullptr) observer_->left(now(), function_);
  frames_.pop_back();
  if (frames_.empty()) return;
  function_ = frames_.back().function;
  node_ = frames_.back().node;
}

void CallTree::pop_to(std::size_t frames) {
  while (frames_.size() > frames) pop();
}

// The running function makes room for another one, which will return to the same place.
void CallTree::replace(Place to) {
  const std::uint64_t return_address = frames_.back().return_address;
  pop();
  push(to, return_address);
}

void CallTree::start(Place to, Progress progress) {
  settle(progress);
  pop_to(0);
  push(to, 0);
}

void CallTree::call(Place to, std::uint64_t return_address, Progress progress) {
  if (frames_.size() == kMaxFrames) {
    ++lost_frames_;
    ++unfollowed_calls_;
    return;
  }
  settle(progress);
  push(to, return_address);
}

void CallTree::return_to(Place to, Progress progress) {
  if (lost_frames_ > 0) {
    --lost_frames_;
    return;
  }
  settle(progress);
  const auto came_from = std::find_if(frames_.rbegin(), frames_.rend(),
                                      [&](const Frame& frame) { return frame.return_address == to.address; });
  if (came_from != frames_.rbegin()) ++unbalanced_returns_;
  if (came_from != frames_.rend() && std::next(came_from) != frames_.rend()) {
    pop_to(static_cast<std::size_t>(frames_.rend() - came_from) - 1);
  } else if (!to.at_start) {
    // Nobody called from there: another stack, perhaps. A function that is open is taken for the one that goes on.
    const auto open = std::find_if(frames_.rbegin(), frames_.rend(),
                                   [&](const Frame& frame) { return frame.function == to.function; });
    if (open != frames_.rend()) pop_to(static_cast<std::size_t>(frames_.rend() - open));
  } else if (frames_.size() > 1) {
    // A return that jumps to a function has taken an address off the stack that a call inside had left: a retpoline.
    pop();
  }
  if (function_ != to.function) replace(to);
}

void CallTree::jump(Place to, Progress progress) {
  if (lost_frames_ > 0) return;
  // Some compilers harden returns into jumps.
  if (!to.at_start && frames_.size() > 1 && frames_.back().return_address == to.address) return return_to(to, progress);
  settle(progress);
  replace(to);
}

void CallTree::observe(CallObserver* observer, Progress progress) {
  settle(progress);
  observer_ = observer;
  if (observer_ == nullptr) return;
  for (const Frame& frame : frames_) observer_->entered(now(), frame.function);
}

std::vector<FunctionId> CallTree::open_functions() const {
  std::vector<FunctionId> functions;
  for (auto frame = frames_.rbegin(); frame != frames_.rend(); ++frame) functions.push_back(frame->function);
  return functions;
}

}  // namespace ringside
