#include "driver/kernel/board.h"
#include "driver/kernel/mm.h"
#include "driver/kernel/string.h"

u64 vmemmap_base;
u64 page_offset_base;

// Frames from next_pfn up have never been used; older ones that are free are chained. Start-up memory comes from the
// top.
struct zone {
  page* free_list;
  u64 next_pfn;
  u64 end;
};

static zone zone_normal;

static page* rmqueue(zone* z) {
  page* p = z->free_list;
  if (p != nullptr) {
    z->free_list = p->buddy_next;
    return p;
  }
  if (((z->next_pfn + 1) << PAGE_SHIFT) > z->end) return nullptr;
  return pfn_to_page(z->next_pfn++);
}

void mm_init(u64 base, u64 size) {
  const u64 pages = size >> PAGE_SHIFT;
  const u64 mem_map_bytes = ALIGN(pages * sizeof(page), PAGE_SIZE);
  if (mem_map_bytes >= size) panic("no memory for page structures");
  memset(reinterpret_cast<void*>(base), 0, mem_map_bytes);
  vmemmap_base = base - (base >> PAGE_SHIFT) * sizeof(page);
  page_offset_base = 0;
  zone_normal = {nullptr, (base + mem_map_bytes) >> PAGE_SHIFT, base + size};
}

void* memblock_alloc(u64 size, u64 align) {
  const u64 start = (zone_normal.end - size) & ~(align - 1);
  if (size > zone_normal.end || start < (zone_normal.next_pfn << PAGE_SHIFT)) panic("out of memory at start-up");
  zone_normal.end = start;
  return memset(reinterpret_cast<void*>(start), 0, size);
}

u32 alloc_pages_bulk(u32 nr_pages, page** page_array) {
  u32 n = 0;
  for (; n < nr_pages; n++) {
    page* p = rmqueue(&zone_normal);
    if (unlikely(p == nullptr)) break;
    p->pp_magic = 0;
    atomic_set(&p->_refcount, 1);
    page_array[n] = p;
  }
  return n;
}

void put_page(page* p) {
  if (!atomic_dec_and_test(&p->_refcount)) return;
  p->buddy_next = zone_normal.free_list;
  zone_normal.free_list = p;
}
