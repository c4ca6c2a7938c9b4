// A core alone: what a load, a store and a fetch cost, by where their line is.
#include <gtest/gtest.h>

#include "model/base/errors.h"
#include "tb/tests/contract/memory_board.h"

namespace ringside {
namespace {

TEST(MemoryLevels, AChaseReturnsTheLatencyOfTheLevelThatHoldsIt) {
  MemoryBoard board(small_memory());
  EXPECT_EQ(board.chase_ring(64), 5.0);
  EXPECT_EQ(board.last.level, MemoryLevel::l1);
  EXPECT_EQ(board.chase_ring(512), 14.0);
  EXPECT_EQ(board.last.level, MemoryLevel::l2);
  EXPECT_EQ(board.chase_ring(2048), 40.0);
  EXPECT_EQ(board.last.level, MemoryLevel::llc);
  EXPECT_EQ(board.chase_ring(16384), 200.0);
  EXPECT_EQ(board.last.level, MemoryLevel::dram);
}

TEST(MemoryLevels, AnInclusiveLastLevelGivesTheSameLatencies) {
  MemoryConfig config = small_memory();
  config.llc_policy = "inclusive";
  MemoryBoard board(config);
  EXPECT_EQ(board.chase_ring(64), 5.0);
  EXPECT_EQ(board.chase_ring(512), 14.0);
  EXPECT_EQ(board.chase_ring(4096), 40.0);
  EXPECT_EQ(board.chase_ring(16384), 200.0);
}

TEST(MemoryLevels, AVictimCacheAddsToTheSecondLevelAndAnInclusiveOneDoesNot) {
  MemoryConfig config = small_memory();
  config.l2_size = kibibytes(128);  // half of the last level
  MemoryBoard victim(config);
  EXPECT_EQ(victim.chase_ring(2048 + 4096), 40.0);
  config.llc_policy = "inclusive";
  MemoryBoard inclusive(config);
  EXPECT_EQ(inclusive.chase_ring(2048 + 4096), 200.0);
}

TEST(MemoryLevels, LastLevelAndDramKeepTheirTimeAtAnyCoreClock) {
  MemoryBoard board(small_memory());
  CoreMemory& slow = board.memory.add_core(megahertz(1000));
  const std::uint64_t address = MemoryBoard::address(5000);
  EXPECT_EQ(slow.load({1'000'000}, address, 8).done, Cycle{1'000'100});  // 100 ns at 1 GHz
  EXPECT_EQ(slow.load({1'000'200}, address, 8).done, Cycle{1'000'205});
}

TEST(MemoryLevels, AFlushedLineComesFromDramAndWasWrittenBackIfItWasDirty) {
  MemoryBoard board(small_memory());
  const std::uint64_t address = MemoryBoard::address(7);
  board.core.store({10'000}, address, 8);
  board.core.maintain({20'000}, address + 8, CacheMaintenance::clean_invalidate);
  EXPECT_EQ(board.memory.dram().write_bytes(), kCacheLine);
  EXPECT_EQ(board.load_at(30'000, address).level, MemoryLevel::dram);
  board.core.maintain({40'000}, address, CacheMaintenance::clean_invalidate);  // clean: nothing to write
  EXPECT_EQ(board.memory.dram().write_bytes(), kCacheLine);
  EXPECT_EQ(board.load_at(50'000, address).level, MemoryLevel::dram);
}

TEST(MemoryLevels, AFlushReachesTheLastLevel) {
  for (const char* policy : {"victim", "inclusive"}) {
    MemoryConfig config = small_memory();
    config.llc_policy = policy;
    MemoryBoard board(config);
    board.chase_ring(2048);  // more than the second level holds
    EXPECT_EQ(board.load_at(board.now + 1000, MemoryBoard::address(0)).level, MemoryLevel::llc);
    board.chase_ring(2048);
    board.core.maintain({board.now}, MemoryBoard::address(0), CacheMaintenance::clean_invalidate);
    EXPECT_EQ(board.load_at(board.now + 2000, MemoryBoard::address(0)).level, MemoryLevel::dram) << policy;
  }
}

TEST(MemoryLevels, ALineOnItsWayIsWaitedForAndCountsAsItsSource) {
  MemoryBoard board(small_memory());
  const std::uint64_t line = MemoryBoard::address(3000);
  EXPECT_EQ(board.core.prefetch({20'000}, line, false).done, Cycle{20'000});
  const MemoryAccess early = board.load_at(20'050, line + 8);
  EXPECT_EQ(early.done, Cycle{20'200});
  EXPECT_EQ(early.level, MemoryLevel::dram);
  const MemoryAccess just_before = board.load_at(20'199, line);
  EXPECT_EQ(just_before.done, Cycle{20'204});  // the data is there before the five cycles are over
  EXPECT_EQ(just_before.level, MemoryLevel::dram);
  const MemoryAccess arrived = board.load_at(20'200, line);
  EXPECT_EQ(arrived.done, Cycle{20'205});
  EXPECT_EQ(arrived.level, MemoryLevel::l1);
}

TEST(MemoryLevels, APrefetchIsDoneWhenAFillBufferHasTakenIt) {
  MemoryConfig config = small_memory();
  config.fill_buffers = 2;
  MemoryBoard board(config);
  EXPECT_EQ(board.core.prefetch({20'000}, MemoryBoard::address(3000), false).done, Cycle{20'000});
  EXPECT_EQ(board.core.prefetch({20'000}, MemoryBoard::address(3001), false).done, Cycle{20'000});
  EXPECT_NEAR(static_cast<double>(board.core.prefetch({20'010}, MemoryBoard::address(3002), false).done.value), 20'200, 2);
  EXPECT_EQ(board.core.prefetch({20'010}, MemoryBoard::address(3000), false).done, Cycle{20'010});  // on its way already
}

TEST(MemoryLevels, BanksOfFillBuffersMustDivideThem) {
  for (const std::uint64_t banks : {3U, 4U}) {
    MemoryConfig config = small_memory();
    config.fill_buffers = 10;
    config.fill_buffer_banks = banks;
    EXPECT_THROW(MemoryBoard{config}, InputError) << banks;
  }
}

TEST(MemoryLevels, AnAccessOverTwoLinesTakesAsLongAsTheSlower) {
  MemoryBoard board(small_memory());
  board.chase(40);
  const MemoryAccess across = board.core.load({30'000}, MemoryBoard::address(41) - 4, 8);
  EXPECT_EQ(across.done, Cycle{30'200});
  EXPECT_EQ(across.level, MemoryLevel::dram);
  const MemoryAccess within = board.core.load({40'000}, MemoryBoard::address(42) - 8, 8);
  EXPECT_EQ(within.done, Cycle{40'005});
}

TEST(MemoryLevels, AStoreIsDoneWhenTheLineIsOwned) {
  MemoryBoard board(small_memory());
  const std::uint64_t line = MemoryBoard::address(3000);
  const MemoryAccess miss = board.core.store({20'000}, line, 8);
  EXPECT_EQ(miss.done, Cycle{20'200});
  EXPECT_EQ(miss.level, MemoryLevel::dram);
  const MemoryAccess hit = board.core.store({20'300}, line + 8, 8);
  EXPECT_EQ(hit.done, Cycle{20'300});
  EXPECT_EQ(hit.level, MemoryLevel::l1);
}

TEST(MemoryLevels, ADirtyLineIsWrittenToDramWhenItLeavesTheLastLevel) {
  MemoryBoard board(small_memory());
  for (std::uint64_t line = 0; line < 100; ++line) board.core.store({board.now += 300}, MemoryBoard::address(line), 8);
  EXPECT_EQ(board.memory.dram().write_bytes(), 0U);
  board.chase_ring(16384);
  EXPECT_EQ(board.memory.dram().write_bytes(), 100 * kCacheLine);
}

TEST(MemoryLevels, LinesOfOneSetConflict) {
  // Four ways: the heads of four pages at equal offset stay, five evict each other. 16 sets make a stride of 1 KiB.
  MemoryBoard board(small_memory());
  const auto walk = [&](std::uint64_t pages) {
    std::uint64_t cycles = 0;
    for (int round = 0; round < 4; ++round) {
      cycles = 0;
      for (std::uint64_t page = 0; page < pages; ++page) cycles += board.chase(page * 64 + 3);
    }
    return cycles;
  };
  EXPECT_EQ(walk(4), 4 * 5U);
  EXPECT_EQ(walk(5), 5 * 14U);
  // The second level has 64 sets of 8 ways, a stride of 4 KiB: nine pages do not fit it either.
  EXPECT_EQ(walk(8), 8 * 14U);
  EXPECT_EQ(walk(9), 9 * 40U);
}

TEST(MemoryLevels, CodeHasItsOwnFirstLevelAndSharesTheSecond) {
  MemoryBoard board(small_memory());
  const std::uint64_t line = MemoryBoard::address(3000);
  const MemoryAccess cold = board.core.fetch({20'000}, line);
  EXPECT_EQ(cold.done, Cycle{20'200});
  EXPECT_EQ(cold.level, MemoryLevel::dram);
  EXPECT_EQ(board.core.fetch({20'300}, line).done, Cycle{20'300});
  EXPECT_EQ(board.load_at(20'400, line).level, MemoryLevel::l2);
}

TEST(MemoryLevels, AccessesOutsideOfRamTouchNothing) {
  MemoryBoard board(small_memory());
  for (const std::uint64_t address : {std::uint64_t{kTestBase} + mebibytes(16).value, ~std::uint64_t{63}}) {
    EXPECT_EQ(board.core.prefetch({20'000}, address, false).done, Cycle{20'000});
  }
  EXPECT_EQ(board.memory.dram().read_bytes(), 0U);
}

}  // namespace
}  // namespace ringside
