// Pieces of pages for packets that are copied: cut off one by one from 32 KiB, and freed with the page's references.
#pragma once

#include "driver/kernel/mm.h"

inline constexpr u32 PAGE_FRAG_CACHE_MAX_ORDER = 3;
inline constexpr u32 PAGE_FRAG_CACHE_MAX_SIZE = 1u << (PAGE_SHIFT + PAGE_FRAG_CACHE_MAX_ORDER);

struct page_frag_cache {
  u8* va;
  u32 offset;        // what is below it is free
  u32 pagecnt_bias;  // references that have not been given away
};

// `fragsz` bytes, at most PAGE_FRAG_CACHE_MAX_SIZE, as aligned as `fragsz` is. put_page() frees them. Null if there is no
// memory.
void* page_frag_alloc(page_frag_cache* nc, u32 fragsz);
