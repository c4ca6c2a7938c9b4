#include "model/base/random.h"

#include <array>
#include <bit>

namespace ringside {
namespace {

constexpr unsigned kIndexBits = 10;
constexpr std::uint64_t kLn2 = 2'977'044'472;  // ln 2 in units of 2^-32

// log2(1 + index / 2^10) in units of 2^-32, bit by bit: squaring doubles the logarithm.
constexpr std::uint64_t log2_of(std::uint64_t index) {
  std::uint64_t mantissa = (1ULL << 62) + (index << (62 - kIndexBits));  // in [1, 2), 62 fractional bits
  std::uint64_t result = 0;
  for (int bit = 0; bit < 33; ++bit) {
    const auto square = static_cast<unsigned __int128>(mantissa) * mantissa >> 62;
    const bool carry = square >> 63 != 0;
    result = result << 1 | (carry ? 1 : 0);
    mantissa = static_cast<std::uint64_t>(carry ? square >> 1 : square);
  }
  return (result + 1) >> 1;
}

constexpr auto kLog2 = [] {
  std::array<std::uint64_t, (1 << kIndexBits) + 1> table{};
  for (std::uint64_t i = 0; i < (1 << kIndexBits); ++i) table[i] = log2_of(i);
  table[1 << kIndexBits] = 1ULL << 32;
  return table;
}();

}  // namespace

// -ln U by table and linear interpolation (error below 2^-22), U uniform in (0, 1].
std::uint64_t Random::exponential() {
  const std::uint64_t u = next() | 1;
  const auto zeros = static_cast<unsigned>(std::countl_zero(u));
  const std::uint64_t fraction = (u << zeros) << 1;  // after the leading one
  const std::uint64_t index = fraction >> (64 - kIndexBits);
  const std::uint64_t rest = (fraction << kIndexBits) >> 32;
  const std::uint64_t log2 = kLog2[index] + (((kLog2[index + 1] - kLog2[index]) * rest) >> 32);
  const std::uint64_t minus_log2 = (static_cast<std::uint64_t>(zeros + 1) << 32) - log2;  // of U = u / 2^64
  return static_cast<std::uint64_t>((static_cast<unsigned __int128>(minus_log2) * kLn2) >> 32);
}

}  // namespace ringside
