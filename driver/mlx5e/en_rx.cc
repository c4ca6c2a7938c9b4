// Polling of receive completions, and the data path of a cyclic RQ whose packets each lie in one buffer.
#include "driver/mlx5e/en_rx.h"

#include "driver/net/gro.h"

namespace cx = ringside::connectx;

static __always_inline mlx5e_wqe_frag_info* get_frag(mlx5e_rq* rq, u16 ix) {
  return &rq->wqe.frags[ix << rq->wqe.info.log_num_frags];
}

// The first user of a page allocates it; the others find it in the frag_page they share.
static __always_inline int mlx5e_get_rx_frag(mlx5e_rq* rq, mlx5e_wqe_frag_info* frag) {
  return frag->offset == 0 ? mlx5e_page_alloc_fragmented(rq->page_pool, frag->frag_page) : 0;
}

static __always_inline bool mlx5e_frag_can_release(const mlx5e_wqe_frag_info* frag) {
  constexpr u32 mask = BIT(MLX5E_WQE_FRAG_LAST_IN_PAGE) | BIT(MLX5E_WQE_FRAG_SKIP_RELEASE);
  return (frag->flags & mask) == BIT(MLX5E_WQE_FRAG_LAST_IN_PAGE);
}

static __always_inline void mlx5e_put_rx_frag(mlx5e_rq* rq, mlx5e_wqe_frag_info* frag) {
  if (mlx5e_frag_can_release(frag)) mlx5e_page_release_fragmented(rq->page_pool, frag->frag_page);
}

static int mlx5e_alloc_rx_wqe(mlx5e_rq* rq, mlx5e_rx_wqe_cyc* wqe, u16 ix) {
  mlx5e_wqe_frag_info* frag = get_frag(rq, ix);
  int i;
  for (i = 0; i < rq->wqe.info.num_frags; i++, frag++) {
    if (unlikely(mlx5e_get_rx_frag(rq, frag) != 0)) goto free_frags;
    frag->flags &= static_cast<u8>(~BIT(MLX5E_WQE_FRAG_SKIP_RELEASE));
    const u32 headroom = i == 0 ? rq->buff.headroom : 0;
    wqe->data[i].addr = page_pool_get_dma_addr(frag->frag_page->page) + frag->offset + headroom;
  }
  return 0;

free_frags:
  while (--i >= 0) mlx5e_put_rx_frag(rq, --frag);
  return -ENOMEM;
}

static void mlx5e_free_rx_wqe(mlx5e_rq* rq, mlx5e_wqe_frag_info* wi) {
  for (int i = 0; i < rq->wqe.info.num_frags; i++, wi++) mlx5e_put_rx_frag(rq, wi);
}

// Releases what the WQEs' previous packets leave behind.
static void mlx5e_free_rx_wqes(mlx5e_rq* rq, u16 ix, int wqe_bulk) {
  const mlx5_wq_cyc* wq = &rq->wqe.wq;
  for (int i = 0; i < wqe_bulk; i++) {
    const u16 j = mlx5_wq_cyc_ctr2ix(wq, static_cast<u16>(ix + i));
    mlx5e_free_rx_wqe(rq, get_frag(rq, j));
  }
}

// Returns how many WQEs got buffers.
static int mlx5e_alloc_rx_wqes(mlx5e_rq* rq, u16 ix, int wqe_bulk) {
  const mlx5_wq_cyc* wq = &rq->wqe.wq;
  int i;
  for (i = 0; i < wqe_bulk; i++) {
    const u16 j = mlx5_wq_cyc_ctr2ix(wq, static_cast<u16>(ix + i));
    mlx5e_rx_wqe_cyc* wqe = static_cast<mlx5e_rx_wqe_cyc*>(mlx5_wq_cyc_get_wqe(wq, j));
    if (unlikely(mlx5e_alloc_rx_wqe(rq, wqe, j) != 0)) break;
  }
  return i;
}

static void mlx5e_set_skip_release(mlx5e_rq* rq, u16 ix) {
  mlx5e_wqe_frag_info* frag = get_frag(rq, ix);
  for (int i = 0; i < rq->wqe.info.num_frags; i++, frag++) frag->flags |= BIT(MLX5E_WQE_FRAG_SKIP_RELEASE);
}

