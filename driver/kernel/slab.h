// Allocator of objects of one size. Pages that a cache has taken stay with it, and with the processor that took them: its
// objects come back to it, from whichever processor frees them.
#pragma once

#include "driver/kernel/percpu.h"
#include "driver/kernel/spinlock.h"

// What one processor has of a cache.
struct kmem_cache_cpu {
  void* freelist;  // free objects, chained through their middle, where use-after-free would be seen least often
  u32 size;        // with alignment
  u32 offset;      // of the chain's pointer
  u64 objects;     // free or not
  u64 objects_in_use;  // taken here less freed here: together, those in use
#ifdef CONFIG_SMP
  ____cacheline_aligned spinlock_t remote_lock;
  void* remote_freelist;  // what other processors have freed
#endif
};

struct kmem_cache {
  kmem_cache_cpu cpu_slab[NR_CPUS];
};

// `align` is a power of two, and an object fits a page.
void kmem_cache_init(kmem_cache* cache, u32 size, u32 align);

// Not zeroed; null if there is no memory.
void* kmem_cache_alloc(kmem_cache* cache);
// Returns how many of `nr` objects there were.
u32 kmem_cache_alloc_bulk(kmem_cache* cache, u32 nr, void** p);

void kmem_cache_free(kmem_cache* cache, void* object);
void kmem_cache_free_bulk(kmem_cache* cache, u32 nr, void** p);

inline u64 kmem_cache_objects_in_use(const kmem_cache* cache) {
  u64 sum = 0;
  for (const kmem_cache_cpu& c : cache->cpu_slab) sum += c.objects_in_use;
  return sum;
}
