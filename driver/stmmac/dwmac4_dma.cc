// DMA registers of EQOS.
#include "driver/kernel/board.h"
#include "driver/stmmac/hwif.h"

namespace dw = ringside::dwmac;
namespace eqos = ringside::dwmac::eqos;

constexpr u32 DMA_BUS_MODE_RESET_POLLS = 10'000;

static __iomem* chan_base(__iomem* ioaddr, u32 chan) {
  return ioaddr + eqos::kDmaChannel + chan * eqos::kDmaChannelStride;
}

static void set_bits(__iomem* reg, u32 mask, u32 bits) { writel((readl(reg) & ~mask) | bits, reg); }

static int dwmac4_dma_reset(__iomem* ioaddr) {
  set_bits(ioaddr + eqos::kDmaMode, 0, dw::kDmaModeSwr);
  for (u32 i = 0; i < DMA_BUS_MODE_RESET_POLLS; i++) {
    if (!(readl(ioaddr + eqos::kDmaMode) & dw::kDmaModeSwr)) return 0;
    cond_resched();
  }
  return -EBUSY;
}

static void dwmac4_dma_init(__iomem* ioaddr, const stmmac_dma_cfg* dma_cfg) {
  set_bits(ioaddr + eqos::kDmaSysBusMode, 0, dw::kSysBusEame);
  set_bits(ioaddr + eqos::kDmaMode, eqos::kDmaModeIntmMask, dma_cfg->dche ? eqos::kDmaModeDche : 0);
}

static void dwmac4_dma_axi(__iomem* ioaddr, const stmmac_dma_cfg* dma_cfg) {
  u32 value = dma_cfg->wr_osr_lmt << eqos::kSysBusWrOsrShift | dma_cfg->rd_osr_lmt << eqos::kSysBusRdOsrShift;
  // One bit for each length from 4 beats up.
  const u32 lengths = dma_cfg->blen / 4 * 2 - 1;
  value |= (lengths << dw::kSysBusBlenShift) & dw::kSysBusBlenMask;
  set_bits(ioaddr + eqos::kDmaSysBusMode,
           eqos::kSysBusWrOsrMask | eqos::kSysBusRdOsrMask | dw::kSysBusBlenMask | eqos::kSysBusFb, value);
}

static void dwmac4_dma_init_channel(__iomem* ioaddr, const stmmac_dma_cfg* dma_cfg, u32 chan) {
  set_bits(chan_base(ioaddr, chan) + eqos::kChControl, 0, dma_cfg->pblx8 ? dw::kChControlPblx8 : 0);
}

static void dwmac4_dma_init_rx_chan(__iomem* ioaddr, const stmmac_dma_cfg* dma_cfg, dma_addr_t phy, u32 chan) {
  __iomem* base = chan_base(ioaddr, chan);
  set_bits(base + eqos::kChRxControl, dw::kChPblMask, dma_cfg->pbl << dw::kChPblShift);
  writel(static_cast<u32>(phy >> 32), base + eqos::kChRxListHigh);
  writel(static_cast<u32>(phy), base + eqos::kChRxList);
}

static void dwmac4_dma_init_tx_chan(__iomem* ioaddr, const stmmac_dma_cfg* dma_cfg, dma_addr_t phy, u32 chan) {
  __iomem* base = chan_base(ioaddr, chan);
  set_bits(base + eqos::kChTxControl, dw::kChPblMask, dma_cfg->pbl << dw::kChPblShift | dw::kChTxOsp);
  writel(static_cast<u32>(phy >> 32), base + eqos::kChTxListHigh);
  writel(static_cast<u32>(phy), base + eqos::kChTxList);
}

// A code n stands for the FIFO's size less 1 KiB and n half KiB.
static void flow_thresholds(u32 fifosz, u32* rfd, u32* rfa) {
  constexpr u32 small_fifo = 4096;
  *rfd = fifosz == small_fifo ? 3 : 7;
  *rfa = fifosz == small_fifo ? 1 : 4;
}

