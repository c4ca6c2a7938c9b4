// Big-endian integers for hardware layouts. Freestanding: the guest driver includes this too.
#pragma once

#include <cstdint>

namespace ringside {

template <class T>
constexpr T byte_swapped(T v) {
  if constexpr (sizeof(T) == 2) return static_cast<T>(__builtin_bswap16(v));
  else if constexpr (sizeof(T) == 4) return static_cast<T>(__builtin_bswap32(v));
  else return static_cast<T>(__builtin_bswap64(v));
}

// An integer stored in big-endian byte order on a little-endian machine. `raw` is the stored pattern.
template <class T>
struct BigEndian {
  T raw;

  constexpr operator T() const { return byte_swapped(raw); }
  constexpr BigEndian& operator=(T v) {
    raw = byte_swapped(v);
    return *this;
  }
};

using be16 = BigEndian<std::uint16_t>;
using be32 = BigEndian<std::uint32_t>;
using be64 = BigEndian<std::uint64_t>;

static_assert(sizeof(be16) == 2 && sizeof(be32) == 4 && sizeof(be64) == 8);

}  // namespace ringside
