// Where one resource of the core limits, the measured rate is the analytic bound.
#include <gtest/gtest.h>

#include "tb/tests/theory/core_bench.h"

namespace ringside::testing {
namespace {

const Code kAddChain{0x48, 0x01, 0xd8};        // add rax, rbx
const Code kLoadChain{0x48, 0x8b, 0x00};       // mov rax, [rax]
const Code kMulChain{0x48, 0x0f, 0xaf, 0xc9};  // imul rcx, rcx
const Code kNop{0x90};
const Code kLoad{0x48, 0x8b, 0x0e};     // mov rcx, [rsi]
const Code kLoadAdd{0x48, 0x03, 0x0e};  // add rcx, [rsi]
const Code kStore{0x48, 0x89, 0x07};    // mov [rdi], rax

// add r8..r15, 1: eight that do not depend on each other.
Code independent_adds(std::size_t rounds) {
  Code round;
  for (std::uint8_t r = 0; r < 8; ++r) round = round + Code{0x49, 0x83, static_cast<std::uint8_t>(0xc0 + r), 0x01};
  return times(rounds, round);
}

TEST(CoreThroughput, ChainOfDependentAddsTakesOneCycleEach) {
  CoreBench bench(plain_core());
  Block block = bench.decode(times(100, kAddChain));
  EXPECT_EQ(bench.steady(block, 10), 10u * 100);
}

TEST(CoreThroughput, ChainOfMultipliesTakesThreeCyclesEach) {
  CoreBench bench(plain_core());
  Block block = bench.decode(times(100, kMulChain));
  EXPECT_EQ(bench.steady(block, 10), 10u * 300);
}

TEST(CoreThroughput, IndependentAddsRunAtTheWidth) {
  for (const std::uint64_t width : {2u, 3u, 4u}) {
    CoreConfig config = plain_core();
    config.dispatch_width = width;
    config.retire_width = 8;
    CoreBench bench(config);
    Block block = bench.decode(independent_adds(15));
    EXPECT_EQ(bench.steady(block, 10), 10u * 120 / width) << width;
  }
}

TEST(CoreThroughput, ExecutionUnitsLimitBelowTheWidth) {
  CoreConfig config = plain_core();
  config.dispatch_width = config.retire_width = 6;
  config.alu_ports = 3;
  CoreBench bench(config);
  Block adds = bench.decode(independent_adds(15));
  EXPECT_EQ(bench.steady(adds, 10), 10u * 120 / 3);
  Block nops = bench.decode(times(120, kNop));
  EXPECT_EQ(bench.steady(nops, 10), 10u * 120 / 6);
}

TEST(CoreThroughput, RetirementLimitsBelowTheWidth) {
  CoreConfig config = plain_core();
  config.retire_width = 2;
  CoreBench bench(config);
  Block block = bench.decode(times(120, kNop));
  EXPECT_EQ(bench.steady(block, 10), 10u * 120 / 2);
}

TEST(CoreThroughput, LoadPortsLimitLoadsAndAMicroFusedAddIsOneSlot) {
  CoreBench bench(plain_core());
  Block loads = bench.decode(times(100, kLoad));
  EXPECT_EQ(bench.steady(loads, 10, std::vector<Access>(100, load(0x300000))), 10u * 100 / 2);
  // The chain through rcx is one add per load; the loads themselves run ahead.
  Block adds = bench.decode(times(100, kLoadAdd));
  EXPECT_EQ(bench.steady(adds, 10, std::vector<Access>(100, load(0x300000))), 10u * 100);
  EXPECT_EQ(adds.instructions.front().micro_ops, 1);
}

TEST(CoreThroughput, StoresCommitAtThePortsRate) {
  for (const std::uint64_t ports : {1u, 2u}) {
    CoreConfig config = plain_core();
    config.store_ports = ports;
    CoreBench bench(config);
    Block block = bench.decode(times(128, kStore));
    EXPECT_NEAR(bench.steady(block, 10, std::vector<Access>(128, store(0x300000))), 10.0 * 128 / ports, 2) << ports;
  }
}

TEST(CoreThroughput, MissingStoresOccupyTheStoreQueue) {
  // Ownership of all queued stores is asked for side by side: 64 entries in each miss latency.
  CoreBench bench(plain_core());
  bench.port.place(0x300000, MemoryLevel::dram, 400);
  Block block = bench.decode(times(64, kStore));
  const std::uint64_t cycles = bench.steady(block, 10, std::vector<Access>(64, store(0x300000)));
  EXPECT_NEAR(cycles, 10.0 * 400, 10.0 * 64);
  EXPECT_GT(booked(block, StallReason::store_buffer), 18u * 300);
}

// Cycles that 1200 jumps take.
double jumps(const CoreConfig& config) {
  CoreBench bench(config);
  Block block = bench.decode({0xeb, 0x10});  // jmp +16
  const Cycle before = bench.pipeline.retired();
  for (int i = 0; i < 1200; ++i) bench.run_to(block, block.address + 18);
  return static_cast<double>((bench.pipeline.retired() - before).value);
}

TEST(CoreThroughput, TakenBranchesComeAtTheirRate) {
  for (const std::uint64_t cycles : {1u, 2u, 3u}) {
    CoreConfig config = plain_core();
    config.taken_branch_cycles = cycles;
    EXPECT_NEAR(jumps(config), 1200.0 * static_cast<double>(cycles), 20) << cycles;
  }
}

// Zen 5 as measured: two in a cycle.
TEST(CoreThroughput, SeveralTakenBranchesMayShareACycle) {
  for (const std::uint64_t branches : {1u, 2u, 3u, 4u}) {
    CoreConfig config = plain_core();
    config.taken_branches = branches;
    EXPECT_NEAR(jumps(config), 1200.0 / static_cast<double>(branches), 20) << branches;
  }
}

// Zen 4 as measured: a call and its return take four cycles with nothing else to do.
TEST(CoreThroughput, ReturnsComeAtTheirOwnRate) {
  CoreConfig config = plain_core();
  config.return_cycles = 3;
  CoreBench bench(config);
  Block call = bench.decode({0xe8, 0xfb, 0x0f, 0x00, 0x00});       // call 0x201000
  Block callee = bench.decode({0xc3}, 0x201000);                   // ret
  Block back = bench.decode({0xeb, 0xf9}, 0x200005);               // jmp 0x200000
  const Access push = store(0x300000), pop = load(0x300000);
  const Cycle before = bench.pipeline.retired();
  for (int i = 0; i < 1000; ++i) {
    bench.run_to(call, 0x201000, {push});
    bench.run_to(callee, 0x200005, {pop});
    bench.run_to(back, 0x200000);
  }
  EXPECT_NEAR((bench.pipeline.retired() - before).value, 1000.0 * (1 + 3 + 1), 40);
}

// Zen 5 as measured: eight calls and returns take 32 cycles, and no more with a repeated store of 15 cycles before them. What
// the front end has ready by then is dispatched without a gap.
TEST(CoreThroughput, WhatHoldsDispatchUpHidesWhatReturnsCost) {
  for (const auto& [queue, cycles] : {std::pair{20u, 32.0}, std::pair{0u, 32.0 + 15}}) {
    CoreConfig config = zen4_core();
    config.return_cycles = 3;
    config.front_end_queue = queue;
    CoreBench bench(config);
    Block rep = bench.decode({0xf3, 0x48, 0xab}, 0x202000);       // rep stosq
    Block call = bench.decode({0xe8, 0xfb, 0x0f, 0x00, 0x00});    // call 0x201000
    Block callee = bench.decode({0xc3}, 0x201000);                // ret
    const Access push = store(0x300000), pop = load(0x300000);
    Cycle before{};
    constexpr int kRounds = 100;
    for (int i = 0; i < 2 * kRounds; ++i) {
      if (i == kRounds) before = bench.pipeline.retired();
      bench.run(rep, std::vector<Access>(9, store(0x310000)));
      for (int k = 0; k < 8; ++k) {
        bench.run_to(call, 0x201000, {push});
        bench.run_to(callee, 0x200005, {pop});
      }
    }
    EXPECT_NEAR(static_cast<double>((bench.pipeline.retired() - before).value) / kRounds, cycles, 3) << queue;
  }
}

// Zen 4 as measured: a few instructions and a jump take one cycle within a line of code, two across two lines.
TEST(CoreThroughput, CodeAcrossTwoLinesIsDeliveredInTwoCycles) {
  for (const std::uint64_t start : {0x200000u, 0x200038u}) {
    CoreConfig config = plain_core();
    config.dispatch_width = config.retire_width = 6;
    config.code_line_cycles = 1;
    CoreBench bench(config);
    const Code code = times(4, {0x0f, 0x1f, 0x40, 0x00}) + Code{0xe9, 0x00, 0x01, 0x00, 0x00};  // nops, jmp +256
    Block here = bench.decode(code, start);
    Block there = bench.decode(code, start + 0x200);
    const Cycle before = bench.pipeline.retired();
    for (int i = 0; i < 500; ++i) {
      bench.run_to(here, there.address);
      bench.run_to(there, here.address);
    }
    const double each = start % kCacheLine == 0 ? 1 : 2;
    EXPECT_NEAR((bench.pipeline.retired() - before).value, 1000.0 * each, 20) << start;
  }
}

TEST(CoreThroughput, DividersAreNotPipelined) {
  CoreConfig config = plain_core();
  config.architecture = "aarch64";
  config.llvm = "cortex-a72";
  CoreBench bench(config);
  Code code;
  for (std::uint8_t r = 2; r < 10; ++r) code = code + Code{r, 0x08, 0xc1, 0x9a};  // udiv xR, x0, x1
  Block block = bench.decode(code);
  EXPECT_EQ(bench.steady(block, 10), 10u * 8 * 35);  // 35 cycles each, by LLVM's model of the Cortex-A57
}

TEST(CoreThroughput, PointerChaseTakesTheLatencyOfItsLevel) {
  const std::vector<std::tuple<MemoryLevel, std::uint64_t, StallReason>> levels{
      {MemoryLevel::l1, 5, StallReason::l1},
      {MemoryLevel::l2, 14, StallReason::l2},
      {MemoryLevel::llc, 70, StallReason::llc},
      {MemoryLevel::dram, 330, StallReason::dram}};
  for (const auto& [level, latency, reason] : levels) {
    CoreBench bench(plain_core());
    bench.port.place(0x300000, level, latency);
    Block block = bench.decode(times(50, kLoadChain));
    EXPECT_EQ(bench.steady(block, 4, std::vector<Access>(50, load(0x300000))), 4 * 50 * latency);
    EXPECT_GE(booked(block, reason), 390 * latency) << name(reason);
  }
}

TEST(CoreThroughput, IndependentMissesOverlapAsFarAsTheWindowReaches) {
  // Of 256 entries, a load every 32: eight misses at a time.
  CoreBench bench(plain_core());
  bench.port.place(0x300000, MemoryLevel::dram, 400);
  Block block = bench.decode(times(64, kLoad + times(31, kNop)));
  const std::uint64_t cycles = bench.steady(block, 4, std::vector<Access>(64, load(0x300000)));
  EXPECT_NEAR(cycles, 4.0 * 64 * 400 / 8, 4.0 * 64 * 400 / 8 * 0.05);
}

TEST(CoreThroughput, TheLoadQueueLimitsMisses) {
  CoreConfig config = plain_core();
  config.load_queue = 4;
  CoreBench bench(config);
  bench.port.place(0x300000, MemoryLevel::dram, 400);
  Block block = bench.decode(times(64, kLoad));
  EXPECT_NEAR(bench.steady(block, 4, std::vector<Access>(64, load(0x300000))), 4.0 * 64 * 400 / 4, 1000);
}

TEST(CoreThroughput, APrefetchedLineIsWaitedForByNobody) {
  CoreBench bench(plain_core());
  Block block = bench.decode(times(100, {0x0f, 0x0d, 0x0e}));  // prefetchw [rsi]
  EXPECT_EQ(bench.steady(block, 4, std::vector<Access>(100, {0x300000, 1, AccessKind::prefetch_write})), 4u * 100 / 2);
  EXPECT_EQ(bench.port.prefetches.size(), 800u);
}

// A prefetch that finds no fill buffer keeps its place: 256 of these, each of which waits for 400 cycles, go at once.
TEST(CoreThroughput, APrefetchThatIsNotTakenHoldsItsPlaceInTheReorderBuffer) {
  CoreBench bench(plain_core());
  bench.port.place(0x300000, MemoryLevel::dram, 400);
  Block block = bench.decode(times(128, {0x0f, 0x0d, 0x0e}));  // prefetchw [rsi]
  const std::vector<Access> accesses(128, {0x300000, 1, AccessKind::prefetch_write});
  EXPECT_NEAR(bench.steady(block, 8, accesses), 8.0 * 128 * 400 / 256, 200);
}

TEST(CoreThroughput, AFlushReachesTheMemoryAndIsWaitedForByNobody) {
  CoreBench bench(plain_core());
  Block block = bench.decode(times(100, {0x66, 0x0f, 0xae, 0x3e}));  // clflushopt [rsi]
  EXPECT_LE(bench.steady(block, 4, std::vector<Access>(100, {0x300040, 1, AccessKind::clean_invalidate})), 4u * 100);
  EXPECT_EQ(bench.port.maintained, std::vector<std::uint64_t>(800, 0x300040));
  EXPECT_TRUE(bench.port.loads.empty());
}

}  // namespace
}  // namespace ringside::testing