// Releases and allocates in units that the pool's array holds, so that pages go round there. All or nothing: a refill
// that fails gives everything back, and marks it so that the next one does not release it again.
static int mlx5e_refill_rx_wqes(mlx5e_rq* rq, u16 ix, int wqe_bulk) {
  int remaining = wqe_bulk;
  int total_alloc = 0;
  do {
    const int refill = min<int>(rq->wqe.info.refill_unit, remaining);
    mlx5e_free_rx_wqes(rq, static_cast<u16>(ix + total_alloc), refill);
    const int refill_alloc = mlx5e_alloc_rx_wqes(rq, static_cast<u16>(ix + total_alloc), refill);
    if (unlikely(refill_alloc != refill)) {
      mlx5e_free_rx_wqes(rq, ix, total_alloc + refill_alloc);
      for (int i = 0; i < total_alloc + refill; i++) {
        mlx5e_set_skip_release(rq, mlx5_wq_cyc_ctr2ix(&rq->wqe.wq, static_cast<u16>(ix + i)));
      }
      return 0;
    }
    total_alloc += refill_alloc;
    remaining -= refill;
  } while (remaining > 0);
  return total_alloc;
}

static void mlx5e_dealloc_rx_wqe(mlx5e_rq* rq, u16 ix) {
  mlx5e_free_rx_wqe(rq, get_frag(rq, ix));
  mlx5e_set_skip_release(rq, ix);
}

// Null if XDP has consumed the packet, or if there is no memory.
static noinline sk_buff* mlx5e_skb_from_cqe_linear(mlx5e_rq* rq, mlx5e_wqe_frag_info* wi, mlx5_cqe64* cqe,
                                                   u32 cqe_bcnt) {
  struct page* page = wi->frag_page->page;
  mlx5e_linear_packet packet = {.headroom = rq->buff.headroom, .len = cqe_bcnt, .metasize = 0};
  u8* va = page_address(page) + wi->offset;
  u8* data = va + packet.headroom;
  u32 frag_size = MLX5_SKB_FRAG_SZ(packet.headroom + cqe_bcnt);

  const dma_addr_t addr = page_pool_get_dma_addr(page);
  dma_sync_single_range_for_cpu(rq->pdev, addr, wi->offset, frag_size, rq->buff.map_dir);
  net_prefetch(data);

  const bpf_prog* prog = READ_ONCE(rq->xdp_prog);
  if (prog != nullptr) {
    MLX5E_DECLARE_MXBUF(mxbuf, rq);

    net_prefetchw(va);  // where an xdp_frame would be
    mlx5e_fill_mxbuf(rq, cqe, va, packet.headroom, rq->buff.frame0_sz, cqe_bcnt, &mxbuf);
    if (mlx5e_xdp_handle(rq, prog, &mxbuf)) return nullptr;
    packet = mlx5e_linear_packet_of(&mxbuf.xdp);
    frag_size = MLX5_SKB_FRAG_SZ(packet.headroom + packet.len);
  }
  sk_buff* skb = mlx5e_build_linear_skb(rq, va, frag_size, packet);
  if (unlikely(skb == nullptr)) return nullptr;
  // The stack recycles the page when it is done.
  skb_mark_for_recycle(skb);
  wi->frag_page->frags++;
  return skb;
}

// The first genuine error of a queue stops it and has it restarted; the flushed WQEs that follow are only counted.
static noinline void trigger_report(mlx5e_rq* rq, mlx5_cqe64* cqe) {
  const mlx5_err_cqe* err_cqe = reinterpret_cast<mlx5_err_cqe*>(cqe);
  if (get_cqe_opcode(cqe) != cx::kCqeRespErr || err_cqe->syndrome == cx::kSyndromeWrFlush) return;
  if (test_and_set_bit(MLX5E_RQ_STATE_RECOVERING, &rq->state)) return;
  schedule_work(&rq->recover_work);
}

void mlx5e_handle_rx_err_cqe(mlx5e_rq* rq, mlx5_cqe64* cqe) {
  trigger_report(rq, cqe);
  rq->stats->wqe_err++;
}

