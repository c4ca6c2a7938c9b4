#include "driver/kernel/cacheflush.h"

constexpr u64 LINE_MASK = L1_CACHE_BYTES - 1;

noinline void dcache_clean_poc(u64 start, u64 end) {
  for (u64 line = start & ~LINE_MASK; line < end; line += L1_CACHE_BYTES) dc_cvac(line);
  dsb_sy();
}

noinline void dcache_inval_poc(u64 start, u64 end) {
  if (end & LINE_MASK) {
    end &= ~LINE_MASK;
    dc_civac(end);
  }
  if (start & LINE_MASK) {
    start &= ~LINE_MASK;
    dc_civac(start);
    start += L1_CACHE_BYTES;
  }
  for (; start < end; start += L1_CACHE_BYTES) dc_ivac(start);
  dsb_sy();
}
