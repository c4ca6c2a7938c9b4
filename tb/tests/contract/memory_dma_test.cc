// DMA meets the caches: snoops, DDIO allocation, and machines without it.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "tb/tests/contract/memory_board.h"

namespace ringside {
namespace {

TEST(MemoryDma, BytesMoveAtOnce) {
  MemoryBoard board(small_memory());
  const std::array<std::uint8_t, 5> sent = {1, 2, 3, 4, 5};
  board.memory.write(nanoseconds(1), {kTestBase + 62}, sent);
  EXPECT_TRUE(std::equal(sent.begin(), sent.end(), board.ram.host({kTestBase + 62})));
  std::array<std::uint8_t, 5> received{};
  board.memory.read(nanoseconds(2), {kTestBase + 62}, received);
  EXPECT_EQ(received, sent);
  EXPECT_EQ(board.memory.counts().dma_write_lines, 2U);
}

TEST(MemoryDma, AWriteInvalidatesTheCoresCopyAndTheNextLoadHitsTheLastLevel) {
  MemoryBoard board(small_memory());
  board.chase(7);
  EXPECT_EQ(board.chase(7), 5U);
  board.dma_write(nanoseconds(10'000), 7);
  EXPECT_EQ(board.chase(7), 40U);
  EXPECT_EQ(board.last.level, MemoryLevel::llc);
  EXPECT_EQ(board.chase(7), 5U);
}

TEST(MemoryDma, AWriteToALineOnItsWayToTheCoreInvalidatesItToo) {
  MemoryBoard board(small_memory());
  board.core.prefetch({20'000}, MemoryBoard::address(7), false);
  board.dma_write(nanoseconds(10'010), 7);
  EXPECT_EQ(board.load_at(30'000, MemoryBoard::address(7)).level, MemoryLevel::llc);
}

TEST(MemoryDma, WritesAreVisibleAfterTheirLatency) {
  MemoryBoard board(small_memory());
  EXPECT_EQ(board.dma_write(nanoseconds(1000), 0, 1024), nanoseconds(1020));
  EXPECT_EQ(board.memory.counts().ddio_allocations, 16U);
  EXPECT_EQ(board.dma_write(nanoseconds(2000), 0, 1024), nanoseconds(2020));
  EXPECT_EQ(board.memory.counts().ddio_updates, 16U);
}

TEST(MemoryDma, APartOfALineThatNoCacheHasIsMergedFromDram) {
  MemoryBoard board(small_memory());
  const std::uint64_t read_before = board.memory.dram().read_bytes();
  EXPECT_EQ(board.dma_write(nanoseconds(1000), 9, 60), nanoseconds(1020 + 80));
  EXPECT_EQ(board.memory.dram().read_bytes() - read_before, kCacheLine);
  // Cached now: neither a second write, nor one to a line that only the core holds, reads DRAM.
  EXPECT_EQ(board.dma_write(nanoseconds(2000), 9, 60), nanoseconds(2020));
  board.chase(9);
  EXPECT_EQ(board.dma_write(nanoseconds(20'000), 9, 60), nanoseconds(20'020));
  EXPECT_EQ(board.memory.counts().dma_partial_fills, 1U);
}

TEST(MemoryDma, AWriteThatMustEvictADirtyLineTakesLonger) {
  MemoryBoard board(small_memory());
  for (std::uint64_t line = 0; line < 1024; ++line) {
    ASSERT_EQ(board.dma_write(nanoseconds(1000), line), nanoseconds(1020)) << line;
  }
  EXPECT_EQ(board.memory.counts().ddio_evictions, 0U);
  EXPECT_EQ(board.dma_write(nanoseconds(2000), 1024), nanoseconds(2000 + 20 + 80));
  EXPECT_EQ(board.memory.counts().ddio_evictions, 1U);
  EXPECT_EQ(board.memory.dram().write_bytes(), kCacheLine);
}

TEST(MemoryDma, AllocationsLeaveTheOtherWaysToTheCores) {
  MemoryBoard board(small_memory());
  board.chase_ring(512 + 3072);  // the second level and six of eight ways
  for (std::uint64_t line = 10'000; line < 20'000; ++line) board.dma_write(nanoseconds(100'000), line);
  std::uint64_t from_dram = 0;
  for (std::uint64_t line = 0; line < 512 + 3072; ++line) {
    board.chase(line);
    from_dram += board.last.level == MemoryLevel::dram;
  }
  EXPECT_EQ(from_dram, 0U);
}

TEST(MemoryDma, WithoutDdioWritesGoToDramAndNoCacheKeepsTheLine) {
  MemoryConfig config = small_memory();
  config.ddio_ways = 0;
  MemoryBoard board(config);
  board.chase(7);
  EXPECT_EQ(board.dma_write(nanoseconds(10'000), 7), nanoseconds(10'020));
  board.now = 100'000;
  EXPECT_EQ(board.chase(7), 200U);
  EXPECT_EQ(board.memory.counts().dma_writes_dram, 1U);
  EXPECT_EQ(board.memory.dram().write_bytes(), kCacheLine);
  EXPECT_EQ(board.memory.counts().ddio_allocations, 0U);
}

TEST(MemoryDma, ReadsAreServedByWhoeverHasTheLine) {
  MemoryBoard board(small_memory());
  EXPECT_EQ(board.dma_read(nanoseconds(20'000), 50), nanoseconds(20'020 + 80));
  EXPECT_EQ(board.dma_read(nanoseconds(30'000), 50), nanoseconds(30'020 + 80));  // reading allocates nothing
  board.core.store({80'000}, MemoryBoard::address(50), 8);
  EXPECT_EQ(board.dma_read(nanoseconds(50'000), 50), nanoseconds(50'020));
  board.dma_write(nanoseconds(60'000), 51);
  EXPECT_EQ(board.dma_read(nanoseconds(70'000), 51), nanoseconds(70'020));
  EXPECT_EQ(board.memory.counts().dma_reads_dram, 2U);
  EXPECT_EQ(board.memory.counts().dma_reads_llc, 2U);
  EXPECT_EQ(board.load_at(200'000, MemoryBoard::address(50)).level, MemoryLevel::l1);  // the core kept its copy
}

TEST(MemoryDma, AWriteInvalidatesAPrefetchedLineThatTheCoreHasNotUsed) {
  MemoryConfig config = small_memory();
  config.adjacent_line_prefetcher = true;
  MemoryBoard board(config);
  board.chase(700);
  board.dma_write(nanoseconds(50'000), 701);
  EXPECT_EQ(board.load_at(200'000, MemoryBoard::address(701)).level, MemoryLevel::llc);
}

TEST(MemoryDma, ALineThatTheCoreHasReadLeavesItsDdioWay) {
  MemoryBoard board(small_memory());
  for (std::uint64_t line = 0; line < 1024; ++line) board.dma_write(nanoseconds(1000), line);
  board.chase(0);
  board.dma_write(nanoseconds(50'000), 1024);  // the set of line 0
  EXPECT_EQ(board.memory.counts().ddio_evictions, 0U);
  board.dma_write(nanoseconds(50'000), 1536);
  EXPECT_EQ(board.memory.counts().ddio_evictions, 1U);
}

TEST(MemoryDma, AnUpdateMakesACleanLineDirty) {
  MemoryBoard board(small_memory());
  board.chase_ring(2048);  // line 0 is a clean victim in the last level now
  board.dma_write(nanoseconds(500'000), 0);
  EXPECT_EQ(board.memory.counts().ddio_updates, 1U);
  for (std::uint64_t line = 10'000; line < 20'000; ++line) board.chase(line);
  EXPECT_EQ(board.memory.dram().write_bytes(), kCacheLine);
}

TEST(MemoryDma, WithoutDdioAPartOfACachedLineNeedsNoRead) {
  MemoryConfig config = small_memory();
  config.ddio_ways = 0;
  MemoryBoard board(config);
  board.chase_ring(2048);
  board.chase(2047);
  EXPECT_EQ(board.dma_write(nanoseconds(500'000), 0, 60), nanoseconds(500'020));     // in the last level
  EXPECT_EQ(board.dma_write(nanoseconds(500'000), 2047, 60), nanoseconds(500'020));  // in the core
  EXPECT_EQ(board.dma_write(nanoseconds(600'000), 0, 60), nanoseconds(600'020 + 80));
}

TEST(MemoryDma, WritesToDramDelayAReadAtTheSameTime) {
  MemoryConfig config = small_memory();
  config.ddio_ways = 0;
  MemoryBoard board(config);
  board.dma_write(nanoseconds(500'000), 0, 100 * kCacheLine);  // 100 ns of bandwidth
  EXPECT_EQ(board.load_at(1'000'000, MemoryBoard::address(3000)).done, Cycle{1'000'000 + 200 + 200});
}

TEST(MemoryDma, AReadTakesAsLongAsItsSlowestLine) {
  MemoryBoard board(small_memory());
  board.dma_write(nanoseconds(1000), 100, 4 * kCacheLine);
  EXPECT_EQ(board.dma_read(nanoseconds(20'000), 100, 4 * kCacheLine), nanoseconds(20'020));
  EXPECT_EQ(board.dma_read(nanoseconds(30'000), 100, 5 * kCacheLine), nanoseconds(30'100));
}

}  // namespace
}  // namespace ringside
