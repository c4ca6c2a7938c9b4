// MAC and queue registers of XGMAC.
#include "driver/stmmac/hwif.h"

namespace dw = ringside::dwmac;
namespace xgmac = ringside::dwmac::xgmac;

static void set_bits(__iomem* reg, u32 mask, u32 bits) { writel((readl(reg) & ~mask) | bits, reg); }

// Jumbo frames pass whatever the MTU is.
static void dwxgmac2_core_init(__iomem* ioaddr) {
  set_bits(ioaddr + xgmac::kMacRxConfig, 0, xgmac::kRxConfigJe | xgmac::kRxConfigWd);
}

static void dwxgmac2_set_mac(__iomem* ioaddr, bool enable) {
  set_bits(ioaddr + xgmac::kMacTxConfig, xgmac::kTxConfigTe, enable ? xgmac::kTxConfigTe : 0);
  set_bits(ioaddr + xgmac::kMacRxConfig, xgmac::kRxConfigRe, enable ? xgmac::kRxConfigRe : 0);
}

static void dwxgmac2_rx_ipc(__iomem* ioaddr, bool enable) {
  set_bits(ioaddr + xgmac::kMacRxConfig, xgmac::kRxConfigIpc, enable ? xgmac::kRxConfigIpc : 0);
}

static void dwxgmac2_rx_queue_enable(__iomem* ioaddr, u32 queue) {
  constexpr u32 mask = 0x3, general = 0x2;
  set_bits(ioaddr + xgmac::kMacRxqCtrl0, mask << 2 * queue, general << 2 * queue);
}

// `prio`: a bit for each VLAN priority.
static void dwxgmac2_rx_queue_prio(__iomem* ioaddr, u32 prio, u32 queue) {
  constexpr u32 mask = 0xff;
  __iomem* reg = ioaddr + xgmac::kMacRxqCtrl2 + queue / 4 * 4;
  set_bits(reg, mask << queue % 4 * 8, prio << queue % 4 * 8);
}

static void dwxgmac2_map_mtl_dma(__iomem* ioaddr, u32 queue, u32 chan) {
  constexpr u32 mask = 0xf;
  __iomem* reg = ioaddr + xgmac::kMtlRxqDmaMap0 + queue / 4 * 4;
  set_bits(reg, mask << queue % 4 * 8, chan << queue % 4 * 8);
}

static void dwxgmac2_set_umac_addr(__iomem* ioaddr, const u8* addr) {
  writel(dw::kAddressEnable | static_cast<u32>(addr[5]) << 8 | addr[4], ioaddr + dw::kMacAddress0High);
  const u32 low = static_cast<u32>(addr[3]) << 24 | static_cast<u32>(addr[2]) << 16 | static_cast<u32>(addr[1]) << 8;
  writel(low | addr[0], ioaddr + dw::kMacAddress0Low);
}

// Frames for this station and broadcasts, or all.
static void dwxgmac2_set_filter(__iomem* ioaddr, bool promisc) {
  writel(promisc ? dw::kFilterPr : 0, ioaddr + xgmac::kMacPacketFilter);
}

static void dwxgmac2_flow_ctrl(__iomem* ioaddr, u32 pause_time, u32 tx_cnt) {
  writel(dw::kRxFlowRfe, ioaddr + xgmac::kMacRxFlowCtrl);
  for (u32 queue = 0; queue < tx_cnt; queue++) {
    writel(dw::kTxFlowTfe | pause_time << dw::kTxFlowPtShift, ioaddr + xgmac::mac_tx_flow_ctrl(queue));
  }
}

constinit const stmmac_ops dwxgmac210_ops = {
    .core_init = dwxgmac2_core_init,
    .set_mac = dwxgmac2_set_mac,
    .rx_ipc = dwxgmac2_rx_ipc,
    .rx_queue_enable = dwxgmac2_rx_queue_enable,
    .rx_queue_prio = dwxgmac2_rx_queue_prio,
    .map_mtl_to_dma = dwxgmac2_map_mtl_dma,
    .set_umac_addr = dwxgmac2_set_umac_addr,
    .set_filter = dwxgmac2_set_filter,
    .flow_ctrl = dwxgmac2_flow_ctrl,
};
