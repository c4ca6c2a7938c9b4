#include "model/base/units.h"

#include <gtest/gtest.h>

namespace ringside {
namespace {

TEST(Units, LineRateOfMinimumFramesAtHundredGigabit) {
  // 64 B + 20 B of preamble and gap at 100 Gb/s: 6.72 ns, the well-known 148.81 Mpps.
  EXPECT_EQ(transfer_time(bytes(84), gigabits_per_second(100)), picoseconds(6720));
}

TEST(Units, CyclesAndTimeConvertWithoutDrift) {
  const Frequency f = megahertz(3400);
  EXPECT_EQ(to_time(Cycle{3'400'000'000'000}, f), seconds(1000));
  EXPECT_EQ(to_cycles(seconds(1000), f), Cycle{3'400'000'000'000});
  for (std::uint64_t c : {1ULL, 2ULL, 3ULL, 1'000'003ULL}) EXPECT_EQ(to_cycles(to_time(Cycle{c}, f), f), Cycle{c});
}

}  // namespace
}  // namespace ringside
