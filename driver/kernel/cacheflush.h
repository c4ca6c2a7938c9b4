// Data caches and what bypasses them. Ranges are virtual addresses; [start, end) need not be whole lines.
#pragma once

#include "driver/kernel/types.h"

// Writes back the lines of the range that are dirty, up to the point where devices see them.
void dcache_clean_poc(u64 start, u64 end);

// Forgets what the caches hold of the range, so that the next load sees what a device wrote. A line that is only partly in
// the range is written back first: the rest of it may be anybody's.
void dcache_inval_poc(u64 start, u64 end);

// One line each, and the barrier that waits for all before it.
#if defined(__aarch64__) && !__STDC_HOSTED__
__always_inline void dc_cvac(u64 line) { asm volatile("dc cvac, %0" ::"r"(line) : "memory"); }
__always_inline void dc_ivac(u64 line) { asm volatile("dc ivac, %0" ::"r"(line) : "memory"); }
__always_inline void dc_civac(u64 line) { asm volatile("dc civac, %0" ::"r"(line) : "memory"); }
__always_inline void dsb_sy() { asm volatile("dsb sy" ::: "memory"); }
#else
void dc_cvac(u64 line);
void dc_ivac(u64 line);
void dc_civac(u64 line);
void dsb_sy();
#endif
