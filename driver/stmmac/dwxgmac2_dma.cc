// DMA registers of XGMAC.
#include "driver/kernel/board.h"
#include "driver/stmmac/hwif.h"

namespace dw = ringside::dwmac;
namespace xgmac = ringside::dwmac::xgmac;

constexpr u32 DMA_BUS_MODE_RESET_POLLS = 10'000;

static __iomem* chan_base(__iomem* ioaddr, u32 chan) {
  return ioaddr + xgmac::kDmaChannel + chan * xgmac::kDmaChannelStride;
}

static void set_bits(__iomem* reg, u32 mask, u32 bits) { writel((readl(reg) & ~mask) | bits, reg); }

static int dwxgmac2_dma_reset(__iomem* ioaddr) {
  set_bits(ioaddr + xgmac::kDmaMode, 0, dw::kDmaModeSwr);
  for (u32 i = 0; i < DMA_BUS_MODE_RESET_POLLS; i++) {
    if (!(readl(ioaddr + xgmac::kDmaMode) & dw::kDmaModeSwr)) return 0;
    cond_resched();
  }
  return -EBUSY;
}

static void dwxgmac2_dma_init(__iomem* ioaddr, const stmmac_dma_cfg*) {
  set_bits(ioaddr + xgmac::kDmaSysBusMode, 0, dw::kSysBusEame);
  set_bits(ioaddr + xgmac::kDmaMode, xgmac::kDmaModeIntmMask, 0);
}

static void dwxgmac2_dma_axi(__iomem* ioaddr, const stmmac_dma_cfg* dma_cfg) {
  u32 value = dma_cfg->wr_osr_lmt << xgmac::kSysBusWrOsrShift | dma_cfg->rd_osr_lmt << xgmac::kSysBusRdOsrShift;
  // One bit for each length from 4 beats up.
  const u32 lengths = dma_cfg->blen / 4 * 2 - 1;
  value |= (lengths << dw::kSysBusBlenShift) & dw::kSysBusBlenMask;
  value |= xgmac::kSysBusUndef;
  set_bits(ioaddr + xgmac::kDmaSysBusMode, xgmac::kSysBusWrOsrMask | xgmac::kSysBusRdOsrMask | dw::kSysBusBlenMask, value);
  // As many descriptors as the cache takes are fetched ahead.
  constexpr u32 prefetch_all = 0x3fff'ffff;
  writel(prefetch_all, ioaddr + xgmac::kDmaTxEdma);
  writel(prefetch_all, ioaddr + xgmac::kDmaRxEdma);
}

static void dwxgmac2_dma_init_channel(__iomem* ioaddr, const stmmac_dma_cfg* dma_cfg, u32 chan) {
  set_bits(chan_base(ioaddr, chan) + xgmac::kChControl, 0, dma_cfg->pblx8 ? dw::kChControlPblx8 : 0);
}

static void dwxgmac2_dma_init_rx_chan(__iomem* ioaddr, const stmmac_dma_cfg* dma_cfg, dma_addr_t phy, u32 chan) {
  __iomem* base = chan_base(ioaddr, chan);
  set_bits(base + xgmac::kChRxControl, dw::kChPblMask, dma_cfg->pbl << dw::kChPblShift);
  writel(static_cast<u32>(phy >> 32), base + xgmac::kChRxListHigh);
  writel(static_cast<u32>(phy), base + xgmac::kChRxList);
}

static void dwxgmac2_dma_init_tx_chan(__iomem* ioaddr, const stmmac_dma_cfg* dma_cfg, dma_addr_t phy, u32 chan) {
  __iomem* base = chan_base(ioaddr, chan);
  set_bits(base + xgmac::kChTxControl, dw::kChPblMask, dma_cfg->pbl << dw::kChPblShift | dw::kChTxOsp);
  writel(static_cast<u32>(phy >> 32), base + xgmac::kChTxListHigh);
  writel(static_cast<u32>(phy), base + xgmac::kChTxList);
}

// A code n stands for the FIFO's size less 1 KiB and n half KiB.
static void flow_thresholds(u32 fifosz, u32* rfd, u32* rfa) {
  constexpr u32 small_fifo = 4096;
  *rfd = fifosz == small_fifo ? 3 : 7;
  *rfa = fifosz == small_fifo ? 1 : 4;
}

