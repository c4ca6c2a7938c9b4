// Quantities of the simulator as types. Everything is an unsigned 64-bit integer in one fixed unit, so that no result
// depends on floating-point rounding.
#pragma once

#include <compare>
#include <cstdint>
#include <limits>

namespace ringside {

// An integer amount of one unit. Amounts of the same unit add, subtract, compare and scale; nothing else converts.
template <class Unit>
struct Quantity {
  std::uint64_t value = 0;

  constexpr auto operator<=>(const Quantity&) const = default;
  constexpr Quantity& operator+=(Quantity other) {
    value += other.value;
    return *this;
  }
  constexpr Quantity& operator-=(Quantity other) {
    value -= other.value;
    return *this;
  }
  friend constexpr Quantity operator+(Quantity a, Quantity b) { return {a.value + b.value}; }
  friend constexpr Quantity operator-(Quantity a, Quantity b) { return {a.value - b.value}; }
  friend constexpr Quantity operator*(Quantity a, std::uint64_t n) { return {a.value * n}; }
  friend constexpr Quantity operator*(std::uint64_t n, Quantity a) { return {a.value * n}; }
  friend constexpr Quantity operator/(Quantity a, std::uint64_t n) { return {a.value / n}; }
  friend constexpr std::uint64_t operator/(Quantity a, Quantity b) { return a.value / b.value; }
  static constexpr Quantity max() { return {std::numeric_limits<std::uint64_t>::max()}; }
};

using Time = Quantity<struct PicosecondUnit>;        // an instant or a duration, in picoseconds
using Cycle = Quantity<struct CycleUnit>;            // an instant or a duration on one core's clock
using Bytes = Quantity<struct ByteUnit>;             // a size
using Frequency = Quantity<struct KilohertzUnit>;    // a clock, in kHz
using Bandwidth = Quantity<struct BitPerSecondUnit>; // a data rate, in bit/s
using PacketRate = Quantity<struct PacketUnit>;      // packets per second
using PhysAddr = Quantity<struct PhysAddrUnit>;      // a physical address of the board

constexpr Time picoseconds(std::uint64_t n) { return {n}; }
constexpr Time nanoseconds(std::uint64_t n) { return {n * 1'000}; }
constexpr Time microseconds(std::uint64_t n) { return {n * 1'000'000}; }
constexpr Time milliseconds(std::uint64_t n) { return {n * 1'000'000'000}; }
constexpr Time seconds(std::uint64_t n) { return {n * 1'000'000'000'000}; }
constexpr Bytes bytes(std::uint64_t n) { return {n}; }
constexpr Bytes kibibytes(std::uint64_t n) { return {n * 1024}; }
constexpr Bytes mebibytes(std::uint64_t n) { return {n * 1024 * 1024}; }
constexpr Frequency megahertz(std::uint64_t n) { return {n * 1'000}; }
constexpr Bandwidth gigabits_per_second(std::uint64_t n) { return {n * 1'000'000'000}; }

constexpr double to_ns(Time t) { return static_cast<double>(t.value) / 1e3; }
constexpr double to_us(Time t) { return static_cast<double>(t.value) / 1e6; }
constexpr double to_seconds(Time t) { return static_cast<double>(t.value) / 1e12; }

// Time that `size` takes at `rate`, rounded up to a whole picosecond. rate must not be zero.
constexpr Time transfer_time(Bytes size, Bandwidth rate) {
  const auto bit_ps = static_cast<unsigned __int128>(size.value) * 8 * 1'000'000'000'000ULL;
  return {static_cast<std::uint64_t>((bit_ps + rate.value - 1) / rate.value)};
}

// Start of cycle `c` of a clock of frequency `f`, rounded down. Exact for any run shorter than 200 days.
constexpr Time to_time(Cycle c, Frequency f) {
  return {static_cast<std::uint64_t>(static_cast<unsigned __int128>(c.value) * 1'000'000'000ULL / f.value)};
}

// First cycle of a clock of frequency `f` that starts at or after `t`.
constexpr Cycle to_cycles(Time t, Frequency f) {
  const auto numerator = static_cast<unsigned __int128>(t.value) * f.value;
  return {static_cast<std::uint64_t>((numerator + 999'999'999ULL) / 1'000'000'000ULL)};
}

constexpr std::uint64_t kCacheLine = 64;  // bytes; the line size of every modelled core and of the ConnectX

}  // namespace ringside
