// Even spacing without drift.
#pragma once

#include <cstdint>

#include "model/base/units.h"

namespace ringside {

// Event k is due at floor(k / rate), in integers, for any k. Rate 0: everything is due at once.
class Pacer {
 public:
  explicit Pacer(PacketRate rate) : rate_(rate.value) {}

  // When the next event is due, counted from the first.
  Time next() {
    const Time due = due_;
    if (rate_ != 0) {
      remainder_ += kPicoseconds % rate_;
      due_.value += kPicoseconds / rate_ + remainder_ / rate_;
      remainder_ %= rate_;
    }
    return due;
  }

 private:
  static constexpr std::uint64_t kPicoseconds = 1'000'000'000'000;

  std::uint64_t rate_;
  std::uint64_t remainder_ = 0;
  Time due_{};
};

}  // namespace ringside
