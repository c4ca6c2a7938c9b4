// What a core knows about the code that it ran.
#include <fmt/format.h>

#include <algorithm>

#include "model/core/core.h"

namespace ringside {

void Core::reset_counts() {
  earlier_instructions_ += pipeline_.counts().instructions;
  pipeline_.reset_counts();
  calls_.reset(progress());
  auto clear = [](std::vector<std::unique_ptr<Block>>& blocks) {
    for (auto& block : blocks) {
      if (block == nullptr) continue;
      block->whole_runs = 0;
      std::fill(block->counts.begin(), block->counts.end(), InstructionCounts{});
    }
  };
  clear(blocks_);
  clear(replaced_);
}

std::vector<const Block*> Core::blocks() const {
  std::vector<const Block*> all;
  for (const auto* owned : {&blocks_, &replaced_}) {
    for (const auto& block : *owned) {
      if (block == nullptr) continue;
      block->settle_counts();
      all.push_back(block.get());
    }
  }
  std::stable_sort(all.begin(), all.end(), [](const Block* a, const Block* b) { return a->address < b->address; });
  return all;
}

std::string Core::disassemble(const Instruction& instruction) const {
  const std::span<const std::uint8_t> code(memory_.host(PhysAddr{instruction.address}), instruction.length);
  const std::string text = decoder_.disassemble(code, instruction.address);
  const std::optional<std::uint64_t> target = decoder_.branch_target(code, instruction.address);
  const GuestFunction* function = target ? image_.find_function(*target) : nullptr;
  if (function == nullptr || function == image_.find_function(instruction.address)) return text;
  const std::uint64_t offset = *target - function->address;
  return fmt::format("{} <{}{}>", text, function->name, offset == 0 ? "" : fmt::format("+{:#x}", offset));
}

const CallTree& Core::call_tree() {
  calls_.settle(progress());
  return calls_;
}

std::string Core::where_and_callers() const {
  constexpr std::size_t kMost = 6;  // callers
  const std::vector<FunctionId> open = calls_.open_functions();
  std::string text = where();
  for (std::size_t i = 1; i < std::min(open.size(), kMost + 1); ++i) {
    text += fmt::format("{} {}", i == 1 ? ", called from" : ",", image_.function_names()[open[i]]);
  }
  return text;
}

}  // namespace ringside
