#include "driver/kernel/skbuff.h"

#include "driver/kernel/board.h"
#include "driver/kernel/netdevice.h"
#include "driver/kernel/page_frag.h"
#include "driver/kernel/prefetch.h"
#include "driver/kernel/slab.h"
#include "driver/kernel/smp.h"

// Linear buffers of packets whose bytes are copied or lie in fragments: enough for any headers.
constexpr u32 SKB_SMALL_HEAD_CACHE_SIZE = 704;

struct napi_alloc_cache_t {
  page_frag_cache page;
  u32 skb_count;
  void* skb_cache[NAPI_SKB_CACHE_SIZE];
};

static kmem_cache skbuff_cache;
static kmem_cache skb_small_head_cache;
static DEFINE_PER_CPU(napi_alloc_cache_t, napi_alloc_cache);
DEFINE_PER_CPU(skb_drop_counts, skb_drop_reasons);

void skb_init() {
  kmem_cache_init(&skbuff_cache, sizeof(sk_buff), SMP_CACHE_BYTES);
  kmem_cache_init(&skb_small_head_cache, SKB_SMALL_HEAD_CACHE_SIZE, SMP_CACHE_BYTES);
  napi_alloc_cache.page = {};
  napi_alloc_cache.skb_count = 0;
  for (u64& count : skb_drop_reasons) count = 0;
}

u64 skb_heads_in_use() {
  u64 heads = kmem_cache_objects_in_use(&skbuff_cache);
  for (u32 cpu = 0; cpu < nr_cpu_ids; cpu++) heads -= per_cpu_ptr(&napi_alloc_cache, cpu)->skb_count;
  return heads;
}

static sk_buff* napi_skb_cache_get() {
  napi_alloc_cache_t* nc = this_cpu_ptr(&napi_alloc_cache);
  if (unlikely(nc->skb_count == 0)) {
    nc->skb_count = kmem_cache_alloc_bulk(&skbuff_cache, NAPI_SKB_CACHE_BULK, nc->skb_cache);
    if (unlikely(nc->skb_count == 0)) return nullptr;
  }
  return static_cast<sk_buff*>(nc->skb_cache[--nc->skb_count]);
}

static void napi_skb_cache_put(sk_buff* skb) {
  napi_alloc_cache_t* nc = this_cpu_ptr(&napi_alloc_cache);
  nc->skb_cache[nc->skb_count++] = skb;
  if (unlikely(nc->skb_count == NAPI_SKB_CACHE_SIZE)) {
    kmem_cache_free_bulk(&skbuff_cache, NAPI_SKB_CACHE_HALF, nc->skb_cache + NAPI_SKB_CACHE_HALF);
    nc->skb_count = NAPI_SKB_CACHE_HALF;
  }
}

// Only what stands before dataref is zeroed: the fragments are valid as far as nr_frags says.
static __always_inline void __finalize_skb_around(sk_buff* skb, void* data, u32 size) {
  size -= SKB_DATA_ALIGN(sizeof(skb_shared_info));
  skb->truesize = SKB_TRUESIZE(size);
  atomic_set(&skb->users, 1);
  skb->head = static_cast<u8*>(data);
  skb->data = skb->head;
  skb->tail = 0;
  skb->end = size;
  skb->mac_header = static_cast<u16>(~0u);
  skb->transport_header = static_cast<u16>(~0u);
  skb->alloc_cpu = static_cast<u16>(smp_processor_id());
  skb_shared_info* shinfo = skb_shinfo(skb);
  __builtin_memset(shinfo, 0, offsetof(skb_shared_info, dataref));
  atomic_set(&shinfo->dataref, 1);
}

static noinline sk_buff* __napi_build_skb(void* data, u32 frag_size) {
  sk_buff* skb = napi_skb_cache_get();
  if (unlikely(skb == nullptr)) return nullptr;
  __builtin_memset(skb, 0, offsetof(sk_buff, tail));
  __finalize_skb_around(skb, data, frag_size);
  return skb;
}

noinline sk_buff* napi_build_skb(void* data, u32 frag_size) {
  sk_buff* skb = __napi_build_skb(data, frag_size);
  if (likely(skb != nullptr)) skb->head_frag = 1;
  return skb;
}

// For headers, and small packets.
static sk_buff* alloc_small_skb() {
  void* data = kmem_cache_alloc(&skb_small_head_cache);
  if (unlikely(data == nullptr)) return nullptr;
  prefetchw(data);
  sk_buff* skb = __napi_build_skb(data, SKB_SMALL_HEAD_CACHE_SIZE);
  if (unlikely(skb == nullptr)) kmem_cache_free(&skb_small_head_cache, data);
  return skb;
}

// For packets that are copied. What does not fit a page comes straight from the allocator.
static sk_buff* alloc_frag_skb(u32 len) {
  const u32 size = SKB_DATA_ALIGN(len) + SKB_DATA_ALIGN(sizeof(skb_shared_info));
  void* data;
  if (likely(size <= PAGE_SIZE)) {
    data = page_frag_alloc(&this_cpu_ptr(&napi_alloc_cache)->page, size);
  } else {
    struct page* page = alloc_pages(get_order(size));
    data = page != nullptr ? page_address(page) : nullptr;
  }
  if (unlikely(data == nullptr)) return nullptr;
  sk_buff* skb = napi_build_skb(data, size);
  if (unlikely(skb == nullptr)) put_page(virt_to_head_page(data));
  return skb;
}

