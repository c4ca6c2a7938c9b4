// XDP send queues: life and completions.
#include "driver/mlx5e/en_xdp.h"

namespace cx = ringside::connectx;

static void mlx5e_free_xdp_frame(mlx5e_xdpsq* sq, mlx5e_xdp_info xdpi, xdp_frame_bulk* bq) {
  mlx5e_xdp_info_fifo* xdpi_fifo = &sq->db.xdpi_fifo;
#if MLX5E_XDPI_FIFO_ENTRIES == 1
  xdp_frame* xdpf = xdpi.frame.xdpf;
#else
  xdpi = mlx5e_xdpi_fifo_pop(xdpi_fifo);
  xdp_frame* xdpf = xdpi.frame.xdpf;
  xdpi = mlx5e_xdpi_fifo_pop(xdpi_fifo);
#endif
  dma_unmap_single(sq->pdev, xdpi.frame.dma_addr, xdpf->len, DMA_TO_DEVICE);
  if (xdp_frame_has_frags(xdpf)) {
    const skb_shared_info* sinfo = xdp_get_shared_info_from_frame(xdpf);
    for (u32 i = 0; i < sinfo->nr_frags; i++) {
      dma_unmap_single(sq->pdev, mlx5e_xdpi_fifo_pop(xdpi_fifo).frame.dma_addr, sinfo->frags[i].len, DMA_TO_DEVICE);
    }
  }
  xdp_return_frame_bulk(xdpf, bq);
}

static noinline void mlx5e_free_xdpsq_desc(mlx5e_xdpsq* sq, const mlx5e_xdp_wqe_info* wi, xdp_frame_bulk* bq) {
  mlx5e_xdp_info_fifo* xdpi_fifo = &sq->db.xdpi_fifo;
  for (u16 i = 0; i < wi->num_pkts; i++) {
    mlx5e_xdp_info xdpi = mlx5e_xdpi_fifo_pop(xdpi_fifo);
    switch (xdpi.mode) {
      case MLX5E_XDP_XMIT_MODE_FRAME:
        mlx5e_free_xdp_frame(sq, xdpi, bq);
        break;
      case MLX5E_XDP_XMIT_MODE_PAGE: {
        u32 n = 0;
#if MLX5E_XDPI_FIFO_ENTRIES == 1
        const u32 num = xdpi.num;
#else
        const u32 num = mlx5e_xdpi_fifo_pop(xdpi_fifo).num;
        xdpi = mlx5e_xdpi_fifo_pop(xdpi_fifo);
#endif
        for (;;) {
          page_pool_recycle_direct(xdpi.page->pp, xdpi.page);
          if (++n == num) break;
          xdpi = mlx5e_xdpi_fifo_pop(xdpi_fifo);
        }
        break;
      }
      default:
        panic("mlx5e: a completion of a packet that was not sent");
    }
  }
}

bool mlx5e_poll_xdpsq_cq(mlx5e_cq* cq) {
  // Collects frames that other interfaces redirected here. It costs its initialisation whether there are any or not.
  xdp_frame_bulk bq;
  xdp_frame_bulk_init(&bq);

  mlx5e_xdpsq* sq = container_of(cq, mlx5e_xdpsq, cq);
  if (unlikely(!test_bit(MLX5E_SQ_STATE_ENABLED, &sq->state))) return false;
  mlx5_cqe64* cqe = mlx5_cqwq_get_cqe(&cq->wq);
  if (cqe == nullptr) return false;

  // sq->cc moves only after the CQ's record: space in the queue is a promise of space in its CQ.
  u16 sqcc = sq->cc;
  int i = 0;
  do {
    mlx5_cqwq_pop(&cq->wq);
    const u16 wqe_counter = cqe->wqe_counter;
    bool last_wqe;
    do {
      last_wqe = sqcc == wqe_counter;
      const mlx5e_xdp_wqe_info* wi = &sq->db.wqe_info[mlx5_wq_cyc_ctr2ix(&sq->wq, sqcc)];
      sqcc = static_cast<u16>(sqcc + wi->num_wqebbs);
      mlx5e_free_xdpsq_desc(sq, wi, &bq);
    } while (!last_wqe);
    if (unlikely(get_cqe_opcode(cqe) != cx::kCqeReq)) panic("mlx5e: a transmission failed");
  } while (++i < MLX5E_TX_CQ_POLL_BUDGET && (cqe = mlx5_cqwq_get_cqe(&cq->wq)) != nullptr);

  xdp_flush_frame_bulk(&bq);
  sq->stats->cqes += static_cast<u64>(i);
  mlx5_cqwq_update_db_record(&cq->wq);
  // The device must see the free entries before WQEs that can fill them.
  wmb();
  sq->cc = sqcc;
  return i == MLX5E_TX_CQ_POLL_BUDGET;
}

