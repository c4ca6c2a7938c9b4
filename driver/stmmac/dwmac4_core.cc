// MAC and queue registers of EQOS.
#include "driver/stmmac/hwif.h"

namespace dw = ringside::dwmac;
namespace eqos = ringside::dwmac::eqos;

static void set_bits(__iomem* reg, u32 mask, u32 bits) { writel((readl(reg) & ~mask) | bits, reg); }

// Jumbo frames pass whatever the MTU is.
static void dwmac4_core_init(__iomem* ioaddr) {
  set_bits(ioaddr + eqos::kMacConfig, 0, eqos::kConfigJe | eqos::kConfigWd);
}

static void dwmac4_set_mac(__iomem* ioaddr, bool enable) {
  constexpr u32 both = eqos::kConfigRe | eqos::kConfigTe;
  set_bits(ioaddr + eqos::kMacConfig, both, enable ? both : 0);
}

static void dwmac4_rx_ipc_enable(__iomem* ioaddr, bool enable) {
  set_bits(ioaddr + eqos::kMacConfig, eqos::kConfigIpc, enable ? eqos::kConfigIpc : 0);
}

static void dwmac4_rx_queue_enable(__iomem* ioaddr, u32 queue) {
  constexpr u32 mask = 0x3, general = 0x2;
  set_bits(ioaddr + eqos::kMacRxqCtrl0, mask << 2 * queue, general << 2 * queue);
}

// `prio`: a bit for each VLAN priority.
static void dwmac4_rx_queue_prio(__iomem* ioaddr, u32 prio, u32 queue) {
  constexpr u32 mask = 0xff;
  __iomem* reg = ioaddr + eqos::kMacRxqCtrl2 + queue / 4 * 4;
  set_bits(reg, mask << queue % 4 * 8, prio << queue % 4 * 8);
}

static void dwmac4_map_mtl_dma(__iomem* ioaddr, u32 queue, u32 chan) {
  constexpr u32 mask = 0xf;
  __iomem* reg = ioaddr + eqos::kMtlRxqDmaMap0 + queue / 4 * 4;
  set_bits(reg, mask << queue % 4 * 8, chan << queue % 4 * 8);
}

static void dwmac4_set_umac_addr(__iomem* ioaddr, const u8* addr) {
  writel(dw::kAddressEnable | static_cast<u32>(addr[5]) << 8 | addr[4], ioaddr + dw::kMacAddress0High);
  const u32 low = static_cast<u32>(addr[3]) << 24 | static_cast<u32>(addr[2]) << 16 | static_cast<u32>(addr[1]) << 8;
  writel(low | addr[0], ioaddr + dw::kMacAddress0Low);
}

// Frames for this station and broadcasts, or all.
static void dwmac4_set_filter(__iomem* ioaddr, bool promisc) {
  writel(promisc ? dw::kFilterPr : 0, ioaddr + eqos::kMacPacketFilter);
}

static void dwmac4_flow_ctrl(__iomem* ioaddr, u32 pause_time, u32 tx_cnt) {
  writel(dw::kRxFlowRfe, ioaddr + eqos::kMacRxFlowCtrl);
  for (u32 queue = 0; queue < tx_cnt; queue++) {
    writel(dw::kTxFlowTfe | pause_time << dw::kTxFlowPtShift, ioaddr + eqos::mac_tx_flow_ctrl(queue));
  }
}

constinit const stmmac_ops dwmac4_ops = {
    .core_init = dwmac4_core_init,
    .set_mac = dwmac4_set_mac,
    .rx_ipc = dwmac4_rx_ipc_enable,
    .rx_queue_enable = dwmac4_rx_queue_enable,
    .rx_queue_prio = dwmac4_rx_queue_prio,
    .map_mtl_to_dma = dwmac4_map_mtl_dma,
    .set_umac_addr = dwmac4_set_umac_addr,
    .set_filter = dwmac4_set_filter,
    .flow_ctrl = dwmac4_flow_ctrl,
};
