// XDP: what a program decides about a received packet.
#include "driver/kernel/devmap.h"
#include "driver/stmmac/stmmac.h"

// Frames of the own queue stay mapped for their pool; others are mapped until they have been sent.
static dma_addr_t stmmac_xdp_map(stmmac_priv* priv, xdp_frame* xdpf, bool dma_map) {
  if (dma_map) return dma_map_single(priv->device, xdpf->data, xdpf->len, DMA_TO_DEVICE);
  struct page* page = virt_to_head_page(xdpf->data);
  const dma_addr_t addr =
      page_pool_get_dma_addr(page) + static_cast<u64>(static_cast<u8*>(xdpf->data) - page_address(page));
  dma_sync_single_for_device(priv->device, addr, xdpf->len, DMA_BIDIRECTIONAL);
  return addr;
}

static u32 stmmac_xdp_xmit_xdpf(stmmac_priv* priv, xdp_frame* xdpf, bool dma_map) {
  // A program must not take the whole ring from the stack.
  const u32 STMMAC_TX_THRESH = priv->dma_conf.dma_tx_size / 4;
  stmmac_tx_queue* tx_q = &priv->dma_conf.tx_queue;
  const u32 entry = tx_q->cur_tx;
  if (stmmac_tx_avail(priv) < STMMAC_TX_THRESH) return STMMAC_XDP_CONSUMED;

  dma_desc* tx_desc = tx_q->dma_tx + entry;
  const dma_addr_t dma_addr = stmmac_xdp_map(priv, xdpf, dma_map);
  tx_q->tx_skbuff_dma[entry] = {.buf = dma_map ? dma_addr : 0,
                                .len = xdpf->len,
                                .map_as_page = false,
                                .last_segment = true,
                                .buf_type = dma_map ? STMMAC_TXBUF_T_XDP_NDO : STMMAC_TXBUF_T_XDP_TX};
  tx_q->xdpf[entry] = xdpf;

  stmmac_set_desc_addr(priv, tx_desc, dma_addr);
  stmmac_prepare_tx_desc(priv, tx_desc, 1, xdpf->len, false, false, true, xdpf->len);
  tx_q->tx_count_frames++;
  if (priv->tx_coal_frames != 0 && tx_q->tx_count_frames % priv->tx_coal_frames == 0) {
    tx_q->tx_count_frames = 0;
    stmmac_set_tx_ic(priv, tx_desc);
    priv->xstats.txq_stats.tx_set_ic_bit++;
  }
  dma_wmb();
  stmmac_set_tx_owner(priv, tx_desc);
  tx_q->cur_tx = STMMAC_GET_ENTRY(entry, priv->dma_conf.dma_tx_size);
  return STMMAC_XDP_TX;
}

static u32 stmmac_xdp_xmit_back(stmmac_priv* priv, xdp_buff* xdp) {
  xdp_frame* xdpf = xdp_convert_buff_to_frame(xdp);
  if (unlikely(xdpf == nullptr)) return STMMAC_XDP_CONSUMED;
  // The queue is the stack's as well.
  netdev_queue* nq = &priv->dma_conf.tx_queue.nq;
  __netif_tx_lock(nq, smp_processor_id());
  const u32 res = stmmac_xdp_xmit_xdpf(priv, xdpf, false);
  if (res == STMMAC_XDP_TX) stmmac_flush_tx_descriptors(priv);
  __netif_tx_unlock(nq);
  return res;
}

int stmmac_xdp_xmit(net_device* dev, int num_frames, xdp_frame** frames, u32 flags) {
  stmmac_priv* priv = netdev_priv<stmmac_priv>(dev);
  netdev_queue* nq = &priv->dma_conf.tx_queue.nq;
  int nxmit = 0;
  if (unlikely((flags & ~XDP_XMIT_FLUSH) != 0)) return -EINVAL;
  __netif_tx_lock(nq, smp_processor_id());
  for (; nxmit < num_frames; nxmit++) {
    if (stmmac_xdp_xmit_xdpf(priv, frames[nxmit], true) == STMMAC_XDP_CONSUMED) break;
  }
  if (flags & XDP_XMIT_FLUSH) {
    stmmac_flush_tx_descriptors(priv);
    stmmac_tx_timer_arm(priv);
  }
  __netif_tx_unlock(nq);
  return nxmit;
}

noinline u32 __stmmac_xdp_run_prog(stmmac_priv* priv, const bpf_prog* prog, xdp_buff* xdp) {
  const u32 act = bpf_prog_run_xdp(prog, xdp);
  switch (act) {
    case XDP_PASS:
      return STMMAC_XDP_PASS;
    case XDP_TX:
      return stmmac_xdp_xmit_back(priv, xdp);
    case XDP_REDIRECT:
      return xdp_do_redirect(priv->dev, xdp, prog) < 0 ? STMMAC_XDP_CONSUMED : STMMAC_XDP_REDIRECT;
    default:
      bpf_warn_invalid_xdp_action(priv->dev, prog, act);
      [[fallthrough]];
    case XDP_ABORTED:
      trace_xdp_exception(priv->dev, prog, act);
      [[fallthrough]];
    case XDP_DROP:
      return STMMAC_XDP_CONSUMED;
  }
}

void stmmac_finalize_xdp_rx(stmmac_priv* priv, u32 xdp_status) {
  if (xdp_status & STMMAC_XDP_TX) stmmac_tx_timer_arm(priv);
  if (xdp_status & STMMAC_XDP_REDIRECT) xdp_do_flush();
}
