// Receive data path of a striding RQ: multi-packet WQEs whose pages UMR WQEs map, one packet per stride.
#include "driver/mlx5e/en_rx.h"
#include "driver/mlx5e/en_txrx.h"
#include "driver/net/gro.h"

namespace cx = ringside::connectx;

constexpr u64 ALL_PAGES = ~u64{0};
static_assert(MLX5_MPWRQ_PAGES_PER_WQE == 64, "one bit of skip_release_bitmap per page");

static __always_inline u16 mpwrq_get_cqe_consumed_strides(const mlx5_cqe64* cqe) {
  return (cqe->byte_cnt >> cx::kMpwrqStridesShift) & cx::kMpwrqStridesMask;
}
static __always_inline u16 mpwrq_get_cqe_byte_cnt(const mlx5_cqe64* cqe) {
  return static_cast<u16>(cqe->byte_cnt & cx::kMpwrqLengthMask);
}
static __always_inline bool mpwrq_is_filler_cqe(const mlx5_cqe64* cqe) {
  return (cqe->byte_cnt & cx::kMpwrqFiller) != 0;
}

static __always_inline mlx5e_mpw_info* mlx5e_get_mpw_info(mlx5e_rq* rq, u16 ix) { return &rq->mpwqe.info[ix]; }

static void mlx5e_free_rx_mpwqe(mlx5e_rq* rq, mlx5e_mpw_info* wi) {
  if (wi->skip_release_bitmap == ALL_PAGES) return;
  const bool no_xdp_xmit = wi->skip_release_bitmap == 0;
  for (u32 i = 0; i < rq->mpwqe.pages_per_wqe; i++) {
    if (no_xdp_xmit || ((wi->skip_release_bitmap >> i) & 1) == 0) {
      mlx5e_page_release_fragmented(rq->page_pool, &wi->alloc_units.frag_pages[i]);
    }
  }
}

// The next place in the queue for `size` basic blocks, which must not cross a page: NOPs fill up what is too small.
static __always_inline u16 mlx5e_icosq_get_next_pi(mlx5e_icosq* sq, u16 size) {
  mlx5_wq_cyc* wq = &sq->wq;
  u16 pi = mlx5_wq_cyc_ctr2ix(wq, sq->pc);
  const u16 contig_wqebbs = mlx5_wq_cyc_get_contig_wqebbs(wq, pi);
  if (unlikely(contig_wqebbs < size)) {
    mlx5e_icosq_wqe_info* wi = &sq->db.wqe_info[pi];
    const mlx5e_icosq_wqe_info* edge_wi = wi + contig_wqebbs;
    for (; wi < edge_wi; wi++) {
      *wi = {.wqe_type = MLX5E_ICOSQ_WQE_NOP, .num_wqebbs = 1, .umr = {}};
      mlx5e_post_nop(wq, sq->sqn, &sq->pc);
    }
    pi = mlx5_wq_cyc_ctr2ix(wq, sq->pc);
  }
  return pi;
}

static noinline int mlx5e_alloc_rx_mpwqe(mlx5e_rq* rq, u16 ix) {
  mlx5e_mpw_info* wi = mlx5e_get_mpw_info(rq, ix);
  mlx5e_icosq* sq = rq->icosq;
  const u16 pi = mlx5e_icosq_get_next_pi(sq, rq->mpwqe.umr_wqebbs);
  mlx5e_umr_wqe* umr_wqe = static_cast<mlx5e_umr_wqe*>(mlx5_wq_cyc_get_wqe(&sq->wq, pi));
  __builtin_memcpy(&umr_wqe->hdr, &rq->mpwqe.umr_wqe, sizeof(umr_wqe->hdr));

  mlx5e_frag_page* frag_page = &wi->alloc_units.frag_pages[0];
  int i;
  for (i = 0; i < rq->mpwqe.pages_per_wqe; i++, frag_page++) {
    if (unlikely(mlx5e_page_alloc_fragmented(rq->page_pool, frag_page) != 0)) goto err_unmap;
    umr_wqe->inline_mtts[i].ptag = page_pool_get_dma_addr(frag_page->page) | cx::kMttWriteEnable;
  }
  wi->skip_release_bitmap = 0;
  wi->consumed_strides = 0;

  umr_wqe->hdr.ctrl.opmod_idx_opcode = u32{sq->pc} << 8 | cx::kWqeUmr;
  umr_wqe->hdr.uctrl.xlt_offset = static_cast<u16>(ix * rq->mpwqe.mtts_per_wqe * sizeof(mlx5_mtt) / cx::kSendWqeDs);
  sq->db.wqe_info[pi] = {.wqe_type = MLX5E_ICOSQ_WQE_UMR_RX, .num_wqebbs = rq->mpwqe.umr_wqebbs, .umr = {.rq = rq}};
  sq->pc = static_cast<u16>(sq->pc + rq->mpwqe.umr_wqebbs);
  sq->doorbell_cseg = &umr_wqe->hdr.ctrl;
  return 0;

err_unmap:
  while (--i >= 0) mlx5e_page_release_fragmented(rq->page_pool, --frag_page);
  // The pages are gone already when this WQE is refilled.
  wi->skip_release_bitmap = ALL_PAGES;
  rq->stats->buff_alloc_err++;
  return -ENOMEM;
}

