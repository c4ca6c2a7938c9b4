// Receiving: what NAPI does with the ring.
#include "driver/kernel/prefetch.h"
#include "driver/net/gro.h"
#include "driver/net/stack.h"
#include "driver/stmmac/stmmac_buffers.h"

// Gives the device new buffers for the entries that were consumed, as far as there is memory.
static noinline void stmmac_rx_refill(stmmac_priv* priv, u32 queue) {
  stmmac_rx_queue* rx_q = &priv->dma_conf.rx_queue[queue];
  u32 entry = rx_q->dirty_rx;
  for (u32 dirty = stmmac_rx_dirty(priv, queue); dirty > 0; dirty--) {
    stmmac_rx_buffer* buf = &rx_q->buf_pool[entry];
    dma_desc* p = rx_q->dma_rx + entry;
    if (unlikely(stmmac_rx_alloc_buffer(priv, rx_q, buf) != 0)) break;
    stmmac_rx_set_desc_buffers(priv, p, buf);

    // Any number of frames makes every descriptor interrupt; 0 leaves it to the watchdog.
    rx_q->rx_count_frames++;
    rx_q->rx_count_frames += priv->rx_coal_frames;
    if (rx_q->rx_count_frames > priv->rx_coal_frames) rx_q->rx_count_frames = 0;
    bool use_rx_wd = !priv->rx_coal_frames;
    use_rx_wd |= rx_q->rx_count_frames > 0;
    if (!priv->use_riwt) use_rx_wd = false;

    // The DMA must see the buffers before it owns them.
    dma_wmb();
    stmmac_set_rx_owner(priv, p, use_rx_wd);
    entry = STMMAC_GET_ENTRY(entry, priv->dma_conf.dma_rx_size);
  }
  rx_q->dirty_rx = entry;
  rx_q->rx_tail_addr = rx_q->dma_rx_phy + rx_q->dirty_rx * sizeof(dma_desc);
  if (STMMAC_FAULT == STMMAC_FAULT_TAIL_NOT_WRITTEN) return;
  stmmac_set_rx_tail_ptr(priv, priv->ioaddr, rx_q->rx_tail_addr, queue);
}

// Bytes in the descriptor's first buffer. `len`: those of the frame that earlier descriptors hold.
static u32 stmmac_rx_buf1_len(stmmac_priv* priv, dma_desc* p, int status, u32 len) {
  u32 hlen = 0;
  // A split frame's payload goes on in second buffers.
  if (priv->sph && len != 0) return 0;
  stmmac_get_rx_header_len(priv, p, &hlen);
  if (priv->sph && hlen != 0) {
    priv->xstats.rx_split_hdr_pkt_n++;
    return hlen;
  }
  if (status & rx_not_ls) return priv->dma_conf.dma_buf_sz;
  const u32 plen = static_cast<u32>(stmmac_get_rx_frame_len(priv, p));
  return min(priv->dma_conf.dma_buf_sz, plen - len);
}

// And in its second one, with `len` as of after the first.
static u32 stmmac_rx_buf2_len(stmmac_priv* priv, const stmmac_rx_buffer* buf, dma_desc* p, int status, u32 buf1_len,
                              u32 len) {
  if (!priv->sph) {
    if (!buf->sec_page || buf1_len < priv->dma_conf.dma_buf_sz) return 0;
    if (status & rx_not_ls) return priv->dma_conf.dma_buf_sz;
  } else if (priv->hw->xgmac && (status & rx_not_ls)) {
    return priv->dma_conf.dma_buf_sz;
  }
  const u32 plen = static_cast<u32>(stmmac_get_rx_frame_len(priv, p));
  return plen - len;
}

