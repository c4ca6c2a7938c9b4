// Internal channel operations: the send queue for UMR WQEs.
#include "driver/mlx5e/en_txrx.h"

namespace cx = ringside::connectx;

int mlx5e_open_icosq(mlx5e_channel* c, const mlx5e_params* params) {
  constexpr u8 log_wqebb = ilog2(cx::kSendWqeBb);
  mlx5e_icosq* sq = &c->icosq;
  sq->channel = c;
  sq->uar_map = c->mdev->uar + (cx::kUarBlueFlame - cx::kUarPage);
  mlx5_wq_cyc_create(&sq->wq, log_wqebb, mlx5e_build_icosq_log_wq_sz(params));
  sq->wq.db = &sq->wq.db[MLX5_SND_DBR];
  sq->db.wqe_info = memblock_alloc_array<mlx5e_icosq_wqe_info>(mlx5_wq_cyc_get_size(&sq->wq));
  const int err = mlx5e_create_sq(c->mdev, c->port, &sq->wq, sq->cq.mcq.cqn, &sq->sqn);
  if (err == 0) set_bit(MLX5E_SQ_STATE_ENABLED, &sq->state);
  return err;
}

int mlx5e_close_icosq(mlx5e_icosq* sq) {
  clear_bit(MLX5E_SQ_STATE_ENABLED, &sq->state);
  return mlx5e_destroy_sq(sq->channel->mdev, sq->sqn);
}

int mlx5e_poll_ico_cq(mlx5e_cq* cq) {
  mlx5e_icosq* sq = container_of(cq, mlx5e_icosq, cq);
  if (unlikely(!test_bit(MLX5E_SQ_STATE_ENABLED, &sq->state))) return 0;
  mlx5_cqe64* cqe = mlx5_cqwq_get_cqe(&cq->wq);
  if (likely(cqe == nullptr)) return 0;

  // sq->cc moves only after the CQ's record: space in the queue is a promise of space in its CQ.
  u16 sqcc = sq->cc;
  int i = 0;
  do {
    mlx5_cqwq_pop(&cq->wq);
    const u16 wqe_counter = cqe->wqe_counter;
    bool last_wqe;
    do {
      last_wqe = sqcc == wqe_counter;
      const mlx5e_icosq_wqe_info* wi = &sq->db.wqe_info[mlx5_wq_cyc_ctr2ix(&sq->wq, sqcc)];
      sqcc = static_cast<u16>(sqcc + wi->num_wqebbs);
      if (last_wqe && unlikely(get_cqe_opcode(cqe) != cx::kCqeReq)) panic("mlx5e: a UMR WQE failed");
      switch (wi->wqe_type) {
        case MLX5E_ICOSQ_WQE_UMR_RX:
          wi->umr.rq->mpwqe.umr_completed++;
          break;
        default:
          break;
      }
    } while (!last_wqe);
  } while (++i < MLX5E_TX_CQ_POLL_BUDGET && (cqe = mlx5_cqwq_get_cqe(&cq->wq)) != nullptr);
  sq->cc = sqcc;
  mlx5_cqwq_update_db_record(&cq->wq);
  return i;
}
