// Transmitting: packets of the stack, and what NAPI does with frames that have been sent.
#include "driver/stmmac/stmmac.h"

void stmmac_flush_tx_descriptors(stmmac_priv* priv) {
  stmmac_tx_queue* tx_q = &priv->dma_conf.tx_queue;
  // Descriptors must be in memory when the device hears of them.
  wmb();
  tx_q->tx_tail_addr = tx_q->dma_tx_phy + tx_q->cur_tx * sizeof(dma_desc);
  stmmac_set_tx_tail_ptr(priv, priv->ioaddr, tx_q->tx_tail_addr, tx_q->queue_index);
}

// Frames that end no group of STMMAC_TX_FRAMES raise no interrupt; a timer of 5 ms would see to them. The board has none:
// the next poll of the receive queue does.
void stmmac_tx_timer_arm(stmmac_priv* priv) { priv->dma_conf.tx_queue.timer_armed = true; }

void stmmac_tx_timer(stmmac_priv* priv) {
  stmmac_tx_queue* tx_q = &priv->dma_conf.tx_queue;
  if (likely(!tx_q->timer_armed)) return;
  stmmac_channel* ch = &priv->channel[tx_q->queue_index];
  tx_q->timer_armed = false;
  if (!napi_schedule_prep(&ch->tx_napi)) return;
  spin_lock(&ch->lock);
  stmmac_disable_dma_irq(priv, priv->ioaddr, ch->index, false, true);
  spin_unlock(&ch->lock);
  __napi_schedule(&ch->tx_napi);
}

static void stmmac_tx_set_coalescing(stmmac_priv* priv, dma_desc* desc, u32 tx_packets) {
  stmmac_tx_queue* tx_q = &priv->dma_conf.tx_queue;
  tx_q->tx_count_frames += tx_packets;
  bool set_ic = false;
  if (priv->tx_coal_frames != 0) {
    set_ic = tx_packets > priv->tx_coal_frames || tx_q->tx_count_frames % priv->tx_coal_frames < tx_packets;
  }
  if (!set_ic) return;
  tx_q->tx_count_frames = 0;
  stmmac_set_tx_ic(priv, desc);
  priv->xstats.txq_stats.tx_set_ic_bit++;
}

// Maps a piece and describes it; its descriptor is the DMA's only if `tx_own`.
static void stmmac_tx_piece(stmmac_priv* priv, u32 entry, void* data, u32 len, const sk_buff* skb, bool first,
                            bool last) {
  stmmac_tx_queue* tx_q = &priv->dma_conf.tx_queue;
  const dma_addr_t des = dma_map_single(priv->device, data, len, DMA_TO_DEVICE);
  dma_desc* desc = tx_q->dma_tx + entry;
  tx_q->tx_skbuff_dma[entry] = {
      .buf = des, .len = len, .map_as_page = !first, .last_segment = last, .buf_type = STMMAC_TXBUF_T_SKB};
  tx_q->tx_skbuff[entry] = nullptr;
  stmmac_set_desc_addr(priv, desc, des);
  stmmac_prepare_tx_desc(priv, desc, first, len, skb->ip_summed == CHECKSUM_PARTIAL, !first, last, skb->len);
}

netdev_tx stmmac_xmit(sk_buff* skb, net_device* dev) {
  stmmac_priv* priv = netdev_priv<stmmac_priv>(dev);
  stmmac_tx_queue* tx_q = &priv->dma_conf.tx_queue;
  const u32 size = priv->dma_conf.dma_tx_size;
  const u32 nfrags = skb_shinfo(skb)->nr_frags;
  const u32 first_entry = tx_q->cur_tx;
  if (unlikely(stmmac_tx_avail(priv) < nfrags + 1)) {
    netif_tx_stop_queue(&tx_q->nq);
    return NETDEV_TX_BUSY;
  }

  u32 entry = first_entry;
  for (u32 i = 0; i < nfrags; i++) {
    const skb_frag_t* frag = &skb_shinfo(skb)->frags[i];
    entry = STMMAC_GET_ENTRY(entry, size);
    stmmac_tx_piece(priv, entry, skb_frag_address(frag), skb_frag_size(frag), skb, false, i == nfrags - 1);
  }
  stmmac_tx_piece(priv, first_entry, skb->data, skb_headlen(skb), skb, true, nfrags == 0);
  tx_q->tx_skbuff[entry] = skb;
  stmmac_tx_set_coalescing(priv, tx_q->dma_tx + entry, nfrags + 1);
  tx_q->cur_tx = STMMAC_GET_ENTRY(entry, size);
  if (unlikely(stmmac_tx_avail(priv) <= MAX_SKB_FRAGS + 1)) netif_tx_stop_queue(&tx_q->nq);
  priv->xstats.txq_stats.tx_bytes += skb->len;

  // The first descriptor goes last, when all others are complete.
  dma_wmb();
  stmmac_set_tx_owner(priv, tx_q->dma_tx + first_entry);
  stmmac_flush_tx_descriptors(priv);
  stmmac_tx_timer_arm(priv);
  return NETDEV_TX_OK;
}

