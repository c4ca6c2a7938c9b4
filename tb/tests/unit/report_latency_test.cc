#include <gtest/gtest.h>

#include "tb/report/latency_histogram.h"

namespace ringside {
namespace {

TEST(LatencyHistogram, IsEmptyAtFirst) {
  const auto summary = LatencyHistogram().summary();
  EXPECT_EQ(summary.count, 0U);
  EXPECT_EQ(summary.min, Time{});
  EXPECT_EQ(summary.max, Time{});
}

// 1 ns to 1000 ns, evenly: the k-th percentile is k * 10 ns, and the bins are 1/64 wide.
TEST(LatencyHistogram, KnowsPercentilesToABinsWidth) {
  LatencyHistogram histogram;
  for (std::uint64_t ns = 1000; ns > 0; --ns) histogram.add(nanoseconds(ns));
  const auto summary = histogram.summary();
  EXPECT_EQ(summary.count, 1000U);
  EXPECT_EQ(summary.min, nanoseconds(1));
  EXPECT_EQ(summary.max, nanoseconds(1000));
  EXPECT_EQ(summary.mean, picoseconds(500'500));
  const auto expect_near = [](Time found, Time expected) {
    EXPECT_GE(found, expected);
    EXPECT_LE(found.value, expected.value + expected.value / 64 + 1);
  };
  expect_near(summary.p50, nanoseconds(500));
  expect_near(summary.p90, nanoseconds(900));
  expect_near(summary.p99, nanoseconds(990));
  expect_near(summary.p999, nanoseconds(999));
}

TEST(LatencyHistogram, IsExactForShortTimesAndTakesAnyTime) {
  LatencyHistogram histogram;
  histogram.add(picoseconds(127));
  EXPECT_EQ(histogram.summary().p50, picoseconds(127));
  histogram.add(Time::max());
  histogram.add(picoseconds(128));
  EXPECT_EQ(histogram.summary().max, Time::max());
  EXPECT_EQ(histogram.summary().p50, picoseconds(129)) << "the bin of 128 holds 129 too";
  histogram.clear();
  EXPECT_EQ(histogram.summary().count, 0U);
}

}  // namespace
}  // namespace ringside