static void dwmac4_dma_rx_chan_op_mode(__iomem* ioaddr, u32 channel, u32 fifosz, bool flow) {
  constexpr u32 FIFO_BLOCK = 256;
  constexpr u32 smallest_with_flow_control = 4096;
  __iomem* reg = ioaddr + eqos::kMtlQueue + channel * eqos::kMtlQueueStride + eqos::kMtlRxOpMode;
  // Store and forward, which the checksum engine needs; frames with wrong checksums are the stack's to judge.
  u32 mode = dw::kRxOpRsf | dw::kRxOpDisTcpEf | (fifosz / FIFO_BLOCK - 1) << eqos::kRxOpRqsShift;
  if (flow && fifosz >= smallest_with_flow_control) {
    u32 rfd;
    u32 rfa;
    flow_thresholds(fifosz, &rfd, &rfa);
    mode |= eqos::kRxOpEhfc | rfd << eqos::kRxOpRfdShift | rfa << eqos::kRxOpRfaShift;
  }
  constexpr u32 mask = dw::kRxOpRsf | dw::kRxOpDisTcpEf | eqos::kRxOpRtcMask | eqos::kRxOpRqsMask | eqos::kRxOpEhfc |
                       eqos::kRxOpRfdMask | eqos::kRxOpRfaMask;
  set_bits(reg, mask, mode);
}

static void dwmac4_dma_tx_chan_op_mode(__iomem* ioaddr, u32 channel) {
  __iomem* reg = ioaddr + eqos::kMtlQueue + channel * eqos::kMtlQueueStride + eqos::kMtlTxOpMode;
  set_bits(reg, 0, eqos::kTxOpTsf | eqos::kTxOpTxqen);
}

static constexpr u32 irq_bits(bool rx, bool tx) { return (rx ? dw::kIntRi : 0) | (tx ? dw::kIntTi : 0); }

static void dwmac4_enable_dma_irq(__iomem* ioaddr, u32 chan, bool rx, bool tx) {
  __iomem* reg = chan_base(ioaddr, chan) + eqos::kChIntEnable;
  constexpr u32 summaries = eqos::kIntAie400 | eqos::kIntNie400 | dw::kIntFbe;
  writel(readl(reg) | summaries | irq_bits(rx, tx), reg);
}

// The summaries moved with the core's release 4.10.
static void dwmac410_enable_dma_irq(__iomem* ioaddr, u32 chan, bool rx, bool tx) {
  __iomem* reg = chan_base(ioaddr, chan) + eqos::kChIntEnable;
  constexpr u32 summaries = dw::kIntAie | dw::kIntNie | dw::kIntFbe;
  writel(readl(reg) | summaries | irq_bits(rx, tx), reg);
}

static void dwmac4_disable_dma_irq(__iomem* ioaddr, u32 chan, bool rx, bool tx) {
  __iomem* reg = chan_base(ioaddr, chan) + eqos::kChIntEnable;
  writel(readl(reg) & ~irq_bits(rx, tx), reg);
}

static void dwmac4_dma_start_tx(__iomem* ioaddr, u32 chan) {
  set_bits(chan_base(ioaddr, chan) + eqos::kChTxControl, 0, dw::kChTxSt);
}
static void dwmac4_dma_stop_tx(__iomem* ioaddr, u32 chan) {
  set_bits(chan_base(ioaddr, chan) + eqos::kChTxControl, dw::kChTxSt, 0);
}
static void dwmac4_dma_start_rx(__iomem* ioaddr, u32 chan) {
  set_bits(chan_base(ioaddr, chan) + eqos::kChRxControl, 0, dw::kChRxSr);
}
static void dwmac4_dma_stop_rx(__iomem* ioaddr, u32 chan) {
  set_bits(chan_base(ioaddr, chan) + eqos::kChRxControl, dw::kChRxSr, 0);
}

