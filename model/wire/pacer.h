// Even spacing without drift.
#pragma once

#include <cstdint>

#include "model/base/units.h"

namespace ringside {

// Event k is due at floor(k / rate), in integers, for any k. Rate 0: everything is due at once.
class Pacer {
 public:
  explicit Pacer(PacketRate rate)
      : rate_(rate.value),
        step_(rate_ == 0 ? 0 : kPicoseconds / rate_),
        step_rest_(rate_ == 0 ? 0 : kPicoseconds % rate_) {}

  // When the next event is due, counted from the first.
  Time next() {
    const Time due = due_;
    due_.value += step_;
    rest_ += step_rest_;
    if (rest_ >= rate_ && rate_ != 0) {
      rest_ -= rate_;
      ++due_.value;
    }
    return due;
  }

 private:
  static constexpr std::uint64_t kPicoseconds = 1'000'000'000'000;

  std::uint64_t rate_;
  std::uint64_t step_;
  std::uint64_t step_rest_;  // in units of 1 / rate ps
  std::uint64_t rest_ = 0;
  Time due_{};
};

}  // namespace ringside
