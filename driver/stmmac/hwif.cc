#include "driver/stmmac/hwif.h"

namespace dw = ringside::dwmac;

int stmmac_hwif_init(__iomem* ioaddr, mac_device_info* hw) {
  constexpr u32 DWMAC_CORE_4_00 = 0x40;
  constexpr u32 DWMAC_CORE_5_MAX = 0x5f;
  // Both cores have it at the same offset.
  static_assert(dw::eqos::kMacVersion == dw::xgmac::kMacVersion);
  const u32 version = readl(ioaddr + dw::eqos::kMacVersion);
  const u32 snpsver = version & 0xff;
  const u32 userver_or_id = (version >> 8) & 0xff;
  hw->synopsys_id = snpsver;
  hw->xgmac = userver_or_id == dw::xgmac::kXgmacId;
  if (hw->xgmac) {
    hw->mac = &dwxgmac210_ops;
    hw->desc = &dwxgmac210_desc_ops;
    hw->dma = &dwxgmac210_dma_ops;
    return 0;
  }
  if (snpsver < DWMAC_CORE_4_00 || snpsver > DWMAC_CORE_5_MAX) return -EINVAL;
  hw->mac = &dwmac4_ops;
  hw->desc = &dwmac4_desc_ops;
  hw->dma = snpsver >= dw::eqos::kVersion410 ? &dwmac410_dma_ops : &dwmac4_dma_ops;
  return 0;
}
