// What translation adds: reach of the two levels by page size, and the walk.
#include <gtest/gtest.h>

#include "tb/tests/contract/memory_board.h"

namespace ringside {
namespace {

MemoryConfig pages(const char* size) {
  MemoryConfig config = small_memory();
  config.ram_size = mebibytes(1024);
  config.page_size = size;
  config.stlb_latency = 7;
  config.page_walk = 30;
  config.l1d_size = kibibytes(64);  // 64 sets of 16 ways hold the lines, so that only translation differs
  config.l1d_ways = 16;
  return config;
}

// Mean cycles that a load adds to the L1 latency when it visits `count` pages in turn, spread over the cache's sets.
double extra(MemoryBoard& board, std::uint64_t page_bytes, std::uint64_t count, bool* walked) {
  std::uint64_t cycles = 0;
  for (int round = 0; round < 3; ++round) {
    cycles = 0;
    for (std::uint64_t i = 0; i < count; ++i) {
      cycles += board.chase(i * (page_bytes / kCacheLine) + i % 64) - 5;
      *walked = board.last.tlb_miss;
    }
  }
  return static_cast<double>(cycles) / static_cast<double>(count);
}

TEST(MemoryTlb, ReachWithSmallPages) {
  // 16 entries in 4 sets, then 64 in 16 sets; consecutive pages fill sets evenly.
  MemoryBoard board(pages("4KiB"));
  bool walked = true;
  EXPECT_EQ(extra(board, 4096, 16, &walked), 0.0);
  EXPECT_FALSE(walked);
  EXPECT_EQ(extra(board, 4096, 64, &walked), 7.0);
  EXPECT_FALSE(walked);
  EXPECT_EQ(extra(board, 4096, 128, &walked), 37.0);
  EXPECT_TRUE(walked);
}

TEST(MemoryTlb, ReachWithLargePages) {
  MemoryBoard board(pages("2MiB"));
  bool walked = true;
  EXPECT_EQ(extra(board, mebibytes(2).value, 8, &walked), 0.0);
  EXPECT_EQ(extra(board, mebibytes(2).value, 64, &walked), 7.0);
  EXPECT_FALSE(walked);
  EXPECT_EQ(extra(board, mebibytes(2).value, 128, &walked), 37.0);
  EXPECT_TRUE(walked);
}

TEST(MemoryTlb, LargePagesCoverWhatSmallOnesDoNot) {
  bool walked = false;
  MemoryBoard large(pages("2MiB"));
  EXPECT_EQ(extra(large, 4096, 512, &walked), 0.0);
  MemoryBoard small(pages("4KiB"));
  EXPECT_EQ(extra(small, 4096, 512, &walked), 37.0);
}

TEST(MemoryTlb, AnAccessOverTwoPagesWalksForEither) {
  MemoryBoard board(pages("4KiB"));
  const std::uint64_t boundary = kTestBase + 300 * 4096;
  EXPECT_TRUE(board.load_at(20'000, boundary - 8).tlb_miss);
  EXPECT_TRUE(board.load_at(21'000, boundary - 4).tlb_miss);
  EXPECT_FALSE(board.load_at(22'000, boundary - 4).tlb_miss);
  board.load_at(23'000, boundary + 8 * 4096);
  EXPECT_TRUE(board.load_at(24'000, boundary + 8 * 4096 - 4).tlb_miss);
  EXPECT_EQ(board.core.counts().page_walks, 4U);
}

TEST(MemoryTlb, CodeWalksOnceForAPageAndSharesTheSecondLevel) {
  MemoryBoard board(pages("4KiB"));
  const std::uint64_t address = kTestBase + 300 * 4096;
  const MemoryAccess cold = board.core.fetch({20'000}, address);
  EXPECT_TRUE(cold.tlb_miss);
  EXPECT_EQ(cold.done, Cycle{20'230});
  EXPECT_FALSE(board.core.fetch({20'300}, address + 64).tlb_miss);
  const MemoryAccess data = board.load_at(21'000, address);
  EXPECT_FALSE(data.tlb_miss);
  EXPECT_EQ(data.done, Cycle{21'000 + 7 + 14});
}

}  // namespace
}  // namespace ringside
