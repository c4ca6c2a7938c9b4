// Latency percentiles over buckets of at most 1.6 % width, all in integers.
#pragma once

#include <bit>
#include <boost/histogram.hpp>
#include <cstdint>

#include "model/base/units.h"

namespace ringside {

class LatencyHistogram {
 public:
  void add(Time latency) {
    histogram_(bucket(latency.value));
    ++count_;
    sum_ += latency.value;
    if (latency > max_) max_ = latency;
    if (count_ == 1 || latency < min_) min_ = latency;
  }

  std::uint64_t count() const { return count_; }
  Time mean() const { return Time{count_ == 0 ? 0 : sum_ / count_}; }
  Time min() const { return min_; }
  Time max() const { return max_; }

  // Upper edge of the bucket that holds the given share, in thousandths, of the values; zero when there are none.
  Time percentile(std::uint64_t per_mille) const {
    const std::uint64_t wanted = (count_ * per_mille + 999) / 1000;
    std::uint64_t seen = 0;
    for (int i = 0; i < kBuckets; ++i) {
      seen += static_cast<std::uint64_t>(histogram_.at(i));
      if (seen >= wanted && seen > 0) return Time{upper_edge(i)};
    }
    return max_;
  }

 private:
  // 64 linear buckets for each power of two: index = exponent * 64 + the next 6 bits.
  static constexpr int kSubBits = 6;
  static constexpr int kBuckets = (64 - kSubBits + 1) << kSubBits;

  static int bucket(std::uint64_t v) {
    if (v < (1u << kSubBits)) return static_cast<int>(v);
    const int shift = std::bit_width(v) - 1 - kSubBits;
    return ((shift + 1) << kSubBits) + static_cast<int>((v >> shift) & ((1u << kSubBits) - 1));
  }
  static std::uint64_t upper_edge(int index) {
    if (index < (1 << kSubBits)) return static_cast<std::uint64_t>(index);
    const int shift = (index >> kSubBits) - 1;
    const std::uint64_t base = (std::uint64_t{1} << kSubBits) + (static_cast<std::uint64_t>(index) & ((1u << kSubBits) - 1));
    return ((base + 1) << shift) - 1;
  }

  using Axis = boost::histogram::axis::integer<int, boost::histogram::use_default, boost::histogram::axis::option::none_t>;
  decltype(boost::histogram::make_histogram(Axis())) histogram_ = boost::histogram::make_histogram(Axis(0, kBuckets));
  std::uint64_t count_ = 0;
  std::uint64_t sum_ = 0;
  Time min_{};
  Time max_{};
};

}  // namespace ringside
