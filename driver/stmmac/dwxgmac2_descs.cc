// Descriptors of XGMAC.
#include "driver/stmmac/hwif.h"
#include "driver/stmmac/variants.h"

namespace dw = ringside::dwmac;
namespace xgmac = ringside::dwmac::xgmac;

static u32 lower_32_bits(dma_addr_t addr) { return static_cast<u32>(addr); }
static u32 upper_32_bits(dma_addr_t addr) { return static_cast<u32>(addr >> 32); }

static u32 l34_type(u32 rdes3) { return (rdes3 >> xgmac::kRdes3L34tShift) & xgmac::kRdes3L34tMask; }

// A wrong checksum is an error like others.
static int dwxgmac2_get_error_status(stmmac_extra_stats* x, u32 rdes3) {
  switch ((rdes3 >> xgmac::kRdes3EtLtShift) & xgmac::kRdes3EtLtMask) {
    case xgmac::kEtIpHeader:
      x->ip_hdr_err++;
      break;
    case xgmac::kEtChecksum:
      x->ip_payload_err++;
      break;
    case xgmac::kEtWatchdog:
      x->rx_watchdog++;
      break;
    case xgmac::kEtCrc:
      x->rx_crc_errors++;
      break;
    case xgmac::kEtGiant:
      x->rx_length++;
      break;
    case xgmac::kEtOverflow:
      x->rx_gmac_overflow++;
      break;
    default:
      break;
  }
  return discard_frame;
}

static int dwxgmac2_get_rx_status(stmmac_extra_stats* x, dma_desc* p) {
  const u32 rdes3 = p->des3;
  if (unlikely(rdes3 & dw::kDes3Own)) return dma_own;
  if (unlikely(rdes3 & dw::kDes3Ctxt)) return discard_frame;
  if (likely(!(rdes3 & xgmac::kRdes3Ld))) return rx_not_ls;
  if (unlikely(rdes3 & xgmac::kRdes3ErrorSummary)) return dwxgmac2_get_error_status(x, rdes3);
  return good_frame;
}

static int dwxgmac2_get_rx_frame_len(dma_desc* p) { return static_cast<int>(p->des3 & xgmac::kRdes3PlMask); }

static int dwxgmac2_get_rx_header_len(dma_desc* p, u32* len) {
  if (STMMAC_FAULT == STMMAC_FAULT_HEADER_LEN_UNCHECKED || l34_type(p->des3) != xgmac::kL34Unknown) {
    *len = p->des2 & xgmac::kRdes2HlMask;
  }
  return 0;
}

static int dwxgmac2_get_rx_hash(dma_desc* p, u32* hash, pkt_hash_types* type) {
  const u32 rdes3 = p->des3;
  if (!(rdes3 & xgmac::kRdes3Rsv)) return -EINVAL;
  switch (l34_type(rdes3)) {
    case xgmac::kL34Ip4Tcp:
    case xgmac::kL34Ip4Udp:
    case xgmac::kL34Ip6Tcp:
    case xgmac::kL34Ip6Udp:
      *type = PKT_HASH_TYPE_L4;
      break;
    default:
      *type = PKT_HASH_TYPE_L3;
      break;
  }
  *hash = p->des1;
  return 0;
}

static void dwxgmac2_set_rx_owner(dma_desc* p, int disable_rx_ic) {
  u32 flags = dw::kDes3Own;
  if (!disable_rx_ic) flags |= xgmac::kRdes3Ioc;
  if (STMMAC_FAULT == STMMAC_FAULT_OWNER_WRITTEN_TWICE && !disable_rx_ic) {
    p->des3 |= flags & ~xgmac::kRdes3Ioc;
    barrier();
    flags = xgmac::kRdes3Ioc;
  }
  p->des3 |= flags;
}

static void dwxgmac2_init_rx_desc(dma_desc* p, int disable_rx_ic) { dwxgmac2_set_rx_owner(p, disable_rx_ic); }

static void dwxgmac2_clear(dma_desc* p) { *p = {}; }

static void dwxgmac2_set_addr(dma_desc* p, dma_addr_t addr) {
  p->des0 = lower_32_bits(addr);
  p->des1 = upper_32_bits(addr);
}

