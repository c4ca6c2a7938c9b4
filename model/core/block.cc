#include "model/core/block.h"

#include <numeric>

namespace ringside {

std::string_view name(StallReason reason) {
  static constexpr std::array<std::string_view, kStallReasons> kNames{
      "base", "front_end", "mispredict",   "dependency", "l1",        "l2",   "llc",
      "dram", "tlb",       "store_buffer", "rep",        "serialise", "mmio", "idle", "residual"};
  const auto index = static_cast<std::size_t>(reason);
  return index < kNames.size() ? kNames[index] : "unknown";
}

std::optional<StallReason> stall_reason(std::string_view wanted) {
  for (std::size_t i = 0; i < kStallReasons; ++i) {
    const auto reason = static_cast<StallReason>(i);
    if (name(reason) == wanted) return reason;
  }
  return std::nullopt;
}

std::uint64_t Block::cycles() const {
  std::uint64_t sum = 0;
  for (const InstructionCounts& one : counts) sum = std::accumulate(one.cycles.begin(), one.cycles.end(), sum);
  return sum;
}

}  // namespace ringside
