// Execution slots by cycle.
#include "model/core/calendar.h"

#include <gtest/gtest.h>

namespace ringside {
namespace {

class CalendarAt : public testing::TestWithParam<std::uint64_t> {};

TEST_P(CalendarAt, SlotsOfACycleAreTakenOnce) {
  Calendar calendar;
  const std::uint64_t at = GetParam();
  calendar.advance(at);
  EXPECT_EQ(calendar.book(Port::load, at + 10, 2), at + 10);
  EXPECT_EQ(calendar.book(Port::load, at + 10, 2), at + 10);
  EXPECT_EQ(calendar.book(Port::load, at + 10, 2), at + 11);
  EXPECT_EQ(calendar.book(Port::alu, at + 10, 2), at + 10);
  EXPECT_EQ(calendar.book(Port::load, at + 5, 2), at + 5);
}

TEST_P(CalendarAt, FillingLeavesWhatIsTaken) {
  Calendar calendar;
  const std::uint64_t at = GetParam();
  calendar.advance(at);
  calendar.book(Port::alu, at + 11, 4);
  EXPECT_EQ(calendar.fill(Port::alu, at + 10, 8, 4), at + 13);
  EXPECT_EQ(calendar.book(Port::alu, at + 10, 4), at + 12);
  EXPECT_EQ(calendar.fill(Port::alu, at, 8, 4), at + 2);
  EXPECT_EQ(calendar.book(Port::alu, at, 4), at + 2);
}

// Every cycle is free when it is reached for the first time, however far or near the steps are by which it is reached.
TEST_P(CalendarAt, CyclesThatShareAPlaceDoNotDisturbEachOther) {
  for (const std::uint64_t step : {1, 7, 16, 250, 2047, 2048, 5000}) {
    Calendar calendar;
    std::uint64_t at = GetParam();
    calendar.advance(at);
    for (std::uint64_t reached = at; at < GetParam() + 20'000; at += step) {
      calendar.advance(at);
      for (; reached < at + 900; ++reached) {
        ASSERT_EQ(calendar.book(Port::alu, reached, 1), reached) << "in steps of " << step;
        ASSERT_EQ(calendar.book(Port::store, reached, 2), reached) << "in steps of " << step;
      }
      reached = std::max(reached, at + step);
    }
  }
}

TEST_P(CalendarAt, WhatIsOutOfReachIsFree) {
  Calendar calendar;
  const std::uint64_t at = GetParam();
  calendar.advance(at);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(calendar.book(Port::load, at + 100'000, 1), at + 100'000);
  EXPECT_EQ(calendar.fill(Port::alu, at + 100'000, 8, 4), at + 100'000);
}

INSTANTIATE_TEST_SUITE_P(Cycles, CalendarAt, testing::Values(0, 1'000, 0xffff'fff0, 0x7'c000'0003));

}  // namespace
}  // namespace ringside