// Neither core strips the FCS. The end of a frame may hold only a part of it.
static void stmmac_rx_strip_fcs(sk_buff* skb, u32* buf1_len, u32* buf2_len) {
  if (STMMAC_FAULT == STMMAC_FAULT_SHORT_FRAME || STMMAC_FAULT == STMMAC_FAULT_XDP_MULTI_BUFFER) {
    u32* buf_len = *buf2_len != 0 ? buf2_len : buf1_len;
    if (*buf_len != 0) *buf_len -= ETH_FCS_LEN;
    return;
  }
  u32 fcs = ETH_FCS_LEN;
  const u32 from_buf2 = min(fcs, *buf2_len);
  *buf2_len -= from_buf2;
  fcs -= from_buf2;
  const u32 from_buf1 = min(fcs, *buf1_len);
  *buf1_len -= from_buf1;
  fcs -= from_buf1;
  if (unlikely(fcs != 0) && skb != nullptr) pskb_trim(skb, skb->len - fcs);
}

static void stmmac_get_rx_hwtstamp(stmmac_priv* priv, dma_desc* p, dma_desc* np, sk_buff* skb) {
  if (!priv->hwts_rx_en) return;
  if (!priv->hw->desc->get_rx_timestamp_status(p, np)) return;
  u64 ns;
  priv->hw->desc->get_timestamp(np, &ns);
  skb_shinfo(skb)->hwtstamps = ns;
}

static void stmmac_rx_vlan(stmmac_priv* priv, dma_desc* p, sk_buff* skb) {
  if (!priv->hw->hw_vlan_en || !priv->hw->desc->get_rx_vlan_valid(p)) return;
  be16 proto;
  proto = ETH_P_8021Q;
  __vlan_hwaccel_put_tag(skb, proto, priv->hw->desc->get_rx_vlan_tci(p));
  priv->xstats.rx_vlan++;
}

static bool stmmac_has_ip_ethertype(const sk_buff* skb) {
  return skb->protocol.raw == htons(ETH_P_IP) || skb->protocol.raw == htons(ETH_P_IPV6);
}

// Tells the stack what the descriptor says of the packet, and hands it over.
static void stmmac_rx_deliver(stmmac_priv* priv, stmmac_channel* ch, sk_buff* skb, dma_desc* p, dma_desc* np,
                              int status) {
  u32 hash;
  pkt_hash_types hash_type;
  stmmac_get_rx_hwtstamp(priv, p, np, skb);
  stmmac_rx_vlan(priv, p, skb);
  skb->protocol = eth_type_trans(skb, priv->dev);
  if (unlikely(!priv->hw->rx_csum || !stmmac_has_ip_ethertype(skb) || (status & csum_none))) {
    skb->ip_summed = CHECKSUM_NONE;
  } else {
    skb->ip_summed = CHECKSUM_UNNECESSARY;
  }
  if (stmmac_get_rx_hash(priv, p, &hash, &hash_type) == 0) skb_set_hash(skb, hash, hash_type);
  skb_record_rx_queue(skb, static_cast<u16>(ch->index));
  napi_gro_receive(&ch->rx_napi, skb);
}

// The packet in its own buffer; the page is free again.
static sk_buff* stmmac_copy_skb(stmmac_priv* priv, stmmac_rx_queue* rx_q, stmmac_rx_buffer* buf, const xdp_buff* xdp) {
  const u32 len = static_cast<u32>(static_cast<u8*>(xdp->data_end) - static_cast<u8*>(xdp->data));
  sk_buff* skb = napi_alloc_skb(&priv->channel[rx_q->queue_index].rx_napi, len);
  if (unlikely(skb == nullptr)) return nullptr;
  __builtin_memcpy(skb_put(skb, len), xdp->data, len);
  if (STMMAC_FAULT == STMMAC_FAULT_SYNC_OLD_BUFFER) {
    dma_sync_single_for_device(priv->device, buf->addr, len, DMA_FROM_DEVICE);
  }
  page_pool_recycle_direct(rx_q->page_pool, buf->page);
  return skb;
}

// The packet where the device has put it; the page is the packet's.
static sk_buff* stmmac_build_skb(stmmac_rx_queue* rx_q, stmmac_rx_buffer* buf, const xdp_buff* xdp) {
  sk_buff* skb = napi_build_skb(page_address(buf->page), rx_q->napi_skb_frag_size);
  if (unlikely(skb == nullptr)) return nullptr;
  u8* data = static_cast<u8*>(xdp->data);
  skb_reserve(skb, static_cast<u32>(data - static_cast<u8*>(xdp->data_hard_start)));
  skb_put(skb, static_cast<u32>(static_cast<u8*>(xdp->data_end) - data));
  return skb;
}

