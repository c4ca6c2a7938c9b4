// Descriptors of EQOS.
#include "driver/stmmac/hwif.h"
#include "driver/stmmac/variants.h"

namespace dw = ringside::dwmac;
namespace eqos = ringside::dwmac::eqos;

static u32 lower_32_bits(dma_addr_t addr) { return static_cast<u32>(addr); }
static u32 upper_32_bits(dma_addr_t addr) { return static_cast<u32>(addr >> 32); }

static int dwmac4_get_error_status(stmmac_extra_stats* x, u32 rdes3) {
  if (rdes3 & eqos::kRdes3GiantPacket) x->rx_length++;
  if (rdes3 & eqos::kRdes3OverflowError) x->rx_gmac_overflow++;
  if (rdes3 & eqos::kRdes3ReceiveWatchdog) x->rx_watchdog++;
  if (rdes3 & eqos::kRdes3ReceiveError) x->rx_mii++;
  if (rdes3 & eqos::kRdes3CrcError) x->rx_crc_errors++;
  if (rdes3 & eqos::kRdes3DribbleError) x->dribbling_bit++;
  return discard_frame;
}

static int dwmac4_wrback_get_rx_status(stmmac_extra_stats* x, dma_desc* p) {
  const u32 rdes1 = p->des1;
  const u32 rdes2 = p->des2;
  const u32 rdes3 = p->des3;
  int ret = good_frame;

  if (unlikely(rdes3 & dw::kDes3Own)) return dma_own;
  if (unlikely(rdes3 & dw::kDes3Ctxt)) return discard_frame;
  if (likely(!(rdes3 & eqos::kRdes3Ld))) return rx_not_ls;
  if (unlikely(rdes3 & eqos::kRdes3ErrorSummary)) ret = dwmac4_get_error_status(x, rdes3);

  if (rdes1 & eqos::kRdes1IpHdrError) x->ip_hdr_err++;
  if (rdes1 & eqos::kRdes1IpCsumBypassed) x->ip_csum_bypassed++;
  if (rdes1 & eqos::kRdes1Ipv4) x->ipv4_pkt_rcvd++;
  if (rdes1 & eqos::kRdes1Ipv6) x->ipv6_pkt_rcvd++;
  if (rdes1 & eqos::kRdes1IpCsumError) x->ip_payload_err++;
  if (rdes1 & eqos::kRdes1TimestampDropped) x->timestamp_dropped++;
  // What the device could not verify, the stack has to.
  constexpr u32 unverified = eqos::kRdes1IpHdrError | eqos::kRdes1IpCsumBypassed | eqos::kRdes1IpCsumError;
  if (unlikely(rdes1 & unverified) && ret == good_frame) ret = csum_none;

  if (unlikely(rdes2 & eqos::kRdes2SaFilterFail)) {
    x->sa_rx_filter_fail++;
    ret = discard_frame;
  }
  if (unlikely(rdes2 & eqos::kRdes2DaFilterFail)) {
    x->da_rx_filter_fail++;
    ret = discard_frame;
  }
  return ret;
}

static int dwmac4_wrback_get_rx_frame_len(dma_desc* p) { return static_cast<int>(p->des3 & eqos::kRdes3PlMask); }

static int dwmac4_get_rx_header_len(dma_desc* p, u32* len) {
  *len = p->des2 & eqos::kRdes2HlMask;
  return 0;
}

static void dwmac4_set_rx_owner(dma_desc* p, int disable_rx_ic) {
  u32 flags = dw::kDes3Own | eqos::kRdes3Buf1v;
  if (!disable_rx_ic) flags |= eqos::kRdes3Ioc;
  if (STMMAC_FAULT == STMMAC_FAULT_OWNER_WRITTEN_TWICE && !disable_rx_ic) {
    p->des3 |= flags & ~eqos::kRdes3Ioc;
    barrier();
    flags = eqos::kRdes3Ioc;
  }
  p->des3 |= flags;
}

static void dwmac4_rd_init_rx_desc(dma_desc* p, int disable_rx_ic) { dwmac4_set_rx_owner(p, disable_rx_ic); }

static void dwmac4_clear(dma_desc* p) { *p = {}; }

static void dwmac4_set_addr(dma_desc* p, dma_addr_t addr) {
  p->des0 = lower_32_bits(addr);
  p->des1 = upper_32_bits(addr);
}

