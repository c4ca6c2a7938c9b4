// When is a rate known well enough? Batch means with integers only, so that every machine stops at the same packet.
#pragma once

#include <cstdint>

#include "model/base/units.h"

namespace ringside {

// Collects the durations of batches of equally many packets. The mean is known when the half-width of its 95 % confidence
// interval, two standard errors, is at most a given share of it.
class Convergence {
 public:
  void add_batch(Time duration) {
    ++batches_;
    sum_ += duration.value;
    square_sum_ += static_cast<unsigned __int128>(duration.value) * duration.value;
  }

  std::uint64_t batches() const { return batches_; }

  // 2 s / sqrt(n) <= parts/1e6 * mean, with s^2 = (n*Q - S^2) / (n (n-1)); multiplied out to stay in integers.
  // At least ten batches are wanted before any claim.
  bool reached(std::uint64_t parts_per_million) const {
    if (batches_ < 10) return false;
    const unsigned __int128 spread = batches_ * square_sum_ - static_cast<unsigned __int128>(sum_) * sum_;
    const unsigned __int128 scaled_mean = static_cast<unsigned __int128>(sum_) * parts_per_million / 1'000'000;
    return 4 * spread <= (batches_ - 1) * scaled_mean * scaled_mean;
  }

 private:
  std::uint64_t batches_ = 0;
  std::uint64_t sum_ = 0;
  unsigned __int128 square_sum_ = 0;
};

}  // namespace ringside
