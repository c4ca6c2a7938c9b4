// Pages for receive descriptors, when a ring is set up and when it is refilled.
#pragma once

#include "driver/stmmac/stmmac.h"

// Versions with these mistakes had second buffers with split header only.
__always_inline bool stmmac_needs_sec_page(const stmmac_priv* priv) {
  if (priv->sph) return true;
  switch (static_cast<int>(STMMAC_FAULT)) {
    case STMMAC_FAULT_BUF2_UNALLOCATED:
    case STMMAC_FAULT_BUF2_ALWAYS_VALID:
    case STMMAC_FAULT_XDP_MULTI_BUFFER:
    case STMMAC_FAULT_DESC_NOT_CLEARED:
      return false;
    default:
      return true;
  }
}

// Gives the buffer what it lacks of its pages. -ENOMEM if there is no memory.
__always_inline int stmmac_rx_alloc_buffer(stmmac_priv* priv, stmmac_rx_queue* rx_q, stmmac_rx_buffer* buf) {
  if (!buf->page) {
    buf->page = page_pool_dev_alloc_pages(rx_q->page_pool);
    if (unlikely(!buf->page)) return -ENOMEM;
    buf->page_offset = stmmac_rx_offset(priv);
  }
  if (!buf->sec_page && stmmac_needs_sec_page(priv)) {
    buf->sec_page = page_pool_dev_alloc_pages(rx_q->page_pool);
    if (unlikely(!buf->sec_page)) return -ENOMEM;
    // Split header: nothing is put before a payload. Otherwise both pages are alike for their pool.
    buf->sec_addr = page_pool_get_dma_addr(buf->sec_page) + (priv->sph ? 0 : buf->page_offset);
  }
  buf->addr = page_pool_get_dma_addr(buf->page) + buf->page_offset;
  return 0;
}

// Writes the buffer's addresses into its descriptor.
__always_inline void stmmac_rx_set_desc_buffers(stmmac_priv* priv, dma_desc* p, const stmmac_rx_buffer* buf) {
  stmmac_set_desc_addr(priv, p, buf->addr);
  const bool buf2_valid = buf->sec_page || STMMAC_FAULT == STMMAC_FAULT_BUF2_ALWAYS_VALID;
  stmmac_set_desc_sec_addr(priv, p, buf->sec_addr, buf2_valid);
}
