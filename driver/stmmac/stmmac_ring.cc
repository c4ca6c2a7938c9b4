// Rings and their buffers.
#include "driver/stmmac/stmmac_buffers.h"

u32 stmmac_set_bfsize(u32 mtu) {
  constexpr u32 DEFAULT_BUFSIZE = 1536, BUF_SIZE_2KiB = 2048, BUF_SIZE_4KiB = 4096, BUF_SIZE_8KiB = 8188,
                BUF_SIZE_16KiB = 16368;
  if (mtu >= BUF_SIZE_8KiB) return BUF_SIZE_16KiB;
  if (mtu >= BUF_SIZE_4KiB) return BUF_SIZE_8KiB;
  if (mtu >= BUF_SIZE_2KiB) return BUF_SIZE_4KiB;
  return mtu > DEFAULT_BUFSIZE ? BUF_SIZE_2KiB : DEFAULT_BUFSIZE;
}

static page_pool_params stmmac_page_pool_params(stmmac_priv* priv) {
  const u32 offset = stmmac_rx_offset(priv);
  const u32 dma_buf_sz = priv->dma_conf.dma_buf_sz;
  const u32 order = get_order(u64{offset} + dma_buf_sz + SKB_DATA_ALIGN(sizeof(skb_shared_info)));
  page_pool_params pp_params = {};
  pp_params.flags = PP_FLAG_DMA_MAP | PP_FLAG_DMA_SYNC_DEV;
  if (STMMAC_FAULT == STMMAC_FAULT_SYNC_OLD_BUFFER) pp_params.flags = PP_FLAG_DMA_MAP;
  if (STMMAC_FAULT == STMMAC_FAULT_SYNC_ONLY_XDP && !stmmac_xdp_is_enabled(priv)) pp_params.flags = PP_FLAG_DMA_MAP;
  pp_params.order = order;
  pp_params.pool_size = priv->dma_conf.dma_rx_size;
  pp_params.nid = numa_mem_id();
  pp_params.dev = priv->device;
  pp_params.dma_dir = stmmac_xdp_is_enabled(priv) ? DMA_BIDIRECTIONAL : DMA_FROM_DEVICE;
  pp_params.offset = offset;
  pp_params.max_len = STMMAC_RX >= STMMAC_RX_ZERO_COPY_MAX_LEN ? dma_buf_sz : STMMAC_MAX_RX_BUF_SIZE(1u << order);
  // Payloads start at the page, headers and frames that cannot be split behind the headroom.
  if (priv->sph && STMMAC_FAULT != STMMAC_FAULT_SPH_SYNC_WINDOW) {
    pp_params.offset = 0;
    pp_params.max_len += offset;
  }
  return pp_params;
}

static int __alloc_dma_rx_desc_resources(stmmac_priv* priv, u32 queue) {
  stmmac_rx_queue* rx_q = &priv->dma_conf.rx_queue[queue];
  const u32 size = priv->dma_conf.dma_rx_size;
  rx_q->queue_index = queue;
  rx_q->priv_data = priv;
  const page_pool_params pp_params = stmmac_page_pool_params(priv);
  rx_q->page_pool = page_pool_create(&pp_params);
  if (rx_q->page_pool == nullptr) return -ENOMEM;
  rx_q->napi_skb_frag_size = static_cast<u32>(PAGE_SIZE) << pp_params.order;
  if (rx_q->dma_rx == nullptr) {
    rx_q->buf_pool = memblock_alloc_array<stmmac_rx_buffer>(size);
    rx_q->dma_rx =
        static_cast<dma_desc*>(dma_alloc_coherent(priv->device, size * sizeof(dma_desc), &rx_q->dma_rx_phy));
  }
  xdp_rxq_info_reg(&rx_q->xdp_rxq, priv->dev, queue, priv->channel[queue].rx_napi.napi_id);
  xdp_rxq_info_reg_mem_model(&rx_q->xdp_rxq, MEM_TYPE_PAGE_POOL, rx_q->page_pool->xdp_mem_id);
  return 0;
}

