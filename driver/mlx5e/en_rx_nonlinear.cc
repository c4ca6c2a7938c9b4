// Receive data path of packets that lie in several buffers, for both kinds of receive queue.
#include "driver/mlx5e/en_bugs.h"
#include "driver/mlx5e/en_rx.h"

static __always_inline void mlx5e_add_skb_shared_info_frag(mlx5e_rq* rq, skb_shared_info* sinfo, xdp_buff* xdp,
                                                           const mlx5e_frag_page* frag_page, u32 frag_offset, u32 len) {
  const dma_addr_t addr = page_pool_get_dma_addr(frag_page->page);
  dma_sync_single_range_for_cpu(rq->pdev, addr, frag_offset, len, rq->buff.map_dir);
  if (!xdp_buff_has_frags(xdp)) {
    // Only now: a packet in one piece leaves this cache line alone.
    sinfo->nr_frags = 0;
    sinfo->xdp_frags_size = 0;
    xdp_buff_set_frags_flag(xdp);
  }
  skb_frag_fill_page_desc(&sinfo->frags[sinfo->nr_frags++], frag_page->page, frag_offset, len);
  sinfo->xdp_frags_size += len;
}

static __always_inline u32 mlx5e_xdp_nr_frags(const xdp_buff* xdp) {
  return xdp_buff_has_frags(xdp) ? xdp_get_shared_info_from_buff(xdp)->nr_frags : 0;
}

// A packet for the stack around `packet` in XDP's first buffer, with its first `nr_frags` fragments.
static sk_buff* mlx5e_build_nonlinear_skb(mlx5e_rq* rq, const xdp_buff* xdp, mlx5e_linear_packet packet, u32 nr_frags,
                                          u32 truesize) {
  skb_shared_info* sinfo = xdp_get_shared_info_from_buff(xdp);
  sk_buff* skb = mlx5e_build_linear_skb(rq, xdp->data_hard_start, xdp->frame_sz, packet);
  if (unlikely(skb == nullptr)) return nullptr;
  skb_mark_for_recycle(skb);
  if (nr_frags != 0) xdp_update_skb_shared_info(skb, nr_frags, sinfo->xdp_frags_size, truesize);
  return skb;
}

// Someone else will drop a reference to the page of each of these fragments, or has done so.
static void mlx5e_count_frags(const mlx5e_wqe_frag_info* wi, const mlx5e_wqe_frag_info* end) {
  for (; wi < end; wi++) wi->frag_page->frags++;
}
static void mlx5e_count_frags(mlx5e_frag_page* frag_page, const mlx5e_frag_page* end) {
  for (; frag_page < end; frag_page++) frag_page->frags++;
}

// Null if XDP has consumed the packet, or if there is no memory.
noinline sk_buff* mlx5e_skb_from_cqe_nonlinear(mlx5e_rq* rq, mlx5e_wqe_frag_info* wi, mlx5_cqe64* cqe, u32 cqe_bcnt) {
  const mlx5e_rq_frag_info* frag_info = &rq->wqe.info.arr[0];
  mlx5e_wqe_frag_info* head_wi = wi;
  const u32 rx_headroom = rq->buff.headroom;
  MLX5E_DECLARE_MXBUF(mxbuf, rq);

  u8* va = page_address(wi->frag_page->page) + wi->offset;
  u32 frag_consumed_bytes = min(frag_info->frag_size, cqe_bcnt);
  const dma_addr_t addr = page_pool_get_dma_addr(wi->frag_page->page);
  dma_sync_single_range_for_cpu(rq->pdev, addr, wi->offset, rq->buff.frame0_sz, rq->buff.map_dir);
  net_prefetchw(va);  // where an xdp_frame would be
  net_prefetch(va + rx_headroom);

  mlx5e_fill_mxbuf(rq, cqe, va, rx_headroom, rq->buff.frame0_sz, frag_consumed_bytes, &mxbuf);
  skb_shared_info* sinfo = xdp_get_shared_info_from_buff(&mxbuf.xdp);
  u32 truesize = 0;
  for (;;) {
    cqe_bcnt -= frag_consumed_bytes;
    frag_info++;
    wi++;
    if (cqe_bcnt == 0) break;
    frag_consumed_bytes = min(frag_info->frag_size, cqe_bcnt);
    mlx5e_add_skb_shared_info_frag(rq, sinfo, &mxbuf.xdp, wi->frag_page, wi->offset, frag_consumed_bytes);
    truesize += frag_info->frag_stride;
  }

  u32 nr_frags = static_cast<u32>(wi - head_wi) - 1;
  const bpf_prog* prog = READ_ONCE(rq->xdp_prog);
  if (prog != nullptr) {
    const bool consumed = mlx5e_xdp_handle(rq, prog, &mxbuf);
    if (consumed && __test_and_clear_bit(MLX5E_RQ_FLAG_XDP_XMIT, &rq->flags)) {
      // Transmission drops a reference of each buffer, as the program has for those that are not sent.
      mlx5e_count_frags(mlx5e_fixed(MLX5E_BUG_XMIT_FIRST_FRAG) ? head_wi : head_wi + 1, wi);
      return nullptr;
    }
    if (mlx5e_fixed(MLX5E_BUG_STALE_LAYOUT_LEGACY)) {
      const u32 nr_frags_free = nr_frags - mlx5e_xdp_nr_frags(&mxbuf.xdp);
      if (mlx5e_fixed(MLX5E_BUG_UNCOUNTED_FRAGS)) mlx5e_count_frags(wi - nr_frags_free, wi);
      wi -= nr_frags_free;
      nr_frags -= nr_frags_free;
      truesize -= nr_frags_free * rq->buff.frame0_sz;
    }
    if (consumed) return nullptr;
  }

  const mlx5e_linear_packet packet = mlx5e_linear_packet_of(&mxbuf.xdp);
  sk_buff* skb = mlx5e_build_nonlinear_skb(rq, &mxbuf.xdp, packet, nr_frags, truesize);
  if (likely(skb != nullptr)) mlx5e_count_frags(head_wi, wi);
  return skb;
}

