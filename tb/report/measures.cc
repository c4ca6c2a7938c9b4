#include "tb/report/measures.h"

#include <algorithm>

#include "tb/report/rounding.h"

namespace ringside {
namespace {

using Wide = unsigned __int128;

Wide duration_ps(const Window& window) { return window.end.value - window.start.value; }

}  // namespace

double Measures::mpps() const { return rounded_ratio(Wide{window_.packets} * 1'000'000, duration_ps(window_)); }

double Measures::gbps() const { return rounded_ratio(Wide{window_.frame_bytes.value} * 8 * 1'000, duration_ps(window_)); }

double Measures::goodput_gbps() const {
  return rounded_ratio(Wide{window_.read.value_or(Bytes{}).value} * 8 * 1'000, duration_ps(window_));
}

double Measures::ns_per_packet() const { return rounded_ratio(duration_ps(window_), Wide{window_.packets} * 1'000); }

double Measures::instructions_per_packet() const { return rounded_ratio(window_.instructions, window_.packets); }

double Measures::cycles_per_packet() const { return rounded_ratio(window_.cycles, window_.packets); }

double Measures::ipc() const { return rounded_ratio(window_.instructions, window_.cycles); }

std::vector<Limit> sorted_limits(std::vector<Limit> limits) {
  const auto more_used = [](const Limit& a, const Limit& b) {
    return Wide{a.used} * b.capacity > Wide{b.used} * a.capacity;
  };
  std::stable_sort(limits.begin(), limits.end(), more_used);
  return limits;
}

std::vector<FunctionCost> sorted_functions(std::vector<FunctionCost> functions) {
  std::sort(functions.begin(), functions.end(), [](const FunctionCost& a, const FunctionCost& b) {
    return a.cycles != b.cycles ? a.cycles > b.cycles : a.name < b.name;
  });
  return functions;
}

std::vector<StackCost> sorted_stacks(std::vector<StackCost> stacks) {
  std::sort(stacks.begin(), stacks.end(), [](const StackCost& a, const StackCost& b) {
    return a.cycles != b.cycles ? a.cycles > b.cycles : a.functions < b.functions;
  });
  return stacks;
}

}  // namespace ringside