static void mlx5e_post_rx_mpwqe(mlx5e_rq* rq, u8 n) {
  mlx5_wq_ll* wq = &rq->mpwqe.wq;
  do {
    mlx5_wq_ll_push(wq, mlx5_wq_ll_get_wqe_next_ix(wq, wq->head));
  } while (--n);
  // The WQEs must be visible before the record that hands them over.
  dma_wmb();
  mlx5_wq_ll_update_db_record(wq);
}

// WQEs whose UMR has completed are posted; WQEs that are missing get pages and a UMR, and are posted by a later poll.
bool mlx5e_post_rx_mpwqes(mlx5e_rq* rq) {
  mlx5_wq_ll* wq = &rq->mpwqe.wq;
  const u8 umr_completed = rq->mpwqe.umr_completed;
  mlx5e_icosq* sq = rq->icosq;
  int alloc_err = 0;

  if (unlikely(!test_bit(MLX5E_RQ_STATE_ENABLED, &rq->state))) return false;
  if (umr_completed != 0) {
    mlx5e_post_rx_mpwqe(rq, umr_completed);
    rq->mpwqe.umr_in_progress = static_cast<u8>(rq->mpwqe.umr_in_progress - umr_completed);
    rq->mpwqe.umr_completed = 0;
  }
  const u8 missing = static_cast<u8>(mlx5_wq_ll_missing(wq) - rq->mpwqe.umr_in_progress);
  if (unlikely(rq->mpwqe.umr_in_progress > rq->mpwqe.umr_last_bulk)) rq->stats->congst_umr++;
  if (likely(missing < rq->mpwqe.min_wqe_bulk)) return false;

  u16 head = rq->mpwqe.actual_wq_head;
  u8 i = missing;
  do {
    // Freed only now, so that the pages that come back are the ones that go out.
    mlx5e_free_rx_mpwqe(rq, mlx5e_get_mpw_info(rq, head));
    alloc_err = mlx5e_alloc_rx_mpwqe(rq, head);
    if (unlikely(alloc_err != 0)) break;
    head = mlx5_wq_ll_get_wqe_next_ix(wq, head);
  } while (--i);
  rq->mpwqe.umr_last_bulk = static_cast<u8>(missing - i);
  if (sq->doorbell_cseg != nullptr) {
    mlx5e_notify_hw(&sq->wq, sq->pc, sq->uar_map, sq->doorbell_cseg);
    sq->doorbell_cseg = nullptr;
  }
  rq->mpwqe.umr_in_progress = static_cast<u8>(rq->mpwqe.umr_in_progress + rq->mpwqe.umr_last_bulk);
  rq->mpwqe.actual_wq_head = head;
  // An empty queue raises no more events: it is polled until there is memory again.
  return unlikely(alloc_err == -ENOMEM);
}

