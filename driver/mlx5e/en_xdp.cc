// Verdicts of XDP programs, and transmission.
#include "driver/mlx5e/en_xdp.h"

namespace cx = ringside::connectx;

// A packet that is not longer can be copied into the WQE; a full multi-packet WQE has no room for another one.
constexpr u32 MLX5E_XDP_INLINE_WQE_SZ_THRSD = 256 - sizeof(mlx5_wqe_inline_seg);
constexpr u32 MLX5E_XDP_INLINE_WQE_MAX_DS_CNT = 256 / cx::kSendWqeDs;

static __always_inline void mlx5e_xmit_xdp_doorbell(mlx5e_xdpsq* sq) {
  if (sq->doorbell_cseg == nullptr) return;
  mlx5e_notify_hw(&sq->wq, sq->pc, sq->uar_map, sq->doorbell_cseg);
  sq->doorbell_cseg = nullptr;
}

// A full queue is rung, so that it will not stay full.
static __always_inline bool mlx5e_xmit_xdp_frame_check_stop_room(mlx5e_xdpsq* sq, u16 stop_room) {
  if (likely(mlx5e_wqc_has_room_for(&sq->wq, sq->cc, sq->pc, stop_room))) return true;
  mlx5e_xmit_xdp_doorbell(sq);
  sq->stats->full++;
  return false;
}

// The next place in the queue for `size` basic blocks, which must not cross a page: NOPs fill up what is too small.
static __always_inline u16 mlx5e_xdpsq_get_next_pi(mlx5e_xdpsq* sq, u16 size) {
  mlx5_wq_cyc* wq = &sq->wq;
  u16 pi = mlx5_wq_cyc_ctr2ix(wq, sq->pc);
  const u16 contig_wqebbs = mlx5_wq_cyc_get_contig_wqebbs(wq, pi);
  if (unlikely(contig_wqebbs < size)) {
    mlx5e_xdp_wqe_info* wi = &sq->db.wqe_info[pi];
    const mlx5e_xdp_wqe_info* edge_wi = wi + contig_wqebbs;
    for (; wi < edge_wi; wi++) {
      *wi = {.num_wqebbs = 1, .num_pkts = 0};
      mlx5e_post_nop(wq, sq->sqn, &sq->pc);
    }
    sq->stats->nops += contig_wqebbs;
    pi = mlx5_wq_cyc_ctr2ix(wq, sq->pc);
  }
  return pi;
}

// Copying saves the device a read per packet, which pays when it lags behind.
static __always_inline bool mlx5e_xdp_get_inline_state(const mlx5e_xdpsq* sq, bool cur) {
  constexpr u16 MLX5E_XDP_INLINE_WATERMARK_LOW = 10;
  constexpr u16 MLX5E_XDP_INLINE_WATERMARK_HIGH = 128;
  const u16 outstanding = static_cast<u16>(*sq->db.xdpi_fifo.pc - *sq->db.xdpi_fifo.cc);
  if (cur && outstanding <= MLX5E_XDP_INLINE_WATERMARK_LOW) return false;
  if (!cur && outstanding >= MLX5E_XDP_INLINE_WATERMARK_HIGH) return true;
  return cur;
}

static noinline void mlx5e_xdp_mpwqe_session_start(mlx5e_xdpsq* sq) {
  mlx5e_tx_mpwqe* session = &sq->mpwqe;
  const u16 pi = mlx5e_xdpsq_get_next_pi(sq, sq->max_sq_wqebbs);
  mlx5e_tx_wqe* wqe = static_cast<mlx5e_tx_wqe*>(mlx5_wq_cyc_get_wqe(&sq->wq, pi));
  __builtin_memset(wqe, 0, sizeof(*wqe));
  net_prefetchw(wqe->data);
  *session = {.wqe = wqe,
              .bytes_count = 0,
              .ds_count = MLX5E_TX_WQE_EMPTY_DS_COUNT,
              .pkt_count = 0,
              .inline_on = mlx5e_xdp_get_inline_state(sq, session->inline_on != 0)};
  sq->stats->mpwqe++;
}

