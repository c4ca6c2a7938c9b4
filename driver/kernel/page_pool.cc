#include "driver/kernel/page_pool.h"

#include "driver/kernel/board.h"
#include "driver/kernel/netdevice.h"
#include "driver/kernel/smp.h"
#include "driver/kernel/string.h"
#include "driver/kernel/xdp.h"

u64 page_pool_negative_refs;

static void page_pool_dma_sync_for_device(const page_pool* pool, const page* p, u32 dma_sync_size) {
  if (!pool->dma_sync || !dma_dev_need_sync(pool->p.dev)) return;
  const u32 size = min(dma_sync_size, pool->p.max_len);
  if (size == 0) return;
  __dma_sync_single_for_device(pool->p.dev, page_pool_get_dma_addr(p) + pool->p.offset, size, pool->p.dma_dir);
}

// A new page: the device gets what it may write of it, no more.
static void page_pool_dma_map(page_pool* pool, page* p) {
  p->dma_addr =
      dma_map_page_attrs(pool->p.dev, p, 0, PAGE_SIZE << pool->p.order, pool->p.dma_dir, DMA_ATTR_SKIP_CPU_SYNC);
  page_pool_dma_sync_for_device(pool, p, pool->p.max_len);
}

static void page_pool_set_pp_info(page_pool* pool, page* p) {
  p->pp = pool;
  p->pp_magic |= PP_SIGNATURE;
  page_pool_fragment_page(p, 1);
}

static void page_pool_return_page(page_pool* pool, page* p) {
  if (pool->dma_map) {
    dma_unmap_page_attrs(pool->p.dev, p->dma_addr, PAGE_SIZE << pool->p.order, pool->p.dma_dir, DMA_ATTR_SKIP_CPU_SYNC);
    p->dma_addr = 0;
  }
  p->pp_magic = 0;
  p->pp = nullptr;
  __atomic_fetch_add(&pool->pages_state_release_cnt.counter, 1, __ATOMIC_RELAXED);
  put_page(p);
}

static noinline page* page_pool_refill_alloc_cache(page_pool* pool) {
  ptr_ring* r = &pool->ring;
  if (__ptr_ring_empty(r)) {
    pool->alloc_stats.empty++;
    return nullptr;
  }
  const u32 pref_nid = numa_mem_id();
  do {
    page* p = static_cast<page*>(__ptr_ring_consume(r));
    if (unlikely(p == nullptr)) break;
    if (unlikely(page_to_nid(p) != pref_nid)) {
      // One page of another node means that the process moved: leave the rest for later.
      page_pool_return_page(pool, p);
      pool->alloc_stats.waive++;
      break;
    }
    pool->alloc.cache[pool->alloc.count++] = p;
  } while (pool->alloc.count < PP_ALLOC_CACHE_REFILL);
  if (unlikely(pool->alloc.count == 0)) return nullptr;
  pool->alloc_stats.refill++;
  return pool->alloc.cache[--pool->alloc.count];
}

static __always_inline page* __page_pool_get_cached(page_pool* pool) {
  if (likely(pool->alloc.count)) {
    pool->alloc_stats.fast++;
    return pool->alloc.cache[--pool->alloc.count];
  }
  return page_pool_refill_alloc_cache(pool);
}

static noinline page* __page_pool_alloc_page_order(page_pool* pool) {
  page* p = alloc_pages(pool->p.order);
  if (unlikely(p == nullptr)) return nullptr;
  if (pool->dma_map) page_pool_dma_map(pool, p);
  page_pool_set_pp_info(pool, p);
  pool->pages_state_hold_cnt++;
  pool->alloc_stats.slow++;
  return p;
}

static noinline page* __page_pool_alloc_pages_slow(page_pool* pool) {
  if (unlikely(pool->p.order != 0)) return __page_pool_alloc_page_order(pool);
  // The caller has found the cache empty.
  memset(pool->alloc.cache, 0, sizeof(page*) * PP_ALLOC_CACHE_REFILL);
  const u32 nr_pages = alloc_pages_bulk(PP_ALLOC_CACHE_REFILL, pool->alloc.cache);
  if (unlikely(nr_pages == 0)) return nullptr;
  for (u32 i = 0; i < nr_pages; i++) {
    page* p = pool->alloc.cache[i];
    if (pool->dma_map) page_pool_dma_map(pool, p);
    page_pool_set_pp_info(pool, p);
    pool->pages_state_hold_cnt++;
  }
  pool->alloc_stats.slow++;
  pool->alloc.count = nr_pages - 1;
  return pool->alloc.cache[nr_pages - 1];
}

// Nobody else may hold the page, or it would be written to while in use elsewhere.
static __always_inline bool __page_pool_page_can_be_recycled(const page* p) { return page_ref_count(p) == 1; }

static __always_inline bool page_pool_recycle_in_cache(page* p, page_pool* pool) {
  if (unlikely(pool->alloc.count == PP_ALLOC_CACHE_SIZE)) {
    this_cpu_ptr(pool->recycle_stats)->cache_full++;
    return false;
  }
  pool->alloc.cache[pool->alloc.count++] = p;
  this_cpu_ptr(pool->recycle_stats)->cached++;
  return true;
}

static bool page_pool_recycle_in_ring(page_pool* pool, page* p) {
  spin_lock(&pool->ring.producer_lock);
  const bool done = __ptr_ring_produce(&pool->ring, p) == 0;
  spin_unlock(&pool->ring.producer_lock);
  if (done) this_cpu_ptr(pool->recycle_stats)->ring++;
  return done;
}

