#include "driver/kernel/slab.h"

#include "driver/kernel/mm.h"

static __always_inline void** freepointer(const kmem_cache_cpu* c, void* object) {
  return reinterpret_cast<void**>(static_cast<u8*>(object) + c->offset);
}

static __always_inline kmem_cache_cpu* this_cpu_slab(kmem_cache* cache) { return &cache->cpu_slab[smp_processor_id()]; }

#ifdef CONFIG_SMP
static __always_inline void own_slab(page* p) { p->slab_cpu = static_cast<u64>(smp_processor_id()); }

// Objects that others have freed, all at once.
static noinline bool take_remote_objects(kmem_cache_cpu* c) {
  if (READ_ONCE(c->remote_freelist) == nullptr) return false;
  spin_lock(&c->remote_lock);
  c->freelist = c->remote_freelist;
  c->remote_freelist = nullptr;
  spin_unlock(&c->remote_lock);
  return true;
}

// True if the object is another processor's, which has it then.
static __always_inline bool free_remote_object(kmem_cache* cache, void* object) {
  const u64 cpu = virt_to_page(object)->slab_cpu;
  if (likely(cpu == static_cast<u64>(smp_processor_id()))) return false;
  kmem_cache_cpu* c = &cache->cpu_slab[cpu];
  spin_lock(&c->remote_lock);
  *freepointer(c, object) = c->remote_freelist;
  c->remote_freelist = object;
  spin_unlock(&c->remote_lock);
  return true;
}
#else
static __always_inline void own_slab(page*) {}
static __always_inline bool take_remote_objects(kmem_cache_cpu*) { return false; }
static __always_inline bool free_remote_object(kmem_cache*, void*) { return false; }
#endif

static noinline bool new_slab(kmem_cache_cpu* c) {
  struct page* page;
  if (alloc_pages_bulk(1, &page) == 0) return false;
  own_slab(page);
  u8* object = page_address(page);
  for (u32 n = static_cast<u32>(PAGE_SIZE) / c->size; n > 0; n--, object += c->size) {
    *freepointer(c, object) = c->freelist;
    c->freelist = object;
    c->objects++;
  }
  return true;
}

void kmem_cache_init(kmem_cache* cache, u32 size, u32 align) {
  const u32 aligned = static_cast<u32>(ALIGN(size, align));
  for (kmem_cache_cpu& c : cache->cpu_slab) {
    c = {.freelist = nullptr,
         .size = aligned,
         .offset = static_cast<u32>(ALIGN(aligned / 2, sizeof(void*))),
         .objects = 0,
         .objects_in_use = 0
#ifdef CONFIG_SMP
         ,
         .remote_lock = {},
         .remote_freelist = nullptr
#endif
    };
  }
}

void* kmem_cache_alloc(kmem_cache* cache) {
  kmem_cache_cpu* c = this_cpu_slab(cache);
  void* object = c->freelist;
  if (unlikely(object == nullptr)) {
    if (!take_remote_objects(c) && !new_slab(c)) return nullptr;
    object = c->freelist;
  }
  c->freelist = *freepointer(c, object);
  c->objects_in_use++;
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
  kmem_cache_cpu* c = this_cpu_slab(cache);
  if (!free_remote_object(cache, object)) {
    *freepointer(c, object) = c->freelist;
    c->freelist = object;
  }
  c->objects_in_use--;
}

void kmem_cache_free_bulk(kmem_cache* cache, u32 nr, void** p) {
  for (u32 i = 0; i < nr; i++) kmem_cache_free(cache, p[i]);
}
