// Completion queues and send queues: the one that posts UMR WQEs, those of XDP, and the stack's.
#pragma once

#include "driver/kernel/netdevice.h"
#include "driver/mlx5e/wq.h"

struct mlx5e_rq;
struct mlx5e_channel;
struct mlx5e_xdpsq;

inline constexpr int MLX5E_TX_CQ_POLL_BUDGET = 128;
inline constexpr u32 MLX5_SEND_WQEBB_NUM_DS = ringside::connectx::kSendWqeBb / ringside::connectx::kSendWqeDs;
inline constexpr u8 MLX5E_PARAMS_MINIMUM_LOG_SQ_SIZE = 6;
inline constexpr u8 MLX5E_PARAMS_DEFAULT_LOG_SQ_SIZE = 10;

struct mlx5e_ch_stats {
  u64 events;
  u64 poll;
  u64 arm;
};

struct mlx5e_cq {
  mlx5_cqwq wq;
  u16 event_ctr;
  napi_struct* napi;
  mlx5_core_cq mcq;
  mlx5e_ch_stats* ch_stats;
  mlx5_core_dev* mdev;
};

enum mlx5e_sq_state : u32 { MLX5E_SQ_STATE_ENABLED = 0 };

enum mlx5e_icosq_wqe_type : u8 { MLX5E_ICOSQ_WQE_NOP, MLX5E_ICOSQ_WQE_UMR_RX };

struct mlx5e_icosq_wqe_info {
  u8 wqe_type;
  u8 num_wqebbs;
  struct {
    mlx5e_rq* rq;
  } umr;
};
static_assert(sizeof(mlx5e_icosq_wqe_info) == 16);

// Internal channel operations: the send queue that posts a receive queue's UMR WQEs.
struct mlx5e_icosq {
  u16 cc;
  u16 pc;
  mlx5_wqe_ctrl_seg* doorbell_cseg;
  mlx5e_cq cq;
  struct {
    mlx5e_icosq_wqe_info* wqe_info;
  } db;
  mlx5_wq_cyc wq;
  __iomem* uar_map;
  u32 sqn;
  unsigned long state;
  mlx5e_channel* channel;
};

struct mlx5e_tx_wqe {
  mlx5_wqe_ctrl_seg ctrl;
  mlx5_wqe_eth_seg eth;
  mlx5_wqe_data_seg data[];
};
inline constexpr u16 MLX5E_TX_WQE_EMPTY_DS_COUNT = sizeof(mlx5e_tx_wqe) / ringside::connectx::kSendWqeDs;

struct mlx5_wqe_inline_seg {
  be32 byte_count;
  u8 data[];
};

// A multi-packet send WQE under construction.
struct mlx5e_tx_mpwqe {
  mlx5e_tx_wqe* wqe;
  u32 bytes_count;
  u8 ds_count;
  u8 pkt_count;
  u8 inline_on;
};

// A packet to transmit; with fragments it is part of a mlx5e_xmit_data_frags.
struct mlx5e_xmit_data {
  dma_addr_t dma_addr;
  void* data;
  u32 len : 31;
  u32 has_frags : 1;
};
static_assert(sizeof(mlx5e_xmit_data) == 24);

struct mlx5e_xmit_data_frags {
  mlx5e_xmit_data xd;
  struct skb_shared_info* sinfo;
  dma_addr_t* dma_arr;  // addresses of fragments that no pool of this device has mapped
};
static_assert(sizeof(mlx5e_xmit_data_frags) == 40);

// What a completion needs to know about a packet. Kernels from 6.4 keep its kind, its number of pages and the pages in
// an entry each; before that one entry held all. The inlining watermarks count entries.
#ifndef MLX5E_XDPI_FIFO_ENTRIES
#define MLX5E_XDPI_FIFO_ENTRIES 3
#endif
// FRAME: redirected here, mapped for this transmission, with a DMA address per buffer. PAGE: received by this channel.
enum mlx5e_xdp_xmit_mode : u32 { MLX5E_XDP_XMIT_MODE_FRAME = 0, MLX5E_XDP_XMIT_MODE_PAGE = 1 };
#if MLX5E_XDPI_FIFO_ENTRIES == 1
struct mlx5e_xdp_info {
  mlx5e_xdp_xmit_mode mode;
  u32 num;
  union {
    struct page* page;
    struct {
      xdp_frame* xdpf;
      dma_addr_t dma_addr;
    } frame;
  };
};
#else
union mlx5e_xdp_info {
  mlx5e_xdp_xmit_mode mode;
  u32 num;
  struct page* page;
  union {
    xdp_frame* xdpf;
    dma_addr_t dma_addr;
  } frame;
};
#endif
inline constexpr u32 MLX5E_XDP_FIFO_ENTRIES2DS_MAX_RATIO = 4;

struct mlx5e_xdp_info_fifo {
  mlx5e_xdp_info* xi;
  u32* cc;
  u32* pc;
  u32 mask;
};

struct mlx5e_xdp_wqe_info {
  u8 num_wqebbs;
  u8 num_pkts;
};

struct mlx5e_xdpsq_stats {
  u64 xmit;
  u64 mpwqe;
  u64 inlnw;
  u64 nops;
  u64 full;
  u64 err;
  u64 cqes;
};

using mlx5e_fp_xmit_xdp_frame = bool (*)(mlx5e_xdpsq* sq, mlx5e_xmit_data* xdptxd);

struct ____cacheline_aligned mlx5e_xdpsq {
  // Written by completions
  u32 xdpi_fifo_cc;
  u16 cc;
  // Written by transmission
  ____cacheline_aligned u32 xdpi_fifo_pc;
  u16 pc;
  mlx5_wqe_ctrl_seg* doorbell_cseg;
  mlx5e_tx_mpwqe mpwqe;

  mlx5e_cq cq;
  mlx5_wq_cyc wq;
  mlx5e_xdpsq_stats* stats;
  mlx5e_fp_xmit_xdp_frame xmit_xdp_frame;
  struct {
    mlx5e_xdp_wqe_info* wqe_info;
    mlx5e_xdp_info_fifo xdpi_fifo;
  } db;
  __iomem* uar_map;
  u32 sqn;
  device* pdev;
  be32 mkey_be;
  u16 stop_room;
  u8 max_sq_wqebbs;      // largest WQE
  u8 max_sq_mpw_wqebbs;  // largest multi-packet WQE, of which the DS count has 6 bits
  unsigned long state;
  u32 hw_mtu;
  mlx5e_channel* channel;
};

struct mlx5e_tx_wqe_info {
  sk_buff* skb;  // null for a NOP
  u32 num_bytes;
  u8 num_wqebbs;
};

struct mlx5e_txqsq_stats {
  u64 packets;
  u64 bytes;
  u64 nop;
  u64 stopped;
  u64 wake;
  u64 cqes;
};

struct ____cacheline_aligned mlx5e_txqsq {
  // Written by completions
  u16 cc;
  // Written by transmission
  ____cacheline_aligned u16 pc;
  mlx5e_cq cq;
  mlx5_wq_cyc wq;
  mlx5e_txqsq_stats* stats;
  struct {
    mlx5e_tx_wqe_info* wqe_info;
  } db;
  __iomem* uar_map;
  netdev_queue txq;
  u32 sqn;
  u16 stop_room;
  device* pdev;
  be32 mkey_be;
  unsigned long state;
  mlx5e_channel* channel;
};