static void dwxgmac2_dma_rx_chan_op_mode(__iomem* ioaddr, u32 channel, u32 fifosz, bool flow) {
  constexpr u32 FIFO_BLOCK = 256;
  constexpr u32 smallest_with_flow_control = 4096;
  __iomem* queue = ioaddr + xgmac::kMtlQueue + channel * xgmac::kMtlQueueStride;
  // Store and forward, which the checksum engine needs; frames with wrong checksums are the stack's to judge.
  u32 mode = dw::kRxOpRsf | dw::kRxOpDisTcpEf | (fifosz / FIFO_BLOCK - 1) << xgmac::kRxOpRqsShift;
  if (flow && fifosz >= smallest_with_flow_control) {
    u32 rfd;
    u32 rfa;
    flow_thresholds(fifosz, &rfd, &rfa);
    mode |= xgmac::kRxOpEhfc;
    set_bits(queue + xgmac::kMtlRxFlowControl, xgmac::kRxFlowRfdMask | xgmac::kRxFlowRfaMask,
             rfd << xgmac::kRxFlowRfdShift | rfa << xgmac::kRxFlowRfaShift);
  }
  constexpr u32 mask =
      dw::kRxOpRsf | dw::kRxOpDisTcpEf | xgmac::kRxOpRtcMask | xgmac::kRxOpRqsMask | xgmac::kRxOpEhfc;
  set_bits(queue + xgmac::kMtlRxOpMode, mask, mode);
}

static void dwxgmac2_dma_tx_chan_op_mode(__iomem* ioaddr, u32 channel) {
  __iomem* reg = ioaddr + xgmac::kMtlQueue + channel * xgmac::kMtlQueueStride + xgmac::kMtlTxOpMode;
  set_bits(reg, 0, xgmac::kTxOpTsf | xgmac::kTxOpTxqen);
}

// Running out of descriptors is as good a reason to poll as a frame.
static constexpr u32 irq_bits(bool rx, bool tx) {
  return (rx ? dw::kIntRi | dw::kIntRbu : 0) | (tx ? dw::kIntTi : 0);
}

static void dwxgmac2_enable_dma_irq(__iomem* ioaddr, u32 chan, bool rx, bool tx) {
  __iomem* reg = chan_base(ioaddr, chan) + xgmac::kChIntEnable;
  writel(readl(reg) | dw::kIntAie | dw::kIntNie | irq_bits(rx, tx), reg);
}

static void dwxgmac2_disable_dma_irq(__iomem* ioaddr, u32 chan, bool rx, bool tx) {
  __iomem* reg = chan_base(ioaddr, chan) + xgmac::kChIntEnable;
  writel(readl(reg) & ~irq_bits(rx, tx), reg);
}

static void dwxgmac2_dma_start_tx(__iomem* ioaddr, u32 chan) {
  set_bits(chan_base(ioaddr, chan) + xgmac::kChTxControl, 0, dw::kChTxSt);
}
static void dwxgmac2_dma_stop_tx(__iomem* ioaddr, u32 chan) {
  set_bits(chan_base(ioaddr, chan) + xgmac::kChTxControl, dw::kChTxSt, 0);
}
static void dwxgmac2_dma_start_rx(__iomem* ioaddr, u32 chan) {
  set_bits(chan_base(ioaddr, chan) + xgmac::kChRxControl, 0, dw::kChRxSr);
}
static void dwxgmac2_dma_stop_rx(__iomem* ioaddr, u32 chan) {
  set_bits(chan_base(ioaddr, chan) + xgmac::kChRxControl, dw::kChRxSr, 0);
}

static int dwxgmac2_dma_interrupt(__iomem* ioaddr, stmmac_extra_stats* x, u32 chan, u32 dir) {
  __iomem* base = chan_base(ioaddr, chan);
  const u32 intr_status = readl(base + xgmac::kChStatus);
  const u32 intr_en = readl(base + xgmac::kChIntEnable);
  int ret = 0;

  if (unlikely(intr_status & dw::kIntAis)) {
    if (unlikely(intr_status & dw::kIntRbu) && (dir & DMA_DIR_RX)) {
      x->rx_buf_unav_irq++;
      ret |= handle_rx;
    }
    if (unlikely(intr_status & dw::kIntRps)) x->rx_process_stopped_irq++;
    if (unlikely(intr_status & dw::kIntTps)) {
      x->tx_process_stopped_irq++;
      ret |= tx_hard_error;
    }
    if (unlikely(intr_status & dw::kIntFbe)) {
      x->fatal_bus_error_irq++;
      ret |= tx_hard_error;
    }
  }
  if (likely(intr_status & dw::kIntRi) && (dir & DMA_DIR_RX)) {
    x->rxq_stats[chan].rx_normal_irq_n++;
    ret |= handle_rx;
  }
  if (likely(intr_status & dw::kIntTi) && (dir & DMA_DIR_TX)) {
    x->txq_stats.tx_normal_irq_n++;
    ret |= handle_tx;
  }
  if (unlikely(intr_status & dw::kIntTbu) && (dir & DMA_DIR_TX)) ret |= handle_tx;
  // What is not enabled stays set.
  writel(intr_status & intr_en, base + xgmac::kChStatus);
  return ret;
}

