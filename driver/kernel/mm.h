// Physical memory: page frames, each with a struct page, and memory that is taken at start-up and never given back. Two
// to the power of `order` frames are allocated as one; the struct page of the first stands for all of them.
#pragma once

#include "driver/kernel/atomic.h"

struct page_pool;

struct page {
  u64 flags;
  union {
    page* buddy_next;   // while free
    u64 pp_magic;       // while a page_pool owns it
    u64 compound_head;  // of a frame that another stands for: that one's struct page, plus one
  };
  page_pool* pp;
  union {
    u64 _pp_mapping_pad;
    u64 slab_cpu;  // of a slab: the processor that took it
  };
  dma_addr_t dma_addr;
  atomic_long_t pp_ref_count;
  atomic_t _mapcount;
  atomic_t _refcount;
  u64 memcg_data;
};
static_assert(sizeof(page) == 64 && offsetof(page, dma_addr) == 32 && offsetof(page, pp_ref_count) == 40);
static_assert(offsetof(page, _refcount) == 52);

inline constexpr u32 NODES_PGSHIFT = 54;
inline constexpr u64 PG_head = 1u << 6;  // more frames follow; their number is in the low bits of the next one's flags
inline constexpr u64 PG_order_mask = 0xff;
inline constexpr u32 MAX_PAGE_ORDER = 4;

// Where the array of struct page would start if it began with frame 0, and where frame 0 is in the address space.
extern u64 vmemmap_base;
extern u64 page_offset_base;

__always_inline u64 page_to_pfn(const page* p) { return (reinterpret_cast<u64>(p) - vmemmap_base) / sizeof(page); }
__always_inline page* pfn_to_page(u64 pfn) { return reinterpret_cast<page*>(vmemmap_base + pfn * sizeof(page)); }
__always_inline u64 page_to_phys(const page* p) { return page_to_pfn(p) << PAGE_SHIFT; }
__always_inline u8* page_address(const page* p) { return reinterpret_cast<u8*>(page_to_phys(p) + page_offset_base); }
__always_inline dma_addr_t virt_to_phys(const void* p) { return reinterpret_cast<u64>(p) - page_offset_base; }
__always_inline page* virt_to_page(const void* p) { return pfn_to_page(virt_to_phys(p) >> PAGE_SHIFT); }
__always_inline page* compound_head(page* p) {
  const u64 head = READ_ONCE(p->compound_head);
  return unlikely(head & 1) ? reinterpret_cast<page*>(head - 1) : p;
}
__always_inline u32 compound_order(const page* p) {
  return (p->flags & PG_head) != 0 ? static_cast<u32>(p[1].flags & PG_order_mask) : 0;
}
__always_inline page* virt_to_head_page(const void* p) { return compound_head(virt_to_page(p)); }
__always_inline u32 page_to_nid(const page* p) { return static_cast<u32>(p->flags >> NODES_PGSHIFT); }
__always_inline u32 numa_mem_id() { return 0; }
__always_inline s32 page_ref_count(const page* p) { return atomic_read(&p->_refcount); }

// Takes over [base, base + size), which is page-aligned.
void mm_init(u64 base, u64 size);

// Zeroed memory that lives as long as the machine; panics if there is none left.
void* memblock_alloc(u64 size, u64 align);

template <class T>
T* memblock_alloc_array(u64 n) {
  return static_cast<T*>(memblock_alloc(n * sizeof(T), max<u64>(alignof(T), L1_CACHE_BYTES)));
}

// Up to `nr_pages` pages with one reference each; returns how many were found.
u32 alloc_pages_bulk(u32 nr_pages, page** page_array);

// Pages that stand for 2^order frames, aligned to their size. Null if there are none.
page* alloc_pages(u32 order);

// The smallest order that has `size` bytes.
constexpr u32 get_order(u64 size) {
  u32 order = 0;
  while ((PAGE_SIZE << order) < size) order++;
  return order;
}

// Drops a reference; the last one frees the page.
void put_page(page* p);