// An entry that the DMA can use. What the descriptor said before must go: its bits mean something else now.
static int stmmac_init_rx_buffers(stmmac_priv* priv, stmmac_rx_queue* rx_q, u32 i) {
  dma_desc* p = rx_q->dma_rx + i;
  stmmac_rx_buffer* buf = &rx_q->buf_pool[i];
  const int err = stmmac_rx_alloc_buffer(priv, rx_q, buf);
  if (err != 0) return err;
  if (STMMAC_FAULT == STMMAC_FAULT_DESC_NOT_CLEARED) {
    stmmac_set_desc_addr(priv, p, buf->addr);
  } else {
    stmmac_clear_desc(priv, p);
    stmmac_rx_set_desc_buffers(priv, p, buf);
  }
  stmmac_init_rx_desc(priv, p, priv->use_riwt);
  return 0;
}

static int init_dma_rx_desc_rings(stmmac_priv* priv, u32 queue) {
  stmmac_rx_queue* rx_q = &priv->dma_conf.rx_queue[queue];
  const u32 size = priv->dma_conf.dma_rx_size;
  for (u32 i = 0; i < size; i++) {
    const int err = stmmac_init_rx_buffers(priv, rx_q, i);
    if (err != 0) return err;
    rx_q->buf_alloc_num++;
  }
  rx_q->cur_rx = 0;
  rx_q->dirty_rx = 0;
  rx_q->rx_count_frames = 0;
  rx_q->state_saved = false;
  return 0;
}

static void init_dma_tx_desc_rings(stmmac_priv* priv) {
  stmmac_tx_queue* tx_q = &priv->dma_conf.tx_queue;
  const u32 size = priv->dma_conf.dma_tx_size;
  tx_q->priv_data = priv;
  if (tx_q->dma_tx == nullptr) {
    tx_q->tx_skbuff = memblock_alloc_array<sk_buff*>(size);
    tx_q->tx_skbuff_dma = memblock_alloc_array<stmmac_tx_info>(size);
    tx_q->dma_tx =
        static_cast<dma_desc*>(dma_alloc_coherent(priv->device, size * sizeof(dma_desc), &tx_q->dma_tx_phy));
  }
  for (u32 i = 0; i < size; i++) stmmac_clear_desc(priv, tx_q->dma_tx + i);
  tx_q->cur_tx = 0;
  tx_q->dirty_tx = 0;
  tx_q->tx_count_frames = 0;
  tx_q->timer_armed = false;
  tx_q->nq = {._xmit_lock = {}, .xmit_lock_owner = -1, .state = 0};
}

int init_dma_desc_rings(stmmac_priv* priv) {
  for (u32 queue = 0; queue < priv->rx_queues_to_use; queue++) {
    int err = __alloc_dma_rx_desc_resources(priv, queue);
    if (err == 0) err = init_dma_rx_desc_rings(priv, queue);
    if (err != 0) return err;
  }
  init_dma_tx_desc_rings(priv);
  return 0;
}

static void stmmac_free_rx_buffer(stmmac_rx_queue* rx_q, stmmac_rx_buffer* buf) {
  if (buf->page) page_pool_put_full_page(rx_q->page_pool, buf->page, false);
  buf->page = nullptr;
  if (buf->sec_page) page_pool_put_full_page(rx_q->page_pool, buf->sec_page, false);
  buf->sec_page = nullptr;
  buf->sec_addr = 0;
}

static void __free_dma_rx_desc_resources(stmmac_priv* priv, u32 queue) {
  stmmac_rx_queue* rx_q = &priv->dma_conf.rx_queue[queue];
  for (u32 i = 0; i < priv->dma_conf.dma_rx_size; i++) stmmac_free_rx_buffer(rx_q, &rx_q->buf_pool[i]);
  if (rx_q->state_saved && rx_q->state.skb != nullptr) kfree_skb(rx_q->state.skb);
  rx_q->state_saved = false;
  rx_q->buf_alloc_num = 0;
  page_pool_destroy(rx_q->page_pool);
}

// What was to be transmitted belongs to the receive queue's page pool, which goes last.
void free_dma_desc_resources(stmmac_priv* priv) {
  dma_free_tx_skbufs(priv);
  for (u32 queue = 0; queue < priv->rx_queues_to_use; queue++) __free_dma_rx_desc_resources(priv, queue);
}
