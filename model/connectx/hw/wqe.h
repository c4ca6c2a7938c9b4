// ConnectX WQEs and the doorbell record of work queues. Freestanding. Offsets: mlx5 device interface.
#pragma once

#include <cstddef>
#include <cstdint>

#include "model/base/bigendian.h"

namespace ringside::connectx {

// Data segment: one buffer of a scatter list. A cyclic RQ's WQE is 1, 2 or 4 of them.
struct wqe_data_seg {
  be32 byte_count;
  be32 lkey;
  be64 addr;
};
static_assert(sizeof(wqe_data_seg) == 16 && offsetof(wqe_data_seg, addr) == 8);

// lkey that ends a scatter list early.
inline constexpr std::uint32_t kTerminateScatterLkey = 0x100;

// First segment of a linked-list RQ's WQE: names the WQE that follows it.
struct wqe_srq_next_seg {
  std::uint8_t rsvd0[2];
  be16 next_wqe_index;
  std::uint8_t signature;
  std::uint8_t rsvd5[11];
};
static_assert(sizeof(wqe_srq_next_seg) == 16 && offsetof(wqe_srq_next_seg, next_wqe_index) == 2);

// Multi-packet receive WQE of a striding RQ.
struct rx_wqe_ll {
  wqe_srq_next_seg next;
  wqe_data_seg data;
};
static_assert(sizeof(rx_wqe_ll) == 32);

// Send WQEs are made of 64-byte basic blocks and counted in 16-byte units (DS).
inline constexpr std::uint32_t kSendWqeBb = 64;
inline constexpr std::uint32_t kSendWqeDs = 16;
inline constexpr std::uint32_t kMaxSendWqeBbs = 16;

enum WqeOpcode : std::uint8_t {
  kWqeNop = 0x00,
  kWqeSend = 0x0a,
  kWqeUmr = 0x25,
  kWqeEnhancedMpsw = 0x29,
};

inline constexpr std::uint8_t kWqeCtrlCqUpdate = 0x08;  // fm_ce_se: write a CQE when this WQE is done

struct wqe_ctrl_seg {
  be32 opmod_idx_opcode;  // opmod << 24 | WQE index << 8 | opcode
  be32 qpn_ds;            // queue number << 8 | DS of the WQE (6 bits)
  std::uint8_t signature;
  std::uint8_t rsvd9[2];
  std::uint8_t fm_ce_se;
  be32 imm;
};
static_assert(sizeof(wqe_ctrl_seg) == 16 && offsetof(wqe_ctrl_seg, fm_ce_se) == 11);

struct wqe_eth_seg {
  std::uint8_t rsvd0[4];
  std::uint8_t cs_flags;
  std::uint8_t rsvd5;
  be16 mss;
  be32 flow_table_metadata;
  be16 inline_hdr_sz;
  std::uint8_t inline_hdr_start[2];
};
static_assert(sizeof(wqe_eth_seg) == 16 && offsetof(wqe_eth_seg, inline_hdr_sz) == 12);

// Inline form of a data segment: byte_count with this bit, then the bytes, padded to whole DS.
inline constexpr std::uint32_t kInlineSegment = 0x8000'0000;

struct wqe_umr_ctrl_seg {
  std::uint8_t flags;
  std::uint8_t rsvd1[3];
  be16 xlt_octowords;  // translation entries that follow, in units of 16 bytes
  be16 xlt_offset;     // where in the mkey's table they go, in units of 16 bytes
  be64 mkey_mask;
  std::uint8_t rsvd16[32];
};
static_assert(sizeof(wqe_umr_ctrl_seg) == 48);

struct mkey_seg {
  std::uint8_t status;
  std::uint8_t pcie_control;
  std::uint8_t flags;
  std::uint8_t version;
  be32 qpn_mkey7_0;
  std::uint8_t rsvd8[4];
  be32 flags_pd;
  be64 start_addr;
  be64 len;
  be32 bsfs_octo_size;
  std::uint8_t rsvd36[16];
  be32 xlt_oct_size;
  std::uint8_t rsvd56[3];
  std::uint8_t log2_page_size;
  std::uint8_t rsvd60[4];
};
static_assert(sizeof(mkey_seg) == 64 && offsetof(mkey_seg, log2_page_size) == 59);

// Header of a UMR WQE; translation entries follow, 8 bytes each.
struct umr_wqe {
  wqe_ctrl_seg ctrl;
  wqe_umr_ctrl_seg uctrl;
  mkey_seg mkc;
};
static_assert(sizeof(umr_wqe) == 128);

struct mtt_entry {
  be64 ptag;  // physical address of the page, with kMttWriteEnable
};
static_assert(sizeof(mtt_entry) == 8);
inline constexpr std::uint64_t kMttWriteEnable = 1;

// Doorbell record of a work queue: word 0 counts posted receive WQEs, word 1 send WQEBBs (16-bit counters).
struct wq_doorbell_record {
  be32 receive;
  be32 send;
};
static_assert(sizeof(wq_doorbell_record) == 8);

}  // namespace ringside::connectx