// Null if XDP has consumed the packet, if it is too long, or if there is no memory.
noinline sk_buff* mlx5e_skb_from_cqe_mpwrq_linear(mlx5e_rq* rq, mlx5e_mpw_info* wi, mlx5_cqe64* cqe, u16 cqe_bcnt,
                                                  u32 head_offset, u32 page_idx) {
  mlx5e_frag_page* frag_page = &wi->alloc_units.frag_pages[page_idx];
  mlx5e_linear_packet packet = {.headroom = rq->buff.headroom, .len = cqe_bcnt, .metasize = 0};

  if (unlikely(cqe_bcnt > rq->hw_mtu)) {
    rq->stats->oversize_pkts_sw_drop++;
    return nullptr;
  }
  u8* va = page_address(frag_page->page) + head_offset;
  u8* data = va + packet.headroom;
  u32 frag_size = MLX5_SKB_FRAG_SZ(packet.headroom + cqe_bcnt);

  const dma_addr_t addr = page_pool_get_dma_addr(frag_page->page);
  dma_sync_single_range_for_cpu(rq->pdev, addr, head_offset, frag_size, rq->buff.map_dir);
  net_prefetch(data);

  const bpf_prog* prog = READ_ONCE(rq->xdp_prog);
  if (prog != nullptr) {
    MLX5E_DECLARE_MXBUF(mxbuf, rq);

    net_prefetchw(va);  // where an xdp_frame would be
    mlx5e_fill_mxbuf(rq, cqe, va, packet.headroom, rq->buff.frame0_sz, cqe_bcnt, &mxbuf);
    if (mlx5e_xdp_handle(rq, prog, &mxbuf)) {
      // Consumed by XDP. Transmission holds on to the page until it completes.
      if (__test_and_clear_bit(MLX5E_RQ_FLAG_XDP_XMIT, &rq->flags)) frag_page->frags++;
      return nullptr;
    }
    packet = mlx5e_linear_packet_of(&mxbuf.xdp);
    frag_size = MLX5_SKB_FRAG_SZ(packet.headroom + packet.len);
  }
  sk_buff* skb = mlx5e_build_linear_skb(rq, va, frag_size, packet);
  if (unlikely(skb == nullptr)) return nullptr;
  // The stack recycles the page when it is done.
  skb_mark_for_recycle(skb);
  frag_page->frags++;
  return skb;
}

noinline void mlx5e_handle_rx_cqe_mpwrq(mlx5e_rq* rq, mlx5_cqe64* cqe) {
  const u16 cstrides = mpwrq_get_cqe_consumed_strides(cqe);
  const u16 wqe_id = cqe->wqe_id;
  mlx5e_mpw_info* wi = mlx5e_get_mpw_info(rq, wqe_id);
  const u32 wqe_offset = u32{cqe->wqe_counter} << rq->mpwqe.log_stride_sz;
  const u32 head_offset = wqe_offset & ((1u << rq->mpwqe.page_shift) - 1);
  const u32 page_idx = wqe_offset >> rq->mpwqe.page_shift;

  wi->consumed_strides = static_cast<u16>(wi->consumed_strides + cstrides);
  if (unlikely(MLX5E_RX_ERR_CQE(cqe))) {
    mlx5e_handle_rx_err_cqe(rq, cqe);
  } else if (unlikely(mpwrq_is_filler_cqe(cqe))) {
    mlx5e_rq_stats* stats = rq->stats;
    stats->mpwqe_filler_cqes++;
    stats->mpwqe_filler_strides += cstrides;
  } else {
    const u16 cqe_bcnt = mpwrq_get_cqe_byte_cnt(cqe);
    sk_buff* skb = INDIRECT_CALL_1(rq->mpwqe.skb_from_cqe_mpwrq, mlx5e_skb_from_cqe_mpwrq_linear, rq, wi, cqe, cqe_bcnt,
                                   head_offset, page_idx);
    if (skb != nullptr) {
      mlx5e_complete_rx_cqe(rq, cqe, cqe_bcnt, skb);
      napi_gro_receive(rq->cq.napi, skb);
    }
  }
  if (likely(wi->consumed_strides < rq->mpwqe.num_strides)) return;

  mlx5_wq_ll* wq = &rq->mpwqe.wq;
  mlx5_wq_ll_pop(wq, cqe->wqe_id, &mlx5_wq_ll_get_wqe(wq, wqe_id)->next.next_wqe_index);
}

static void mlx5e_dealloc_rx_mpwqe(mlx5e_rq* rq, u16 ix) {
  mlx5e_mpw_info* wi = mlx5e_get_mpw_info(rq, ix);
  mlx5e_free_rx_mpwqe(rq, wi);
  wi->skip_release_bitmap = ALL_PAGES;
}

void mlx5e_free_rx_mpwqe_descs(mlx5e_rq* rq) {
  mlx5_wq_ll* wq = &rq->mpwqe.wq;
  // Consumed WQEs keep their pages until they are refilled, and WQEs with a UMR have them already; the list's free
  // entry may be either.
  for (u32 ix = 0; ix < mlx5_wq_ll_get_size(wq); ix++) mlx5e_dealloc_rx_mpwqe(rq, static_cast<u16>(ix));
  mlx5_wq_ll_reset(wq);
  rq->mpwqe.actual_wq_head = 0;
  rq->mpwqe.umr_in_progress = 0;
  rq->mpwqe.umr_completed = 0;
}