// Where a packet's linear part is, which is not in the pages that the device wrote.
struct mlx5e_linear_part {
  u8* va;
  u32 headroom;
  u32 len;
  u32 frame_sz;
};

// An empty one in a page of its own, which a program may use. -ENOMEM if there is no page.
static __always_inline int mlx5e_get_linear_page(mlx5e_rq* rq, mlx5e_linear_part* linear) {
  constexpr u32 headroom = XDP_PACKET_HEADROOM;
  if (unlikely(mlx5e_page_alloc_fragmented(rq->page_pool, &rq->linear_page) != 0)) return -ENOMEM;
  u8* va = page_address(rq->linear_page.page);
  net_prefetchw(va);  // where an xdp_frame would be
  *linear = {.va = va, .headroom = headroom, .len = 0, .frame_sz = MLX5_SKB_FRAG_SZ(headroom + MLX5E_RX_MAX_HEAD)};
  return 0;
}

// That of a new packet, for a copy of the first `headlen` bytes. Null if there is no memory.
static __always_inline sk_buff* mlx5e_get_linear_skb(mlx5e_rq* rq, u32 headlen, mlx5e_linear_part* linear) {
  sk_buff* skb = napi_alloc_skb(rq->cq.napi, static_cast<u32>(ALIGN(MLX5E_RX_MAX_HEAD, sizeof(long))));
  if (unlikely(skb == nullptr)) return nullptr;
  skb_mark_for_recycle(skb);
  net_prefetchw(skb->head);
  net_prefetchw(skb->data);
  *linear = {.va = skb->head, .headroom = skb_headroom(skb), .len = headlen, .frame_sz = MLX5_SKB_FRAG_SZ(skb->end)};
  return skb;
}

static void mlx5e_copy_skb_header(mlx5e_rq* rq, sk_buff* skb, const mlx5e_frag_page* frag_page, u32 offset,
                                  u32 headlen) {
  const u32 len = static_cast<u32>(ALIGN(headlen, sizeof(long)));
  const dma_addr_t addr = page_pool_get_dma_addr(frag_page->page);
  dma_sync_single_range_for_cpu(rq->pdev, addr, offset, len, rq->buff.map_dir);
  __builtin_memcpy(skb->data, page_address(frag_page->page) + offset, len);
  skb->tail += headlen;
  skb->len += headlen;
}

