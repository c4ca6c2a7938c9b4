// Ratios with a fixed number of significant digits, computed in integers: the same digits on every machine.
#pragma once

#include <cstdint>

namespace ringside {

inline constexpr int kSignificantDigits = 6;

// numerator / denominator rounded half up to kSignificantDigits; 0 when the denominator is 0.
double rounded_ratio(unsigned __int128 numerator, unsigned __int128 denominator);

}  // namespace ringside