static int dwmac4_dma_interrupt(__iomem* ioaddr, stmmac_extra_stats* x, u32 chan, u32 dir) {
  __iomem* base = chan_base(ioaddr, chan);
  const u32 intr_status = readl(base + eqos::kChStatus);
  const u32 intr_en = readl(base + eqos::kChIntEnable);
  int ret = 0;

  if (unlikely(intr_status & dw::kIntAis)) {
    if (unlikely(intr_status & dw::kIntRbu)) x->rx_buf_unav_irq++;
    if (unlikely(intr_status & dw::kIntRps)) x->rx_process_stopped_irq++;
    if (unlikely(intr_status & dw::kIntTps)) {
      x->tx_process_stopped_irq++;
      ret = tx_hard_error;
    }
    if (unlikely(intr_status & dw::kIntFbe)) {
      x->fatal_bus_error_irq++;
      ret = tx_hard_error;
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
  writel(intr_status & intr_en, base + eqos::kChStatus);
  return ret;
}

static void dwmac4_get_hw_feature(__iomem* ioaddr, dma_features* dma_cap) {
  constexpr u32 fifo_unit = 128;
  const u32 feature0 = readl(ioaddr + eqos::kMacHwFeature0);
  const u32 feature1 = readl(ioaddr + eqos::kMacHwFeature1);
  const u32 feature2 = readl(ioaddr + eqos::kMacHwFeature2);
  constexpr u32 four_bits = 0xf;
  dma_cap->rx_coe = feature0 & dw::kFeature0RxCoe;
  dma_cap->sphen = feature1 & dw::kFeature1Sphen;
  dma_cap->rx_fifo_size = fifo_unit << (feature1 & dw::kFeature1RxFifoMask);
  dma_cap->number_rx_channel = ((feature2 >> dw::kFeature2RxChannelsShift) & four_bits) + 1;
}

static void dwmac4_rx_watchdog(__iomem* ioaddr, u32 riwt, u32 queue) {
  writel(riwt, chan_base(ioaddr, queue) + eqos::kChRxWatchdog);
}

static void dwmac4_set_tx_ring_len(__iomem* ioaddr, u32 len, u32 chan) {
  writel(len, chan_base(ioaddr, chan) + eqos::kChTxRingLength);
}
static void dwmac4_set_rx_ring_len(__iomem* ioaddr, u32 len, u32 chan) {
  writel(len, chan_base(ioaddr, chan) + eqos::kChRxRingLength);
}
static void dwmac4_set_rx_tail_ptr(__iomem* ioaddr, dma_addr_t tail_ptr, u32 chan) {
  writel(static_cast<u32>(tail_ptr), chan_base(ioaddr, chan) + eqos::kChRxTail);
}
static void dwmac4_set_tx_tail_ptr(__iomem* ioaddr, dma_addr_t tail_ptr, u32 chan) {
  writel(static_cast<u32>(tail_ptr), chan_base(ioaddr, chan) + eqos::kChTxTail);
}

static void dwmac4_set_bfsize(__iomem* ioaddr, u32 bfsize, u32 chan) {
  set_bits(chan_base(ioaddr, chan) + eqos::kChRxControl, dw::kChRxRbszMask,
           (bfsize << dw::kChRxRbszShift) & dw::kChRxRbszMask);
}

// Headers of up to 256 bytes get a buffer of their own.
static void dwmac4_enable_sph(__iomem* ioaddr, bool en, u32 chan) {
  constexpr u32 hdsms_256 = 2;
  set_bits(ioaddr + eqos::kMacExtConfig, eqos::kExtConfigHdsmsMask, hdsms_256 << eqos::kExtConfigHdsmsShift);
  set_bits(chan_base(ioaddr, chan) + eqos::kChControl, dw::kChControlSph, en ? dw::kChControlSph : 0);
}

static constexpr stmmac_dma_ops dma_ops(void (*enable_dma_irq)(__iomem*, u32, bool, bool)) {
  return {.reset = dwmac4_dma_reset,
          .init = dwmac4_dma_init,
          .init_chan = dwmac4_dma_init_channel,
          .init_rx_chan = dwmac4_dma_init_rx_chan,
          .init_tx_chan = dwmac4_dma_init_tx_chan,
          .axi = dwmac4_dma_axi,
          .dma_rx_mode = dwmac4_dma_rx_chan_op_mode,
          .dma_tx_mode = dwmac4_dma_tx_chan_op_mode,
          .enable_dma_irq = enable_dma_irq,
          .disable_dma_irq = dwmac4_disable_dma_irq,
          .start_tx = dwmac4_dma_start_tx,
          .stop_tx = dwmac4_dma_stop_tx,
          .start_rx = dwmac4_dma_start_rx,
          .stop_rx = dwmac4_dma_stop_rx,
          .dma_interrupt = dwmac4_dma_interrupt,
          .get_hw_feature = dwmac4_get_hw_feature,
          .rx_watchdog = dwmac4_rx_watchdog,
          .set_tx_ring_len = dwmac4_set_tx_ring_len,
          .set_rx_ring_len = dwmac4_set_rx_ring_len,
          .set_rx_tail_ptr = dwmac4_set_rx_tail_ptr,
          .set_tx_tail_ptr = dwmac4_set_tx_tail_ptr,
          .set_bfsize = dwmac4_set_bfsize,
          .enable_sph = dwmac4_enable_sph};
}

constinit const stmmac_dma_ops dwmac4_dma_ops = dma_ops(dwmac4_enable_dma_irq);
constinit const stmmac_dma_ops dwmac410_dma_ops = dma_ops(dwmac410_enable_dma_irq);
