// Counters that several processors may change.
#pragma once

#include "driver/kernel/types.h"

struct atomic_t {
  s32 counter;
};
struct atomic_long_t {
  long counter;
};

__always_inline s32 atomic_read(const atomic_t* v) { return READ_ONCE(v->counter); }
__always_inline void atomic_set(atomic_t* v, s32 i) { WRITE_ONCE(v->counter, i); }
__always_inline bool atomic_dec_and_test(atomic_t* v) {
  return __atomic_sub_fetch(&v->counter, 1, __ATOMIC_SEQ_CST) == 0;
}
__always_inline s32 atomic_sub_return(s32 i, atomic_t* v) {
  return __atomic_sub_fetch(&v->counter, i, __ATOMIC_SEQ_CST);
}

__always_inline void atomic_add(s32 i, atomic_t* v) { __atomic_fetch_add(&v->counter, i, __ATOMIC_RELAXED); }
__always_inline void atomic_sub(s32 i, atomic_t* v) { __atomic_fetch_sub(&v->counter, i, __ATOMIC_RELAXED); }

__always_inline long atomic_long_read(const atomic_long_t* v) { return READ_ONCE(v->counter); }
__always_inline void atomic_long_set(atomic_long_t* v, long i) { WRITE_ONCE(v->counter, i); }
__always_inline long atomic_long_sub_return(long i, atomic_long_t* v) {
  return __atomic_sub_fetch(&v->counter, i, __ATOMIC_SEQ_CST);
}
