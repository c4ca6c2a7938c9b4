// The Ethernet driver's objects: one channel with one receive queue and the queue that posts its UMR WQEs.
#pragma once

#include "driver/kernel/bitops.h"
#include "driver/kernel/board.h"
#include "driver/kernel/page_pool.h"
#include "driver/kernel/xdp.h"
#include "driver/mlx5e/en_sq.h"

inline constexpr u32 MLX5E_HEADROOM = 64;  // NET_SKB_PAD; NET_IP_ALIGN is 0
inline constexpr u32 MLX5E_ETH_HARD_MTU = 14 + 4 + 4;
inline constexpr u32 MLX5E_MAX_RX_FRAGS = 4;
inline constexpr u32 MLX5E_RX_MAX_HEAD = 256;  // linear part of a packet that lies in fragments
inline constexpr u32 SKB_SHARED_INFO_SIZE = 320;
inline constexpr u32 MLX5E_PAGECNT_BIAS_MAX = 0xffff;

// A multi-packet receive WQE covers 256 KiB, which one UMR WQE maps page by page.
inline constexpr u32 MLX5_MPWRQ_MAX_LOG_WQE_SZ = 18;
inline constexpr u32 MLX5_MPWRQ_PAGES_PER_WQE = 1u << (MLX5_MPWRQ_MAX_LOG_WQE_SZ - PAGE_SHIFT);
inline constexpr u32 MLX5_UMR_MTT_NUM_ENTRIES_ALIGNMENT = 8;
// One entry more than the pages, for what a packet writes beyond the WQE's end.
inline constexpr u32 MLX5E_MPWRQ_MTTS_PER_WQE =
    static_cast<u32>(ALIGN(MLX5_MPWRQ_PAGES_PER_WQE + 1, MLX5_UMR_MTT_NUM_ENTRIES_ALIGNMENT));
static_assert(MLX5_MPWRQ_PAGES_PER_WQE == 64 && MLX5E_MPWRQ_MTTS_PER_WQE == 72);

struct mlx5e_umr_wqe {
  ringside::connectx::umr_wqe hdr;
  mlx5_mtt inline_mtts[MLX5_MPWRQ_PAGES_PER_WQE];
};
inline constexpr u8 MLX5E_UMR_WQEBBS = sizeof(mlx5e_umr_wqe) / ringside::connectx::kSendWqeBb;
static_assert(sizeof(mlx5e_umr_wqe) == 640 && MLX5E_UMR_WQEBBS == 10);

enum mlx5_wq_type : u8 {
  MLX5_WQ_TYPE_CYCLIC = ringside::connectx::kRqCyclic,
  MLX5_WQ_TYPE_LINKED_LIST_STRIDING_RQ = ringside::connectx::kRqStriding,
};

struct dim_cq_moder {
  u32 usec;
  u32 pkts;
  bool from_cqe;  // the period starts at the last completion
};

