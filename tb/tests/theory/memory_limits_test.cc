// Where one resource limits: fill buffers, outstanding second-level misses, DRAM bandwidth, the DDIO share.
#include <gtest/gtest.h>

#include <algorithm>

#include "tb/tests/contract/memory_board.h"

namespace ringside {
namespace {

// Cycles until `count` independent loads of distinct lines, all ready to issue at once, are done.
std::uint64_t overlapped(MemoryBoard& board, std::uint64_t first, std::uint64_t count) {
  std::uint64_t done = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    done = std::max(done, board.load_at(board.now, MemoryBoard::address(first + i)).done.value);
  }
  return done - board.now;
}

MemoryConfig unlimited_bandwidth() {
  MemoryConfig config = small_memory();
  config.dram_bandwidth = {64ULL * 8 * 1'000'000'000'000};  // a line in a picosecond
  return config;
}

TEST(MemoryLimits, IndependentMissesOverlapUpToTheFillBuffers) {
  for (const std::uint64_t buffers : {1U, 4U, 10U, 12U}) {
    for (const std::uint64_t misses : {1U, 4U, 10U, 11U, 24U, 25U}) {
      MemoryConfig config = unlimited_bandwidth();
      config.fill_buffers = buffers;
      MemoryBoard board(config);
      const std::uint64_t rounds = (misses + buffers - 1) / buffers;
      // One cycle per round for the picoseconds in which the DRAM server rounds up.
      EXPECT_NEAR(static_cast<double>(overlapped(board, 1000, misses)), 200.0 * static_cast<double>(rounds),
                  static_cast<double>(rounds))
          << buffers << " buffers, " << misses << " misses";
    }
  }
}

// With two banks of four, lines of one kind, even or odd, have four buffers and both kinds together eight.
TEST(MemoryLimits, ABankOfFillBuffersTakesItsOwnLinesOnly) {
  for (const std::uint64_t stride : {1U, 2U}) {
    MemoryConfig config = unlimited_bandwidth();
    config.fill_buffers = 8;
    config.fill_buffer_banks = 2;
    MemoryBoard board(config);
    std::uint64_t done = 0;
    for (std::uint64_t i = 0; i < 24; ++i) {
      done = std::max(done, board.load_at(board.now, MemoryBoard::address(1000 + i * stride)).done.value);
    }
    EXPECT_NEAR(static_cast<double>(done - board.now), 200.0 * 24 / (stride == 1 ? 8 : 4), 6.0) << stride;
  }
}

TEST(MemoryLimits, TheSecondLevelLimitsWhenItHasFewerEntries) {
  MemoryConfig config = unlimited_bandwidth();
  config.fill_buffers = 12;
  config.l2_outstanding = 3;
  MemoryBoard board(config);
  EXPECT_NEAR(static_cast<double>(overlapped(board, 1000, 12)), 4 * 200.0, 4.0);
}

TEST(MemoryLimits, SoftwarePrefetchesTakeFillBuffersToo) {
  MemoryConfig config = unlimited_bandwidth();
  config.fill_buffers = 2;
  MemoryBoard board(config);
  board.core.prefetch({board.now}, MemoryBoard::address(1000), false);
  board.core.prefetch({board.now}, MemoryBoard::address(1001), false);
  EXPECT_NEAR(static_cast<double>(overlapped(board, 1002, 1)), 400.0, 2.0);
}

TEST(MemoryLimits, StreamingReachesTheDramBandwidth) {
  MemoryConfig config = small_memory();
  config.dram_bandwidth = gigabits_per_second(64);  // 8 GB/s: a line in 8 ns, 16 cycles
  config.fill_buffers = 20;                         // 20 lines in 200 cycles would be a line in 10
  MemoryBoard board(config);
  const std::uint64_t lines = 10'000;
  EXPECT_NEAR(static_cast<double>(overlapped(board, 1000, lines)), 16.0 * lines, 0.01 * 16.0 * lines);
}

TEST(MemoryLimits, TheFillBuffersLimitStreamingBelowTheDramBandwidth) {
  MemoryConfig config = unlimited_bandwidth();
  MemoryBoard board(config);
  const std::uint64_t lines = 10'000;
  EXPECT_NEAR(static_cast<double>(overlapped(board, 1000, lines)), 200.0 / 10 * lines, 0.01 * 200.0 / 10 * lines);
}

TEST(MemoryLimits, CoresAndDmaShareTheDramBandwidth) {
  MemoryConfig config = small_memory();
  config.dram_bandwidth = gigabits_per_second(64);
  config.ddio_ways = 0;
  config.fill_buffers = 20;
  MemoryBoard board(config);
  // A DMA write of one line for each load of the stream: half of the bandwidth is left.
  const std::uint64_t lines = 5'000;
  std::uint64_t done = board.now;
  for (std::uint64_t i = 0; i < lines; ++i) {
    const MemoryAccess access = board.load_at(board.now, MemoryBoard::address(1000 + i));
    done = std::max(done, access.done.value);
    board.dma_write(to_time({board.now}, megahertz(2000)), 100'000 + i);
  }
  EXPECT_NEAR(static_cast<double>(done - board.now), 32.0 * lines, 0.01 * 32.0 * lines);
}

TEST(MemoryLimits, AnEarlierRequestDoesNotWaitForTheGapBeforeALaterOne) {
  Dram dram(gigabits_per_second(512));
  EXPECT_EQ(dram.read(nanoseconds(1000)), nanoseconds(0));
  EXPECT_EQ(dram.read(nanoseconds(900)), nanoseconds(1));
  EXPECT_EQ(dram.read(nanoseconds(1001)), nanoseconds(1));
  EXPECT_EQ(dram.read(nanoseconds(2000)), nanoseconds(0));
}

// DMA writes a ring of lines round by round, then the core reads each once, as a driver does with completions.
struct RingResult {
  double from_dram;
  std::uint64_t evictions;
};
RingResult ring(const MemoryConfig& config, std::uint64_t lines, std::uint64_t stride, int rounds) {
  MemoryBoard board(config);
  std::uint64_t from_dram = 0;
  for (int round = 0; round < rounds; ++round) {
    from_dram = 0;
    for (std::uint64_t i = 0; i < lines; ++i) {
      board.dma_write(to_time({board.now}, megahertz(2000)), 64 + i * stride);
    }
    for (std::uint64_t i = 0; i < lines; ++i) {
      board.chase(64 + i * stride);
      from_dram += board.last.level == MemoryLevel::dram;
    }
  }
  return {static_cast<double>(from_dram) / static_cast<double>(lines), board.memory.counts().ddio_evictions};
}

TEST(MemoryLimits, ARingWithinTheDdioShareNeverLeavesTheCache) {
  for (const std::uint64_t lines : {64U, 512U, 1024U}) {
    const RingResult result = ring(small_memory(), lines, 1, 3);
    EXPECT_EQ(result.from_dram, 0.0) << lines;
    EXPECT_EQ(result.evictions, 0U) << lines;
  }
}

TEST(MemoryLimits, ARingBeyondTheDdioShareSpills) {
  // All but the latest 1024 lines are gone when the core comes to read.
  const RingResult twice = ring(small_memory(), 2048, 1, 1);
  EXPECT_EQ(twice.from_dram, 0.5);
  EXPECT_EQ(twice.evictions, 1024U);
  const RingResult four_times = ring(small_memory(), 4096, 1, 1);
  EXPECT_EQ(four_times.from_dram, 0.75);
  EXPECT_EQ(four_times.evictions, 3072U);
}

TEST(MemoryLimits, LinesThatACoreHasReadComeBackIntoAnyWay) {
  // Once read, the ring's lines are victims of the second level, and writes update them in place: the ring then has
  // more of a victim cache than the DDIO share. An inclusive cache does not move them.
  EXPECT_LT(ring(small_memory(), 2048, 1, 4).from_dram, 0.3);
  MemoryConfig config = small_memory();
  config.llc_policy = "inclusive";
  EXPECT_EQ(ring(config, 1024, 1, 4).from_dram, 0.0);
}

TEST(MemoryLimits, MoreWaysMakeTheShareLarger) {
  MemoryConfig config = small_memory();
  config.ddio_ways = 4;
  EXPECT_EQ(ring(config, 2048, 1, 1).from_dram, 0.0);
}

TEST(MemoryLimits, PacketsAtEqualPageOffsetShareFewSets) {
  // 512 sets see 8 page heads: two DDIO ways hold 16 packets at a stride of 4 KiB, although the share is 1024 lines.
  EXPECT_EQ(ring(small_memory(), 16, 64, 1).from_dram, 0.0);
  EXPECT_EQ(ring(small_memory(), 64, 64, 1).from_dram, 0.75);
}

}  // namespace
}  // namespace ringside