static sk_buff* stmmac_rx_skb(stmmac_priv* priv, stmmac_rx_queue* rx_q, stmmac_rx_buffer* buf, const xdp_buff* xdp) {
  sk_buff* skb = STMMAC_RX == STMMAC_RX_COPY ? stmmac_copy_skb(priv, rx_q, buf, xdp) : stmmac_build_skb(rx_q, buf, xdp);
  if (unlikely(skb == nullptr)) {
    page_pool_recycle_direct(rx_q->page_pool, buf->page);
    priv->xstats.rx_dropped++;
  } else {
    skb_mark_for_recycle(skb);
  }
  buf->page = nullptr;
  return skb;
}

static void stmmac_rx_add_frag(stmmac_priv* priv, stmmac_rx_queue* rx_q, sk_buff* skb, struct page* page, u32 offset,
                               dma_addr_t addr, u32 len) {
  dma_sync_single_for_cpu(priv->device, addr, len, rx_q->page_pool->p.dma_dir);
  skb_add_rx_frag(skb, skb_shinfo(skb)->nr_frags, page, offset, len, priv->dma_conf.dma_buf_sz);
}

static void stmmac_rx_prefetch_header(const u8* data) {
  if (STMMAC_RX >= STMMAC_RX_NET_PREFETCH) {
    net_prefetch(data);
  } else if (STMMAC_RX == STMMAC_RX_PREFETCH) {
    prefetch(data);
  }
}

// What the program made of the packet in `buf`. Unless it passed, the buffer has lost its page.
static u32 stmmac_rx_run_xdp(stmmac_priv* priv, stmmac_rx_queue* rx_q, stmmac_rx_buffer* buf, xdp_buff* xdp) {
  const u8* start = static_cast<u8*>(xdp->data_hard_start) + buf->page_offset;
  const u32 pre_len = static_cast<u32>(static_cast<u8*>(xdp->data_end) - start);
  const u32 xdp_res = stmmac_xdp_run_prog(priv, xdp);
  if (xdp_res == STMMAC_XDP_PASS) return xdp_res;
  if (xdp_res & STMMAC_XDP_CONSUMED) {
    // The program may have moved the end; the processor touched what is before the farther one.
    const u32 sync_len = max(pre_len, static_cast<u32>(static_cast<u8*>(xdp->data_end) - start));
    page_pool_put_page(rx_q->page_pool, buf->page, sync_len, true);
    priv->xstats.rx_dropped++;
  }
  buf->page = nullptr;
  return xdp_res;
}

// True if the entry behind this one waits for memory. It looks like a received one; and a ring that was consumed whole
// looks like one of which nothing is to be refilled.
static __always_inline bool stmmac_rx_next_is_dirty(const stmmac_rx_queue* rx_q, u32 next_entry) {
  if (STMMAC_FAULT == STMMAC_FAULT_CUR_LAPS_DIRTY || STMMAC_FAULT == STMMAC_FAULT_LIMIT_IS_RING) return false;
  return next_entry == rx_q->dirty_rx;
}

// True for a frame that is too short for an FCS, or that a program would see only in part.
static __always_inline bool stmmac_rx_unfit(const stmmac_priv* priv, bool last, u32 buf1_len, u32 buf2_len) {
  if (buf1_len == 0) return true;
  if (!stmmac_xdp_is_enabled(priv) || STMMAC_FAULT == STMMAC_FAULT_XDP_MULTI_BUFFER) return false;
  return !last || buf2_len != 0;
}

