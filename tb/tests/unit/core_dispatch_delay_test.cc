// Who pays for a delay of dispatch: the oldest first, nobody more than he caused, and nobody what would have been late anyway.
#include <gtest/gtest.h>

#include "model/core/dispatch_delay.h"

namespace ringside {
namespace {

struct Payer {
  InstructionCounts counts;
  std::uint64_t account = 1000;

  Booking booking() { return {&counts, &account}; }
  std::uint64_t paid() const { return counts.cycles[static_cast<std::size_t>(StallReason::rep)]; }
};

TEST(DispatchDelay, OldestPaysFirst) {
  DispatchDelay delay;
  Payer first, second;
  std::uint64_t victim = 1000;
  delay.add(first.booking(), StallReason::rep, 10);
  delay.add(second.booking(), StallReason::rep, 5);
  EXPECT_EQ(delay.charge(12, &victim), 12u);
  EXPECT_EQ(first.paid(), 10u);
  EXPECT_EQ(second.paid(), 2u);
  EXPECT_EQ(delay.charge(12, &victim), 3u) << "no more than is owed";
  EXPECT_EQ(delay.cycles(), 0u);
  EXPECT_EQ(first.account, 1010u);
  EXPECT_EQ(second.account, 1005u);
  EXPECT_EQ(victim, 985u);
}

TEST(DispatchDelay, CyclesOfTheSameAccountStayThere) {
  DispatchDelay delay;
  Payer payer;
  delay.add(payer.booking(), StallReason::rep, 10);
  delay.charge(4, &payer.account);
  EXPECT_EQ(payer.paid(), 4u);
  EXPECT_EQ(payer.account, 1000u);
}

TEST(DispatchDelay, LimitForgivesTheOldest) {
  DispatchDelay delay;
  Payer first, second;
  std::uint64_t victim = 1000;
  delay.add(first.booking(), StallReason::rep, 10);
  delay.add(second.booking(), StallReason::rep, 5);
  delay.limit(20, 0);
  EXPECT_EQ(delay.cycles(), 15u);
  delay.limit(7, 0);
  EXPECT_EQ(delay.charge(100, &victim), 7u);
  EXPECT_EQ(first.paid(), 2u);
  EXPECT_EQ(second.paid(), 5u);
}

TEST(DispatchDelay, ForgetsTheOldestOfTooMany) {
  DispatchDelay delay;
  std::array<Payer, 9> payers;
  std::uint64_t victim = 1000;
  for (Payer& payer : payers) delay.add(payer.booking(), StallReason::rep, 1);
  EXPECT_EQ(delay.cycles(), 8u);
  delay.charge(8, &victim);
  EXPECT_EQ(payers.front().paid(), 0u);
  EXPECT_EQ(payers.back().paid(), 1u);
}

}  // namespace
}  // namespace ringside
