#include "driver/kernel/board.h"
#include "driver/kernel/mm.h"
#include "driver/kernel/percpu.h"
#include "driver/kernel/spinlock.h"
#include "driver/kernel/string.h"

u64 vmemmap_base;
u64 page_offset_base;

// Frames from next_pfn up have never been used; older ones that are free are chained by order, and neither split nor
// joined. Start-up memory comes from the top.
struct zone {
  page* free_list[MAX_PAGE_ORDER + 1];
  u64 next_pfn;
  u64 end;
};

static zone zone_normal;

#ifdef CONFIG_SMP
static spinlock_t zone_lock;
static __always_inline void lock_zone() { spin_lock(&zone_lock); }
static __always_inline void unlock_zone() { spin_unlock(&zone_lock); }
#else
static __always_inline void lock_zone() {}
static __always_inline void unlock_zone() {}
#endif

static void free_one_page(zone* z, page* p, u32 order) {
  p->buddy_next = z->free_list[order];
  z->free_list[order] = p;
}

static void prep_compound_page(page* p, u32 order) {
  p->flags |= PG_head;
  p[1].flags = (p[1].flags & ~PG_order_mask) | order;
  for (u64 i = 1; i < u64{1} << order; i++) p[i].compound_head = reinterpret_cast<u64>(p) + 1;
}

static noinline page* expand_zone(zone* z, u32 order) {
  const u64 frames = u64{1} << order;
  const u64 pfn = ALIGN(z->next_pfn, frames);
  if (((pfn + frames) << PAGE_SHIFT) > z->end) return nullptr;
  for (u64 skipped = z->next_pfn; skipped < pfn; skipped++) free_one_page(z, pfn_to_page(skipped), 0);
  z->next_pfn = pfn + frames;
  page* p = pfn_to_page(pfn);
  if (order != 0) prep_compound_page(p, order);
  return p;
}

static page* rmqueue(zone* z, u32 order) {
  page* p = z->free_list[order];
  if (p != nullptr) {
    z->free_list[order] = p->buddy_next;
  } else {
    p = expand_zone(z, order);
    if (unlikely(p == nullptr)) return nullptr;
  }
  p->pp_magic = 0;
  atomic_set(&p->_refcount, 1);
  return p;
}

void mm_init(u64 base, u64 size) {
  const u64 pages = size >> PAGE_SHIFT;
  const u64 mem_map_bytes = ALIGN(pages * sizeof(page), PAGE_SIZE);
  if (mem_map_bytes >= size) panic("no memory for page structures");
  memset64(reinterpret_cast<u64*>(base), 0, mem_map_bytes / sizeof(u64));
  vmemmap_base = base - (base >> PAGE_SHIFT) * sizeof(page);
  page_offset_base = 0;
  zone_normal = {{}, (base + mem_map_bytes) >> PAGE_SHIFT, base + size};
}

void* memblock_alloc(u64 size, u64 align) {
  const u64 start = (zone_normal.end - ALIGN(size, sizeof(u64))) & ~(align - 1);
  if (size > zone_normal.end || start < (zone_normal.next_pfn << PAGE_SHIFT)) panic("out of memory at start-up");
  zone_normal.end = start;
  return memset64(reinterpret_cast<u64*>(start), 0, ALIGN(size, sizeof(u64)) / sizeof(u64));
}

// What a page held before is nobody's business: CONFIG_INIT_ON_ALLOC_DEFAULT_ON builds kernels that clear each page.
static __always_inline void prep_new_page([[maybe_unused]] page* p, [[maybe_unused]] u32 order) {
#ifdef CONFIG_INIT_ON_ALLOC_DEFAULT_ON
  if (likely(p != nullptr)) __builtin_memset(page_address(p), 0, PAGE_SIZE << order);
#endif
}

u32 alloc_pages_bulk(u32 nr_pages, page** page_array) {
  u32 n = 0;
  lock_zone();
  for (; n < nr_pages; n++) {
    page_array[n] = rmqueue(&zone_normal, 0);
    if (unlikely(page_array[n] == nullptr)) break;
    prep_new_page(page_array[n], 0);
  }
  unlock_zone();
  return n;
}

page* alloc_pages(u32 order) {
  lock_zone();
  page* p = order <= MAX_PAGE_ORDER ? rmqueue(&zone_normal, order) : nullptr;
  unlock_zone();
  prep_new_page(p, order);
  return p;
}

void put_page(page* p) {
  p = compound_head(p);
  if (!atomic_dec_and_test(&p->_refcount)) return;
  lock_zone();
  free_one_page(&zone_normal, p, compound_order(p));
  unlock_zone();
}
