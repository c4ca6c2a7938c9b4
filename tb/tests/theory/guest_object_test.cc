// Automatic objects that the compiler clears. On Zen 4 against measurements on an EPYC Genoa: a repeated store of 72 bytes
// takes 15 cycles, hides behind a dependent miss, and from 128 bytes on takes 36 to 48. On Ice Lake against the curve
// measured on Skylake: 29 cycles from 64 to 128 bytes.
#include <gtest/gtest.h>

#include "tb/tests/support/guest_bench.h"

namespace ringside::test {
namespace {

constexpr double kZen4 = 3.6, kIceLake = 3.4;  // GHz

double clearing(const char* compiler, const char* program, std::uint32_t size, const char* cpu = "epyc-genoa") {
  BenchRun run{"", cpu, program};
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

// The same program, compiled for the machine, took 26.9 cycles on an EPYC Turin and 36.4 with the repeated store of 72 bytes, which takes 15 in a
// loop of its own: the front end delivers what comes behind it meanwhile. With 128 bytes, 49 in such a loop, it took 37.4 more, which the model
// overstates by eight.
TEST(GuestObject, OnZen5PartOfItHidesWhatTheFrontEndHasYetToDeliver) {
  EXPECT_NEAR(clearing("gcc", "object-throughput", 72, "epyc-turin"), 9.6, 1.5);
  EXPECT_NEAR(clearing("gcc", "object-throughput", 128, "epyc-turin"), 37.4, 9);
}

TEST(GuestObject, FortyBytesCostAtMostANanosecondAndFortyEightTheFullPrice) {
  EXPECT_LT(clearing("gcc", "object-throughput", 40), 1 * kZen4);
  EXPECT_NEAR(clearing("gcc", "object-throughput", 48), 15, 2.5);
  EXPECT_LT(clearing("gcc", "object-throughput", 40, "xeon-8380"), 1 * kIceLake);
  EXPECT_NEAR(clearing("gcc", "object-throughput", 48, "xeon-8380"), 29, 3);
}

// As the driver's buffer: 72 bytes, of which all but one pointer is filled at once. With generic tuning the repeated store
// stays, whatever follows it.
TEST(GuestObject, GenericTuningPaysForAFilledObjectInFull) {
  EXPECT_NEAR(clearing("gcc", "object-filled", 72), 15, 3);
  EXPECT_NEAR(clearing("gcc", "object-filled", 72, "xeon-8380"), 29, 3);
}

// Plain stores, of which those that are overwritten go away: one is left.
TEST(GuestObject, SkylakeTuningAndClangClearAFilledObjectForNothing) {
  for (const char* compiler : {"gcc-skylake", "clang"}) {
    for (const char* cpu : {"epyc-genoa", "xeon-8380"}) {
      EXPECT_LT(clearing(compiler, "object-filled", 72, cpu), 1.5) << compiler << ", " << cpu;
    }
  }
}

TEST(GuestObject, ClangAndSkylakeTuningClearSeventyTwoBytesWithStores) {
  for (const char* compiler : {"gcc-skylake", "clang"}) {
    EXPECT_LT(clearing(compiler, "object-throughput", 72), 5.5) << compiler;  // 4.7 cycles measured for nine stores
    EXPECT_LT(clearing(compiler, "object-throughput", 72, "xeon-8380"), 5.5) << compiler;
  }
}

}  // namespace
}  // namespace ringside::test