struct mlx5e_params {
  u32 sw_mtu;
  u8 log_rq_mtu_frames;
  mlx5_wq_type rq_wq_type;
  dim_cq_moder rx_cq_moderation;
  int napi_weight;
  bool xdp_tx_mpwqe;
  bool tx;  // the stack sends
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

// A multi-packet WQE's pages, and how much of it has been consumed.
struct mlx5e_mpw_info {
  u16 consumed_strides;
  u64 skip_release_bitmap;
  union {
    mlx5e_frag_page frag_pages[MLX5_MPWRQ_PAGES_PER_WQE];
  } alloc_units;
};
static_assert(sizeof(mlx5e_mpw_info) == 1040);

// A queue's WQEs have room for 1, 2 or 4 of these segments.
struct mlx5e_rx_wqe_cyc {
  mlx5_wqe_data_seg data[MLX5E_MAX_RX_FRAGS];
};

struct mlx5e_rq_stats {
  u64 packets;
  u64 bytes;
  u64 xdp_drop;
  u64 xdp_redirect;
  u64 wqe_err;
  u64 buff_alloc_err;
  u64 recover;
  u64 mpwqe_filler_cqes;
  u64 mpwqe_filler_strides;
  u64 oversize_pkts_sw_drop;
  u64 congst_umr;
  u64 csum_complete;
  u64 csum_unnecessary;
  u64 csum_none;
  u64 removed_vlan_packets;
  u64 mcast_packets;
};

// NO_CSUM_COMPLETE: a program may change what the device has summed.
enum mlx5e_rq_state : u32 {
  MLX5E_RQ_STATE_ENABLED = 0,
  MLX5E_RQ_STATE_RECOVERING = 1,
  MLX5E_RQ_STATE_NO_CSUM_COMPLETE = 2,
};

// Bits of mlx5e_rq.flags. XMIT lasts for one packet: its transmission keeps a reference to the page. REDIRECT lasts for a
// poll: frames wait to be flushed.
enum mlx5e_rq_flag : u32 { MLX5E_RQ_FLAG_XDP_XMIT = 0, MLX5E_RQ_FLAG_XDP_REDIRECT = 1 };

using mlx5e_fp_handle_rx_cqe = void (*)(mlx5e_rq* rq, mlx5_cqe64* cqe);
using mlx5e_fp_post_rx_wqes = bool (*)(mlx5e_rq* rq);
using mlx5e_fp_skb_from_cqe = sk_buff* (*)(mlx5e_rq* rq, mlx5e_wqe_frag_info* wi, mlx5_cqe64* cqe, u32 cqe_bcnt);
using mlx5e_fp_skb_from_cqe_mpwrq = sk_buff* (*)(mlx5e_rq* rq, mlx5e_mpw_info* wi, mlx5_cqe64* cqe, u16 cqe_bcnt,
                                                 u32 head_offset, u32 page_idx);

// The buffer that a program works on, with what its metadata functions need.
struct mlx5e_xdp_buff {
  xdp_buff xdp;
  mlx5_cqe64* cqe;
  mlx5e_rq* rq;
};
static_assert(sizeof(mlx5e_xdp_buff) == 72);

struct mlx5e_rq {
  union {
    struct {
      mlx5_wq_cyc wq;
      mlx5e_wqe_frag_info* frags;
      mlx5e_frag_page* frag_pages;
      mlx5e_rq_frags_info info;
      mlx5e_fp_skb_from_cqe skb_from_cqe;
    } wqe;
    struct {
      mlx5_wq_ll wq;
      ringside::connectx::umr_wqe umr_wqe;  // what all UMR WQEs of the queue have in common
      mlx5e_mpw_info* info;
      mlx5e_fp_skb_from_cqe_mpwrq skb_from_cqe_mpwrq;
      be32 umr_mkey_be;
      u16 num_strides;
      u16 actual_wq_head;  // the next WQE to get pages
      u8 log_stride_sz;
      u8 umr_in_progress;
      u8 umr_last_bulk;
      u8 umr_completed;
      u8 min_wqe_bulk;
      u8 page_shift;
      u8 pages_per_wqe;
      u8 umr_wqebbs;
      u8 mtts_per_wqe;
    } mpwqe;
  };
  struct {
    u16 headroom;
    u32 frame0_sz;
    dma_data_direction map_dir;
  } buff;
  device* pdev;
  net_device* netdev;
  mlx5e_rq_stats* stats;
  ____cacheline_aligned mlx5e_cq cq;
  mlx5e_icosq* icosq;
  mlx5e_fp_handle_rx_cqe handle_rx_cqe;
  mlx5e_fp_post_rx_wqes post_wqes;
  unsigned long state;
  int ix;
  u32 hw_mtu;
  // XDP
  const bpf_prog* xdp_prog;
  mlx5e_xdpsq* xdpsq;
  unsigned long flags;
  struct page_pool* page_pool;
#ifdef MLX5E_XDP_BUFF_PER_RQ
  mlx5e_xdp_buff mxbuf;
#endif
  // Control path
  be32 mkey_be;
  mlx5_wq_type wq_type;
  u32 rqn;
  mlx5_core_dev* mdev;
  mlx5e_channel* channel;
  work_struct recover_work;
  xdp_rxq_info xdp_rxq;
  void* wqe_overflow;           // striding: takes what is written beyond the end of a WQE
  mlx5e_frag_page linear_page;  // striding, packets in fragments: first buffer of the packet that a program works on
};

struct mlx5e_channel {
  mlx5e_rq rq;
  mlx5e_xdpsq rq_xdpsq;  // XDP_TX of the receive queue
  mlx5e_icosq icosq;
  bool xdp;
  napi_struct napi;
  device* pdev;
  net_device* netdev;
  mlx5e_xdpsq xdpsq;  // what other interfaces redirect here
  be32 mkey_be;
  mlx5_core_dev* mdev;
  u32 port;
  mlx5_eq* eq;
  mlx5e_ch_stats* stats;
  bool tx;
  mlx5e_txqsq_stats* tx_stats;
  mlx5e_txqsq txqsq;
};

struct mlx5e_channel_stats {
  mlx5e_ch_stats ch;
  mlx5e_rq_stats rq;
  mlx5e_xdpsq_stats rq_xdpsq;
  mlx5e_xdpsq_stats xdpsq;
  mlx5e_txqsq_stats sq;
};

struct mlx5e_priv {
  mlx5_core_dev* mdev;
  net_device* netdev;
  u32 port;  // of the device, from 0
  be32 mkey;
  u32 tirn;
  mlx5_eq eq;
  mlx5e_params params;
  mlx5e_channel* channel;
  mlx5e_priv* other_port;  // where programs redirect to, or null
  ____cacheline_aligned mlx5e_channel_stats channel_stats;
};

// en_params.cc
u32 mlx5e_sw2hw_mtu(u32 sw_mtu);
u32 mlx5e_get_linear_rq_headroom(const mlx5e_params* params);
// A packet of the MTU fits a page, with room for what the stack or XDP wants around it. Since pages are 4 KiB, that holds
// for both types of queue alike.
bool mlx5e_rx_is_linear_skb(const mlx5e_params* params);
u16 mlx5e_get_rq_headroom(const mlx5e_params* params);
u32 mlx5e_rx_get_linear_stride_sz(const mlx5e_params* params);
// -EINVAL if a packet of the MTU needs more fragments than a WQE can have.
int mlx5e_build_rq_frags_info(const mlx5e_params* params, mlx5e_rq_frags_info* info);
u8 mlx5e_mpwqe_get_log_stride_size(const mlx5e_params* params);
u8 mlx5e_mpwqe_get_log_num_strides(const mlx5e_params* params);
u8 mlx5e_mpwqe_get_log_rq_size(const mlx5e_params* params);
u8 mlx5e_mpwqe_get_min_wqe_bulk(u32 wq_sz);
u8 mlx5e_rx_log_cq_size(const mlx5e_params* params);
u8 mlx5e_build_icosq_log_wq_sz(const mlx5e_params* params);

// en_rx.cc
void mlx5e_rq_set_handlers(mlx5e_rq* rq, const mlx5e_params* params);
int mlx5e_poll_rx_cq(mlx5e_cq* cq, int budget);
bool mlx5e_post_rx_wqes(mlx5e_rq* rq);
void mlx5e_free_rx_descs(mlx5e_rq* rq);

// en_rx_mpwrq.cc
void mlx5e_handle_rx_cqe_mpwrq(mlx5e_rq* rq, mlx5_cqe64* cqe);
sk_buff* mlx5e_skb_from_cqe_mpwrq_linear(mlx5e_rq* rq, mlx5e_mpw_info* wi, mlx5_cqe64* cqe, u16 cqe_bcnt,
                                         u32 head_offset, u32 page_idx);
bool mlx5e_post_rx_mpwqes(mlx5e_rq* rq);
void mlx5e_free_rx_mpwqe_descs(mlx5e_rq* rq);

// en_rx_nonlinear.cc
sk_buff* mlx5e_skb_from_cqe_nonlinear(mlx5e_rq* rq, mlx5e_wqe_frag_info* wi, mlx5_cqe64* cqe, u32 cqe_bcnt);
sk_buff* mlx5e_skb_from_cqe_mpwrq_nonlinear(mlx5e_rq* rq, mlx5e_mpw_info* wi, mlx5_cqe64* cqe, u16 cqe_bcnt,
                                            u32 head_offset, u32 page_idx);

// en_icosq.cc
int mlx5e_open_icosq(mlx5e_channel* c, const mlx5e_params* params);
int mlx5e_close_icosq(mlx5e_icosq* sq);
// Returns how many completions it handled.
int mlx5e_poll_ico_cq(mlx5e_cq* cq);

// en_xdpsq.cc
int mlx5e_open_xdpsq(mlx5e_channel* c, const mlx5e_params* params, mlx5e_xdpsq* sq, mlx5e_xdpsq_stats* stats);
// Gives up what has not been transmitted.
int mlx5e_close_xdpsq(mlx5e_xdpsq* sq);
// True if there may be more completions.
bool mlx5e_poll_xdpsq_cq(mlx5e_cq* cq);

// en_tx.cc
int mlx5e_open_txqsq(mlx5e_channel* c);
// Gives up what has not been transmitted.
int mlx5e_close_txqsq(mlx5e_txqsq* sq);
netdev_tx mlx5e_xmit(sk_buff* skb, net_device* dev);
// True if there may be more completions.
bool mlx5e_poll_tx_cq(mlx5e_cq* cq, int napi_budget);

// en_sq.cc
// The queue sends out of `port`.
int mlx5e_create_sq(mlx5_core_dev* mdev, u32 port, const mlx5_wq_cyc* wq, u32 cqn, u32* sqn);
int mlx5e_destroy_sq(mlx5_core_dev* mdev, u32 sqn);

// en_txrx.cc
int mlx5e_napi_poll(napi_struct* napi, int budget);
void mlx5e_completion_event(mlx5_core_cq* mcq, mlx5_eqe* eqe);

__always_inline void mlx5e_cq_arm(mlx5e_cq* cq) {
  mlx5_cq_arm(&cq->mcq, ringside::connectx::kCqArmAny, cq->mdev->uar, cq->wq.cc);
}

// en_rq.cc
int mlx5e_open_rq(mlx5e_channel* c, const mlx5e_params* params, mlx5e_rq_stats* stats);
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
// Its programs may redirect to a second interface, on the other port; that comes up, too, if the attached one does.
mlx5e_priv* mlx5e_probe(const board_info& board);

// en_stats.cc
// The counters of the interface under the names that ethtool prints.
// Ends with an empty name.
const guest_stat* mlx5e_stats(mlx5e_priv* priv);
