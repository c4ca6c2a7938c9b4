// Collects latencies and tells their percentiles, in memory that does not depend on how many there are.
#pragma once

#include <boost/histogram/axis/integer.hpp>
#include <boost/histogram/axis/option.hpp>
#include <boost/histogram/make_histogram.hpp>
#include <cstdint>
#include <tuple>
#include <vector>

#include "tb/report/run_result.h"

namespace ringside {

// A Boost.Histogram over integer bins: exact below 128 ps, then 64 bins per power of two, so a percentile is at most 1.6 %
// above the true one. Minimum, maximum and mean are exact.
class LatencyHistogram {
 public:
  LatencyHistogram();

  void add(Time latency);
  void clear() { *this = LatencyHistogram(); }
  LatencySummary summary() const;

 private:
  using Axis = boost::histogram::axis::integer<int, boost::use_default, boost::histogram::axis::option::none_t>;
  using Counts = decltype(boost::histogram::make_histogram_with(std::vector<std::uint64_t>(), Axis()));

  // Largest latency of the bin that holds the `per_mille`-th part of all; at most the maximum.
  Time percentile(std::uint64_t per_mille) const;

  Counts counts_;
  std::uint64_t count_ = 0;
  unsigned __int128 sum_ps_ = 0;
  Time min_ = Time::max();
  Time max_;
};

}  // namespace ringside
