// The stream prefetcher and the adjacent-line prefetcher.
#include <gtest/gtest.h>

#include "tb/tests/contract/memory_board.h"

namespace ringside {
namespace {

constexpr std::uint64_t kPage = 64;  // lines

MemoryConfig with_streams() {
  MemoryConfig config = small_memory();
  config.stream_prefetcher = true;
  return config;
}

std::vector<MemoryLevel> walk(MemoryBoard& board, std::uint64_t first, int step, int count, std::uint64_t pause) {
  std::vector<MemoryLevel> levels;
  for (int i = 0; i < count; ++i) {
    board.chase(first + static_cast<std::uint64_t>(step * i));
    levels.push_back(board.last.level);
    board.now += pause;
  }
  return levels;
}

TEST(MemoryPrefetch, AnAscendingStreamIsFetchedAheadAfterTwoSteps) {
  MemoryBoard board(with_streams());
  const std::vector<MemoryLevel> levels = walk(board, 10 * kPage, 1, 20, 300);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(levels[i], MemoryLevel::dram) << i;
  for (int i = 3; i < 20; ++i) EXPECT_EQ(levels[i], MemoryLevel::l2) << i;
  EXPECT_EQ(board.core.counts().prefetches_useful, 17U);
}

TEST(MemoryPrefetch, WithALongerTrainingMoreAccessesMiss) {
  for (const int step : {1, -1, 2}) {
    MemoryConfig config = with_streams();
    config.stream_train = 9;
    MemoryBoard board(config);
    const std::vector<MemoryLevel> levels = walk(board, 10 * kPage + (step < 0 ? 63 : 0), step, 20, 300);
    for (int i = 0; i < 10; ++i) EXPECT_EQ(levels[i], MemoryLevel::dram) << step << " " << i;
    for (int i = 10; i < 20; ++i) EXPECT_EQ(levels[i], MemoryLevel::l2) << step << " " << i;
  }
}

// As measured on an EPYC Turin: a first access has the next line fetched and no other, whichever comes second says where to go.
TEST(MemoryPrefetch, WithoutTrainingTheFirstAccessFetchesTheNextLine) {
  for (const int step : {1, -1, 2}) {
    MemoryConfig config = with_streams();
    config.stream_train = 0;
    MemoryBoard board(config);
    const int missed = step == 1 ? 1 : 2;
    const std::vector<MemoryLevel> levels = walk(board, 10 * kPage + (step < 0 ? 63 : 0), step, 20, 300);
    for (int i = 0; i < missed; ++i) EXPECT_EQ(levels[i], MemoryLevel::dram) << step << " " << i;
    for (int i = missed; i < 20; ++i) EXPECT_EQ(levels[i], MemoryLevel::l2) << step << " " << i;
  }
}

TEST(MemoryPrefetch, ADescendingStreamToo) {
  MemoryBoard board(with_streams());
  const std::vector<MemoryLevel> levels = walk(board, 10 * kPage + 40, -1, 20, 300);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(levels[i], MemoryLevel::dram) << i;
  for (int i = 3; i < 20; ++i) EXPECT_EQ(levels[i], MemoryLevel::l2) << i;
}

TEST(MemoryPrefetch, SwitchedOffItDoesNothing) {
  MemoryBoard board(small_memory());
  for (const MemoryLevel level : walk(board, 10 * kPage, 1, 20, 300)) EXPECT_EQ(level, MemoryLevel::dram);
  EXPECT_EQ(board.core.counts().prefetches_issued, 0U);
}

TEST(MemoryPrefetch, AStreamStopsAtThePageAndStartsAnewInTheNext) {
  MemoryBoard board(with_streams());
  const std::vector<MemoryLevel> levels = walk(board, 10 * kPage + 56, 1, 12, 300);
  for (int i = 3; i < 8; ++i) EXPECT_EQ(levels[i], MemoryLevel::l2) << i;
  for (int i = 8; i < 11; ++i) EXPECT_EQ(levels[i], MemoryLevel::dram) << i;
  EXPECT_EQ(levels[11], MemoryLevel::l2);
}

TEST(MemoryPrefetch, ItRunsNoFurtherAheadThanItsDistance) {
  MemoryConfig config = with_streams();
  config.stream_degree = 64;
  config.stream_distance = 8;
  MemoryBoard board(config);
  walk(board, 10 * kPage, 1, 3, 300);
  EXPECT_EQ(board.core.counts().prefetches_issued, 8U);
  board.chase(10 * kPage + 3);
  EXPECT_EQ(board.core.counts().prefetches_issued, 9U);
}

TEST(MemoryPrefetch, JumpsInNoDirectionTrainNothing) {
  MemoryBoard board(with_streams());
  for (const std::uint64_t line : {3U, 40U, 12U, 33U, 5U, 60U, 1U, 50U}) board.chase(10 * kPage + line);
  EXPECT_EQ(board.core.counts().prefetches_issued, 0U);
}

TEST(MemoryPrefetch, ASecondPassOverAPageIsFetchedAheadAgain) {
  MemoryBoard board(with_streams());
  walk(board, 10 * kPage, 1, 64, 300);
  walk(board, 20 * kPage, 1, 12 * 64, 300);  // more than the second level holds, in fewer pages than there are trackers
  const std::vector<MemoryLevel> levels = walk(board, 10 * kPage, 1, 20, 300);
  for (int i = 3; i < 20; ++i) EXPECT_EQ(levels[i], MemoryLevel::l2) << i;
}

TEST(MemoryPrefetch, ManyStreamsAreFollowedAtOnceUpToTheTrackers) {
  for (const std::uint64_t pages : {16U, 17U}) {
    MemoryBoard board(with_streams());
    for (std::uint64_t i = 0; i < 6; ++i) {
      for (std::uint64_t page = 0; page < pages; ++page) board.chase((20 + page) * kPage + 3 * page + i);
    }
    if (pages == 16) {
      EXPECT_GT(board.core.counts().prefetches_useful, 16U);
    } else {
      EXPECT_EQ(board.core.counts().prefetches_issued, 0U);
    }
  }
}

TEST(MemoryPrefetch, APrefetchOnItsWayIsWaitedForAndCountsAsItsSource) {
  MemoryBoard board(with_streams());
  walk(board, 10 * kPage, 1, 2, 300);
  const std::uint64_t issued = board.now;
  board.chase(10 * kPage + 2);  // asks for lines 3 and 4
  const MemoryAccess next = board.load_at(issued + 100, MemoryBoard::address(10 * kPage + 3));
  EXPECT_EQ(next.level, MemoryLevel::dram);
  EXPECT_LE(next.done.value, issued + 210);  // not 200 after its own issue
}

TEST(MemoryPrefetch, WithAllOutstandingEntriesBusyPrefetchesAreDropped) {
  MemoryConfig config = with_streams();
  config.l2_outstanding = 1;
  MemoryBoard board(config);
  walk(board, 10 * kPage, 1, 10, 0);
  EXPECT_EQ(board.core.counts().prefetches_issued, 0U);
}

TEST(MemoryPrefetch, TheAdjacentLineCompletesItsPair) {
  MemoryConfig config = small_memory();
  config.adjacent_line_prefetcher = true;
  MemoryBoard board(config);
  const std::uint64_t even = (MemoryBoard::address(700) / kCacheLine % 2 == 0) ? 700 : 701;
  board.chase(even + 1);
  board.now += 300;
  EXPECT_EQ(board.chase(even), 14U);
  EXPECT_EQ(board.chase(even + 2), 200U);
}

}  // namespace
}  // namespace ringside
