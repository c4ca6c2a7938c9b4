// What both kinds of receive queue do with a completion and its page.
#pragma once

#include "driver/kernel/prefetch.h"
#include "driver/mlx5e/en_xdp.h"

// Where the buffer of a program lives: on the stack, or one per queue.
#ifdef MLX5E_XDP_BUFF_PER_RQ
#define MLX5E_DECLARE_MXBUF(mxbuf, rq) mlx5e_xdp_buff& mxbuf = (rq)->mxbuf
#else
#define MLX5E_DECLARE_MXBUF(mxbuf, rq) mlx5e_xdp_buff mxbuf
#endif

// Bytes of the buffer that DMA may have written, with the headroom, in whole cache lines.
constexpr u32 MLX5_SKB_FRAG_SZ(u32 len) { return static_cast<u32>(ALIGN(len, L1_CACHE_BYTES)) + SKB_SHARED_INFO_SIZE; }

__always_inline bool MLX5E_RX_ERR_CQE(const mlx5_cqe64* cqe) {
  return get_cqe_opcode(cqe) != ringside::connectx::kCqeRespSend;
}

inline int mlx5e_page_alloc_fragmented(struct page_pool* pool, mlx5e_frag_page* frag_page) {
  struct page* page = page_pool_dev_alloc_pages(pool);
  if (unlikely(page == nullptr)) return -ENOMEM;
  page_pool_fragment_page(page, MLX5E_PAGECNT_BIAS_MAX);
  *frag_page = {.page = page, .frags = 0};
  return 0;
}

inline void mlx5e_page_release_fragmented(struct page_pool* pool, mlx5e_frag_page* frag_page) {
  const u16 drain_count = static_cast<u16>(MLX5E_PAGECNT_BIAS_MAX - frag_page->frags);
  struct page* page = frag_page->page;
  if (page_pool_unref_page(page, drain_count) == 0) page_pool_put_unrefed_page(pool, page, ~0u, true);
}

__always_inline void mlx5e_fill_mxbuf(mlx5e_rq* rq, mlx5_cqe64* cqe, u8* va, u32 headroom, u32 frame_sz, u32 len,
                                      mlx5e_xdp_buff* mxbuf) {
  xdp_init_buff(&mxbuf->xdp, frame_sz, &rq->xdp_rxq);
  xdp_prepare_buff(&mxbuf->xdp, va, headroom, len);
  mxbuf->cqe = cqe;
  mxbuf->rq = rq;
}

// What a program has left of a packet in its buffer.
struct mlx5e_linear_packet {
  u32 headroom;
  u32 len;
  u32 metasize;
};
__always_inline mlx5e_linear_packet mlx5e_linear_packet_of(const xdp_buff* xdp) {
  const u8* data = static_cast<const u8*>(xdp->data);
  return {.headroom = static_cast<u32>(data - static_cast<const u8*>(xdp->data_hard_start)),
          .len = static_cast<u32>(static_cast<const u8*>(xdp->data_end) - data),
          .metasize = static_cast<u32>(data - static_cast<const u8*>(xdp->data_meta))};
}

// A packet for the stack in the page that it was received in. Null if there is no memory.
__always_inline sk_buff* mlx5e_build_linear_skb(mlx5e_rq* rq, void* va, u32 frag_size, mlx5e_linear_packet packet) {
  sk_buff* skb = napi_build_skb(va, frag_size);
  if (unlikely(skb == nullptr)) {
    rq->stats->buff_alloc_err++;
    return nullptr;
  }
  skb_reserve(skb, packet.headroom);
  skb_put(skb, packet.len);
  if (packet.metasize != 0) skb_shinfo(skb)->meta_len = static_cast<u8>(packet.metasize);
  return skb;
}

// Counts a packet for the stack and gives it what the completion says about it. en_rx_skb.cc
void mlx5e_complete_rx_cqe(mlx5e_rq* rq, mlx5_cqe64* cqe, u32 cqe_bcnt, sk_buff* skb);

// Counts an error completion. The first genuine one of a queue stops it and has it restarted.
void mlx5e_handle_rx_err_cqe(mlx5e_rq* rq, mlx5_cqe64* cqe);
