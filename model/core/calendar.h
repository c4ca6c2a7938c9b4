// Which execution slots are taken in which cycle. An out-of-order core starts instructions in another order than it
// meets them, so that "the next free cycle" of a unit is not a single number.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

namespace ringside {

enum class Port : std::uint8_t { alu, load, store, count };

class Calendar {
 public:
  // Takes one of `ports` slots of the unit in the first cycle at or after `at` that has one, and returns that cycle.
  std::uint64_t book(Port port, std::uint64_t at, std::uint8_t ports) {
    for (;; ++at) {
      Slot* const slot = slot_at(at);
      if (slot == nullptr) return at;
      std::uint8_t& used = slot->used[static_cast<std::size_t>(port)];
      if (used < ports) {
        ++used;
        return at;
      }
    }
  }

  // Forgets everything: for a core that has slept so long that old entries could look young.
  void clear() { slots_ = {}; }

  // Takes `slots` slots of the unit from `at` on, as many as there are free in each cycle, and returns the cycle behind
  // the last.
  std::uint64_t fill(Port port, std::uint64_t at, std::uint64_t slots, std::uint8_t ports) {
    for (slots = std::min<std::uint64_t>(slots, kCycles / 2 * ports); slots > 0; ++at) {
      Slot* const slot = slot_at(at);
      if (slot == nullptr) continue;
      std::uint8_t& used = slot->used[static_cast<std::size_t>(port)];
      const auto taken = static_cast<std::uint8_t>(std::min<std::uint64_t>(slots, ports - std::min(used, ports)));
      used = static_cast<std::uint8_t>(used + taken);
      slots -= taken;
    }
    return at;
  }

 private:
  static constexpr std::size_t kCycles = 1024;  // longer than a window is open in the usual case
  static constexpr std::size_t kMask = kCycles - 1;

  // Small, so that the whole calendar stays in the first-level cache of the machine that simulates. Cycles are compared
  // modulo 2^32.
  struct Slot {
    std::uint32_t cycle = 0;
    std::array<std::uint8_t, 4> used{};
  };
  static_assert(static_cast<std::size_t>(Port::count) <= 4);

  // The entry of a cycle; none if a later cycle has the place, which means that this one lies so far back that hardly
  // anybody competes for it any more.
  Slot* slot_at(std::uint64_t cycle) {
    Slot& slot = slots_[cycle & kMask];
    const auto late = static_cast<std::int32_t>(slot.cycle - static_cast<std::uint32_t>(cycle));
    if (late > 0) return nullptr;
    if (late < 0) slot = {static_cast<std::uint32_t>(cycle), {}};
    return &slot;
  }

  std::array<Slot, kCycles> slots_{};
};

}  // namespace ringside