void mlx5e_xdp_mpwqe_complete(mlx5e_xdpsq* sq) {
  mlx5e_tx_mpwqe* session = &sq->mpwqe;
  mlx5_wqe_ctrl_seg* cseg = &session->wqe->ctrl;
  const u16 ds_count = session->ds_count;
  mlx5e_xdp_wqe_info* wi = &sq->db.wqe_info[mlx5_wq_cyc_ctr2ix(&sq->wq, sq->pc)];

  cseg->opmod_idx_opcode = u32{sq->pc} << 8 | cx::kWqeEnhancedMpsw;
  cseg->qpn_ds = sq->sqn << 8 | ds_count;
  wi->num_wqebbs = static_cast<u8>(DIV_ROUND_UP(ds_count, MLX5_SEND_WQEBB_NUM_DS));
  wi->num_pkts = session->pkt_count;
  sq->pc = static_cast<u16>(sq->pc + wi->num_wqebbs);
  sq->doorbell_cseg = cseg;
  session->wqe = nullptr;
}

static noinline void mlx5e_xdp_mpwqe_add_dseg(mlx5e_xdpsq* sq, const mlx5e_xmit_data* xdptxd,
                                              mlx5e_xdpsq_stats* stats) {
  mlx5e_tx_mpwqe* session = &sq->mpwqe;
  mlx5_wqe_data_seg* dseg = reinterpret_cast<mlx5_wqe_data_seg*>(session->wqe) + session->ds_count;
  const u32 dma_len = xdptxd->len;

  session->pkt_count++;
  session->bytes_count += dma_len;
  if (session->inline_on && dma_len <= MLX5E_XDP_INLINE_WQE_SZ_THRSD) {
    mlx5_wqe_inline_seg* inline_dseg = reinterpret_cast<mlx5_wqe_inline_seg*>(dseg);
    const u16 ds_len = static_cast<u16>(sizeof(*inline_dseg) + dma_len);
    inline_dseg->byte_count = dma_len | cx::kInlineSegment;
    __builtin_memcpy(inline_dseg->data, xdptxd->data, dma_len);
    session->ds_count = static_cast<u8>(session->ds_count + DIV_ROUND_UP(ds_len, cx::kSendWqeDs));
    stats->inlnw++;
    return;
  }
  dseg->addr = xdptxd->dma_addr;
  dseg->byte_count = dma_len;
  dseg->lkey = sq->mkey_be;
  session->ds_count++;
}

static __always_inline bool mlx5e_xdp_mpwqe_is_full(const mlx5e_tx_mpwqe* session, u8 max_sq_mpw_wqebbs) {
  const u32 max_ds = max_sq_mpw_wqebbs * MLX5_SEND_WQEBB_NUM_DS;
  if (session->inline_on) return u32{session->ds_count} + MLX5E_XDP_INLINE_WQE_MAX_DS_CNT > max_ds;
  return session->ds_count == max_ds;
}

