// Branch prediction and its price.
#include <gtest/gtest.h>

#include "model/core/predictor.h"
#include "tb/tests/theory/core_bench.h"

namespace ringside::testing {
namespace {

const Code kConditional{0x75, 0x10};  // jne +16

TEST(CoreBranch, AMispredictedBranchCostsItsPenalty) {
  CoreBench bench(plain_core());
  Block branch = bench.decode(kConditional);
  Block after = bench.decode({0x90}, 0x200040);
  const std::uint64_t taken = branch.address + 18;
  const auto once = [&](std::uint64_t next) { return bench.run_to(branch, next) + bench.run(after); };
  for (int i = 0; i < 200; ++i) once(taken);
  const std::uint64_t before = bench.pipeline.counts().mispredicts;
  const std::uint64_t booked_before = booked(branch, StallReason::mispredict);
  const Cycle start = bench.pipeline.retired();
  once(branch.address + 2);
  EXPECT_EQ(bench.pipeline.counts().mispredicts, before + 1);
  // The branch resolves one cycle after it was dispatched; the right path is dispatched a penalty later.
  EXPECT_NEAR((bench.pipeline.retired() - start).value, 15 + 1, 1);
  EXPECT_NEAR(booked(branch, StallReason::mispredict) - booked_before, 15, 1);
  EXPECT_EQ(branch.cycles() + after.cycles(), bench.pipeline.retired().value);
}

TEST(CoreBranch, ABranchThatWaitsForALoadDelaysItsPenalty) {
  // cmp rax, [rsi]; jne, mispredicted, the line 300 cycles away: nothing hides the penalty behind the load.
  CoreBench bench(plain_core());
  bench.port.place(0x300000, MemoryLevel::dram, 300);
  Block block = bench.decode(Code{0x48, 0x3b, 0x06} + kConditional);
  Block after = bench.decode({0x90}, 0x200040);
  for (int i = 0; i < 200; ++i) bench.run_to(block, block.address + 5, {load(0x300100)});
  bench.pipeline.sleep(bench.pipeline.retired() + Cycle{100});
  const Cycle start = bench.pipeline.retired();
  bench.run_to(block, block.address + 21, {load(0x300000)});
  bench.run(after);
  EXPECT_NEAR((bench.pipeline.retired() - start).value, 300 + 1 + 15, 2);
}

// Mispredicted share, in 1/1000, of the last half of `rounds` repetitions of a pattern of outcomes.
std::uint64_t mispredicted(const std::vector<std::vector<bool>>& round, std::size_t rounds) {
  Predictor predictor(plain_core().predictor);
  std::uint64_t wrong = 0;
  std::uint64_t all = 0;
  for (std::size_t r = 0; r < rounds; ++r)
    for (std::size_t branch = 0; branch < round.size(); ++branch)
      for (const bool taken : round[branch]) {
        const bool right = predictor.conditional(0x200000 + branch * 24, taken);
        if (r < rounds / 2) continue;
        ++all;
        wrong += right ? 0 : 1;
      }
  return wrong * 1000 / all;
}

std::vector<bool> loop_of(std::size_t trips) {
  std::vector<bool> outcomes(trips, true);
  outcomes.back() = false;
  return outcomes;
}

TEST(CoreBranch, CountedLoopsArePredictedToTheirEnd) {
  for (const std::size_t trips : {2u, 3u, 8u, 17u, 64u, 300u})
    EXPECT_EQ(mispredicted({loop_of(trips)}, 100), 0u) << trips;
}

TEST(CoreBranch, APollLoopWithInnerLoopsIsPredicted) {
  // 64 packets, each with a copy loop of 8, a bounds check that always passes, and a batch every 16.
  Predictor predictor(plain_core().predictor);
  std::uint64_t wrong = 0;
  for (int poll = 0; poll < 60; ++poll)
    for (int packet = 0; packet < 64; ++packet) {
      std::uint64_t missed = 0;
      for (int i = 0; i < 8; ++i) missed += predictor.conditional(0x200100, i != 7) ? 0 : 1;
      missed += predictor.conditional(0x200120, false) ? 0 : 1;
      missed += predictor.conditional(0x200140, packet % 16 == 15) ? 0 : 1;
      missed += predictor.conditional(0x200160, packet != 63) ? 0 : 1;
      if (poll >= 30) wrong += missed;
    }
  EXPECT_LE(wrong, 30u * 64 * 11 / 1000);
}

TEST(CoreBranch, RandomOutcomesAreNot) {
  Predictor predictor(plain_core().predictor);
  std::uint64_t state = 1;
  std::uint64_t wrong = 0;
  for (int i = 0; i < 10000; ++i) {
    state = state * 6364136223846793005 + 1442695040888963407;
    wrong += predictor.conditional(0x200000, (state >> 40 & 1) != 0) ? 0 : 1;
  }
  EXPECT_NEAR(wrong, 5000.0, 500);
}

TEST(CoreBranch, IndirectTargetsFollowTheHistory) {
  Predictor predictor(plain_core().predictor);
  std::uint64_t wrong = 0;
  for (int i = 0; i < 4000; ++i) {
    const std::uint64_t target = 0x300000 + (i % 3) * 0x40;
    const bool right = predictor.indirect(0x200000, target);
    if (i >= 2000 && !right) ++wrong;
  }
  EXPECT_EQ(wrong, 0u);
}

TEST(CoreBranch, ReturnsComeFromTheStackAsDeepAsItIs) {
  Predictor predictor(plain_core().predictor);  // 16 entries
  const auto wrong_after = [&](std::uint64_t depth) {
    for (std::uint64_t i = 0; i < depth; ++i) predictor.call(0x1000 + i * 16);
    std::uint64_t wrong = 0;
    for (std::uint64_t i = depth; i-- > 0;) wrong += predictor.function_return(0x1000 + i * 16) ? 0 : 1;
    return wrong;
  };
  EXPECT_EQ(wrong_after(16), 0u);
  EXPECT_EQ(wrong_after(20), 4u);
}

TEST(CoreBranch, ARetpolineAlwaysMispredicts) {
  // call; ... ; ret to somewhere else than behind the call.
  CoreBench bench(plain_core());
  Block call = bench.decode({0xe8, 0x3b, 0x00, 0x00, 0x00});
  Block ret = bench.decode({0xc3}, 0x200040);
  for (int i = 0; i < 100; ++i) {
    bench.run_to(call, 0x200040, {store(0x300000)});
    bench.run_to(ret, 0x200000, {load(0x300000)});
  }
  EXPECT_EQ(bench.pipeline.counts().mispredicts, 100u);
}

}  // namespace
}  // namespace ringside::testing