static void mlx5e_free_xdpsq_descs(mlx5e_xdpsq* sq) {
  xdp_frame_bulk bq;
  xdp_frame_bulk_init(&bq);
  if (sq->mpwqe.wqe != nullptr) mlx5e_xdp_mpwqe_complete(sq);
  while (sq->cc != sq->pc) {
    const mlx5e_xdp_wqe_info* wi = &sq->db.wqe_info[mlx5_wq_cyc_ctr2ix(&sq->wq, sq->cc)];
    sq->cc = static_cast<u16>(sq->cc + wi->num_wqebbs);
    mlx5e_free_xdpsq_desc(sq, wi, &bq);
  }
  xdp_flush_frame_bulk(&bq);
}

static void mlx5e_alloc_xdpsq_db(mlx5e_xdpsq* sq) {
  const u32 wq_sz = mlx5_wq_cyc_get_size(&sq->wq);
  const u32 entries = wq_sz * MLX5_SEND_WQEBB_NUM_DS * MLX5E_XDP_FIFO_ENTRIES2DS_MAX_RATIO;
  sq->db.wqe_info = memblock_alloc_array<mlx5e_xdp_wqe_info>(wq_sz);
  sq->db.xdpi_fifo = {.xi = memblock_alloc_array<mlx5e_xdp_info>(entries),
                      .cc = &sq->xdpi_fifo_cc,
                      .pc = &sq->xdpi_fifo_pc,
                      .mask = entries - 1};
}

int mlx5e_open_xdpsq(mlx5e_channel* c, const mlx5e_params* params, mlx5e_xdpsq* sq, mlx5e_xdpsq_stats* stats) {
  constexpr u8 log_wqebb = ilog2(cx::kSendWqeBb);
  constexpr u8 max_ds = 0x3f;
  sq->channel = c;
  sq->pdev = c->pdev;
  sq->mkey_be = c->mkey_be;
  sq->stats = stats;
  sq->uar_map = c->mdev->uar + (cx::kUarBlueFlame - cx::kUarPage);
  sq->hw_mtu = mlx5e_sw2hw_mtu(params->sw_mtu);
  sq->max_sq_wqebbs = cx::kMaxSendWqeBbs;
  sq->max_sq_mpw_wqebbs = max_ds / MLX5_SEND_WQEBB_NUM_DS;
  // Padding up to the end of a page, and then the WQE.
  sq->stop_room = static_cast<u16>(2 * sq->max_sq_wqebbs - 1);
  sq->xmit_xdp_frame = params->xdp_tx_mpwqe ? mlx5e_xmit_xdp_frame_mpwqe : mlx5e_xmit_xdp_frame;
  mlx5_wq_cyc_create(&sq->wq, log_wqebb, MLX5E_PARAMS_DEFAULT_LOG_SQ_SIZE);
  sq->wq.db = &sq->wq.db[MLX5_SND_DBR];
  mlx5e_alloc_xdpsq_db(sq);
  const int err = mlx5e_create_sq(c->mdev, c->port, &sq->wq, sq->cq.mcq.cqn, &sq->sqn);
  if (err == 0) set_bit(MLX5E_SQ_STATE_ENABLED, &sq->state);
  return err;
}

int mlx5e_close_xdpsq(mlx5e_xdpsq* sq) {
  clear_bit(MLX5E_SQ_STATE_ENABLED, &sq->state);
  const int err = mlx5e_destroy_sq(sq->channel->mdev, sq->sqn);
  mlx5e_free_xdpsq_descs(sq);
  return err;
}