noinline bool mlx5e_xmit_xdp_frame_mpwqe(mlx5e_xdpsq* sq, mlx5e_xmit_data* xdptxd) {
  mlx5e_tx_mpwqe* session = &sq->mpwqe;
  mlx5e_xdpsq_stats* stats = sq->stats;
  mlx5e_xmit_data* p = xdptxd;
  mlx5e_xmit_data tmp;

  if (xdptxd->has_frags) {
    const skb_shared_info* sinfo = container_of(xdptxd, mlx5e_xmit_data_frags, xd)->sinfo;
    if ((xdptxd->len != 0) + sinfo->nr_frags > 1) {
      // A packet in several pieces needs a WQE of its own.
      if (unlikely(session->wqe != nullptr)) mlx5e_xdp_mpwqe_complete(sq);
      return mlx5e_xmit_xdp_frame(sq, xdptxd);
    }
    if (xdptxd->len == 0) {
      const skb_frag_t* frag = &sinfo->frags[0];
      tmp.data = page_address(frag->page) + frag->offset;
      tmp.len = frag->len & 0x7fff'ffff;
      const dma_addr_t* dma_arr = container_of(xdptxd, mlx5e_xmit_data_frags, xd)->dma_arr;
      tmp.dma_addr = dma_arr != nullptr ? dma_arr[0] : page_pool_get_dma_addr(frag->page) + frag->offset;
      p = &tmp;
    }
  }
  if (unlikely(p->len > sq->hw_mtu)) {
    stats->err++;
    return false;
  }
  if (unlikely(session->wqe == nullptr)) {
    if (unlikely(!mlx5e_xmit_xdp_frame_check_stop_room(sq, sq->stop_room))) return false;
    // From here nothing can fail: an open WQE has at least one packet.
    mlx5e_xdp_mpwqe_session_start(sq);
  }
  mlx5e_xdp_mpwqe_add_dseg(sq, p, stats);
  if (unlikely(mlx5e_xdp_mpwqe_is_full(session, sq->max_sq_mpw_wqebbs))) mlx5e_xdp_mpwqe_complete(sq);
  stats->xmit++;
  return true;
}

static __always_inline void mlx5e_set_dseg(mlx5_wqe_data_seg* dseg, dma_addr_t addr, u32 len, be32 lkey) {
  dseg->addr = addr;
  dseg->byte_count = len;
  dseg->lkey = lkey;
}

noinline bool mlx5e_xmit_xdp_frame(mlx5e_xdpsq* sq, mlx5e_xmit_data* xdptxd) {
  const mlx5e_xmit_data_frags* xdptxdf = xdptxd->has_frags ? container_of(xdptxd, mlx5e_xmit_data_frags, xd) : nullptr;
  const skb_shared_info* sinfo = xdptxdf != nullptr ? xdptxdf->sinfo : nullptr;
  const dma_addr_t* dma_arr = xdptxdf != nullptr ? xdptxdf->dma_arr : nullptr;
  const u32 dma_len = xdptxd->len;
  const u32 frags_size = sinfo != nullptr ? sinfo->xdp_frags_size : 0;
  const int num_frags = sinfo != nullptr ? sinfo->nr_frags : 0;
  const u16 ds_cnt = static_cast<u16>(MLX5E_TX_WQE_EMPTY_DS_COUNT + (dma_len != 0) + num_frags);
  const u8 num_wqebbs = static_cast<u8>(DIV_ROUND_UP(ds_cnt, MLX5_SEND_WQEBB_NUM_DS));

  if (unlikely(sq->hw_mtu < dma_len + frags_size)) {
    sq->stats->err++;
    return false;
  }
  if (unlikely(!mlx5e_xmit_xdp_frame_check_stop_room(sq, static_cast<u16>(2 * num_wqebbs - 1)))) return false;

  const u16 pi = mlx5e_xdpsq_get_next_pi(sq, num_wqebbs);
  mlx5e_tx_wqe* wqe = static_cast<mlx5e_tx_wqe*>(mlx5_wq_cyc_get_wqe(&sq->wq, pi));
  net_prefetchw(wqe);
  mlx5_wqe_data_seg* dseg = wqe->data;
  if (dma_len != 0) mlx5e_set_dseg(dseg++, xdptxd->dma_addr, dma_len, sq->mkey_be);
  __builtin_memset(wqe, 0, sizeof(*wqe));
  wqe->ctrl.opmod_idx_opcode = u32{sq->pc} << 8 | cx::kWqeSend;
  for (int i = 0; i < num_frags; i++) {
    const skb_frag_t* frag = &sinfo->frags[i];
    const dma_addr_t addr = dma_arr != nullptr ? dma_arr[i] : page_pool_get_dma_addr(frag->page) + frag->offset;
    mlx5e_set_dseg(dseg++, addr, frag->len, sq->mkey_be);
  }
  wqe->ctrl.qpn_ds = sq->sqn << 8 | ds_cnt;
  sq->db.wqe_info[pi] = {.num_wqebbs = num_wqebbs, .num_pkts = 1};
  sq->pc = static_cast<u16>(sq->pc + num_wqebbs);
  sq->doorbell_cseg = &wqe->ctrl;
  sq->stats->xmit++;
  return true;
}

