// Which execution slots are taken in which cycle. An out-of-order core starts instructions in another order than it
// meets them, so that "the next free cycle" of a unit is not a single number.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <tuple>

namespace ringside {

enum class Port : std::uint8_t { alu, load, store, count };

class Calendar {
 public:
  // Nothing is booked before `cycle` any more.
  void advance(std::uint64_t cycle) {
    if (cycle - begin_ >= kStep) [[unlikely]] forget_until(cycle);
  }

  // Takes one of `ports` slots of the unit in the first cycle at or after `at` that has one, and returns that cycle. `at` is not
  // before the latest advance(). What lies further ahead than the calendar reaches is free: hardly anybody competes for it yet.
  std::uint64_t book(Port port, std::uint64_t at, std::uint8_t ports) {
    for (; at - begin_ < kCycles; ++at) {
      std::uint8_t& used = slots_[at & kMask][static_cast<std::size_t>(port)];
      if (used < ports) [[likely]] {
        ++used;
        return at;
      }
    }
    return at;
  }

  // Takes `slots` slots of the unit from `at` on, as many as there are free in each cycle, and returns the cycle behind
  // the last.
  std::uint64_t fill(Port port, std::uint64_t at, std::uint64_t slots, std::uint8_t ports) {
    for (; slots > 0 && at - begin_ < kCycles; ++at) {
      std::uint8_t& used = slots_[at & kMask][static_cast<std::size_t>(port)];
      const auto here = static_cast<std::uint8_t>(std::min<std::uint64_t>(slots, ports - std::min(used, ports)));
      used = static_cast<std::uint8_t>(used + here);
      slots -= here;
    }
    return at;
  }

 private:
  static constexpr std::size_t kCycles = 2048;  // longer than a window is open in the usual case
  static constexpr std::size_t kMask = kCycles - 1;
  static constexpr std::uint64_t kStep = 16;  // a line of the machine that simulates

  using Cycle = std::array<std::uint8_t, 4>;  // by port: how many slots are taken
  static_assert(static_cast<std::size_t>(Port::count) <= std::tuple_size_v<Cycle>);

  void forget_until(std::uint64_t cycle) {
    const std::uint64_t begin = cycle / kStep * kStep;
    if (begin - begin_ >= kCycles) slots_.fill({});
    for (std::uint64_t past = begin - std::min<std::uint64_t>(begin - begin_, kCycles); past != begin; past += kStep)
      std::fill_n(&slots_[past & kMask], kStep, Cycle{});
    begin_ = begin;
  }

  std::uint64_t begin_ = 0;  // a multiple of kStep
  std::array<Cycle, kCycles> slots_{};
};

}  // namespace ringside
