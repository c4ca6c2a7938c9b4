#include "tb/report/latency_histogram.h"

#include <algorithm>
#include <bit>

namespace ringside {
namespace {

constexpr int kSubBits = 6;  // 64 bins per power of two
constexpr int kExact = 2 << kSubBits;
constexpr int kBins = kExact + (64 - kSubBits - 1) * (1 << kSubBits);

// Values below kExact have a bin each; above, the leading kSubBits + 1 bits choose the bin.
int bin_of(std::uint64_t ps) {
  if (ps < kExact) return static_cast<int>(ps);
  const int shift = std::bit_width(ps) - kSubBits - 1;
  return (shift << kSubBits) + static_cast<int>(ps >> shift);
}

std::uint64_t largest_of(int bin) {
  if (bin < kExact) return static_cast<std::uint64_t>(bin);
  const int shift = (bin >> kSubBits) - 1;
  const auto lead = static_cast<std::uint64_t>(bin - (shift << kSubBits));
  return (lead << shift) + ((std::uint64_t{1} << shift) - 1);
}

}  // namespace

LatencyHistogram::LatencyHistogram()
    : counts_(boost::histogram::make_histogram_with(std::vector<std::uint64_t>(), Axis(0, kBins))) {}

void LatencyHistogram::add(Time latency) {
  counts_(bin_of(latency.value));
  ++count_;
  sum_ps_ += latency.value;
  min_ = std::min(min_, latency);
  max_ = std::max(max_, latency);
}

Time LatencyHistogram::percentile(std::uint64_t per_mille) const {
  const auto rank = (static_cast<unsigned __int128>(count_) * per_mille + 999) / 1000;
  std::uint64_t below = 0;
  for (int bin = 0; bin < kBins; ++bin) {
    below += counts_.at(bin);
    if (below >= rank) return std::min(Time{largest_of(bin)}, max_);
  }
  return max_;
}

LatencySummary LatencyHistogram::summary() const {
  if (count_ == 0) return {};
  return {.count = count_,
          .min = min_,
          .mean = Time{static_cast<std::uint64_t>(sum_ps_ / count_)},
          .p50 = percentile(500),
          .p90 = percentile(900),
          .p99 = percentile(990),
          .p999 = percentile(999),
          .max = max_};
}

}  // namespace ringside