// False if the packet stays with the caller.
static noinline bool mlx5e_xmit_xdp_buff(mlx5e_xdpsq* sq, xdp_buff* xdp) {
  struct page* page = virt_to_page(xdp->data);
  mlx5e_xmit_data_frags xdptxdf = {};
  mlx5e_xmit_data* xdptxd = &xdptxdf.xd;

  xdp_frame* xdpf = xdp_convert_buff_to_frame(xdp);
  if (unlikely(xdpf == nullptr)) return false;
  xdptxd->data = xdpf->data;
  xdptxd->len = xdpf->len & 0x7fff'ffff;
  xdptxd->has_frags = xdp_frame_has_frags(xdpf);

  // The frame begins its page, as every buffer does while a program is attached, and the pool has mapped that.
  const u64 offset = static_cast<u64>(static_cast<u8*>(xdpf->data) - reinterpret_cast<u8*>(xdpf));
  const dma_addr_t dma_addr = page_pool_get_dma_addr(page) + offset;
  dma_sync_single_for_device(sq->pdev, dma_addr, xdptxd->len, DMA_BIDIRECTIONAL);
  if (xdptxd->has_frags) {
    xdptxdf.sinfo = xdp_get_shared_info_from_frame(xdpf);
    for (u32 i = 0; i < xdptxdf.sinfo->nr_frags; i++) {
      const skb_frag_t* frag = &xdptxdf.sinfo->frags[i];
      dma_sync_single_for_device(sq->pdev, page_pool_get_dma_addr(frag->page) + frag->offset, frag->len,
                                 DMA_BIDIRECTIONAL);
    }
  }
  xdptxd->dma_addr = dma_addr;

  if (unlikely(!INDIRECT_CALL_2(sq->xmit_xdp_frame, mlx5e_xmit_xdp_frame_mpwqe, mlx5e_xmit_xdp_frame, sq, xdptxd))) {
    return false;
  }
  if (xdptxd->has_frags) {
    mlx5e_xdpi_push_packet(&sq->db.xdpi_fifo, 1 + xdptxdf.sinfo->nr_frags, page);
    for (u32 i = 0; i < xdptxdf.sinfo->nr_frags; i++) {
      mlx5e_xdpi_push_page(&sq->db.xdpi_fifo, xdptxdf.sinfo->frags[i].page);
    }
  } else {
    mlx5e_xdpi_push_packet(&sq->db.xdpi_fifo, 1, page);
  }
  return true;
}

bool mlx5e_xdp_handle(mlx5e_rq* rq, const bpf_prog* prog, mlx5e_xdp_buff* mxbuf) {
  xdp_buff* xdp = &mxbuf->xdp;
  const u32 act = bpf_prog_run_xdp(prog, xdp);
  switch (act) {
    case XDP_PASS:
      return false;
    case XDP_TX:
      if (unlikely(!mlx5e_xmit_xdp_buff(rq->xdpsq, xdp))) goto xdp_abort;
      __set_bit(MLX5E_RQ_FLAG_XDP_XMIT, &rq->flags);
      return true;
    case XDP_REDIRECT:
      if (unlikely(xdp_do_redirect(rq->netdev, xdp, prog) != 0)) goto xdp_abort;
      __set_bit(MLX5E_RQ_FLAG_XDP_XMIT, &rq->flags);
      __set_bit(MLX5E_RQ_FLAG_XDP_REDIRECT, &rq->flags);
      rq->stats->xdp_redirect++;
      return true;
    default:
      bpf_warn_invalid_xdp_action(rq->netdev, prog, act);
      [[fallthrough]];
    case XDP_ABORTED:
    xdp_abort:
      trace_xdp_exception(rq->netdev, prog, act);
      [[fallthrough]];
    case XDP_DROP:
      rq->stats->xdp_drop++;
      return true;
  }
}

