#include "model/core/calendar.h"

#include <gtest/gtest.h>

namespace ringside {
namespace {

// Cycles at which a 32-bit count looks negative, has wrapped, and is small.
class CalendarAt : public testing::TestWithParam<std::uint64_t> {};

TEST_P(CalendarAt, FillsFromWhereItIsAskedTo) {
  Calendar calendar;
  const std::uint64_t at = GetParam();
  calendar.clear(at);
  EXPECT_EQ(calendar.fill(Port::alu, at, 8, 4), at + 2);
  EXPECT_EQ(calendar.book(Port::alu, at, 4), at + 2);
}

TEST_P(CalendarAt, IsEmptyAfterALongSleep) {
  Calendar calendar;
  calendar.fill(Port::alu, 100, 2000, 4);
  const std::uint64_t at = GetParam();
  calendar.clear(at);
  EXPECT_EQ(calendar.fill(Port::alu, at, 8, 4), at + 2);
}

TEST_P(CalendarAt, EntriesOfLongAgoAreFree) {
  Calendar calendar;
  const std::uint64_t at = GetParam();
  calendar.clear(at);
  calendar.fill(Port::load, at, 2 * 16, 2);
  const std::uint64_t later = at + (std::uint64_t{1} << 31) + 4096;
  EXPECT_EQ(calendar.book(Port::load, later, 2), later);
  EXPECT_EQ(calendar.fill(Port::load, later + 1, 8, 2), later + 5);
}

INSTANTIATE_TEST_SUITE_P(Cycles, CalendarAt,
                         testing::Values(1'000, 0x7fff'0000, 0x9000'0000, 0xffff'fff0, 0x1'4000'0000, 0x7'c000'0000));

}  // namespace
}  // namespace ringside