noinline sk_buff* napi_alloc_skb(napi_struct*, u32 len) {
  len += NET_SKB_PAD;
  sk_buff* skb = len <= SKB_WITH_OVERHEAD(SKB_SMALL_HEAD_CACHE_SIZE) ? alloc_small_skb() : alloc_frag_skb(len);
  if (likely(skb != nullptr)) skb_reserve(skb, NET_SKB_PAD);
  return skb;
}

noinline sk_buff* alloc_skb(u32 size) {
  if (unlikely(size > SKB_WITH_OVERHEAD(SKB_SMALL_HEAD_CACHE_SIZE))) return nullptr;
  sk_buff* skb = static_cast<sk_buff*>(kmem_cache_alloc(&skbuff_cache));
  if (unlikely(skb == nullptr)) return nullptr;
  prefetchw(skb);
  void* data = kmem_cache_alloc(&skb_small_head_cache);
  if (unlikely(data == nullptr)) {
    kmem_cache_free(&skbuff_cache, skb);
    return nullptr;
  }
  __builtin_memset(skb, 0, offsetof(sk_buff, tail));
  __finalize_skb_around(skb, data, SKB_SMALL_HEAD_CACHE_SIZE);
  return skb;
}

// True if the page was its pool's. Pages that were not only lose a reference.
static __always_inline bool napi_pp_put_page(struct page* page) {
  page = compound_head(page);
  if (unlikely((page->pp_magic & ~u64{3}) != PP_SIGNATURE)) return false;
  page_pool_put_full_page(page->pp, page, false);
  return true;
}

noinline void __skb_frag_unref(skb_frag_t* frag, bool recycle) {
  struct page* page = skb_frag_page(frag);
  if (recycle && napi_pp_put_page(page)) return;
  put_page(page);
}

static void skb_free_head(sk_buff* skb) {
  u8* head = skb->head;
  if (!skb->head_frag) {
    kmem_cache_free(&skb_small_head_cache, head);
    return;
  }
  struct page* page = virt_to_head_page(head);
  if (skb->pp_recycle && napi_pp_put_page(page)) return;
  put_page(page);
}

static void kfree_skb_list(sk_buff* segs);

static noinline void skb_release_data(sk_buff* skb) {
  skb_shared_info* shinfo = skb_shinfo(skb);
  for (u32 i = 0; i < shinfo->nr_frags; i++) __skb_frag_unref(&shinfo->frags[i], skb->pp_recycle);
  if (shinfo->frag_list != nullptr) kfree_skb_list(shinfo->frag_list);
  skb_free_head(skb);
}

static void skb_release_head_state(sk_buff* skb) {
  if (skb->destructor != nullptr) skb->destructor(skb);
}

static void skb_release_all(sk_buff* skb) {
  skb_release_head_state(skb);
  if (likely(skb->head != nullptr)) skb_release_data(skb);
}

// True if the caller had the last reference. The only one needs no atomic operation.
static __always_inline bool skb_unref(sk_buff* skb) {
  return likely(atomic_read(&skb->users) == 1) || atomic_dec_and_test(&skb->users);
}

static void __kfree_skb(sk_buff* skb) {
  skb_release_all(skb);
  kmem_cache_free(&skbuff_cache, skb);
}

noinline void kfree_skb_reason(sk_buff* skb, skb_drop_reason reason) {
  if (unlikely(!skb_unref(skb))) return;
  (*this_cpu_ptr(&skb_drop_reasons))[reason]++;
  __kfree_skb(skb);
}

// The packets of a chain end with the one that they belong to.
static void kfree_skb_list(sk_buff* segs) {
  while (segs != nullptr) {
    sk_buff* next = segs->next;
    __kfree_skb(segs);
    segs = next;
  }
}

static __always_inline void napi_end_skb(sk_buff* skb, int budget, skb_drop_reason reason) {
  if (unlikely(budget == 0)) return kfree_skb_reason(skb, reason);
  if (unlikely(!skb_unref(skb))) return;
  (*this_cpu_ptr(&skb_drop_reasons))[reason]++;
  skb_release_all(skb);
  napi_skb_cache_put(skb);
}

noinline void napi_consume_skb(sk_buff* skb, int budget) { napi_end_skb(skb, budget, SKB_CONSUMED); }
noinline void napi_consume_sent_skb(sk_buff* skb, int budget) { napi_end_skb(skb, budget, SKB_SENT); }

void __napi_kfree_skb(sk_buff* skb) {
  skb_release_all(skb);
  napi_skb_cache_put(skb);
}

void napi_skb_free_stolen_head(sk_buff* skb) {
  skb_release_head_state(skb);
  napi_skb_cache_put(skb);
}

