// Bringing the interface up and down, and its interrupt.
#include "driver/stmmac/stmmac.h"

namespace dw = ringside::dwmac;

static void stmmac_set_rx_rings(stmmac_priv* priv) {
  const stmmac_dma_ops* dma = priv->hw->dma;
  for (u32 chan = 0; chan < priv->rx_queues_to_use; chan++) {
    stmmac_rx_queue* rx_q = &priv->dma_conf.rx_queue[chan];
    dma->init_rx_chan(priv->ioaddr, &priv->dma_cfg, rx_q->dma_rx_phy, chan);
    // One past the last descriptor: all of them may be used.
    rx_q->rx_tail_addr = rx_q->dma_rx_phy + rx_q->buf_alloc_num * sizeof(dma_desc);
    dma->set_rx_tail_ptr(priv->ioaddr, rx_q->rx_tail_addr, chan);
  }
}

static int stmmac_init_dma_engine(stmmac_priv* priv) {
  const stmmac_dma_ops* dma = priv->hw->dma;
  const int err = dma->reset(priv->ioaddr);
  if (err != 0) return err;
  dma->init(priv->ioaddr, &priv->dma_cfg);
  dma->axi(priv->ioaddr, &priv->dma_cfg);
  for (u32 chan = 0; chan < priv->rx_queues_to_use; chan++) {
    dma->init_chan(priv->ioaddr, &priv->dma_cfg, chan);
    dma->disable_dma_irq(priv->ioaddr, chan, true, true);
  }
  stmmac_set_rx_rings(priv);
  stmmac_tx_queue* tx_q = &priv->dma_conf.tx_queue;
  dma->init_tx_chan(priv->ioaddr, &priv->dma_cfg, tx_q->dma_tx_phy, tx_q->queue_index);
  tx_q->tx_tail_addr = tx_q->dma_tx_phy;
  dma->set_tx_tail_ptr(priv->ioaddr, tx_q->tx_tail_addr, tx_q->queue_index);
  return 0;
}

// As if the device tree gave each queue its share of the VLAN priorities. Frames without a tag go to the first one.
static u32 stmmac_rx_queue_prio(const stmmac_priv* priv, u32 queue) {
  constexpr u32 priorities = 8;
  u32 prio = 0;
  for (u32 p = queue; p < priorities; p += priv->rx_queues_to_use) prio |= BIT(p);
  return prio;
}

static void stmmac_core_init(stmmac_priv* priv) {
  const stmmac_ops* mac = priv->hw->mac;
  mac->set_umac_addr(priv->ioaddr, priv->dev->dev_addr);
  mac->core_init(priv->ioaddr);
  mac->set_filter(priv->ioaddr, priv->promisc);
  for (u32 queue = 0; queue < priv->rx_queues_to_use; queue++) {
    mac->rx_queue_enable(priv->ioaddr, queue);
    mac->map_mtl_to_dma(priv->ioaddr, queue, queue);
    if (priv->rx_queues_to_use > 1) mac->rx_queue_prio(priv->ioaddr, stmmac_rx_queue_prio(priv, queue), queue);
  }
  mac->rx_ipc(priv->ioaddr, priv->hw->rx_csum);
  if (priv->flow_ctrl) mac->flow_ctrl(priv->ioaddr, PAUSE_TIME, priv->rx_queues_to_use);
  mac->set_mac(priv->ioaddr, true);
}

// FIFOs are shared evenly by the queues in use.
static void stmmac_dma_operation_mode(stmmac_priv* priv) {
  const stmmac_dma_ops* dma = priv->hw->dma;
  const u32 rxfifosz = priv->dma_cap.rx_fifo_size / priv->rx_queues_to_use;
  for (u32 chan = 0; chan < priv->rx_queues_to_use; chan++) {
    dma->dma_rx_mode(priv->ioaddr, chan, rxfifosz, priv->flow_ctrl);
    dma->set_bfsize(priv->ioaddr, priv->dma_conf.dma_buf_sz, chan);
  }
  dma->dma_tx_mode(priv->ioaddr, priv->dma_conf.tx_queue.queue_index);
}

static int stmmac_hw_setup(stmmac_priv* priv) {
  const stmmac_dma_ops* dma = priv->hw->dma;
  const u32 tx_chan = priv->dma_conf.tx_queue.queue_index;
  const int err = stmmac_init_dma_engine(priv);
  if (err != 0) return err;
  stmmac_core_init(priv);
  stmmac_dma_operation_mode(priv);
  dma->set_tx_ring_len(priv->ioaddr, priv->dma_conf.dma_tx_size - 1, tx_chan);
  for (u32 chan = 0; chan < priv->rx_queues_to_use; chan++) {
    dma->set_rx_ring_len(priv->ioaddr, priv->dma_conf.dma_rx_size - 1, chan);
    if (priv->use_riwt) dma->rx_watchdog(priv->ioaddr, priv->rx_riwt, chan);
    if (priv->dma_cap.sphen) dma->enable_sph(priv->ioaddr, priv->sph, chan);
  }
  for (u32 chan = 0; chan < priv->rx_queues_to_use; chan++) dma->start_rx(priv->ioaddr, chan);
  dma->start_tx(priv->ioaddr, tx_chan);
  return 0;
}

