// Automatic objects that the compiler clears, on Zen 4, against measurements on an EPYC Genoa: a repeated store of
// 72 bytes takes 15 cycles, hides behind a dependent miss, and from 128 bytes on takes 36 to 48.
#include <gtest/gtest.h>

#include "tb/tests/support/guest_bench.h"

namespace ringside::test {
namespace {

double clearing(const char* compiler, const char* program, std::uint32_t size) {
  BenchRun run{"", "epyc-genoa", program};
  run.argument = size;
  run.image = std::string("bench-x86-64-") + compiler + "-zero";
  const double with = cycles_per_iteration(run, 20000, 40000);
  run.image = std::string("bench-x86-64-") + compiler + "-none";
  return with - cycles_per_iteration(run, 20000, 40000);
}

TEST(GuestObject, SeventyTwoBytesCostFifteenCyclesWhenThroughputBound) {
  EXPECT_NEAR(clearing("gcc", "object-throughput", 72), 15, 2);
}

TEST(GuestObject, SeventyTwoBytesHideBehindADependentMiss) {
  EXPECT_LT(clearing("gcc", "object-behind-miss", 72), 1.0);
}

TEST(GuestObject, CliffAtHundredAndTwentyEightBytes) {
  const double below = clearing("gcc", "object-throughput", 120);
  const double at = clearing("gcc", "object-throughput", 128);
  EXPECT_LT(below, 23);
  EXPECT_GT(at, 34);
  EXPECT_LT(at, 50);
}

TEST(GuestObject, FortyBytesAreStoresAndFortyEightAreNot) {
  EXPECT_LT(clearing("gcc", "object-throughput", 40), 3.6);  // 1 ns at 3.6 GHz
  EXPECT_NEAR(clearing("gcc", "object-throughput", 48), 15, 2.5);
}

TEST(GuestObject, ClangClearsSeventyTwoBytesWithStores) {
  EXPECT_LT(clearing("clang", "object-throughput", 72), 5.5);  // 4.7 cycles measured for nine stores
}

}  // namespace
}  // namespace ringside::test
