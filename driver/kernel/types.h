// Integer types and the small helpers that every kernel source uses.
#pragma once

#include <cstddef>
#include <cstdint>

#include "model/base/bigendian.h"

using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using s16 = std::int16_t;
using s32 = std::int32_t;
using dma_addr_t = u64;
using ringside::be16;
using ringside::be32;
using ringside::be64;
using std::size_t;

#ifndef __always_inline  // the C library's headers may have it
#define __always_inline inline __attribute__((always_inline))
#endif
#define noinline __attribute__((noinline))
#define ____cacheline_aligned alignas(64)

inline constexpr u32 PAGE_SHIFT = 12;
inline constexpr u64 PAGE_SIZE = 1u << PAGE_SHIFT;
inline constexpr u32 L1_CACHE_BYTES = 64;

#define ENOMEM 12
#define EBUSY 16
#define EINVAL 22
#define ENOSPC 28
#define EOVERFLOW 75
#define EMSGSIZE 90
#define EOPNOTSUPP 95
#define ENETDOWN 100
#define ENETUNREACH 101

__always_inline bool likely(bool condition) { return __builtin_expect(condition, true); }
__always_inline bool unlikely(bool condition) { return __builtin_expect(condition, false); }

// One access that the compiler neither splits, repeats nor moves past another such access.
template <class T>
__always_inline T READ_ONCE(const T& x) {
  return *static_cast<const volatile T*>(&x);
}
template <class T>
__always_inline void WRITE_ONCE(T& x, T value) {
  *static_cast<volatile T*>(&x) = value;
}

template <class T>
constexpr T min(T a, T b) {
  return a < b ? a : b;
}
template <class T>
constexpr T max(T a, T b) {
  return a > b ? a : b;
}

constexpr u32 BIT(u32 nr) { return 1u << nr; }
constexpr u64 ALIGN(u64 x, u64 a) { return (x + a - 1) & ~(a - 1); }
constexpr u64 DIV_ROUND_UP(u64 x, u64 d) { return (x + d - 1) / d; }
constexpr u32 ilog2(u64 x) { return 63 - static_cast<u32>(__builtin_clzll(x)); }
constexpr u64 roundup_pow_of_two(u64 x) { return x <= 1 ? 1 : u64{1} << (64 - __builtin_clzll(x - 1)); }

// The structure that `member`, at `offset`, is part of.
template <class T, class M>
__always_inline T* container_of_offset(M* member, size_t offset) {
  return reinterpret_cast<T*>(reinterpret_cast<u8*>(member) - offset);
}
#define container_of(ptr, type, member) container_of_offset<type>(ptr, offsetof(type, member))

// Calls through a pointer that almost always has one value: a compare and a direct call.
#define INDIRECT_CALL_1(f, f1, ...) (likely((f) == (f1)) ? (f1)(__VA_ARGS__) : (f)(__VA_ARGS__))
#define INDIRECT_CALL_2(f, f2, f1, ...) (likely((f) == (f2)) ? (f2)(__VA_ARGS__) : INDIRECT_CALL_1(f, f1, __VA_ARGS__))