// What one redirected frame needs until its WQE is written. False if the queue did not take it.
static __always_inline bool mlx5e_xdp_xmit_frame(mlx5e_xdpsq* sq, xdp_frame* xdpf) {
  mlx5e_xmit_data_frags xdptxdf = {};
  mlx5e_xmit_data* xdptxd = &xdptxdf.xd;
  dma_addr_t dma_arr[MAX_SKB_FRAGS];

  xdptxd->data = xdpf->data;
  xdptxd->len = xdpf->len & 0x7fff'ffff;
  xdptxd->has_frags = xdp_frame_has_frags(xdpf);
  xdptxd->dma_addr = dma_map_single(sq->pdev, xdptxd->data, xdptxd->len, DMA_TO_DEVICE);
  if (xdptxd->has_frags) {
    xdptxdf.sinfo = xdp_get_shared_info_from_frame(xdpf);
    xdptxdf.dma_arr = dma_arr;
    for (u32 i = 0; i < xdptxdf.sinfo->nr_frags; i++) {
      const skb_frag_t* frag = &xdptxdf.sinfo->frags[i];
      dma_arr[i] = dma_map_single(sq->pdev, page_address(frag->page) + frag->offset, frag->len, DMA_TO_DEVICE);
    }
  }

  if (unlikely(!INDIRECT_CALL_2(sq->xmit_xdp_frame, mlx5e_xmit_xdp_frame_mpwqe, mlx5e_xmit_xdp_frame, sq, xdptxd))) {
    dma_unmap_single(sq->pdev, xdptxd->dma_addr, xdptxd->len, DMA_TO_DEVICE);
    if (xdptxd->has_frags) {
      for (u32 i = 0; i < xdptxdf.sinfo->nr_frags; i++) {
        dma_unmap_single(sq->pdev, dma_arr[i], xdptxdf.sinfo->frags[i].len, DMA_TO_DEVICE);
      }
    }
    return false;
  }
  mlx5e_xdpi_push_frame(&sq->db.xdpi_fifo, xdpf, xdptxd->dma_addr);
  if (xdptxd->has_frags) {
    for (u32 i = 0; i < xdptxdf.sinfo->nr_frags; i++) mlx5e_xdpi_push_dma(&sq->db.xdpi_fifo, dma_arr[i]);
  }
  return true;
}

int mlx5e_xdp_xmit(net_device* dev, int n, xdp_frame** frames, u32 flags) {
  mlx5e_channel* c = netdev_priv<mlx5e_priv>(dev)->channel;
  if (unlikely(!c->xdp || !test_bit(MLX5E_SQ_STATE_ENABLED, &c->xdpsq.state))) return -ENETDOWN;
  mlx5e_xdpsq* sq = &c->xdpsq;
  int nxmit = 0;
  while (nxmit < n && likely(mlx5e_xdp_xmit_frame(sq, frames[nxmit]))) nxmit++;
  if ((flags & XDP_XMIT_FLUSH) != 0) {
    if (sq->mpwqe.wqe != nullptr) mlx5e_xdp_mpwqe_complete(sq);
    mlx5e_xmit_xdp_doorbell(sq);
  }
  return nxmit;
}

void mlx5e_xdp_rx_poll_complete(mlx5e_rq* rq) {
  mlx5e_xdpsq* xdpsq = rq->xdpsq;
  if (xdpsq->mpwqe.wqe != nullptr) mlx5e_xdp_mpwqe_complete(xdpsq);
  mlx5e_xmit_xdp_doorbell(xdpsq);
  if (test_bit(MLX5E_RQ_FLAG_XDP_REDIRECT, &rq->flags)) {
    xdp_do_flush();
    __clear_bit(MLX5E_RQ_FLAG_XDP_REDIRECT, &rq->flags);
  }
}