#ifdef CONFIG_SMP
void skb_attempt_defer_free(sk_buff* skb) {
  constexpr u32 skb_defer_max = 64;  // net.core.skb_defer_max
  const u32 cpu = skb->alloc_cpu;
  softnet_data* sd = per_cpu_ptr(&softnet, cpu);
  if (cpu == static_cast<u32>(smp_processor_id()) || READ_ONCE(sd->defer_count) >= skb_defer_max) {
    return kfree_skb_reason(skb, SKB_CONSUMED);
  }
  (*this_cpu_ptr(&skb_drop_reasons))[SKB_CONSUMED]++;
  // Whoever half fills the list wakes its owner, in case that one sleeps.
  spin_lock(&sd->defer_lock);
  const bool kick = ++sd->defer_count == skb_defer_max / 2;
  skb->next = sd->defer_list;
  sd->defer_list = skb;
  spin_unlock(&sd->defer_lock);
  if (unlikely(kick)) smp_call_function_single_async(cpu);
}

void skb_defer_free_flush(softnet_data* sd) {
  if (READ_ONCE(sd->defer_list) == nullptr) return;
  spin_lock(&sd->defer_lock);
  sk_buff* skb = sd->defer_list;
  sd->defer_list = nullptr;
  sd->defer_count = 0;
  spin_unlock(&sd->defer_lock);
  while (skb != nullptr) {
    sk_buff* next = skb->next;
    __napi_kfree_skb(skb);
    skb = next;
  }
}
#endif

void* skb_put(sk_buff* skb, u32 len) {
  u8* tmp = skb_tail_pointer(skb);
  skb->tail += len;
  skb->len += len;
  if (unlikely(skb->tail > skb->end)) panic("skb_over_panic");
  return tmp;
}

int skb_copy_bits(const sk_buff* skb, u32 offset, void* to, u32 len) {
  u8* out = static_cast<u8*>(to);
  if (offset > skb->len || len > skb->len - offset) return -EINVAL;
  const auto copy = [&](const u8* bytes, u32 size) {
    if (offset >= size) {
      offset -= size;
      return;
    }
    const u32 part = min(len, size - offset);
    __builtin_memcpy(out, bytes + offset, part);
    out += part;
    len -= part;
    offset = 0;
  };
  copy(skb->data, skb_headlen(skb));
  const skb_shared_info* shinfo = skb_shinfo(skb);
  for (u32 i = 0; i < shinfo->nr_frags && len > 0; i++) {
    copy(skb_frag_address(&shinfo->frags[i]), skb_frag_size(&shinfo->frags[i]));
  }
  for (const sk_buff* next = shinfo->frag_list; next != nullptr && len > 0; next = next->next) {
    if (offset >= next->len) {
      offset -= next->len;
      continue;
    }
    const u32 part = min(len, next->len - offset);
    skb_copy_bits(next, offset, out, part);
    out += part;
    len -= part;
    offset = 0;
  }
  return 0;
}

noinline void pskb_trim(sk_buff* skb, u32 len) {
  if (len >= skb->len) return;
  u32 offset = skb_headlen(skb);
  if (len < offset) skb->tail -= offset - len;
  skb_shared_info* shinfo = skb_shinfo(skb);
  u8 kept = 0;
  for (u32 i = 0; i < shinfo->nr_frags; i++) {
    skb_frag_t* frag = &shinfo->frags[i];
    const u32 size = skb_frag_size(frag);
    if (offset >= len) {
      __skb_frag_unref(frag, skb->pp_recycle);
    } else {
      if (offset + size > len) skb_frag_size_sub(frag, static_cast<int>(offset + size - len));
      kept++;
    }
    offset += size;
  }
  shinfo->nr_frags = kept;
  const u32 headlen = min(skb_headlen(skb), len);
  skb->len = len;
  skb->data_len = len - headlen;
}

noinline void* __pskb_pull_tail(sk_buff* skb, u32 delta) {
  skb_shared_info* shinfo = skb_shinfo(skb);
  u8* to = skb_tail_pointer(skb);
  u32 frags_len = 0;
  for (u32 i = 0; i < shinfo->nr_frags; i++) frags_len += skb_frag_size(&shinfo->frags[i]);
  if (delta > frags_len || skb->tail + delta > skb->end) return nullptr;
  skb_copy_bits(skb, skb_headlen(skb), to, delta);

  u32 eat = delta;
  u8 k = 0;
  for (u32 i = 0; i < shinfo->nr_frags; i++) {
    skb_frag_t* frag = &shinfo->frags[i];
    if (skb_frag_size(frag) <= eat) {
      eat -= skb_frag_size(frag);
      __skb_frag_unref(frag, skb->pp_recycle);
      continue;
    }
    shinfo->frags[k] = *frag;
    skb_frag_off_add(&shinfo->frags[k], static_cast<int>(eat));
    skb_frag_size_sub(&shinfo->frags[k], static_cast<int>(eat));
    eat = 0;
    k++;
  }
  shinfo->nr_frags = k;
  skb->tail += delta;
  skb->data_len -= delta;
  return skb_tail_pointer(skb);
}
