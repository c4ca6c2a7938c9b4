// Order statistics of small samples.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

namespace ringside::native {

// The value below which a fraction `q` of the sample lies; 0 of an empty one.
inline double quantile(std::vector<double> values, double q) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(std::lround(q * static_cast<double>(values.size() - 1)))];
}

}  // namespace ringside::native
