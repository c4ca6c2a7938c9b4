// A lock that is spun on. Bottom halves never preempt each other on one processor, hence no disabling of them here.
#pragma once

#include "driver/kernel/types.h"

struct spinlock_t {
  u32 value;
};

void _raw_spin_lock(spinlock_t* lock);

__always_inline void spin_lock(spinlock_t* lock) { _raw_spin_lock(lock); }
__always_inline void spin_unlock(spinlock_t* lock) { __atomic_store_n(&lock->value, 0u, __ATOMIC_RELEASE); }
