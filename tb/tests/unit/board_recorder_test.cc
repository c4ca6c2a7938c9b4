// Time series: bounded, exact, and as fine as their length allows.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "tb/board/packet_tracker.h"
#include "tb/board/recorder.h"

namespace ringside {
namespace {

using testing::ElementsAre;
using enum SeriesKind;

std::vector<Recorder::Reading> packets(std::uint64_t total) { return {{"packets", "delivered", "packets", sum, total}}; }

TEST(Recorder, IsNotDueBeforeItBegins) {
  Recorder recorder;
  EXPECT_FALSE(recorder.due(seconds(1)));
  recorder.record(seconds(1), packets(1));
  EXPECT_TRUE(recorder.history().ends.empty());
  recorder.start(microseconds(5), packets(0));
  EXPECT_FALSE(recorder.due(picoseconds(5'999'999)));
  EXPECT_TRUE(recorder.due(microseconds(6)));
}

TEST(Recorder, KeepsGrowthBetweenTimes) {
  Recorder recorder;
  recorder.start(microseconds(10), packets(100));
  recorder.record(microseconds(11), packets(103));
  recorder.record(microseconds(14), packets(103));
  recorder.record(microseconds(15), packets(110));
  recorder.record(microseconds(15), packets(111));  // not after the last one
  const History history = recorder.history();
  EXPECT_EQ(history.start, microseconds(10));
  EXPECT_THAT(history.ends, ElementsAre(microseconds(11), microseconds(14), microseconds(15)));
  ASSERT_EQ(history.series.size(), 1u);
  EXPECT_THAT(history.series[0].growth, ElementsAre(3, 0, 7));
}

TEST(Recorder, SeriesMayComeLater) {
  Recorder recorder;
  recorder.start(Time{}, packets(0));
  recorder.record(microseconds(1), packets(1));
  auto more = packets(2);
  more.push_back({"dropped", "rx_out_of_buffer", "packets", sum, 5});
  recorder.record(microseconds(2), more);
  EXPECT_THAT(recorder.history().series.at(1).growth, ElementsAre(0, 5));
}

// A packet each nanosecond, looked at each nanosecond, for a time that nobody knew before.
class RecorderOfLength : public testing::TestWithParam<std::uint64_t> {};

TEST_P(RecorderOfLength, StaysBoundedAndLosesNothing) {
  const Time length = microseconds(GetParam());
  Recorder recorder(16, microseconds(1));
  recorder.start(Time{}, packets(0));
  for (Time now = nanoseconds(1); now < length; now += nanoseconds(1)) {
    if (recorder.due(now)) recorder.record(now, packets(now / nanoseconds(1)));
  }
  recorder.record(length, packets(length / nanoseconds(1)));
  const History history = recorder.history();
  const auto& growth = history.series.at(0).growth;
  ASSERT_EQ(growth.size(), history.ends.size());
  EXPECT_LE(growth.size(), 16u);
  EXPECT_GE(growth.size(), std::min<std::uint64_t>(GetParam(), 8));
  EXPECT_EQ(history.ends.back(), length);
  EXPECT_EQ(std::accumulate(growth.begin(), growth.end(), std::uint64_t{0}), length / nanoseconds(1));
  Time begin = history.start;
  for (std::size_t i = 0; i < growth.size(); ++i) {
    EXPECT_EQ(growth[i], (history.ends[i] - begin) / nanoseconds(1));
    begin = history.ends[i];
  }
}

INSTANTIATE_TEST_SUITE_P(Lengths, RecorderOfLength, testing::Values(1, 7, 15, 16, 17, 31, 32, 100, 1'000));

// 2 for 3 us, 1 for 1 us.
TEST(Occupancy, SumsUpOverTime) {
  Occupancy occupancy;
  occupancy.enter(microseconds(10));
  occupancy.enter(microseconds(10));
  occupancy.leave(microseconds(13));
  EXPECT_EQ(occupancy.over_time(microseconds(14)), microseconds(7).value);
  occupancy.leave(microseconds(14));
  EXPECT_EQ(occupancy.over_time(seconds(1)), microseconds(7).value);
}

}  // namespace
}  // namespace ringside