// The first piece of a frame, of `buf1_len` bytes, as the program and the stack want to see it. Null if there is no
// packet for the stack: the program has taken it, which `xdp_res` says, or there is no memory.
static __always_inline sk_buff* stmmac_rx_first(stmmac_priv* priv, stmmac_rx_queue* rx_q, stmmac_rx_buffer* buf,
                                                stmmac_xdp_buff* ctx, u32 buf1_len, u32* xdp_res) {
  dma_sync_single_for_cpu(priv->device, buf->addr, buf1_len, rx_q->page_pool->p.dma_dir);
  u8* va = page_address(buf->page);
  stmmac_rx_prefetch_header(va + buf->page_offset);
  xdp_init_buff(&ctx->xdp, rx_q->napi_skb_frag_size, &rx_q->xdp_rxq);
  xdp_prepare_buff(&ctx->xdp, va, buf->page_offset, buf1_len);
  *xdp_res = stmmac_rx_run_xdp(priv, rx_q, buf, &ctx->xdp);
  return *xdp_res == STMMAC_XDP_PASS ? stmmac_rx_skb(priv, rx_q, buf, &ctx->xdp) : nullptr;
}

// What became of the piece of a frame that a descriptor holds.
enum stmmac_rx_piece : int {
  STMMAC_RX_PIECE_KEPT,   // it is part of the packet
  STMMAC_RX_PIECE_TAKEN,  // the program has it
  STMMAC_RX_PIECE_LOST,   // and with it the frame
};

// Adds the piece in `buf` to the packet, or begins one. `len` counts the frame's bytes.
static __always_inline stmmac_rx_piece stmmac_rx_add_piece(stmmac_priv* priv, stmmac_rx_queue* rx_q,
                                                           stmmac_rx_buffer* buf, stmmac_xdp_buff* ctx, int status,
                                                           sk_buff** skb, u32* len, u32* xdp_status) {
  const bool last = !(status & rx_not_ls);
  if (STMMAC_RX < STMMAC_RX_PREFETCH) prefetch(page_address(buf->page) + buf->page_offset);
  u32 buf1_len = stmmac_rx_buf1_len(priv, ctx->desc, status, *len);
  *len += buf1_len;
  u32 buf2_len = stmmac_rx_buf2_len(priv, buf, ctx->desc, status, buf1_len, *len);
  *len += buf2_len;
  if (last || STMMAC_FAULT == STMMAC_FAULT_FCS_PER_PIECE) stmmac_rx_strip_fcs(*skb, &buf1_len, &buf2_len);

  if (*skb == nullptr) {
    u32 xdp_res = STMMAC_XDP_PASS;
    if (unlikely(stmmac_rx_unfit(priv, last, buf1_len, buf2_len))) {
      page_pool_put_page(rx_q->page_pool, buf->page, 0, true);
      buf->page = nullptr;
      priv->xstats.rx_errors++;
      return STMMAC_RX_PIECE_LOST;
    }
    *skb = stmmac_rx_first(priv, rx_q, buf, ctx, buf1_len, &xdp_res);
    *xdp_status |= xdp_res;
    if (xdp_res != STMMAC_XDP_PASS) return STMMAC_RX_PIECE_TAKEN;
    if (unlikely(*skb == nullptr)) return STMMAC_RX_PIECE_LOST;
  } else if (buf1_len != 0) {
    stmmac_rx_add_frag(priv, rx_q, *skb, buf->page, buf->page_offset, buf->addr, buf1_len);
    buf->page = nullptr;
  }
  if (buf2_len != 0) {
    const u32 sec_offset = static_cast<u32>(buf->sec_addr & (PAGE_SIZE - 1));
    stmmac_rx_add_frag(priv, rx_q, *skb, buf->sec_page, sec_offset, buf->sec_addr, buf2_len);
    buf->sec_page = nullptr;
  }
  return STMMAC_RX_PIECE_KEPT;
}

