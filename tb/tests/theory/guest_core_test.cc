// The core as compiled code sees it: does a guest program take the cycles that the core's data sheet promises?
#include <gtest/gtest.h>

#include "tb/tests/support/guest_bench.h"

namespace ringside::test {
namespace {

constexpr const char* kX86 = "bench-x86-64-gcc-none";

TEST(GuestCore, ChainOfDependentAddsTakesOneCycleEach) {
  for (const char* cpu : {"xeon-8380", "xeon-e5-1650v4", "epyc-genoa", "epyc-turin"}) {
    EXPECT_NEAR(cycles_per_iteration({kX86, cpu, "add-chain"}, 1000, 3000), 64, 1) << cpu;
  }
  EXPECT_NEAR(cycles_per_iteration({"bench-aarch64-gcc-none", "cortex-a72", "add-chain"}, 1000, 3000), 64, 1);
}

TEST(GuestCore, IndependentAddsRunAtTheNumberOfUnits) {
  // Ice Lake and Zen 4 have four integer units, so 64 additions and the loop's own two instructions, one fused, take 16.25
  // cycles at best; A72 has two.
  EXPECT_NEAR(cycles_per_iteration({kX86, "xeon-8380", "add-independent"}, 1000, 3000), 16.5, 0.5);
  EXPECT_NEAR(cycles_per_iteration({kX86, "epyc-genoa", "add-independent"}, 1000, 3000), 16.5, 0.5);
  EXPECT_NEAR(cycles_per_iteration({kX86, "epyc-turin", "add-independent"}, 1000, 3000), 11, 0.5);  // 64 lea 11.0 measured
  EXPECT_NEAR(cycles_per_iteration({"bench-aarch64-gcc-none", "cortex-a72", "add-independent"}, 1000, 3000), 33, 1);
}

// A pointer chase returns the latency of the level that its working set fits in. The prefetcher is off: the order of the
// chase is regular.
double chase(const char* cpu, std::uint32_t lines) {
  BenchRun run{kX86, cpu, "chase"};
  run.argument = lines;
  run.settings = {"memory.stream_prefetcher=false"};
  return cycles_per_iteration(run, 4 * lines, 8 * lines);
}

TEST(GuestCore, PointerChaseTakesTheLatencyOfItsLevelOnGenoa) {
  EXPECT_NEAR(chase("epyc-genoa", 128), 4, 0.2);       // 8 KiB: L1, 4.0 cycles measured
  EXPECT_NEAR(chase("epyc-genoa", 4096), 14, 0.5);     // 256 KiB: L2, 14 measured
  EXPECT_NEAR(chase("epyc-genoa", 65536), 49, 2.5);    // 4 MiB: L3, 47 to 50 measured
}

TEST(GuestCore, PointerChaseTakesTheLatencyOfItsLevelOnTurin) {
  EXPECT_NEAR(chase("epyc-turin", 128), 4, 0.2);       // 8 KiB: L1, 4.0 cycles measured
  EXPECT_NEAR(chase("epyc-turin", 4096), 14, 0.5);     // 256 KiB: L2, 14.0 measured
  EXPECT_NEAR(chase("epyc-turin", 65536), 65, 3);      // 4 MiB: L3, 64.5 measured
}

TEST(GuestCore, PointerChaseTakesTheLatencyOfItsLevelOnIceLake) {
  EXPECT_NEAR(chase("xeon-8380", 128), 5, 0.2);
  EXPECT_NEAR(chase("xeon-8380", 4096), 14, 0.5);
}

// 13.2 ns a line at 1.8 GHz, as measured with a driver on Cortex-A53; the barrier waits for all of them.
TEST(GuestCore, CacheMaintenanceTakesItsTimeForEachLine) {
  BenchRun run{"bench-aarch64-gcc-none", "cortex-a72", "clean-lines"};
  run.argument = 60;
  const double sixty = cycles_per_iteration(run, 100, 300);
  run.argument = 24;
  const double twenty_four = cycles_per_iteration(run, 100, 300);
  EXPECT_NEAR((sixty - twenty_four) / 36, 13.2 * 1.8, 0.3);
}

TEST(GuestCore, StoreToLoadForwardingTakesItsLatency) {
  // Ice Lake: 5 cycles from the store's data to the load's result.
  EXPECT_NEAR(cycles_per_iteration({kX86, "xeon-8380", "forward"}, 1000, 3000), 5, 1);
}

TEST(GuestCore, EverySecondRandomBranchCostsThePenalty) {
  // Half of the random branches are mispredicted by any predictor; the steady ones by none. Both wait for the same chain
  // of dependent operations, which starts again after a redirect: between 9 and 12 cycles of it add to the penalty once
  // the right path is dispatched, and are hidden when there was no redirect.
  const double random = cycles_per_iteration({kX86, "xeon-8380", "random-branch"}, 4000, 12000);
  const double steady = cycles_per_iteration({kX86, "xeon-8380", "steady-branch"}, 4000, 12000);
  const double penalty = 14;  // cycles, LLVM's model of the core
  EXPECT_GT(random - steady, 0.5 * penalty);
  EXPECT_LT(random - steady, 0.5 * (penalty + 12));
}

}  // namespace
}  // namespace ringside::test
