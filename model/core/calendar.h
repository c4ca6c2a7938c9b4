// Which execution slots are taken in which cycle. An out-of-order core starts instructions in another order than it
// meets them, so that "the next free cycle" of a unit is not a single number.
#pragma once

#include <array>
#include <cstdint>

namespace ringside {

enum class Port : std::uint8_t { alu, load, store, count };

class Calendar {
 public:
  // Takes one of `ports` slots of the unit in the first cycle at or after `at` that has one, and returns that cycle.
  std::uint64_t book(Port port, std::uint64_t at, std::uint8_t ports) {
    for (;; ++at) {
      Slot& slot = slots_[at & kMask];
      if (slot.cycle != at) {
        // A later cycle has the place: this one lies so far back that nobody competes for it any more.
        if (slot.cycle > at) return at;
        slot = {at, {}};
      }
      std::uint8_t& used = slot.used[static_cast<std::size_t>(port)];
      if (used < ports) {
        ++used;
        return at;
      }
    }
  }

 private:
  static constexpr std::size_t kCycles = 2048;  // longer than any window is open
  static constexpr std::size_t kMask = kCycles - 1;

  struct Slot {
    std::uint64_t cycle = 0;
    std::array<std::uint8_t, static_cast<std::size_t>(Port::count)> used{};
  };
  std::array<Slot, kCycles> slots_{};
};

}  // namespace ringside
