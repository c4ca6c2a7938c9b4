// Ordering of memory accesses. x86 keeps loads and stores to ordinary memory in order, so that the DMA barriers only
// bind the compiler; AArch64 needs an instruction for the outer shareable domain, which devices are in.
#pragma once

#include "driver/kernel/types.h"

template <class T>
__always_inline T smp_load_acquire(const T* from) {
  return __atomic_load_n(from, __ATOMIC_ACQUIRE);
}
template <class T>
__always_inline void smp_store_release(T* to, T value) {
  __atomic_store_n(to, value, __ATOMIC_RELEASE);
}

__always_inline void barrier() { asm volatile("" ::: "memory"); }

#if defined(__x86_64__)
__always_inline void mb() { asm volatile("mfence" ::: "memory"); }
__always_inline void wmb() { asm volatile("sfence" ::: "memory"); }
__always_inline void dma_rmb() { barrier(); }
__always_inline void dma_wmb() { barrier(); }
__always_inline void smp_wmb() { barrier(); }
__always_inline void cpu_relax() { asm volatile("pause" ::: "memory"); }
#elif defined(__aarch64__)
__always_inline void mb() { asm volatile("dsb sy" ::: "memory"); }
__always_inline void wmb() { asm volatile("dsb st" ::: "memory"); }
__always_inline void dma_rmb() { asm volatile("dmb oshld" ::: "memory"); }
__always_inline void dma_wmb() { asm volatile("dmb oshst" ::: "memory"); }
__always_inline void smp_wmb() { asm volatile("dmb ishst" ::: "memory"); }
__always_inline void cpu_relax() { asm volatile("yield" ::: "memory"); }
#endif
