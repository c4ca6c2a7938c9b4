// Software prefetches, with the instructions that Linux settles on for current processors.
#pragma once

#include "driver/kernel/types.h"

#if defined(__x86_64__)
__always_inline void prefetch(const void* p) { asm volatile("prefetchnta %0" ::"m"(*static_cast<const char*>(p))); }
__always_inline void prefetchw(const void* p) { asm volatile("prefetchw %0" ::"m"(*static_cast<const char*>(p))); }
#elif defined(__aarch64__)
__always_inline void prefetch(const void* p) { asm volatile("prfm pldl1keep, %a0" ::"p"(p)); }
__always_inline void prefetchw(const void* p) { asm volatile("prfm pstl1keep, %a0" ::"p"(p)); }
#endif

// Network headers may reach into a second line: 128 bytes are fetched.
__always_inline void net_prefetch(const void* p) {
  prefetch(p);
  prefetch(static_cast<const u8*>(p) + L1_CACHE_BYTES);
}
__always_inline void net_prefetchw(const void* p) {
  prefetchw(p);
  prefetchw(static_cast<const u8*>(p) + L1_CACHE_BYTES);
}
