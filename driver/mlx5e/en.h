// The Ethernet driver's objects: one channel with one receive queue.
#pragma once

#include "driver/kernel/bitops.h"
#include "driver/kernel/board.h"
#include "driver/kernel/page_pool.h"
#include "driver/kernel/xdp.h"
#include "driver/mlx5e/wq.h"

struct mlx5e_rq;
struct mlx5e_channel;

inline constexpr u32 MLX5E_HEADROOM = 64;  // NET_SKB_PAD; NET_IP_ALIGN is 0
inline constexpr u32 MLX5E_ETH_HARD_MTU = 14 + 4 + 4;
inline constexpr u32 MLX5E_MAX_RX_FRAGS = 4;
inline constexpr u32 SKB_SHARED_INFO_SIZE = 320;
inline constexpr u32 MLX5E_PAGECNT_BIAS_MAX = 0xffff;

struct mlx5e_params {
  u32 sw_mtu;
  u8 log_rq_mtu_frames;
  u32 rx_usecs;
  u32 rx_pkts;
  bool rx_cqe_moderation;
  int napi_weight;
  const bpf_prog* xdp_prog;
};

// A page and how many of its MLX5E_PAGECNT_BIAS_MAX references the driver has handed out.
struct mlx5e_frag_page {
  struct page* page;
  u16 frags;
};
static_assert(sizeof(mlx5e_frag_page) == 16);

enum mlx5e_wqe_frag_flag : u32 { MLX5E_WQE_FRAG_LAST_IN_PAGE = 0, MLX5E_WQE_FRAG_SKIP_RELEASE = 1 };

struct mlx5e_wqe_frag_info {
  mlx5e_frag_page* frag_page;
  u32 offset;
  u8 flags;
};
static_assert(sizeof(mlx5e_wqe_frag_info) == 16);

struct mlx5e_rq_frag_info {
  u32 frag_size;
  u32 frag_stride;
};

struct mlx5e_rq_frags_info {
  mlx5e_rq_frag_info arr[MLX5E_MAX_RX_FRAGS];
  u8 num_frags;
  u8 log_num_frags;
  u16 wqe_bulk;
  u16 refill_unit;
  u8 wqe_index_mask;
};

struct mlx5e_rx_wqe_cyc {
  mlx5_wqe_data_seg data[1];
};

struct mlx5e_rq_stats {
  u64 packets;
  u64 bytes;
  u64 xdp_drop;
  u64 wqe_err;
  u64 buff_alloc_err;
  u64 recover;
};

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

enum mlx5e_rq_state : u32 { MLX5E_RQ_STATE_ENABLED = 0, MLX5E_RQ_STATE_RECOVERING = 1 };

// Bits of mlx5e_rq.flags, which last for one packet: its transmission keeps a reference to the page.
enum mlx5e_rq_flag : u32 { MLX5E_RQ_FLAG_XDP_XMIT = 0 };

using mlx5e_fp_handle_rx_cqe = void (*)(mlx5e_rq* rq, mlx5_cqe64* cqe);
using mlx5e_fp_post_rx_wqes = bool (*)(mlx5e_rq* rq);
using mlx5e_fp_skb_from_cqe = bool (*)(mlx5e_rq* rq, mlx5e_wqe_frag_info* wi, mlx5_cqe64* cqe, u32 cqe_bcnt);

struct mlx5e_rq {
  struct {
    mlx5_wq_cyc wq;
    mlx5e_wqe_frag_info* frags;
    mlx5e_frag_page* frag_pages;
    mlx5e_rq_frags_info info;
    mlx5e_fp_skb_from_cqe skb_from_cqe;
  } wqe;
  struct {
    u16 headroom;
    u32 frame0_sz;
    dma_data_direction map_dir;
  } buff;
  device* pdev;
  net_device* netdev;
  mlx5e_rq_stats* stats;
  ____cacheline_aligned mlx5e_cq cq;
  mlx5e_fp_handle_rx_cqe handle_rx_cqe;
  mlx5e_fp_post_rx_wqes post_wqes;
  unsigned long state;
  int ix;
  u32 hw_mtu;
  // XDP
  const bpf_prog* xdp_prog;
  unsigned long flags;
  struct page_pool* page_pool;
  // Control path
  be32 mkey_be;
  u32 rqn;
  mlx5_core_dev* mdev;
  mlx5e_channel* channel;
  work_struct recover_work;
  xdp_rxq_info xdp_rxq;
};

struct mlx5e_channel {
  mlx5e_rq rq;
  napi_struct napi;
  device* pdev;
  net_device* netdev;
  mlx5_core_dev* mdev;
  mlx5_eq* eq;
  mlx5e_ch_stats* stats;
};

struct mlx5e_channel_stats {
  mlx5e_ch_stats ch;
  mlx5e_rq_stats rq;
};

struct mlx5e_priv {
  mlx5_core_dev* mdev;
  net_device* netdev;
  be32 mkey;
  u32 tirn;
  mlx5_eq eq;
  mlx5e_params params;
  mlx5e_channel* channel;
  ____cacheline_aligned mlx5e_channel_stats channel_stats;
};

// en_params.cc
u32 mlx5e_get_linear_rq_headroom(const mlx5e_params* params);
u32 mlx5e_rx_get_linear_stride_sz(const mlx5e_params* params);
// -EINVAL if a packet of the MTU does not fit a page, with room for what the stack or XDP wants around it.
int mlx5e_build_rq_frags_info(const mlx5e_params* params, mlx5e_rq_frags_info* info);

// en_rx.cc
void mlx5e_rq_set_handlers(mlx5e_rq* rq);
int mlx5e_poll_rx_cq(mlx5e_cq* cq, int budget);
bool mlx5e_post_rx_wqes(mlx5e_rq* rq);
void mlx5e_free_rx_descs(mlx5e_rq* rq);

// en_txrx.cc
int mlx5e_napi_poll(napi_struct* napi, int budget);
void mlx5e_completion_event(mlx5_core_cq* mcq, mlx5_eqe* eqe);

__always_inline void mlx5e_cq_arm(mlx5e_cq* cq) {
  mlx5_cq_arm(&cq->mcq, ringside::connectx::kCqArmAny, cq->mdev->uar, cq->wq.cc);
}

// en_rq.cc
int mlx5e_open_rq(mlx5e_channel* c, const mlx5e_params* params, be32 mkey, mlx5e_rq_stats* stats);
void mlx5e_activate_rq(mlx5e_rq* rq);
void mlx5e_deactivate_rq(mlx5e_rq* rq);
// Releases all pages; returns what the device answered.
int mlx5e_close_rq(mlx5e_rq* rq);

// en_main.cc
// Brings the interface up on the device at `mdev`; negative on failure.
int mlx5e_open(mlx5e_priv* priv);
// Traffic stops, and all pages go back to the allocator.
int mlx5e_close(mlx5e_priv* priv);

// module.cc
// Sets up the device and interface that `board` describes; panics if that fails.
mlx5e_priv* mlx5e_probe(const board_info& board);

// en_stats.cc
// The counters of the interface under the names that ethtool prints.
// Ends with an empty name.
const guest_stat* mlx5e_stats(mlx5e_priv* priv);
