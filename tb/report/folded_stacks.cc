#include "tb/report/folded_stacks.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

namespace ringside {
namespace {

// A name must not end its place in the line.
std::string frame(std::string name) {
  std::replace(name.begin(), name.end(), ';', ':');
  return name;
}

std::string folded(const StackCost& stack) {
  std::string text;
  for (const auto& function : stack.functions) text += (text.empty() ? "" : ";") + frame(function);
  return text;
}

}  // namespace

std::string folded_stacks(const SavedRun& run) {
  std::map<std::string, std::uint64_t> cycles;
  for (const StackCost& stack : run.result.stacks) cycles[folded(stack)] += stack.cycles;
  std::string text;
  for (const auto& [path, count] : cycles) text += fmt::format("{} {}\n", path, count);
  return text;
}

std::string folded_difference(const SavedRun& before, const SavedRun& after) {
  std::map<std::string, std::array<std::uint64_t, 2>> cycles;
  for (const StackCost& stack : before.result.stacks) cycles[folded(stack)][0] += stack.cycles;
  for (const StackCost& stack : after.result.stacks) cycles[folded(stack)][1] += stack.cycles;
  std::string text;
  for (const auto& [path, counts] : cycles) text += fmt::format("{} {} {}\n", path, counts[0], counts[1]);
  return text;
}

}  // namespace ringside
