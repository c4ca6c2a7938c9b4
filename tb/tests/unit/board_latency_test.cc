#include "tb/board/latency.h"

#include <gtest/gtest.h>

namespace ringside {
namespace {

TEST(LatencyHistogram, PercentilesOfAUniformRampAreWithinABucket) {
  LatencyHistogram histogram;
  for (std::uint64_t i = 1; i <= 100'000; ++i) histogram.add(picoseconds(i * 10));
  EXPECT_EQ(histogram.count(), 100'000u);
  EXPECT_NEAR(static_cast<double>(histogram.percentile(500).value), 500'000, 500'000 * 0.016);
  EXPECT_NEAR(static_cast<double>(histogram.percentile(990).value), 990'000, 990'000 * 0.016);
  EXPECT_EQ(histogram.max(), picoseconds(1'000'000));
  EXPECT_EQ(histogram.mean(), picoseconds(500'005));
}

TEST(LatencyHistogram, ExtremesHaveABucket) {
  LatencyHistogram histogram;
  histogram.add(picoseconds(0));
  EXPECT_EQ(histogram.percentile(1000), picoseconds(0));
  histogram.add(Time::max());
  EXPECT_EQ(histogram.percentile(1000), Time::max());
}

TEST(LatencyHistogram, EmptyIsZero) { EXPECT_EQ(LatencyHistogram().percentile(990), picoseconds(0)); }

}  // namespace
}  // namespace ringside
