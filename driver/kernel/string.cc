// x86-64: the string instructions, as kernels do where ERMS makes them fast for any size. AArch64: pairs of registers,
// with the ends covered by overlapping accesses; no `dc zva`.
#include "driver/kernel/string.h"

#if defined(__x86_64__)

static inline void fill(void* s, u8 value, size_t n) {
  asm volatile("rep stosb" : "+D"(s), "+c"(n) : "a"(value) : "memory");
}

static inline void copy(void* dest, const void* src, size_t n) {
  asm volatile("rep movsb" : "+D"(dest), "+S"(src), "+c"(n)::"memory");
}

#elif defined(__aarch64__)

// An access of a type at any address; volatile, so that the compiler does not turn a loop of them into a call to the
// very function that contains it.
template <class T>
struct [[gnu::packed, gnu::may_alias]] Unaligned {
  T value;
};
template <class T>
static inline T load(const u8* p) {
  return reinterpret_cast<const volatile Unaligned<T>*>(p)->value;
}
template <class T>
static inline void store(u8* p, T value) {
  reinterpret_cast<volatile Unaligned<T>*>(p)->value = value;
}

static inline void store_pair(u8* p, u64 a, u64 b) {
  asm volatile("stp %0, %1, [%2]" ::"rZ"(a), "rZ"(b), "r"(p) : "memory");
}

static inline void fill(void* s, u8 value, size_t n) {
  u8* p = static_cast<u8*>(s);
  const u64 pattern = value * 0x0101'0101'0101'0101u;
  if (n >= 16) {
    u8* const last = p + n - 16;
    for (; p < last; p += 16) store_pair(p, pattern, pattern);
    store_pair(last, pattern, pattern);
    return;
  }
  if (n & 8) {
    store<u64>(p, pattern);
    p += 8;
  }
  if (n & 4) {
    store<u32>(p, static_cast<u32>(pattern));
    p += 4;
  }
  if (n & 2) {
    store<u16>(p, static_cast<u16>(pattern));
    p += 2;
  }
  if (n & 1) store<u8>(p, value);
}

static inline void copy(void* dest, const void* src, size_t n) {
  u8* d = static_cast<u8*>(dest);
  const u8* s = static_cast<const u8*>(src);
  if (n >= 16) {
    const u64 end_low = load<u64>(s + n - 16);
    const u64 end_high = load<u64>(s + n - 8);
    u8* const last = d + n - 16;
    for (; d < last; d += 16, s += 16) store_pair(d, load<u64>(s), load<u64>(s + 8));
    store_pair(last, end_low, end_high);
    return;
  }
  for (; n >= 8; n -= 8, d += 8, s += 8) store<u64>(d, load<u64>(s));
  for (; n > 0; n--, d++, s++) store<u8>(d, load<u8>(s));
}

#endif

void* memset(void* s, int c, size_t n) {
  fill(s, static_cast<u8>(c), n);
  return s;
}

void* memcpy(void* dest, const void* src, size_t n) {
  copy(dest, src, n);
  return dest;
}

void* memmove(void* dest, const void* src, size_t n) {
  volatile u8* d = static_cast<volatile u8*>(dest);
  const volatile u8* s = static_cast<const volatile u8*>(src);
  if (reinterpret_cast<u64>(dest) <= reinterpret_cast<u64>(src)) {
    for (size_t i = 0; i < n; i++) d[i] = s[i];
  } else {
    for (size_t i = n; i > 0; i--) d[i - 1] = s[i - 1];
  }
  return dest;
}

int memcmp(const void* a, const void* b, size_t n) {
  const volatile u8* x = static_cast<const volatile u8*>(a);
  const volatile u8* y = static_cast<const volatile u8*>(b);
  for (size_t i = 0; i < n; i++) {
    const int difference = x[i] - y[i];
    if (difference != 0) return difference;
  }
  return 0;
}