static void page_pool_empty_alloc_cache_once(page_pool* pool) {
  while (pool->alloc.count > 0) page_pool_return_page(pool, pool->alloc.cache[--pool->alloc.count]);
}

page_pool* page_pool_create(const page_pool_params* params) {
  constexpr u32 largest_pool = 32768;
  const u32 ring_qsize = params->pool_size != 0 ? params->pool_size : 1024;
  if (ring_qsize > largest_pool || params->order > MAX_PAGE_ORDER) return nullptr;
  page_pool* pool = memblock_alloc_array<page_pool>(1);
  pool->p = *params;
  pool->dma_map = (params->flags & PP_FLAG_DMA_MAP) != 0;
  pool->dma_sync = (params->flags & PP_FLAG_DMA_SYNC_DEV) != 0;
  pool->recycle_stats = alloc_percpu<page_pool_recycle_stats>();
  ptr_ring_init(&pool->ring, static_cast<int>(ring_qsize));
  return pool;
}

void page_pool_destroy(page_pool* pool) {
  page_pool_empty_alloc_cache_once(pool);
  while (page* p = static_cast<page*>(__ptr_ring_consume(&pool->ring))) page_pool_return_page(pool, p);
}

s32 page_pool_inflight(const page_pool* pool) {
  return static_cast<s32>(pool->pages_state_hold_cnt) - atomic_read(&pool->pages_state_release_cnt);
}

#ifdef CONFIG_FAIL_PAGE_POOL
#ifndef FAIL_PAGE_POOL_AFTER
#define FAIL_PAGE_POOL_AFTER 4096
#endif
#ifndef FAIL_PAGE_POOL_TIMES
#define FAIL_PAGE_POOL_TIMES 1024
#endif
// A shortage of memory as fault injection makes it: after some calls, some fail in a row.
static bool should_fail_alloc() {
  static u32 calls;
  if (calls == FAIL_PAGE_POOL_AFTER + FAIL_PAGE_POOL_TIMES) return false;
  return calls++ >= FAIL_PAGE_POOL_AFTER;
}
#else
static __always_inline bool should_fail_alloc() { return false; }
#endif

page* page_pool_alloc_pages(page_pool* pool) {
  if (should_fail_alloc()) return nullptr;
  page* p = __page_pool_get_cached(pool);
  if (likely(p != nullptr)) return p;
  return __page_pool_alloc_pages_slow(pool);
}

// True if nobody else can be using the pool's array: this is the softirq that polls its device.
static bool page_pool_napi_local(const page_pool* pool) {
  if (unlikely(!in_softirq())) return false;
  const napi_struct* napi = READ_ONCE(pool->p.napi);
  return napi != nullptr && READ_ONCE(napi->list_owner) == smp_processor_id();
}

// True if the page may be used again, and is then clean for the device; otherwise it is gone.
static __always_inline bool page_pool_prepare_recycling(page_pool* pool, page* p, u32 dma_sync_size) {
  if (unlikely(!__page_pool_page_can_be_recycled(p))) {
    this_cpu_ptr(pool->recycle_stats)->released_refcnt++;
    page_pool_return_page(pool, p);
    return false;
  }
  if (pool->dma_sync) page_pool_dma_sync_for_device(pool, p, dma_sync_size);
  return true;
}

void page_pool_put_unrefed_page(page_pool* pool, page* p, u32 dma_sync_size, bool allow_direct) {
  if (!page_pool_prepare_recycling(pool, p, dma_sync_size)) return;
  if (!allow_direct) allow_direct = page_pool_napi_local(pool);
  if (allow_direct && page_pool_recycle_in_cache(p, pool)) return;
  if (!page_pool_recycle_in_ring(pool, p)) {
    this_cpu_ptr(pool->recycle_stats)->ring_full++;
    page_pool_return_page(pool, p);
  }
}

static void page_pool_recycle_ring_bulk(page_pool* pool, page** pages, int count) {
  int i = 0;
  spin_lock(&pool->ring.producer_lock);
  while (i < count && __ptr_ring_produce(&pool->ring, pages[i]) == 0) i++;
  spin_unlock(&pool->ring.producer_lock);
  this_cpu_ptr(pool->recycle_stats)->ring += static_cast<u64>(i);
  if (likely(i == count)) return;
  this_cpu_ptr(pool->recycle_stats)->ring_full += static_cast<u64>(count - i);
  for (; i < count; i++) page_pool_return_page(pool, pages[i]);
}

void page_pool_put_page_bulk(page** pages, int count) {
  while (count > 0) {
    page_pool* pool = pages[0]->pp;
    const bool allow_direct = page_pool_napi_local(pool);
    page* bulk[XDP_BULK_QUEUE_SIZE];
    int bulk_len = 0, others = 0;
    for (int i = 0; i < count; i++) {
      page* p = pages[i];
      if (unlikely(p->pp != pool || bulk_len == XDP_BULK_QUEUE_SIZE)) {
        pages[others++] = p;
        continue;
      }
      if (page_pool_unref_page(p, 1) != 0 || !page_pool_prepare_recycling(pool, p, ~0u)) continue;
      if (allow_direct && page_pool_recycle_in_cache(p, pool)) continue;
      bulk[bulk_len++] = p;
    }
    if (bulk_len != 0) page_pool_recycle_ring_bulk(pool, bulk, bulk_len);
    count = others;
  }
}
