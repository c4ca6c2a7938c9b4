#include "driver/kernel/slab.h"

#include "driver/kernel/mm.h"

static __always_inline void** freepointer(const kmem_cache* cache, void* object) {
  return reinterpret_cast<void**>(static_cast<u8*>(object) + cache->offset);
}

static noinline bool new_slab(kmem_cache* cache) {
  struct page* page;
  if (alloc_pages_bulk(1, &page) == 0) return false;
  u8* object = page_address(page);
  for (u32 n = static_cast<u32>(PAGE_SIZE) / cache->size; n > 0; n--, object += cache->size) {
    *freepointer(cache, object) = cache->freelist;
    cache->freelist = object;
    cache->objects++;
  }
  return true;
}

void kmem_cache_init(kmem_cache* cache, u32 size, u32 align) {
  const u32 aligned = static_cast<u32>(ALIGN(size, align));
  *cache = {.freelist = nullptr,
            .size = aligned,
            .offset = static_cast<u32>(ALIGN(aligned / 2, sizeof(void*))),
            .objects = 0,
            .objects_in_use = 0};
}

void* kmem_cache_alloc(kmem_cache* cache) {
  void* object = cache->freelist;
  if (unlikely(object == nullptr)) {
    if (!new_slab(cache)) return nullptr;
    object = cache->freelist;
  }
  cache->freelist = *freepointer(cache, object);
  cache->objects_in_use++;
  return object;
}

u32 kmem_cache_alloc_bulk(kmem_cache* cache, u32 nr, void** p) {
  u32 i = 0;
  for (; i < nr; i++) {
    p[i] = kmem_cache_alloc(cache);
    if (unlikely(p[i] == nullptr)) break;
  }
  return i;
}

void kmem_cache_free(kmem_cache* cache, void* object) {
  *freepointer(cache, object) = cache->freelist;
  cache->freelist = object;
  cache->objects_in_use--;
}

void kmem_cache_free_bulk(kmem_cache* cache, u32 nr, void** p) {
  for (u32 i = 0; i < nr; i++) kmem_cache_free(cache, p[i]);
}
