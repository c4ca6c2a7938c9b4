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
      std::uint64_t& slot = slots_[at & kMask];
      const std::int32_t late = lateness(slot, at);
      if (late > 0) [[unlikely]]
        return at;
      const std::uint64_t taken = late < 0 ? static_cast<std::uint32_t>(at) : slot;
      if (used(taken, port) < ports) [[likely]] {
        slot = taken + (std::uint64_t{1} << shift(port));
        return at;
      }
    }
  }

  // Forgets everything that was booked before `now`: for a core that has slept so long that old entries could look young.
  void clear(std::uint64_t now) { slots_.fill(static_cast<std::uint32_t>(now)); }

  // Takes `slots` slots of the unit from `at` on, as many as there are free in each cycle, and returns the cycle behind
  // the last.
  std::uint64_t fill(Port port, std::uint64_t at, std::uint64_t slots, std::uint8_t ports) {
    const std::uint64_t end = at + kCycles;
    for (slots = std::min<std::uint64_t>(slots, kCycles / 2 * ports); slots > 0 && at < end; ++at) {
      std::uint64_t& slot = slots_[at & kMask];
      const std::int32_t late = lateness(slot, at);
      if (late > 0) continue;
      if (late < 0) slot = static_cast<std::uint32_t>(at);
      const std::uint64_t here = std::min<std::uint64_t>(slots, ports - std::min<std::uint64_t>(used(slot, port), ports));
      slot += here << shift(port);
      slots -= here;
    }
    return at;
  }

 private:
  static constexpr std::size_t kCycles = 1024;  // longer than a window is open in the usual case
  static constexpr std::size_t kMask = kCycles - 1;
  // No booking is further ahead than this; what seems to be has not been touched for so long that its cycle wrapped.
  static constexpr std::int32_t kHorizon = 1 << 24;

  static constexpr unsigned shift(Port port) { return 32 + 8 * static_cast<unsigned>(port); }
  static std::uint64_t used(std::uint64_t slot, Port port) { return slot >> shift(port) & 0xff; }

  // Whether the entry is of a later cycle (positive), of this one, or of an earlier one, which makes it free. If a later
  // cycle has the place, this one lies so far back that hardly anybody competes for it any more.
  static std::int32_t lateness(std::uint64_t slot, std::uint64_t cycle) {
    const auto distance = static_cast<std::int32_t>(static_cast<std::uint32_t>(slot) - static_cast<std::uint32_t>(cycle));
    return distance > kHorizon ? -1 : distance;
  }

  // The cycle modulo 2^32, and above it a byte per unit: how many of its slots are taken. Small, so that the whole
  // calendar stays in the first-level cache of the machine that simulates.
  static_assert(static_cast<std::size_t>(Port::count) <= 4);
  std::array<std::uint64_t, kCycles> slots_{};
};

}  // namespace ringside
