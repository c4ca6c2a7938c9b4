// Pool of DMA-mapped pages for one receive queue: an array of pages at hand for NAPI, a ring for pages that come back
// from elsewhere, and the page allocator behind.
#pragma once

#include "driver/kernel/dma-mapping.h"
#include "driver/kernel/ptr_ring.h"

struct napi_struct;

inline constexpr u32 PP_ALLOC_CACHE_SIZE = 128;
inline constexpr u32 PP_ALLOC_CACHE_REFILL = 64;
inline constexpr u64 PP_SIGNATURE = 0x40;

inline constexpr u32 PP_FLAG_DMA_MAP = BIT(0);
inline constexpr u32 PP_FLAG_DMA_SYNC_DEV = BIT(1);

struct page_pool_params {
  u32 flags;
  u32 order;  // a page of the pool is 2^order frames
  u32 pool_size;
  u32 nid;
  device* dev;
  napi_struct* napi;
  dma_data_direction dma_dir;
  u32 max_len;  // bytes from `offset` that the device may write, which are synchronised with PP_FLAG_DMA_SYNC_DEV
  u32 offset;
};

struct page_pool_alloc_stats {
  u64 fast;
  u64 slow;
  u64 empty;
  u64 refill;
  u64 waive;
};

struct page_pool_recycle_stats {
  u64 cached;
  u64 cache_full;
  u64 ring;
  u64 ring_full;
  u64 released_refcnt;
};

struct pp_alloc_cache {
  u32 count;
  page* cache[PP_ALLOC_CACHE_SIZE];
};

struct page_pool {
  page_pool_params p;
  u32 pages_state_hold_cnt;
  bool dma_map;
  bool dma_sync;
  page_pool_alloc_stats alloc_stats;
  u32 xdp_mem_id;
  ____cacheline_aligned pp_alloc_cache alloc;
  ____cacheline_aligned ptr_ring ring;
  page_pool_recycle_stats* recycle_stats;  // per processor
  atomic_t pages_state_release_cnt;
};

page_pool* page_pool_create(const page_pool_params* params);

// Returns the pages that the pool holds to the allocator. Pages in use stay in flight.
void page_pool_destroy(page_pool* pool);

// Pages taken from the allocator and not yet given back.
s32 page_pool_inflight(const page_pool* pool);

page* page_pool_alloc_pages(page_pool* pool);

// Takes a page whose last fragment has been released. `allow_direct`: the caller knows that it runs in the pool's NAPI
// context; otherwise that is found out.
void page_pool_put_unrefed_page(page_pool* pool, page* p, u32 dma_sync_size, bool allow_direct);

// Drops one reference to each of `count` pages, which may belong to several pools. Those that nobody holds any more go back
// to their pools, with the ring's lock taken once per pool. Their order in `pages` is lost.
void page_pool_put_page_bulk(page** pages, int count);

__always_inline page* page_pool_dev_alloc_pages(page_pool* pool) { return page_pool_alloc_pages(pool); }

__always_inline dma_addr_t page_pool_get_dma_addr(const page* p) { return p->dma_addr; }

// Splits the page into `nr` references, which are dropped one by one or together.
__always_inline void page_pool_fragment_page(page* p, long nr) { atomic_long_set(&p->pp_ref_count, nr); }

// Times that somebody dropped references which the page did not have; Linux warns.
extern u64 page_pool_negative_refs;

// Drops `nr` references and returns how many are left. Whoever drops all that remain owns the page and needs no atomic
// operation; the page goes back to one reference, as the pool keeps it.
__always_inline long page_pool_unref_page(page* p, long nr) {
  if (atomic_long_read(&p->pp_ref_count) == nr) {
    atomic_long_set(&p->pp_ref_count, 1);
    return 0;
  }
  const long ret = atomic_long_sub_return(nr, &p->pp_ref_count);
  if (unlikely(ret <= 0)) {
    if (ret < 0) {
      page_pool_negative_refs++;
    } else {
      atomic_long_set(&p->pp_ref_count, 1);
    }
  }
  return ret;
}

// Drops one reference. The device's next owner of the page needs no synchronisation beyond the first `dma_sync_size`
// bytes, which are all that the processor touched.
__always_inline void page_pool_put_page(page_pool* pool, page* p, u32 dma_sync_size, bool allow_direct) {
  if (page_pool_unref_page(p, 1) != 0) return;
  page_pool_put_unrefed_page(pool, p, dma_sync_size, allow_direct);
}

// Drops one reference. The page goes to the pool's array if the caller runs in the pool's NAPI context or `allow_direct`
// says so.
__always_inline void page_pool_put_full_page(page_pool* pool, page* p, bool allow_direct) {
  page_pool_put_page(pool, p, ~0u, allow_direct);
}

// Drops one reference from NAPI context.
__always_inline void page_pool_recycle_direct(page_pool* pool, page* p) { page_pool_put_full_page(pool, p, true); }
