#include "tb/report/rounding.h"

namespace ringside {

double rounded_ratio(unsigned __int128 numerator, unsigned __int128 denominator) {
  using Wide = unsigned __int128;
  if (denominator == 0 || numerator == 0) return 0.0;
  constexpr Wide kHigh = 1'000'000;  // 10^kSignificantDigits
  constexpr Wide kLow = kHigh / 10;
  static_assert(kSignificantDigits == 6);
  constexpr Wide kRoom = (~Wide{0}) / 20;
  // Scale by powers of ten until the quotient has the wanted number of digits.
  int exponent = 0;
  while (numerator / denominator >= kHigh) {
    if (denominator > kRoom) numerator /= 10;
    else denominator *= 10;
    ++exponent;
  }
  while (numerator / denominator < kLow) {
    if (numerator > kRoom) denominator /= 10;
    else numerator *= 10;
    --exponent;
  }
  const Wide quotient = numerator / denominator;
  const Wide rest = numerator % denominator;
  const Wide digits = quotient + (rest >= denominator - rest ? 1 : 0);
  // Powers of ten up to 22 are exact in a double, so one division or multiplication rounds correctly everywhere.
  double power = 1.0;
  for (int i = 0; i < (exponent < 0 ? -exponent : exponent); ++i) power *= 10.0;
  return exponent < 0 ? static_cast<double>(static_cast<std::uint64_t>(digits)) / power
                      : static_cast<double>(static_cast<std::uint64_t>(digits)) * power;
}

}  // namespace ringside
