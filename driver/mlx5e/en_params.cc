#include "driver/mlx5e/en.h"

constexpr u32 MLX5E_RX_MAX_BULK_XDP = 256 * 1024;
constexpr u32 MLX5E_RX_MAX_BULK = 512 * 1024;

u32 mlx5e_sw2hw_mtu(u32 sw_mtu) { return sw_mtu + MLX5E_ETH_HARD_MTU; }

static u32 mlx5e_rx_get_linear_sz_skb(const mlx5e_params* params) {
  const u32 frame = mlx5e_get_linear_rq_headroom(params) + mlx5e_sw2hw_mtu(params->sw_mtu);
  return static_cast<u32>(ALIGN(frame, L1_CACHE_BYTES)) + SKB_SHARED_INFO_SIZE;
}

// Refilling many WQEs at once keeps the pool's code in the cache, as long as the pages of one bulk are not a large part
// of the ring.
static void mlx5e_rx_compute_wqe_bulk_params(const mlx5e_params* params, mlx5e_rq_frags_info* info) {
  const u32 stride = info->arr[0].frag_stride;
  const u32 quarter_of_ring = (stride << params->log_rq_mtu_frames) / 4;
  const u32 max_bulk = params->xdp_prog != nullptr ? MLX5E_RX_MAX_BULK_XDP : MLX5E_RX_MAX_BULK;
  const u32 wqes_per_page = info->wqe_index_mask + 1u;
  info->wqe_bulk = static_cast<u16>(max(wqes_per_page, min(max_bulk, quarter_of_ring) / stride));
  info->refill_unit = static_cast<u16>(min<u32>(info->wqe_bulk, PP_ALLOC_CACHE_REFILL * wqes_per_page));
}

u32 mlx5e_get_linear_rq_headroom(const mlx5e_params* params) {
  return params->xdp_prog != nullptr ? XDP_PACKET_HEADROOM : MLX5E_HEADROOM;
}

u32 mlx5e_rx_get_linear_stride_sz(const mlx5e_params* params) {
  const u32 size = static_cast<u32>(roundup_pow_of_two(mlx5e_rx_get_linear_sz_skb(params)));
  return params->xdp_prog != nullptr ? max<u32>(size, PAGE_SIZE) : size;
}

int mlx5e_build_rq_frags_info(const mlx5e_params* params, mlx5e_rq_frags_info* info) {
  const u32 stride = mlx5e_rx_get_linear_stride_sz(params);
  if (stride > PAGE_SIZE) return -EINVAL;
  info->arr[0] = {.frag_size = mlx5e_sw2hw_mtu(params->sw_mtu), .frag_stride = stride};
  info->num_frags = 1;
  info->log_num_frags = 0;
  info->wqe_index_mask = static_cast<u8>(PAGE_SIZE / stride - 1);
  mlx5e_rx_compute_wqe_bulk_params(params, info);
  return 0;
}

u8 mlx5e_mpwqe_get_log_stride_size(const mlx5e_params* params) {
  return static_cast<u8>(ilog2(mlx5e_rx_get_linear_stride_sz(params)));
}

u8 mlx5e_mpwqe_get_log_num_strides(const mlx5e_params* params) {
  return static_cast<u8>(MLX5_MPWRQ_MAX_LOG_WQE_SZ - mlx5e_mpwqe_get_log_stride_size(params));
}

u8 mlx5e_mpwqe_get_log_rq_size(const mlx5e_params* params) {
  constexpr u8 MLX5E_PARAMS_MINIMUM_LOG_RQ_SIZE_MPW = 2;
  const u8 log_pkts_per_wqe = mlx5e_mpwqe_get_log_num_strides(params);
  if (params->log_rq_mtu_frames < log_pkts_per_wqe + MLX5E_PARAMS_MINIMUM_LOG_RQ_SIZE_MPW) {
    return MLX5E_PARAMS_MINIMUM_LOG_RQ_SIZE_MPW;
  }
  return static_cast<u8>(params->log_rq_mtu_frames - log_pkts_per_wqe);
}

u8 mlx5e_mpwqe_get_min_wqe_bulk(u32 wq_sz) {
  constexpr u32 UMR_WQE_BULK = 2;
  return static_cast<u8>(min(UMR_WQE_BULK, wq_sz / 2 - 1));
}

// A striding queue can complete every stride on its own.
u8 mlx5e_rx_log_cq_size(const mlx5e_params* params) {
  if (params->rq_wq_type == MLX5_WQ_TYPE_CYCLIC) return params->log_rq_mtu_frames;
  return static_cast<u8>(mlx5e_mpwqe_get_log_rq_size(params) + mlx5e_mpwqe_get_log_num_strides(params));
}

// All UMR WQEs of the receive queue fit at once. They do not cross pages, and are padded by less than the largest WQE:
// of each page, at least the rest is useful.
u8 mlx5e_build_icosq_log_wq_sz(const mlx5e_params* params) {
  constexpr u64 wqebb = ringside::connectx::kSendWqeBb;
  constexpr u64 useful_space = PAGE_SIZE - (ringside::connectx::kMaxSendWqeBbs - 1) * wqebb;
  if (params->rq_wq_type == MLX5_WQ_TYPE_CYCLIC) return MLX5E_PARAMS_MINIMUM_LOG_SQ_SIZE;
  const u64 wqebbs = u64{MLX5E_UMR_WQEBBS} << mlx5e_mpwqe_get_log_rq_size(params);
  const u64 pages = DIV_ROUND_UP(wqebbs * wqebb, useful_space);
  return static_cast<u8>(ilog2(roundup_pow_of_two(pages * (PAGE_SIZE / wqebb))));
}