static void stmmac_enable_all_queues(stmmac_priv* priv) {
  for (u32 queue = 0; queue < priv->rx_queues_to_use; queue++) napi_enable(&priv->channel[queue].rx_napi);
  napi_enable(&priv->channel[priv->dma_conf.tx_queue.queue_index].tx_napi);
}

static void stmmac_disable_all_queues(stmmac_priv* priv) {
  for (u32 queue = 0; queue < priv->rx_queues_to_use; queue++) napi_disable(&priv->channel[queue].rx_napi);
  napi_disable(&priv->channel[priv->dma_conf.tx_queue.queue_index].tx_napi);
}

static void stmmac_enable_all_dma_irq(stmmac_priv* priv) {
  for (u32 chan = 0; chan < priv->rx_queues_to_use; chan++) {
    stmmac_channel* ch = &priv->channel[chan];
    spin_lock(&ch->lock);
    stmmac_enable_dma_irq(priv, priv->ioaddr, chan, true, chan == priv->dma_conf.tx_queue.queue_index);
    spin_unlock(&ch->lock);
  }
}

// An interrupt that finds NAPI disabled is lost, and with it all that would follow: they are unmasked when all else is
// ready.
static void stmmac_start_queues(stmmac_priv* priv) {
  if (STMMAC_FAULT == STMMAC_FAULT_IRQ_BEFORE_NAPI) stmmac_enable_all_dma_irq(priv);
  stmmac_enable_all_queues(priv);
  if (STMMAC_FAULT != STMMAC_FAULT_IRQ_BEFORE_NAPI) stmmac_enable_all_dma_irq(priv);
}

static void stmmac_init_napi(stmmac_priv* priv) {
  for (u32 queue = 0; queue < priv->rx_queues_to_use; queue++) {
    stmmac_channel* ch = &priv->channel[queue];
    ch->priv_data = priv;
    ch->index = queue;
    netif_napi_add_weight(priv->dev, &ch->rx_napi, stmmac_napi_poll_rx, priv->napi_weight);
    netif_napi_add_weight(priv->dev, &ch->tx_napi, stmmac_napi_poll_tx, priv->napi_weight);
  }
}

int stmmac_open(stmmac_priv* priv) {
  stmmac_init_napi(priv);
  int err = init_dma_desc_rings(priv);
  if (err == 0) err = stmmac_hw_setup(priv);
  if (err == 0) err = request_irq(dw::kCommonVector, stmmac_interrupt, priv);
  if (err == 0) stmmac_start_queues(priv);
  return err;
}

void stmmac_release(stmmac_priv* priv) {
  const stmmac_dma_ops* dma = priv->hw->dma;
  stmmac_disable_all_queues(priv);
  for (u32 chan = 0; chan < priv->rx_queues_to_use; chan++) {
    dma->disable_dma_irq(priv->ioaddr, chan, true, true);
    dma->stop_rx(priv->ioaddr, chan);
  }
  dma->stop_tx(priv->ioaddr, priv->dma_conf.tx_queue.queue_index);
  free_irq(dw::kCommonVector);
  free_dma_desc_resources(priv);
  priv->hw->mac->set_mac(priv->ioaddr, false);
}

static void stmmac_napi_check(stmmac_priv* priv, u32 chan, u32 dir) {
  stmmac_channel* ch = &priv->channel[chan];
  const int status = stmmac_dma_interrupt_status(priv, priv->ioaddr, &priv->xstats, chan, dir);
  if ((status & handle_rx) && napi_schedule_prep(&ch->rx_napi)) {
    spin_lock(&ch->lock);
    stmmac_disable_dma_irq(priv, priv->ioaddr, chan, true, false);
    spin_unlock(&ch->lock);
    __napi_schedule(&ch->rx_napi);
  }
  if ((status & handle_tx) && chan == priv->dma_conf.tx_queue.queue_index && napi_schedule_prep(&ch->tx_napi)) {
    spin_lock(&ch->lock);
    stmmac_disable_dma_irq(priv, priv->ioaddr, chan, false, true);
    spin_unlock(&ch->lock);
    __napi_schedule(&ch->tx_napi);
  }
}

void stmmac_interrupt(void* dev_id) {
  stmmac_priv* priv = static_cast<stmmac_priv*>(dev_id);
  for (u32 chan = 0; chan < priv->rx_queues_to_use; chan++) stmmac_napi_check(priv, chan, DMA_DIR_RXTX);
}
