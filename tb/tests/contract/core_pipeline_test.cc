// What the pipeline promises the emulator's front end: attribution, accesses in program order, device memory, idling.
#include <gtest/gtest.h>

#include "tb/tests/theory/core_bench.h"

namespace ringside::testing {
namespace {

const Code kNop{0x90};
const Code kAdd{0x48, 0x01, 0xd8};    // add rax, rbx
const Code kLoad{0x48, 0x8b, 0x06};   // mov rax, [rsi]
const Code kStore{0x48, 0x89, 0x07};  // mov [rdi], rax
const Code kConditional{0x75, 0x10};  // jne +16
constexpr std::uint64_t kMmio = 0xe0000000;
const Access kMmioLoad{kMmio, 4, AccessKind::mmio_load};
const Access kMmioStore{kMmio, 8, AccessKind::mmio_store};

TEST(CorePipeline, EveryCycleIsBookedOnce) {
  CoreBench bench(zen4_core());
  bench.port.place(0x300000, MemoryLevel::dram, 300);
  bench.port.place(0x300040, MemoryLevel::llc, 60);
  bench.port.place(0x200080, MemoryLevel::l2, 14);
  std::vector<Block> blocks;
  blocks.push_back(bench.decode(times(7, kAdd) + kLoad + kStore + kConditional));
  blocks.push_back(bench.decode(times(3, kNop) + Code{0xf0, 0x48, 0x01, 0x07} + kConditional, 0x200040));
  blocks.push_back(bench.decode(Code{0x0f, 0xae, 0xf0} + kLoad + Code{0xf3, 0x48, 0xab}, 0x200080));
  std::vector<Access> zeroed{load(0x300040)};
  for (int i = 0; i < 9; ++i) zeroed.push_back(store(0x301000 + i * 8));
  const std::vector<std::vector<Access>> accesses{
      {load(0x300000), store(0x300100)}, {load(0x300040), store(0x300040)}, zeroed};
  bench.run(blocks[0], accesses[0]);
  std::uint64_t state = 1;
  for (int i = 0; i < 5000; ++i) {
    state = state * 6364136223846793005 + 1442695040888963407;
    const std::size_t which = state >> 60 & 3;
    if (which == 3) {
      bench.pipeline.sleep(bench.pipeline.retired() + Cycle{state >> 50 & 15});
      continue;
    }
    Block& block = blocks[which];
    const bool taken = (state >> 40 & 1) != 0;
    bench.run_to(block, block.address + block.size + (taken ? 0x10 : 0), accesses[which]);
  }
  std::uint64_t sum = 0;
  std::uint64_t executed = 0;
  for (const Block& block : blocks) {
    sum += block.cycles();
    for (const auto& counts : block.counts) executed += counts.executed;
  }
  EXPECT_EQ(sum, bench.pipeline.retired().value);
  for (const StallReason reason : {StallReason::mispredict, StallReason::dram, StallReason::llc, StallReason::rep,
                                   StallReason::serialise, StallReason::dependency, StallReason::idle})
    EXPECT_GT(booked(blocks[0], reason) + booked(blocks[1], reason) + booked(blocks[2], reason), 0u) << name(reason);
  EXPECT_EQ(executed, bench.pipeline.counts().instructions);
}

TEST(CorePipeline, IdleCyclesAreBookedOnTheInstructionBeforeThem) {
  CoreBench bench(plain_core());
  Block block = bench.decode(kNop + kAdd);
  bench.run(block);
  const Cycle until = bench.pipeline.retired() + Cycle{1000};
  bench.pipeline.sleep(until);
  EXPECT_EQ(bench.pipeline.retired(), until);
  EXPECT_GE(bench.pipeline.front(), until);
  EXPECT_EQ(block.counts[1].cycles[static_cast<std::size_t>(StallReason::idle)], 1000u);
  bench.pipeline.sleep(until - Cycle{500});
  EXPECT_EQ(bench.pipeline.retired(), until);
  EXPECT_EQ(block.cycles(), until.value);
}

TEST(CorePipeline, FrontRunsAheadOfRetirementAsFarAsTheWindow) {
  CoreBench bench(plain_core());
  bench.port.place(0x300000, MemoryLevel::dram, 1000);
  Block block = bench.decode(kLoad + times(100, kNop));
  bench.run(block, {load(0x300000)});
  EXPECT_LE(bench.pipeline.front().value, 101u / 4 + 1);
  EXPECT_GE(bench.pipeline.retired().value, 1000u);
  // 256 entries: the second block's last entries wait for the first load.
  bench.run(block, {load(0x300100)});
  bench.run(block, {load(0x300100)});
  EXPECT_GE(bench.pipeline.front().value, 1000u);
}

TEST(CorePipeline, ADeviceLoadLeavesWhenEverythingOlderIsComplete) {
  CoreBench bench(plain_core());
  bench.port.place(0x300000, MemoryLevel::dram, 300);
  Block block = bench.decode(kLoad + kNop + Code{0x8b, 0x17} + times(4, kNop));  // ...; mov edx, [rdi]; ...
  const std::vector<Access> accesses{load(0x300000), kMmioLoad};
  const Cycle leaves = bench.pipeline.run_to_mmio(block, accesses);
  EXPECT_NEAR(leaves.value, 300, 1);
  EXPECT_EQ(block.counts[1].executed, 1u);
  EXPECT_EQ(block.counts[2].executed, 0u);
  bench.pipeline.finish_mmio(leaves + Cycle{2000});
  bench.pipeline.run(block, accesses, block.address + block.size);
  EXPECT_NEAR(bench.pipeline.retired().value, leaves.value + 2000, 2);
  EXPECT_EQ(block.counts[2].cycles[static_cast<std::size_t>(StallReason::mmio)], 2000u);
  for (const auto& counts : block.counts) EXPECT_EQ(counts.executed, 1u);
  EXPECT_EQ(bench.port.loads.size(), 1u);
}

TEST(CorePipeline, ADeviceStoreLeavesWhenOlderStoresHaveDrainedAndDoesNotHoldTheCore) {
  CoreBench bench(plain_core());
  bench.port.place(0x300000, MemoryLevel::dram, 300);
  Block block = bench.decode(kStore + kStore + times(4, kAdd));
  const std::vector<Access> accesses{store(0x300000), kMmioStore};
  const Cycle leaves = bench.pipeline.run_to_mmio(block, accesses);
  EXPECT_NEAR(leaves.value, 300, 3);
  bench.pipeline.finish_mmio(leaves + Cycle{500});
  bench.pipeline.run(block, accesses, block.address + block.size);
  EXPECT_LT(bench.pipeline.retired().value, 20u);
  // A fence behind it waits for the store.
  Block fence = bench.decode({0x0f, 0xae, 0xf0}, 0x200040);
  bench.run(fence);
  EXPECT_NEAR(bench.pipeline.retired().value, leaves.value + 500 + bench.config.full_fence, 2);
}

TEST(CorePipeline, TwoDeviceAccessesInOneBlock) {
  CoreBench bench(plain_core());
  Block block = bench.decode(kLoad + kNop + kLoad + kNop);
  const Cycle first = bench.pipeline.run_to_mmio(block, std::vector<Access>{kMmioLoad});
  bench.pipeline.finish_mmio(first + Cycle{100});
  const std::vector<Access> both{kMmioLoad, kMmioLoad};
  const Cycle second = bench.pipeline.run_to_mmio(block, both);
  EXPECT_NEAR(second.value, first.value + 100, 2);
  bench.pipeline.finish_mmio(second + Cycle{100});
  bench.pipeline.run(block, both, block.address + block.size);
  EXPECT_NEAR(bench.pipeline.retired().value, first.value + 200, 3);
  EXPECT_EQ(booked(block, StallReason::mmio),
            bench.pipeline.retired().value - first.value - booked(block, StallReason::base));
  for (const auto& counts : block.counts) EXPECT_EQ(counts.executed, 1u);
}

TEST(CorePipeline, FencesWaitForWhatTheyOrder) {
  const auto cycles = [](const Code& fence, const std::vector<Access>& accesses, const Code& before) {
    CoreBench bench(plain_core());
    bench.port.place(0x300000, MemoryLevel::dram, 300);
    Block block = bench.decode(before + fence + kLoad);
    std::vector<Access> all = accesses;
    all.push_back(load(0x300100));
    bench.run(block, all);
    return bench.port.loads.back().first;  // when the load behind the fence started
  };
  const Code lfence{0x0f, 0xae, 0xe8}, mfence{0x0f, 0xae, 0xf0}, sfence{0x0f, 0xae, 0xf8}, cpuid{0x0f, 0xa2};
  EXPECT_NEAR(cycles(lfence, {load(0x300000)}, kLoad), 300 + 4, 1);
  EXPECT_LT(cycles(lfence, {store(0x300000)}, kStore), 20u);
  EXPECT_NEAR(cycles(mfence, {store(0x300000)}, kStore), 300 + 33, 3);
  EXPECT_LT(cycles(sfence, {store(0x300000)}, kStore), 5u);
  EXPECT_NEAR(cycles(cpuid, {load(0x300000)}, kLoad), 300 + 100, 2);
}

TEST(CorePipeline, PauseHoldsBackWhatFollowsAndOrdersNothing) {
  CoreBench bench(plain_core());
  bench.port.place(0x300000, MemoryLevel::dram, 1000);
  const Code pause{0xf3, 0x90};
  Block block = bench.decode(kLoad + pause + kLoad);
  bench.run(block, {load(0x300000), load(0x300100)});
  EXPECT_NEAR(bench.port.loads.back().first, 140, 5);  // the earlier load is still on its way
}

TEST(CorePipeline, ALockedAddDrainsTheStoresBeforeIt) {
  CoreBench bench(plain_core());
  Block block = bench.decode(times(20, {0xf0, 0x48, 0x01, 0x07}));  // lock add [rdi], rax
  std::vector<Access> accesses;
  for (int i = 0; i < 20; ++i) accesses.insert(accesses.end(), {load(0x300000), store(0x300000)});
  // The load, the locked operation, the add, and until the store is in the first level.
  EXPECT_NEAR(bench.steady(block, 10, accesses) / 200.0, 5 + 13 + 1 + 5, 2);
}

TEST(CorePipeline, EachLineOfCodeIsFetchedOnceInARow) {
  CoreBench bench(plain_core());
  Block block = bench.decode(times(130, kNop));
  bench.run(block);
  EXPECT_EQ(bench.port.fetches, (std::vector<std::uint64_t>{0x200000, 0x200040, 0x200080}));
  bench.run(block);
  EXPECT_EQ(bench.port.fetches.size(), 6u);
  Block small = bench.decode({0x90}, 0x200082);
  for (int i = 0; i < 10; ++i) bench.run(small);
  EXPECT_EQ(bench.port.fetches.size(), 6u);
}

TEST(CorePipeline, AMissOfTheInstructionCacheStallsTheFrontEnd) {
  CoreConfig config = plain_core();
  config.fetch_ahead = 1;
  CoreBench bench(config);
  bench.port.place(0x200040, MemoryLevel::llc, 70);
  Block block = bench.decode(times(128, kNop));
  const std::uint64_t cycles = bench.run(block);
  // The second line is asked for when the first one is entered; its own 64 nops follow.
  EXPECT_NEAR(cycles, 70 + 64 / 4, 2);
  EXPECT_NEAR(booked(block, StallReason::front_end), 70 - 64 / 4, 2);
}

TEST(CorePipeline, AccessesThatAnInstructionDoesNotMakeAreLeftToTheNext) {
  CoreBench bench(plain_core());
  // push rax; pop rbx; call-less ret is a block end: ret takes its own load.
  Block block = bench.decode({0x50, 0x5b, 0xc3});
  bench.run_to(block, 0x200100, {store(0x300000), load(0x300000), load(0x300008)});
  EXPECT_EQ(bench.pipeline.counts().loads, 2u);
  EXPECT_EQ(bench.pipeline.counts().stores, 1u);
  EXPECT_EQ(bench.pipeline.counts().forwarded_loads, 1u);
}

TEST(CorePipeline, TheStackPointerDoesNotWaitForWhatIsPopped) {
  CoreBench bench(plain_core());
  bench.port.place(0x300000, MemoryLevel::dram, 300);
  Block block = bench.decode(times(20, {0x58}));  // pop rax
  EXPECT_LT(bench.run(block, std::vector<Access>(20, load(0x300000))), 320u);
}

}  // namespace
}  // namespace ringside::testing
