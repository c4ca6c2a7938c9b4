#include "model/base/timeline.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace ringside {
namespace {

struct Recorder : EventTarget {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> seen;
  void fire(Time now, std::uint64_t argument) override { seen.emplace_back(now.value, argument); }
};

TEST(Timeline, FiresInTimeOrderAndTiesInOrderOfScheduling) {
  Timeline timeline;
  Recorder recorder;
  timeline.schedule(picoseconds(20), recorder, 1);
  timeline.schedule(picoseconds(10), recorder, 2);
  timeline.schedule(picoseconds(20), recorder, 3);
  EXPECT_EQ(timeline.next(), picoseconds(10));
  timeline.run_until(picoseconds(20));
  const std::vector<std::pair<std::uint64_t, std::uint64_t>> expected{{10, 2}, {20, 1}, {20, 3}};
  EXPECT_EQ(recorder.seen, expected);
  EXPECT_EQ(timeline.next(), Time::max());
}

TEST(Timeline, NotReadyOnePicosecondEarlier) {
  Timeline timeline;
  Recorder recorder;
  timeline.schedule(picoseconds(100), recorder);
  timeline.run_until(picoseconds(99));
  EXPECT_TRUE(recorder.seen.empty());
  timeline.run_until(picoseconds(100));
  EXPECT_EQ(recorder.seen.size(), 1u);
}

TEST(Timeline, PastTimesCountAsNow) {
  Timeline timeline;
  Recorder recorder;
  timeline.run_until(picoseconds(50));
  timeline.schedule(picoseconds(10), recorder, 7);
  timeline.run_until(picoseconds(50));
  EXPECT_EQ(recorder.seen.front().first, 50u);
}

}  // namespace
}  // namespace ringside
