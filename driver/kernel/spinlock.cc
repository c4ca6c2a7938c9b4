#include "driver/kernel/spinlock.h"

#include "driver/kernel/barrier.h"

void _raw_spin_lock(spinlock_t* lock) {
  u32 unlocked = 0;
  while (
      unlikely(!__atomic_compare_exchange_n(&lock->value, &unlocked, 1u, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))) {
    unlocked = 0;
    cpu_relax();
  }
}
