#include "driver/kernel/page_frag.h"

constexpr u32 REFERENCES = PAGE_FRAG_CACHE_MAX_SIZE + 1;  // more than there can be pieces

static noinline bool __page_frag_cache_refill(page_frag_cache* nc) {
  page* p = alloc_pages(PAGE_FRAG_CACHE_MAX_ORDER);
  if (unlikely(p == nullptr)) return false;
  nc->va = page_address(p);
  atomic_set(&p->_refcount, REFERENCES);
  nc->pagecnt_bias = REFERENCES;
  nc->offset = PAGE_FRAG_CACHE_MAX_SIZE;
  return true;
}

noinline void* page_frag_alloc(page_frag_cache* nc, u32 fragsz) {
  if (unlikely(nc->va == nullptr) && !__page_frag_cache_refill(nc)) return nullptr;
  if (unlikely(nc->offset < fragsz)) {
    page* p = virt_to_page(nc->va);
    // Only if all pieces have come back is the page the cache's own.
    if (atomic_sub_return(static_cast<s32>(nc->pagecnt_bias), &p->_refcount) != 0) {
      nc->va = nullptr;
      if (!__page_frag_cache_refill(nc)) return nullptr;
    } else {
      atomic_set(&p->_refcount, REFERENCES);
      nc->pagecnt_bias = REFERENCES;
      nc->offset = PAGE_FRAG_CACHE_MAX_SIZE;
    }
  }
  nc->offset -= fragsz;
  nc->pagecnt_bias--;
  return nc->va + nc->offset;
}
