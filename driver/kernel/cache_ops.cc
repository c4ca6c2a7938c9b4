// For processors without cache maintenance that a kernel would use: their devices are coherent.
#include "driver/kernel/board.h"
#include "driver/kernel/cacheflush.h"

#if !defined(__aarch64__) || __STDC_HOSTED__

[[noreturn]] static void no_maintenance() { panic("DMA that bypasses the caches is not supported"); }

void dc_cvac(u64) { no_maintenance(); }
void dc_ivac(u64) { no_maintenance(); }
void dc_civac(u64) { no_maintenance(); }
void dsb_sy() { no_maintenance(); }

#endif
