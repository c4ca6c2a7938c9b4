// An in-order core starts instructions in program order and stalls on the first missing operand, not on the miss
// itself.
#include <gtest/gtest.h>

#include "tb/tests/theory/core_bench.h"

namespace ringside::testing {
namespace {

const Code kLoad{0x20, 0x00, 0x40, 0xf9};         // ldr x0, [x1]
const Code kChase{0x00, 0x00, 0x40, 0xf9};        // ldr x0, [x0]
const Code kUse{0x00, 0x04, 0x00, 0x91};          // add x0, x0, #1
const Code kIndependent{0x42, 0x04, 0x00, 0x91};  // add x2, x2, #1
const Code kLoadOther{0x63, 0x00, 0x40, 0xf9};    // ldr x3, [x3]

TEST(CoreInOrder, DependentAddsTakeOneCycleEachAndIndependentOnesPairUp) {
  CoreBench bench(in_order_core());
  Block chain = bench.decode(times(100, kIndependent));
  EXPECT_EQ(bench.steady(chain, 10), 10u * 100);
  Block pairs = bench.decode(times(100, kIndependent + kUse));
  EXPECT_EQ(bench.steady(pairs, 10), 10u * 100);
}

TEST(CoreInOrder, StallsOnUseOfAMissAndBooksItOnTheUser) {
  CoreBench bench(in_order_core());
  bench.port.place(0x300000, MemoryLevel::dram, 200);
  // Ten cycles of independent work go on under the miss; the use waits for the rest of it.
  Block block = bench.decode(kLoad + times(10, kIndependent) + kUse + times(10, kIndependent));
  const std::uint64_t cycles = bench.steady(block, 10, {load(0x300000)});
  EXPECT_NEAR(cycles, 10.0 * (200 + 10), 10.0 * 3);
  const auto& user = block.counts[11].cycles[static_cast<std::size_t>(StallReason::dram)];
  EXPECT_NEAR(user, 20.0 * (200 - 10), 20.0 * 3);
  EXPECT_EQ(booked(block, StallReason::dram), user);
}

TEST(CoreInOrder, ALoadThatNobodyUsesStallsNobody) {
  CoreBench bench(in_order_core());
  bench.port.place(0x300000, MemoryLevel::dram, 200);
  Block block = bench.decode(kLoad + times(50, kIndependent));
  EXPECT_NEAR(bench.steady(block, 10, {load(0x300000)}), 10.0 * 50, 10.0 * 2);
}

TEST(CoreInOrder, AStalledUseHoldsBackALaterMiss) {
  // ldr x0; add x0; ldr x3: out of order the two misses overlap, in order they do not.
  const auto cycles = [](CoreConfig config) {
    CoreBench bench(config);
    bench.port.place(0x300000, MemoryLevel::dram, 200);
    Block block = bench.decode(times(20, kLoad + kUse + kLoadOther));
    std::vector<Access> accesses(40, load(0x300000));
    return bench.run(block, accesses);
  };
  CoreConfig out_of_order = in_order_core();
  out_of_order.in_order = false;
  out_of_order.llvm = "cortex-a72";
  EXPECT_GT(cycles(in_order_core()), 20u * 200);
  EXPECT_LT(cycles(out_of_order), 20u * 200 + 300);
}

TEST(CoreInOrder, PointerChaseTakesTheMemoryLatency) {
  CoreBench bench(in_order_core());
  bench.port.place(0x300000, MemoryLevel::l2, 14);
  Block block = bench.decode(times(50, kChase));
  EXPECT_EQ(bench.steady(block, 4, std::vector<Access>(50, load(0x300000))), 4u * 50 * 14);
}

TEST(CoreInOrder, LoadsAndStoresShareOnePort) {
  CoreBench bench(in_order_core());
  // ldr x0, [x1]; str x2, [x1]
  Block block = bench.decode(times(50, kLoad + Code{0x22, 0x00, 0x00, 0xf9}));
  std::vector<Access> accesses;
  for (int i = 0; i < 50; ++i) accesses.insert(accesses.end(), {load(0x300000), store(0x300100)});
  EXPECT_EQ(bench.steady(block, 4, accesses), 4u * 100);
}

}  // namespace
}  // namespace ringside::testing