// Takes back what the entry holds. `in_napi`: pages may go to their pool's array.
static void stmmac_free_tx_buffer(stmmac_priv* priv, u32 entry, bool in_napi) {
  stmmac_tx_queue* tx_q = &priv->dma_conf.tx_queue;
  stmmac_tx_info* info = &tx_q->tx_skbuff_dma[entry];
  if (info->buf != 0) dma_unmap_single(priv->device, info->buf, info->len, DMA_TO_DEVICE);
  info->buf = 0;
  if (info->buf_type != STMMAC_TXBUF_T_SKB) {
    if (tx_q->xdpf[entry] != nullptr) {
      // A redirected frame's page may be another queue's.
      struct page* page = virt_to_head_page(tx_q->xdpf[entry]->data);
      page_pool_put_full_page(page->pp, page, in_napi && info->buf_type == STMMAC_TXBUF_T_XDP_TX);
    }
  } else if (tx_q->tx_skbuff[entry] != nullptr) {
    napi_consume_sent_skb(tx_q->tx_skbuff[entry], in_napi ? NAPI_POLL_WEIGHT : 0);
  }
  tx_q->tx_skbuff[entry] = nullptr;
}

static noinline int stmmac_tx_clean(stmmac_priv* priv, int budget) {
  stmmac_tx_queue* tx_q = &priv->dma_conf.tx_queue;
  stmmac_txq_stats* stats = &priv->xstats.txq_stats;
  u32 entry = tx_q->dirty_tx;
  int count = 0;
  __netif_tx_lock(&tx_q->nq, smp_processor_id());
  stats->tx_clean++;
  while (entry != tx_q->cur_tx && count < budget) {
    dma_desc* p = tx_q->dma_tx + entry;
    const int status = stmmac_tx_status(priv, p);
    if (unlikely(status & tx_dma_own)) break;
    count++;
    // Nothing of the entry is read before it is known to be finished.
    dma_rmb();
    if (likely(!(status & tx_not_ls))) {
      if (unlikely(status & tx_err)) {
        priv->xstats.tx_errors++;
      } else {
        stats->tx_packets++;
        stats->tx_pkt_n++;
      }
    }
    stmmac_free_tx_buffer(priv, entry, true);
    stmmac_release_tx_desc(priv, p);
    entry = STMMAC_GET_ENTRY(entry, priv->dma_conf.dma_tx_size);
  }
  tx_q->dirty_tx = entry;
  const u32 wake_at = priv->dma_conf.dma_tx_size / 4;
  if (unlikely(netif_tx_queue_stopped(&tx_q->nq)) && stmmac_tx_avail(priv) > wake_at) netif_tx_wake_queue(&tx_q->nq);
  // What is still on its way may raise no interrupt.
  if (tx_q->dirty_tx != tx_q->cur_tx) stmmac_tx_timer_arm(priv);
  __netif_tx_unlock(&tx_q->nq);
  return count;
}

int stmmac_napi_poll_tx(napi_struct* napi, int budget) {
  stmmac_channel* ch = container_of(napi, stmmac_channel, tx_napi);
  stmmac_priv* priv = ch->priv_data;
  priv->xstats.txq_stats.napi_poll++;
  const int work_done = min(stmmac_tx_clean(priv, budget), budget);
  if (work_done < budget && napi_complete_done(napi, work_done)) {
    spin_lock(&ch->lock);
    stmmac_enable_dma_irq(priv, priv->ioaddr, ch->index, false, true);
    spin_unlock(&ch->lock);
  }
  return work_done;
}

void dma_free_tx_skbufs(stmmac_priv* priv) {
  for (u32 i = 0; i < priv->dma_conf.dma_tx_size; i++) stmmac_free_tx_buffer(priv, i, false);
}
