#include <gtest/gtest.h>

#include <cmath>

#include "model/base/random.h"

namespace ringside {
namespace {

// First outputs of SplitMix64 for seed 1234567, as published with the reference implementation.
TEST(RandomNumbers, IsSplitMix64) {
  Random random(1234567);
  EXPECT_EQ(random.next(), 6457827717110365317ULL);
  EXPECT_EQ(random.next(), 3203168211198807973ULL);
  EXPECT_EQ(random.next(), 9817491932198370423ULL);
}

TEST(RandomNumbers, BelowIsUniform) {
  Random random(1);
  std::uint64_t seen[12] = {};
  constexpr int kDraws = 120'000;
  for (int i = 0; i < kDraws; ++i) {
    const std::uint64_t n = random.below(12);
    ASSERT_LT(n, 12u);
    ++seen[n];
  }
  const double sigma = std::sqrt(kDraws * (1.0 / 12) * (11.0 / 12));
  for (const std::uint64_t n : seen) EXPECT_NEAR(static_cast<double>(n), kDraws / 12.0, 4 * sigma);
}

TEST(RandomNumbers, ExponentialIsMinusLogarithm) {
  Random integer(7);
  Random raw(7);
  for (int i = 0; i < 10'000; ++i) {
    const double expected = -std::log(static_cast<double>(raw.next()) / std::ldexp(1.0, 64));
    EXPECT_NEAR(static_cast<double>(integer.exponential()) / std::ldexp(1.0, 32), expected, 1e-6);
  }
}

}  // namespace
}  // namespace ringside
