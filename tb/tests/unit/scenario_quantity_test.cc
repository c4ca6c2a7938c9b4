#include "tb/scenario/quantity.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ringside {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

TEST(Quantity, ReadsEachDimensionInItsBaseUnit) {
  EXPECT_EQ(parse_quantity("600 ns", Dimension::time), 600'000U);
  EXPECT_EQ(parse_quantity("16us", Dimension::time), 16'000'000U);
  EXPECT_EQ(parse_quantity("16 µs", Dimension::time), 16'000'000U);
  EXPECT_EQ(parse_quantity("48 KiB", Dimension::size), 49'152U);
  EXPECT_EQ(parse_quantity("1 kB", Dimension::size), 1'000U);
  EXPECT_EQ(parse_quantity("3.4 GHz", Dimension::frequency), 3'400'000U);
  EXPECT_EQ(parse_quantity("100 Gbps", Dimension::bandwidth), 100'000'000'000U);
  EXPECT_EQ(parse_quantity("25.6 GB/s", Dimension::bandwidth), 204'800'000'000U);
  EXPECT_EQ(parse_quantity("148.8 Mpps", Dimension::packet_rate), 148'800'000U);
}

// 0.1 and 0.3 have no exact double; 2^53 + 1 would be rounded.
TEST(Quantity, DecimalsAreExact) {
  EXPECT_EQ(parse_quantity("0.1 ns", Dimension::time), 100U);
  EXPECT_EQ(parse_quantity("0.3 ms", Dimension::time), 300'000'000U);
  EXPECT_EQ(parse_quantity("9007199254740.993 ns", Dimension::time), 9'007'199'254'740'993U);
  EXPECT_EQ(parse_quantity("18446744073709551615 ps", Dimension::time), ~std::uint64_t{0});
  EXPECT_EQ(parse_quantity("1.5000000000000000000000000 us", Dimension::time), 1'500'000U);
}

TEST(Quantity, BareNumbersOnlyWhereTheUnitIsClear) {
  EXPECT_EQ(parse_quantity("1500", Dimension::size), 1500U);
  EXPECT_EQ(parse_quantity("0", Dimension::time), 0U);
  EXPECT_THAT([] { parse_quantity("100", Dimension::bandwidth); }, ThrowsMessage<QuantityError>(HasSubstr("has no unit")));
}

TEST(Quantity, SaysWhatIsWrong) {
  const auto message = [](const char* text) {
    return [text] { parse_quantity(text, Dimension::time); };
  };
  EXPECT_THAT(message("0.5 ps"), ThrowsMessage<QuantityError>(HasSubstr("finer than 1 ps")));
  EXPECT_THAT(message("5 nss"), ThrowsMessage<QuantityError>(HasSubstr("did you mean ns?")));
  EXPECT_THAT(message("soon"), ThrowsMessage<QuantityError>(HasSubstr("not a quantity")));
  EXPECT_THAT(message("1.2.3 ns"), ThrowsMessage<QuantityError>(HasSubstr("not a number")));
  EXPECT_THAT(message("1. ns"), ThrowsMessage<QuantityError>(HasSubstr("not a number")));
  EXPECT_THAT(message(".5 ns"), ThrowsMessage<QuantityError>(HasSubstr("not a number")));
  EXPECT_THAT(message("-5 ns"), ThrowsMessage<QuantityError>(HasSubstr("not a quantity")));
  EXPECT_THAT(message("18446744073709551616 ps"), ThrowsMessage<QuantityError>(HasSubstr("too large")));
  EXPECT_THAT(message("99999999999999999999999999999999999999999 s"), ThrowsMessage<QuantityError>(HasSubstr("too large")));
  EXPECT_THAT(message("0.00000000000000000000000000000000000000000001 s"), ThrowsMessage<QuantityError>(HasSubstr("too large")));
}

TEST(Quantity, PrintsInACustomaryUnit) {
  EXPECT_EQ(format_quantity(600'000, Dimension::time), "600 ns");
  EXPECT_EQ(format_quantity(0, Dimension::time), "0 ps");
  EXPECT_EQ(format_quantity(1'500, Dimension::time), "1.5 ns");
  EXPECT_EQ(format_quantity(49'152, Dimension::size), "48 KiB");
  EXPECT_EQ(format_quantity(1'500, Dimension::size), "1500 B");
  EXPECT_EQ(format_quantity(3'400'000, Dimension::frequency), "3.4 GHz");
  EXPECT_EQ(format_quantity(100'000'000'000, Dimension::bandwidth), "100 Gbps");
  EXPECT_EQ(format_quantity(50'000'000, Dimension::packet_rate), "50 Mpps");
}

TEST(Quantity, WhatIsPrintedReadsBackTheSame) {
  for (const auto dimension : {Dimension::time, Dimension::size, Dimension::frequency, Dimension::bandwidth,
                               Dimension::packet_rate}) {
    std::uint64_t value = 1;
    for (int i = 0; i < 64; ++i, value = value * 3 + 1) {
      EXPECT_EQ(parse_quantity(format_quantity(value, dimension), dimension), value);
    }
    EXPECT_EQ(parse_quantity(format_quantity(~std::uint64_t{0}, dimension), dimension), ~std::uint64_t{0});
  }
}

TEST(Quantity, PercentIsTenThousandPartsPerMillion) {
  EXPECT_EQ(scaled_decimal("0.2", 10'000, "ppm"), 2'000U);
  EXPECT_THROW(scaled_decimal("0.00001", 10'000, "ppm"), QuantityError);
}

}  // namespace
}  // namespace ringside
