// Caches against each other: inclusion, and several cores.
#include <gtest/gtest.h>

#include "model/base/errors.h"
#include "tb/tests/contract/memory_board.h"

namespace ringside {
namespace {

TEST(MemoryCoherence, AnInclusiveLastLevelTakesItsLinesBack) {
  // Line 0 stays in the first level by use while eight others, that share its set in the last level only, pass through
  // it.
  MemoryConfig config = small_memory();
  config.l2_ways = 16;  // no conflict in the second level: 32 sets
  config.l2_size = kibibytes(64);
  config.l1d_ways = 16;
  config.l1d_size = kibibytes(16);
  const auto after_eight_others = [](const MemoryConfig& c) {
    MemoryBoard board(c);
    board.chase(0);
    for (std::uint64_t i = 1; i <= 8; ++i) {
      board.chase(i * 512);
      if (i < 8) {
        EXPECT_EQ(board.chase(0), 5U);
      }
    }
    return board.chase(0);
  };
  EXPECT_EQ(after_eight_others(config), 5U);
  config.llc_policy = "inclusive";
  EXPECT_EQ(after_eight_others(config), 200U);
}

TEST(MemoryCoherence, ABackInvalidatedDirtyLineIsWrittenToDram) {
  MemoryConfig config = small_memory();
  config.llc_policy = "inclusive";
  MemoryBoard board(config);
  board.core.store({board.now}, MemoryBoard::address(0), 8);
  board.now += 300;
  for (std::uint64_t i = 1; i <= 8; ++i) board.chase(i * 512);
  EXPECT_EQ(board.memory.dram().write_bytes(), kCacheLine);
}

TEST(MemoryCoherence, ADmaAllocationCanTakeALineFromACoreUnderInclusionOnly) {
  for (const bool inclusive : {false, true}) {
    MemoryConfig config = small_memory();
    config.llc_policy = inclusive ? "inclusive" : "victim";
    config.ddio_ways = 8;
    MemoryBoard board(config);
    board.chase(0);
    for (std::uint64_t i = 1; i <= 8; ++i) board.dma_write(nanoseconds(50'000), i * 512);
    board.now = 200'000;
    EXPECT_EQ(board.chase(0), inclusive ? 200U : 5U);
  }
}

TEST(MemoryCoherence, AStoreToALineThatTheLastLevelHoldsCleanIsNotLost) {
  // Line 0 stays in the first level while the second evicts it, clean, to the last; then it is written.
  MemoryBoard board(small_memory());
  for (std::uint64_t i = 0; i <= 8; ++i) {
    board.chase(i * 64);
    if (i % 2 == 0) board.chase(0);
  }
  EXPECT_EQ(board.memory.counts().ddio_updates, 0U);
  board.core.store({board.now}, MemoryBoard::address(0), 8);
  for (std::uint64_t line = 10'000; line < 20'000; ++line) board.chase(line);
  EXPECT_EQ(board.memory.dram().write_bytes(), kCacheLine);
}

TEST(MemoryCoherence, APrefetchThatTakesTheLineOfItsOwnAccessLeavesNoCopyBehind) {
  // A last level of eight sets and one way: the stream's eighth line ahead evicts the line that asked for it.
  MemoryConfig config = small_memory();
  config.llc_policy = "inclusive";
  config.llc_size = bytes(8 * kCacheLine);
  config.llc_ways = 1;
  config.ddio_ways = 1;
  config.stream_prefetcher = true;
  config.stream_degree = 8;
  MemoryBoard board(config);
  for (std::uint64_t line = 640; line < 643; ++line) board.chase(line);
  EXPECT_EQ(board.core.counts().prefetches_issued, 8U);
  EXPECT_FALSE(board.core.holds(static_cast<LineNumber>(MemoryBoard::address(642) / kCacheLine)));
  EXPECT_EQ(board.chase(642), 200U);
}

class TwoCores : public ::testing::Test {
 protected:
  TwoCores() : board_(small_memory()), other_(board_.memory.add_core(megahertz(2000))) {}
  std::uint64_t load(CoreMemory& core) {
    now_ += 1000;
    return core.load({now_}, line_, 8).done.value - now_;
  }
  std::uint64_t store(CoreMemory& core) {
    now_ += 1000;
    return core.store({now_}, line_, 8).done.value - now_;
  }

  MemoryBoard board_;
  CoreMemory& other_;
  std::uint64_t line_ = MemoryBoard::address(900);
  std::uint64_t now_ = 100'000;
};

TEST_F(TwoCores, AStoreInvalidatesTheOthersCopy) {
  EXPECT_EQ(load(board_.core), 200U);
  EXPECT_EQ(load(other_), 40U);
  EXPECT_EQ(load(board_.core), 5U);
  EXPECT_EQ(store(other_), 40U);  // both had it: an upgrade goes through the last level
  EXPECT_EQ(store(other_), 0U);
  EXPECT_EQ(load(board_.core), 60U);  // the other one modified it
}

TEST_F(TwoCores, ADirtyLineThatAnotherCoreReadIsSharedAfterwards) {
  EXPECT_EQ(store(board_.core), 200U);
  EXPECT_EQ(store(board_.core), 0U);
  EXPECT_EQ(load(other_), 60U);
  EXPECT_EQ(load(other_), 5U);
  EXPECT_EQ(load(board_.core), 5U);
  EXPECT_EQ(store(board_.core), 40U);
  EXPECT_EQ(load(other_), 60U);
}

TEST_F(TwoCores, WhatOneCoreWroteAndAnotherReadIsWrittenToDramOnce) {
  store(board_.core);
  load(other_);
  board_.now = 1'000'000;
  for (std::uint64_t line = 10'000; line < 30'000; ++line) board_.chase(line);
  EXPECT_EQ(board_.memory.dram().write_bytes(), kCacheLine);
}

TEST_F(TwoCores, APrefetchForWriteTakesTheLine) {
  load(board_.core);
  now_ += 1000;
  EXPECT_EQ(other_.prefetch({now_}, line_, true).done, Cycle{now_});
  now_ += 1000;
  EXPECT_EQ(store(other_), 0U);
  EXPECT_EQ(load(board_.core), 60U);
}

TEST_F(TwoCores, ADmaWriteInvalidatesBoth) {
  load(board_.core);
  load(other_);
  board_.dma_write(nanoseconds(60'000), 900);
  EXPECT_EQ(load(board_.core), 40U);
  EXPECT_EQ(load(other_), 60U);  // it has left the last level, dirty as it was
}

TEST_F(TwoCores, MaintenanceReachesTheCachesOfBoth) {
  store(other_);
  board_.core.maintain({now_ += 1000}, line_, CacheMaintenance::clean);
  EXPECT_EQ(board_.memory.counts().maintenance_writebacks, 1U);
  EXPECT_EQ(load(other_), 5U);
  board_.core.maintain({now_ += 1000}, line_, CacheMaintenance::clean_invalidate);
  EXPECT_EQ(board_.memory.counts().maintenance_writebacks, 1U);  // it was clean
  EXPECT_EQ(load(other_), 200U);
}

TEST_F(TwoCores, ALineOnItsWayToOneComesToTheOtherAfterwards) {
  store(board_.core);  // here after 200 cycles
  EXPECT_EQ(other_.load({now_ + 10}, line_, 8).done.value, now_ + 200 + 60);
  load(board_.core);
  store(board_.core);  // takes the other's copy away, 40 cycles
  EXPECT_EQ(other_.load({now_ + 10}, line_, 8).done.value, now_ + 40 + 60);
}

TEST_F(TwoCores, AStoreToWhatTheOtherModifiedTakesTheLine) {
  store(board_.core);
  EXPECT_EQ(store(other_), 60U);
  EXPECT_EQ(board_.core.counts().snooped_lines, 0U);
  EXPECT_EQ(other_.counts().snooped_lines, 1U);
  EXPECT_FALSE(board_.core.holds(static_cast<LineNumber>(line_ / kCacheLine)));
}

TEST_F(TwoCores, StatisticsAreNumberedByCore) {
  Statistics statistics;
  board_.memory.register_statistics(statistics);
  int found = 0;
  for (const Statistic& s : statistics.all())
    found += s.name == "core0_mem_loads_dram" || s.name == "core1_mem_loads_l1";
  EXPECT_EQ(found, 2);
}

TEST(MemoryConfiguration, SizesThatMakeNoCacheAreInputErrors) {
  const PhysAddr base{kTestBase};
  PhysicalMemory ram(base, mebibytes(16));
  MemoryConfig config = small_memory();
  config.ddio_ways = 9;
  EXPECT_THROW(MemorySystem(ram, config), InputError);
  config = small_memory();
  config.llc_ways = 7;
  EXPECT_THROW(MemorySystem(ram, config), InputError);
  config = small_memory();
  config.stlb_entries = 60;
  MemorySystem memory(ram, config);
  EXPECT_THROW(memory.add_core(megahertz(2000)), InputError);
}

}  // namespace
}  // namespace ringside