// The core has no flag that says whether the buffer exists.
static void dwxgmac2_set_sec_addr(dma_desc* p, dma_addr_t addr, bool) {
  p->des2 = lower_32_bits(addr);
  p->des3 = upper_32_bits(addr);
}

// Length/type codes of frames with one or two tags.
static bool dwxgmac2_wrback_get_rx_vlan_valid(dma_desc* p) {
  constexpr u32 first_tagged = 8, last_tagged = 13;
  const u32 type = (p->des3 >> xgmac::kRdes3EtLtShift) & xgmac::kRdes3EtLtMask;
  return type >= first_tagged && type <= last_tagged;
}

static u16 dwxgmac2_wrback_get_rx_vlan_tci(dma_desc* p) { return static_cast<u16>(p->des0); }

static bool dwxgmac2_rx_check_timestamp(dma_desc* next) {
  constexpr u32 stamped = dw::kDes3Ctxt | xgmac::kRdes3TimestampAvailable;
  constexpr u32 tested = dw::kDes3Own | stamped | xgmac::kRdes3TimestampDropped;
  return (READ_ONCE(next->des3) & tested) == stamped &&
         !(next->des0 == dw::kNoTimestamp && next->des1 == dw::kNoTimestamp);
}

static bool dwxgmac2_get_rx_timestamp_status(dma_desc* p, dma_desc* next) {
  constexpr int attempts = 10;
  if (!(p->des3 & xgmac::kRdes3Cda)) return false;
  for (int i = 0; i < attempts; i++) {
    if (dwxgmac2_rx_check_timestamp(next)) return true;
  }
  return false;
}

static void dwxgmac2_get_timestamp(dma_desc* p, u64* ns) {
  constexpr u64 NSEC_PER_SEC = 1'000'000'000;
  *ns = p->des0 + p->des1 * NSEC_PER_SEC;
}

static void dwxgmac2_prepare_tx_desc(dma_desc* p, int is_fs, u32 len, bool csum_flag, bool tx_own, bool ls,
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

static void dwxgmac2_set_tx_owner(dma_desc* p) { p->des3 |= dw::kDes3Own; }

static void dwxgmac2_set_tx_ic(dma_desc* p) { p->des2 |= dw::kTdes2Ioc; }

static int dwxgmac2_get_tx_status(dma_desc* p) {
  const u32 tdes3 = READ_ONCE(p->des3);
  if (unlikely(tdes3 & dw::kDes3Own)) return tx_dma_own;
  return likely(!(tdes3 & dw::kTdes3Ld)) ? tx_not_ls : tx_done;
}

static void dwxgmac2_release_tx_desc(dma_desc* p) {
  p->des0 = 0;
  p->des1 = 0;
  p->des2 = 0;
  p->des3 = 0;
}

constinit const stmmac_desc_ops dwxgmac210_desc_ops = {
    .init_rx_desc = dwxgmac2_init_rx_desc,
    .set_rx_owner = dwxgmac2_set_rx_owner,
    .clear = dwxgmac2_clear,
    .set_addr = dwxgmac2_set_addr,
    .set_sec_addr = dwxgmac2_set_sec_addr,
    .rx_status = dwxgmac2_get_rx_status,
    .get_rx_frame_len = dwxgmac2_get_rx_frame_len,
    .get_rx_header_len = dwxgmac2_get_rx_header_len,
    .get_rx_hash = dwxgmac2_get_rx_hash,
    .get_rx_vlan_valid = dwxgmac2_wrback_get_rx_vlan_valid,
    .get_rx_vlan_tci = dwxgmac2_wrback_get_rx_vlan_tci,
    .get_rx_timestamp_status = dwxgmac2_get_rx_timestamp_status,
    .get_timestamp = dwxgmac2_get_timestamp,
    .prepare_tx_desc = dwxgmac2_prepare_tx_desc,
    .set_tx_owner = dwxgmac2_set_tx_owner,
    .set_tx_ic = dwxgmac2_set_tx_ic,
    .tx_status = dwxgmac2_get_tx_status,
    .release_tx_desc = dwxgmac2_release_tx_desc,
};
