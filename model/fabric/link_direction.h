// One direction of a serial link: who holds it until when.
#pragma once

#include <algorithm>
#include <cstdint>

#include "model/base/units.h"

namespace ringside {

// First come, first served, in the order of the calls. Fractions of a picosecond are carried from one transfer to the
// next of a back-to-back run, so that the rate is exact over any length.
class LinkDirection {
 public:
  explicit LinkDirection(Bandwidth rate)
      : byte_time_((static_cast<unsigned __int128>(8'000'000'000'000ULL) << kFractionBits) / rate.value) {}

  // Puts one packet of `size` bytes, overhead included, on the link at `from` or as soon as it is free. Returns when
  // the last byte has left.
  Time send(Time from, std::uint64_t size) {
    if (from > free_) {
      free_ = from;
      fraction_ = 0;
    }
    const std::uint64_t duration = size * byte_time_ + fraction_;
    fraction_ = duration & ((1ULL << kFractionBits) - 1);
    free_ += Time{duration >> kFractionBits};
    busy_ps_ += duration >> kFractionBits;
    bytes_ += size;
    ++packets_;
    return free_;
  }

  Time free() const { return free_; }

  const std::uint64_t& bytes() const { return bytes_; }
  const std::uint64_t& packets() const { return packets_; }
  const std::uint64_t& busy_ps() const { return busy_ps_; }

 private:
  static constexpr unsigned kFractionBits = 20;

  std::uint64_t byte_time_;  // picoseconds in units of 2^-20
  std::uint64_t fraction_ = 0;
  Time free_{};
  std::uint64_t bytes_ = 0;
  std::uint64_t packets_ = 0;
  std::uint64_t busy_ps_ = 0;
};

}  // namespace ringside