static void dwxgmac2_get_hw_feature(__iomem* ioaddr, dma_features* dma_cap) {
  constexpr u32 fifo_unit = 128;
  const u32 feature0 = readl(ioaddr + xgmac::kMacHwFeature0);
  const u32 feature1 = readl(ioaddr + xgmac::kMacHwFeature1);
  const u32 feature2 = readl(ioaddr + xgmac::kMacHwFeature2);
  constexpr u32 four_bits = 0xf;
  dma_cap->rx_coe = feature0 & dw::kFeature0RxCoe;
  dma_cap->sphen = feature1 & dw::kFeature1Sphen;
  dma_cap->rx_fifo_size = fifo_unit << (feature1 & dw::kFeature1RxFifoMask);
  dma_cap->number_rx_channel = ((feature2 >> dw::kFeature2RxChannelsShift) & four_bits) + 1;
}

static void dwxgmac2_rx_watchdog(__iomem* ioaddr, u32 riwt, u32 queue) {
  writel(riwt, chan_base(ioaddr, queue) + xgmac::kChRxWatchdog);
}

static void dwxgmac2_set_tx_ring_len(__iomem* ioaddr, u32 len, u32 chan) {
  writel(len, chan_base(ioaddr, chan) + xgmac::kChTxRingLength);
}
static void dwxgmac2_set_rx_ring_len(__iomem* ioaddr, u32 len, u32 chan) {
  writel(len, chan_base(ioaddr, chan) + xgmac::kChRxRingLength);
}
static void dwxgmac2_set_rx_tail_ptr(__iomem* ioaddr, dma_addr_t tail_ptr, u32 chan) {
  writel(static_cast<u32>(tail_ptr), chan_base(ioaddr, chan) + xgmac::kChRxTail);
}
static void dwxgmac2_set_tx_tail_ptr(__iomem* ioaddr, dma_addr_t tail_ptr, u32 chan) {
  writel(static_cast<u32>(tail_ptr), chan_base(ioaddr, chan) + xgmac::kChTxTail);
}

static void dwxgmac2_set_bfsize(__iomem* ioaddr, u32 bfsize, u32 chan) {
  set_bits(chan_base(ioaddr, chan) + xgmac::kChRxControl, dw::kChRxRbszMask,
           (bfsize << dw::kChRxRbszShift) & dw::kChRxRbszMask);
}

// Headers of up to 256 bytes get a buffer of their own.
static void dwxgmac2_enable_sph(__iomem* ioaddr, bool en, u32 chan) {
  constexpr u32 hdsms_256 = 2;
  set_bits(ioaddr + xgmac::kMacRxConfig, xgmac::kRxConfigHdsmsMask, hdsms_256 << xgmac::kRxConfigHdsmsShift);
  set_bits(chan_base(ioaddr, chan) + xgmac::kChControl, dw::kChControlSph, en ? dw::kChControlSph : 0);
}

constinit const stmmac_dma_ops dwxgmac210_dma_ops = {
    .reset = dwxgmac2_dma_reset,
    .init = dwxgmac2_dma_init,
    .init_chan = dwxgmac2_dma_init_channel,
    .init_rx_chan = dwxgmac2_dma_init_rx_chan,
    .init_tx_chan = dwxgmac2_dma_init_tx_chan,
    .axi = dwxgmac2_dma_axi,
    .dma_rx_mode = dwxgmac2_dma_rx_chan_op_mode,
    .dma_tx_mode = dwxgmac2_dma_tx_chan_op_mode,
    .enable_dma_irq = dwxgmac2_enable_dma_irq,
    .disable_dma_irq = dwxgmac2_disable_dma_irq,
    .start_tx = dwxgmac2_dma_start_tx,
    .stop_tx = dwxgmac2_dma_stop_tx,
    .start_rx = dwxgmac2_dma_start_rx,
    .stop_rx = dwxgmac2_dma_stop_rx,
    .dma_interrupt = dwxgmac2_dma_interrupt,
    .get_hw_feature = dwxgmac2_get_hw_feature,
    .rx_watchdog = dwxgmac2_rx_watchdog,
    .set_tx_ring_len = dwxgmac2_set_tx_ring_len,
    .set_rx_ring_len = dwxgmac2_set_rx_ring_len,
    .set_rx_tail_ptr = dwxgmac2_set_rx_tail_ptr,
    .set_tx_tail_ptr = dwxgmac2_set_tx_tail_ptr,
    .set_bfsize = dwxgmac2_set_bfsize,
    .enable_sph = dwxgmac2_enable_sph,
};
