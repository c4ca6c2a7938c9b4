#include "driver/mlx5e/en.h"

constexpr u32 MLX5E_RX_MAX_BULK_XDP = 256 * 1024;
constexpr u32 MLX5E_RX_MAX_BULK = 512 * 1024;

u32 mlx5e_sw2hw_mtu(u32 sw_mtu) { return sw_mtu + MLX5E_ETH_HARD_MTU; }

static u32 mlx5e_rx_get_linear_sz_skb(const mlx5e_params* params) {
  const u32 frame = mlx5e_get_linear_rq_headroom(params) + mlx5e_sw2hw_mtu(params->sw_mtu);
  return static_cast<u32>(ALIGN(frame, L1_CACHE_BYTES)) + SKB_SHARED_INFO_SIZE;
}

u32 mlx5e_get_linear_rq_headroom(const mlx5e_params* params) {
  return params->xdp_prog != nullptr ? XDP_PACKET_HEADROOM : MLX5E_HEADROOM;
}

bool mlx5e_rx_is_linear_skb(const mlx5e_params* params) { return mlx5e_rx_get_linear_sz_skb(params) <= PAGE_SIZE; }

u16 mlx5e_get_rq_headroom(const mlx5e_params* params) {
  const bool first_buffer_is_linear = params->rq_wq_type == MLX5_WQ_TYPE_CYCLIC || mlx5e_rx_is_linear_skb(params);
  return static_cast<u16>(first_buffer_is_linear ? mlx5e_get_linear_rq_headroom(params) : 0);
}

// What a packet takes if it lies in one piece, which may be more than a page.
u32 mlx5e_rx_get_linear_stride_sz(const mlx5e_params* params) {
  const u32 size = static_cast<u32>(roundup_pow_of_two(mlx5e_rx_get_linear_sz_skb(params)));
  return params->xdp_prog != nullptr ? max<u32>(size, PAGE_SIZE) : size;
}

// Refilling many WQEs at once keeps the pool's code in the cache, as long as the pages of one bulk are not a large part
// of the ring. The unit of a refill is what the pool's array holds.
static void mlx5e_rx_compute_wqe_bulk_params(const mlx5e_params* params, mlx5e_rq_frags_info* info) {
  u32 wqe_bytes = 0;
  for (u32 i = 0; i < info->num_frags; i++) wqe_bytes += info->arr[i].frag_stride;
  const u32 quarter_of_ring = (wqe_bytes << params->log_rq_mtu_frames) / 4;
  const u32 max_bulk = params->xdp_prog != nullptr ? MLX5E_RX_MAX_BULK_XDP : MLX5E_RX_MAX_BULK;
  const u32 wqes_of_shared_page = info->wqe_index_mask + 1u;
  const u32 unit = static_cast<u32>(PP_ALLOC_CACHE_REFILL * PAGE_SIZE) / wqe_bytes & ~u32{info->wqe_index_mask};
  info->wqe_bulk = static_cast<u16>(max(wqes_of_shared_page, min(max_bulk, quarter_of_ring) / wqe_bytes));
  info->refill_unit = static_cast<u16>(min<u32>(info->wqe_bulk, unit));
}

static void mlx5e_build_linear_frag_info(const mlx5e_params* params, mlx5e_rq_frags_info* info) {
  const u32 stride = mlx5e_rx_get_linear_stride_sz(params);
  info->arr[0] = {.frag_size = mlx5e_sw2hw_mtu(params->sw_mtu), .frag_stride = stride};
  info->num_frags = 1;
  info->wqe_index_mask = static_cast<u8>(PAGE_SIZE / stride - 1);
}

// Fragments of 2 KiB share pages; where four of them are not enough, and with a program, each has a page. The first one
// also holds headroom and skb_shared_info. Without a program the last one may be larger than the others.
static int mlx5e_build_nonlinear_frags_info(const mlx5e_params* params, mlx5e_rq_frags_info* info) {
  constexpr u32 DEFAULT_FRAG_SIZE = 2048;
  const u32 byte_count = mlx5e_sw2hw_mtu(params->sw_mtu);
  const bool xdp = params->xdp_prog != nullptr;
  const u32 around_first = mlx5e_get_linear_rq_headroom(params) + SKB_SHARED_INFO_SIZE;
  u32 frag_size_max = DEFAULT_FRAG_SIZE;
  const auto max_byte_count = [&] {
    return (MLX5E_MAX_RX_FRAGS - 1) * frag_size_max - around_first + (xdp ? frag_size_max : u32{PAGE_SIZE});
  };
  if (xdp || byte_count > max_byte_count()) frag_size_max = PAGE_SIZE;
  if (byte_count > max_byte_count()) return -EINVAL;

  u32 i = 0;
  for (u32 buf_size = 0; buf_size < byte_count; i++) {
    u32 frag_size = byte_count - buf_size;
    if (i == 0) {
      frag_size = min(frag_size, frag_size_max - around_first);
    } else if (i < MLX5E_MAX_RX_FRAGS - 1) {
      frag_size = min(frag_size, frag_size_max);
    }
    const u32 occupied = i == 0 ? frag_size + around_first : frag_size;
    // XDP wants fragments of one size.
    const u32 stride = xdp ? frag_size_max : static_cast<u32>(roundup_pow_of_two(occupied));
    info->arr[i] = {.frag_size = frag_size, .frag_stride = stride};
    buf_size += frag_size;
  }
  info->num_frags = static_cast<u8>(i);
  // With an odd number of fragments, the last one of a WQE shares its page with the first one of the next.
  info->wqe_index_mask = frag_size_max == PAGE_SIZE ? 0 : info->num_frags % 2;
  return 0;
}

int mlx5e_build_rq_frags_info(const mlx5e_params* params, mlx5e_rq_frags_info* info) {
  int err = 0;
  if (mlx5e_rx_is_linear_skb(params)) {
    mlx5e_build_linear_frag_info(params, info);
  } else {
    err = mlx5e_build_nonlinear_frags_info(params, info);
  }
  if (err != 0) return err;
  info->log_num_frags = static_cast<u8>(ilog2(roundup_pow_of_two(info->num_frags)));
  mlx5e_rx_compute_wqe_bulk_params(params, info);
  return 0;
}

// A packet in one piece takes one stride. Otherwise strides are small; but while a program is attached, no two packets
// share a page.
u8 mlx5e_mpwqe_get_log_stride_size(const mlx5e_params* params) {
  constexpr u8 MLX5_MPWRQ_DEF_LOG_STRIDE_SZ = 8;
  if (mlx5e_rx_is_linear_skb(params)) return static_cast<u8>(ilog2(mlx5e_rx_get_linear_stride_sz(params)));
  return params->xdp_prog != nullptr ? u8{PAGE_SHIFT} : MLX5_MPWRQ_DEF_LOG_STRIDE_SZ;
}

u8 mlx5e_mpwqe_get_log_num_strides(const mlx5e_params* params) {
  return static_cast<u8>(MLX5_MPWRQ_MAX_LOG_WQE_SZ - mlx5e_mpwqe_get_log_stride_size(params));
}

u8 mlx5e_mpwqe_get_log_rq_size(const mlx5e_params* params) {
  constexpr u8 MLX5E_PARAMS_MINIMUM_LOG_RQ_SIZE_MPW = 2;
  const u8 log_pkts_per_wqe =
      static_cast<u8>(MLX5_MPWRQ_MAX_LOG_WQE_SZ - ilog2(mlx5e_rx_get_linear_stride_sz(params)));
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
