#include "tb/board/convergence.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace ringside {
namespace {

TEST(Convergence, ConstantBatchesConvergeAtTen) {
  Convergence c;
  for (int i = 0; i < 9; ++i) c.add_batch(picoseconds(1'000'000));
  EXPECT_FALSE(c.reached(2000));
  c.add_batch(picoseconds(1'000'000));
  EXPECT_TRUE(c.reached(1));
}

TEST(Convergence, AgreesWithTheFloatingPointFormula) {
  Convergence c;
  std::vector<double> values;
  std::uint64_t state = 1;
  for (int i = 0; i < 400; ++i) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    const std::uint64_t value = 128'000'000 + (state >> 44);
    values.push_back(static_cast<double>(value));
    c.add_batch(picoseconds(value));
    double mean = 0, variance = 0;
    for (double v : values) mean += v / static_cast<double>(values.size());
    for (double v : values) variance += (v - mean) * (v - mean) / (static_cast<double>(values.size()) - 1);
    const double half_width = 2 * std::sqrt(variance / static_cast<double>(values.size()));
    const bool expected = values.size() >= 10 && half_width <= 0.0002 * mean;
    const bool clear_cut = std::abs(half_width / (0.0002 * mean) - 1) > 1e-6;
    EXPECT_TRUE(!clear_cut || c.reached(200) == expected) << i;
  }
}

}  // namespace
}  // namespace ringside