// The high half goes over the whole word, and with it over what was written back there.
static void dwmac4_set_sec_addr(dma_desc* p, dma_addr_t addr, bool buf2_valid) {
  p->des2 = lower_32_bits(addr);
  p->des3 = upper_32_bits(addr);
  barrier();
  if (buf2_valid) {
    p->des3 |= eqos::kRdes3Buf2v;
  } else {
    p->des3 &= ~eqos::kRdes3Buf2v;
  }
}

static bool dwmac4_wrback_get_rx_vlan_valid(dma_desc* p) {
  constexpr u32 valid = eqos::kRdes3Ld | eqos::kRdes3Rs0v;
  return (p->des3 & valid) == valid;
}

static u16 dwmac4_wrback_get_rx_vlan_tci(dma_desc* p) { return static_cast<u16>(p->des0); }

static bool dwmac4_context_is_complete(dma_desc* next) {
  const u32 rdes3 = READ_ONCE(next->des3);
  return !(rdes3 & dw::kDes3Own) && (rdes3 & dw::kDes3Ctxt);
}

static bool dwmac4_wrback_get_rx_timestamp_status(dma_desc* p, dma_desc* next) {
  constexpr int attempts = 10;
  if (!(p->des1 & eqos::kRdes1TimestampAvailable)) return false;
  for (int i = 0; i < attempts; i++) {
    if (!dwmac4_context_is_complete(next)) continue;
    return !(next->des0 == dw::kNoTimestamp && next->des1 == dw::kNoTimestamp);
  }
  return false;
}

static void dwmac4_get_timestamp(dma_desc* p, u64* ns) {
  constexpr u64 NSEC_PER_SEC = 1'000'000'000;
  *ns = p->des0 + p->des1 * NSEC_PER_SEC;
}

static void dwmac4_rd_prepare_tx_desc(dma_desc* p, int is_fs, u32 len, bool csum_flag, bool tx_own, bool ls,
                                      u32 tot_pkt_len) {
  u32 tdes3 = tot_pkt_len & dw::kTdes3FlMask;
  p->des2 = len & dw::kTdes2B1lMask;
  if (is_fs) tdes3 |= dw::kTdes3Fd;
  if (csum_flag) tdes3 |= dw::kTdes3CicFull << dw::kTdes3CicShift;
  if (ls) tdes3 |= dw::kTdes3Ld;
  if (tx_own) tdes3 |= dw::kDes3Own;
  // The DMA must not see a first descriptor of which the rest is old.
  if (is_fs && tx_own) dma_wmb();
  WRITE_ONCE(p->des3, tdes3);
}

static void dwmac4_set_tx_owner(dma_desc* p) { p->des3 |= dw::kDes3Own; }

static void dwmac4_rd_set_tx_ic(dma_desc* p) { p->des2 |= dw::kTdes2Ioc; }

static int dwmac4_wrback_get_tx_status(dma_desc* p) {
  const u32 tdes3 = READ_ONCE(p->des3);
  if (unlikely(tdes3 & dw::kDes3Own)) return tx_dma_own;
  if (likely(!(tdes3 & dw::kTdes3Ld))) return tx_not_ls;
  return unlikely(tdes3 & dw::kTdes3ErrorSummary) ? tx_err : tx_done;
}

static void dwmac4_release_tx_desc(dma_desc* p) {
  p->des0 = 0;
  p->des1 = 0;
  p->des2 = 0;
  p->des3 = 0;
}

constinit const stmmac_desc_ops dwmac4_desc_ops = {
    .init_rx_desc = dwmac4_rd_init_rx_desc,
    .set_rx_owner = dwmac4_set_rx_owner,
    .clear = dwmac4_clear,
    .set_addr = dwmac4_set_addr,
    .set_sec_addr = dwmac4_set_sec_addr,
    .rx_status = dwmac4_wrback_get_rx_status,
    .get_rx_frame_len = dwmac4_wrback_get_rx_frame_len,
    .get_rx_header_len = dwmac4_get_rx_header_len,
    .get_rx_hash = nullptr,
    .get_rx_vlan_valid = dwmac4_wrback_get_rx_vlan_valid,
    .get_rx_vlan_tci = dwmac4_wrback_get_rx_vlan_tci,
    .get_rx_timestamp_status = dwmac4_wrback_get_rx_timestamp_status,
    .get_timestamp = dwmac4_get_timestamp,
    .prepare_tx_desc = dwmac4_rd_prepare_tx_desc,
    .set_tx_owner = dwmac4_set_tx_owner,
    .set_tx_ic = dwmac4_rd_set_tx_ic,
    .tx_status = dwmac4_wrback_get_tx_status,
    .release_tx_desc = dwmac4_release_tx_desc,
};