static noinline void mlx5e_handle_rx_cqe(mlx5e_rq* rq, mlx5_cqe64* cqe) {
  mlx5_wq_cyc* wq = &rq->wqe.wq;
  const u16 ci = mlx5_wq_cyc_ctr2ix(wq, cqe->wqe_counter);
  mlx5e_wqe_frag_info* wi = get_frag(rq, ci);
  const u32 cqe_bcnt = cqe->byte_cnt;

  if (unlikely(MLX5E_RX_ERR_CQE(cqe))) {
    mlx5e_handle_rx_err_cqe(rq, cqe);
    mlx5_wq_cyc_pop(wq);
    return;
  }
  sk_buff* skb = INDIRECT_CALL_1(rq->wqe.skb_from_cqe, mlx5e_skb_from_cqe_linear, rq, wi, cqe, cqe_bcnt);
  if (skb == nullptr) {
    // Consumed by XDP. Transmission holds on to the page until it completes.
    if (__test_and_clear_bit(MLX5E_RQ_FLAG_XDP_XMIT, &rq->flags)) wi->frag_page->frags++;
  } else {
    mlx5e_complete_rx_cqe(rq, cqe, cqe_bcnt, skb);
    napi_gro_receive(rq->cq.napi, skb);
  }
  mlx5_wq_cyc_pop(wq);
}

void mlx5e_rq_set_handlers(mlx5e_rq* rq) {
  if (rq->wq_type == MLX5_WQ_TYPE_LINKED_LIST_STRIDING_RQ) {
    rq->handle_rx_cqe = mlx5e_handle_rx_cqe_mpwrq;
    rq->mpwqe.skb_from_cqe_mpwrq = mlx5e_skb_from_cqe_mpwrq_linear;
    rq->post_wqes = mlx5e_post_rx_mpwqes;
    return;
  }
  rq->handle_rx_cqe = mlx5e_handle_rx_cqe;
  rq->wqe.skb_from_cqe = mlx5e_skb_from_cqe_linear;
  rq->post_wqes = mlx5e_post_rx_wqes;
}

int mlx5e_poll_rx_cq(mlx5e_cq* cq, int budget) {
  mlx5e_rq* rq = container_of(cq, mlx5e_rq, cq);
  mlx5_cqwq* cqwq = &cq->wq;
  int work_done = 0;

  if (unlikely(!test_bit(MLX5E_RQ_STATE_ENABLED, &rq->state))) return 0;
  while (work_done < budget) {
    mlx5_cqe64* cqe = mlx5_cqwq_get_cqe(cqwq);
    if (cqe == nullptr) break;
    mlx5_cqwq_pop(cqwq);
    INDIRECT_CALL_2(rq->handle_rx_cqe, mlx5e_handle_rx_cqe_mpwrq, mlx5e_handle_rx_cqe, rq, cqe);
    work_done++;
  }
  if (work_done == 0) return 0;
  if (rq->xdp_prog != nullptr) mlx5e_xdp_rx_poll_complete(rq);
  mlx5_cqwq_update_db_record(cqwq);
  // The device must see the free entries before WQEs that can fill them.
  wmb();
  return work_done;
}

bool mlx5e_post_rx_wqes(mlx5e_rq* rq) {
  mlx5_wq_cyc* wq = &rq->wqe.wq;
  bool busy = false;

  if (unlikely(!test_bit(MLX5E_RQ_STATE_ENABLED, &rq->state))) return false;
  if (mlx5_wq_cyc_missing(wq) < rq->wqe.info.wqe_bulk) return false;

  int wqe_bulk = static_cast<int>(mlx5_wq_cyc_missing(wq));
  const u16 head = mlx5_wq_cyc_get_head(wq);
  // Stop before a page that a WQE still in use shares.
  wqe_bulk -= (head + wqe_bulk) & rq->wqe.info.wqe_index_mask;
  const int count = mlx5e_refill_rx_wqes(rq, head, wqe_bulk);
  mlx5_wq_cyc_push_n(wq, static_cast<u16>(count));
  if (unlikely(count != wqe_bulk)) {
    rq->stats->buff_alloc_err++;
    busy = true;
  }
  // The WQEs must be visible before the record that hands them over.
  dma_wmb();
  mlx5_wq_cyc_update_db_record(wq);
  return busy;
}

void mlx5e_free_rx_descs(mlx5e_rq* rq) {
  if (rq->wq_type == MLX5_WQ_TYPE_LINKED_LIST_STRIDING_RQ) return mlx5e_free_rx_mpwqe_descs(rq);
  mlx5_wq_cyc* wq = &rq->wqe.wq;
  // Consumed WQEs keep their pages until they are refilled, so every slot of the ring is visited.
  for (u32 ix = 0; ix < mlx5_wq_cyc_get_size(wq); ix++) mlx5e_dealloc_rx_wqe(rq, static_cast<u16>(ix));
  mlx5_wq_cyc_reset(wq);
}