// Frames received, up to `limit`.
static noinline int stmmac_rx(stmmac_priv* priv, int limit, u32 queue) {
  stmmac_rx_queue* rx_q = &priv->dma_conf.rx_queue[queue];
  stmmac_channel* ch = &priv->channel[queue];
  stmmac_rxq_stats* rxq_stats = &priv->xstats.rxq_stats[queue];
  const u32 size = priv->dma_conf.dma_rx_size;
  u32 xdp_status = 0, error = 0, len = 0;
  sk_buff* skb = nullptr;
  stmmac_xdp_buff ctx;
  int count = 0;
  int status = 0;

  if (STMMAC_FAULT == STMMAC_FAULT_CUR_LAPS_DIRTY) limit = min(static_cast<int>(size) - 1, limit);
  // A frame whose beginning the last poll found.
  if (rx_q->state_saved) {
    skb = rx_q->state.skb;
    error = rx_q->state.error;
    len = rx_q->state.len;
    rx_q->state_saved = false;
  }

  while (count < limit || (STMMAC_FAULT == STMMAC_FAULT_BUDGET_PER_PIECE && (status & rx_not_ls))) {
    const u32 entry = rx_q->cur_rx;
    stmmac_rx_buffer* buf = &rx_q->buf_pool[entry];
    dma_desc* p = rx_q->dma_rx + entry;
    const u32 next_entry = STMMAC_GET_ENTRY(entry, size);

    if (unlikely(stmmac_rx_next_is_dirty(rx_q, next_entry))) break;
    status = stmmac_rx_status(priv, &priv->xstats, p);
    if (unlikely(status & dma_own)) break;

    rx_q->cur_rx = next_entry;
    dma_desc* np = rx_q->dma_rx + next_entry;
    prefetch(np);
    priv->xstats.rx_desc++;
    const bool last = !(status & rx_not_ls);
    if (STMMAC_FAULT == STMMAC_FAULT_BUDGET_PER_DESC && !last) count++;

    if (unlikely(status & discard_frame)) {
      page_pool_put_page(rx_q->page_pool, buf->page, 0, true);
      buf->page = nullptr;
      if (!error && !priv->hwts_rx_en) priv->xstats.rx_errors++;
      error = 1;
    }
    if (likely(!error)) {
      ctx.priv = priv;
      ctx.desc = p;
      ctx.ndesc = np;
      const stmmac_rx_piece piece = stmmac_rx_add_piece(priv, rx_q, buf, &ctx, status, &skb, &len, &xdp_status);
      if (piece == STMMAC_RX_PIECE_TAKEN) {
        if (!last) continue;
        len = 0;
        count++;
        continue;
      }
      if (unlikely(piece == STMMAC_RX_PIECE_LOST)) {
        // A mistake that takes what follows for the beginning of a frame.
        if (STMMAC_FAULT == STMMAC_FAULT_BUDGET_PER_PIECE) {
          count++;
          continue;
        }
        error = 1;
      }
    }

    // What follows of a frame of which a part is lost is passed over.
    if (!last) continue;
    if (likely(!error)) {
      rxq_stats->rx_packets++;
      rxq_stats->rx_bytes += skb->len;
      stmmac_rx_deliver(priv, ch, skb, p, np, status);
    } else if (skb != nullptr) {
      kfree_skb(skb);
    }
    skb = nullptr;
    error = 0;
    len = 0;
    count++;
  }

  if (skb != nullptr || error) {
    rx_q->state_saved = true;
    rx_q->state.skb = skb;
    rx_q->state.error = error;
    rx_q->state.len = len;
  }
  stmmac_finalize_xdp_rx(priv, xdp_status);
  stmmac_rx_refill(priv, queue);
  return count;
}

int stmmac_napi_poll_rx(napi_struct* napi, int budget) {
  stmmac_channel* ch = container_of(napi, stmmac_channel, rx_napi);
  stmmac_priv* priv = ch->priv_data;
  const u32 chan = ch->index;

  priv->xstats.rxq_stats[chan].napi_poll++;
  stmmac_tx_timer(priv);
  int work_done = stmmac_rx(priv, budget, chan);
  // A ring without buffers receives nothing, and so raises no interrupt that would have it refilled.
  if (STMMAC_FAULT != STMMAC_FAULT_REFILL_NOT_RETRIED && unlikely(stmmac_rx_dirty(priv, chan) >= STMMAC_RX_FILL_BATCH)) {
    return budget;
  }
  if (work_done < budget && napi_complete_done(napi, work_done)) {
    spin_lock(&ch->lock);
    stmmac_enable_dma_irq(priv, priv->ioaddr, chan, true, false);
    spin_unlock(&ch->lock);
  }
  return work_done;
}
