// Bits in arrays of unsigned long. The forms with two underscores are not atomic.
#pragma once

#include "driver/kernel/types.h"

__always_inline bool test_bit(u32 nr, const unsigned long* addr) { return (READ_ONCE(*addr) >> nr) & 1; }

__always_inline void set_bit(u32 nr, unsigned long* addr) { __atomic_fetch_or(addr, 1ul << nr, __ATOMIC_RELAXED); }

__always_inline void clear_bit(u32 nr, unsigned long* addr) {
  __atomic_fetch_and(addr, ~(1ul << nr), __ATOMIC_RELAXED);
}

__always_inline bool test_and_set_bit(u32 nr, unsigned long* addr) {
  return (__atomic_fetch_or(addr, 1ul << nr, __ATOMIC_SEQ_CST) >> nr) & 1;
}

__always_inline void __set_bit(u32 nr, unsigned long* addr) { *addr |= 1ul << nr; }

__always_inline void __clear_bit(u32 nr, unsigned long* addr) { *addr &= ~BIT(nr); }
__always_inline bool __test_and_clear_bit(u32 nr, unsigned long* addr) {
  const unsigned long mask = 1ul << nr;
  const unsigned long old = *addr;
  *addr = old & ~mask;
  return (old & mask) != 0;
}