// Runs the program on a packet whose fragments are the pages from `head_page` to before `end`. Null if it consumed the
// packet.
static sk_buff* mlx5e_mpwrq_nonlinear_xdp(mlx5e_rq* rq, const bpf_prog* prog, mlx5e_xdp_buff* mxbuf,
                                          mlx5e_frag_page* head_page, mlx5e_frag_page* end, u32 truesize) {
  xdp_buff* xdp = &mxbuf->xdp;
  const bool consumed = mlx5e_xdp_handle(rq, prog, mxbuf);
  if (consumed && __test_and_clear_bit(MLX5E_RQ_FLAG_XDP_XMIT, &rq->flags)) {
    mlx5e_count_frags(head_page, end);
    mlx5e_count_frags(&rq->linear_page, &rq->linear_page + 1);
    mlx5e_page_release_fragmented(rq->page_pool, &rq->linear_page);
    return nullptr;
  }
  mlx5e_linear_packet packet = {.headroom = XDP_PACKET_HEADROOM, .len = 0, .metasize = 0};
  if (mlx5e_fixed(MLX5E_BUG_STALE_LAYOUT_STRIDING)) {
    const u32 nr_frags_free = static_cast<u32>(end - head_page) - mlx5e_xdp_nr_frags(xdp);
    if (mlx5e_fixed(MLX5E_BUG_UNCOUNTED_FRAGS)) mlx5e_count_frags(end - nr_frags_free, end);
    end -= nr_frags_free;
    truesize -= nr_frags_free * static_cast<u32>(PAGE_SIZE);
    packet = mlx5e_linear_packet_of(xdp);
  }
  sk_buff* skb = nullptr;
  if (!consumed) skb = mlx5e_build_nonlinear_skb(rq, xdp, packet, static_cast<u32>(end - head_page), truesize);
  if (likely(skb != nullptr)) {
    mlx5e_count_frags(head_page, end);
    mlx5e_count_frags(&rq->linear_page, &rq->linear_page + 1);
    // The stack wants headers in the linear part, but no more than the packet has and the part can take.
    if (skb->data_len != 0) __pskb_pull_tail(skb, min(MLX5E_RX_MAX_HEAD - packet.len, skb->data_len));
  }
  mlx5e_page_release_fragmented(rq->page_pool, &rq->linear_page);
  return skb;
}

static noinline sk_buff* mlx5e_lost_for_memory(mlx5e_rq* rq) {
  rq->stats->buff_alloc_err++;
  return nullptr;
}

// Null if XDP has consumed the packet, if it is too long, or if there is no memory.
noinline sk_buff* mlx5e_skb_from_cqe_mpwrq_nonlinear(mlx5e_rq* rq, mlx5e_mpw_info* wi, mlx5_cqe64* cqe, u16 cqe_bcnt,
                                                     u32 head_offset, u32 page_idx) {
  mlx5e_frag_page* head_page = &wi->alloc_units.frag_pages[page_idx];
  mlx5e_frag_page* frag_page = head_page;
  const u32 headlen = min<u32>(MLX5E_RX_MAX_HEAD, cqe_bcnt);
  u32 frag_offset = head_offset;
  u32 byte_cnt = cqe_bcnt;
  MLX5E_DECLARE_MXBUF(mxbuf, rq);
  mlx5e_linear_part linear;
  sk_buff* skb = nullptr;

  if (unlikely(cqe_bcnt > rq->hw_mtu)) {
    rq->stats->oversize_pkts_sw_drop++;
    return nullptr;
  }
  const bpf_prog* prog = READ_ONCE(rq->xdp_prog);
  if (prog != nullptr) {
    net_prefetchw(page_address(frag_page->page) + frag_offset);
    if (unlikely(mlx5e_get_linear_page(rq, &linear) != 0)) return mlx5e_lost_for_memory(rq);
  } else {
    skb = mlx5e_get_linear_skb(rq, headlen, &linear);
    if (unlikely(skb == nullptr)) return mlx5e_lost_for_memory(rq);
    frag_offset += headlen;
    byte_cnt -= headlen;
    if (unlikely(frag_offset >= PAGE_SIZE)) {
      frag_page++;
      frag_offset -= static_cast<u32>(PAGE_SIZE);
    }
  }

  mlx5e_fill_mxbuf(rq, cqe, linear.va, linear.headroom, linear.frame_sz, linear.len, &mxbuf);
  skb_shared_info* sinfo = xdp_get_shared_info_from_buff(&mxbuf.xdp);
  mlx5e_frag_page* first_frag = frag_page;
  u32 truesize = 0;
  for (; byte_cnt != 0; frag_page++) {
    const u32 pg_consumed_bytes = min(static_cast<u32>(PAGE_SIZE) - frag_offset, byte_cnt);
    truesize += static_cast<u32>(ALIGN(pg_consumed_bytes, u64{1} << rq->mpwqe.log_stride_sz));
    mlx5e_add_skb_shared_info_frag(rq, sinfo, &mxbuf.xdp, frag_page, frag_offset, pg_consumed_bytes);
    byte_cnt -= pg_consumed_bytes;
    frag_offset = 0;
  }
  if (prog != nullptr) return mlx5e_mpwrq_nonlinear_xdp(rq, prog, &mxbuf, first_frag, frag_page, truesize);
  if (xdp_buff_has_frags(&mxbuf.xdp)) {
    xdp_update_skb_shared_info(skb, sinfo->nr_frags, sinfo->xdp_frags_size, truesize);
    mlx5e_count_frags(first_frag, frag_page);
  }
  mlx5e_copy_skb_header(rq, skb, head_page, head_offset, headlen);
  return skb;
}
