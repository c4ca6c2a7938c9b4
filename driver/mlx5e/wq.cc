#include "driver/mlx5e/wq.h"

void mlx5_wq_cyc_create(mlx5_wq_cyc* wq, u8 log_stride, u8 log_sz) {
  mlx5_frag_buf_alloc(&wq->fbc, log_stride, log_sz);
  wq->sz = static_cast<u16>(1u << log_sz);
  wq->db = mlx5_db_alloc();
}

void mlx5_wq_cyc_reset(mlx5_wq_cyc* wq) {
  wq->wqe_ctr = 0;
  wq->cur_sz = 0;
  mlx5_wq_cyc_update_db_record(wq);
}

static void mlx5_wq_ll_init_list(mlx5_wq_ll* wq) {
  const u16 last = static_cast<u16>(wq->fbc.sz_m1);
  for (u16 i = 0; i < last; i++) mlx5_wq_ll_get_wqe(wq, i)->next.next_wqe_index = static_cast<u16>(i + 1);
  wq->tail_next = &mlx5_wq_ll_get_wqe(wq, last)->next.next_wqe_index;
}

void mlx5_wq_ll_create(mlx5_wq_ll* wq, u8 log_stride, u8 log_sz) {
  mlx5_frag_buf_alloc(&wq->fbc, log_stride, log_sz);
  wq->db = mlx5_db_alloc();
  mlx5_wq_ll_init_list(wq);
}

void mlx5_wq_ll_reset(mlx5_wq_ll* wq) {
  wq->head = 0;
  wq->wqe_ctr = 0;
  wq->cur_sz = 0;
  mlx5_wq_ll_init_list(wq);
  mlx5_wq_ll_update_db_record(wq);
}

void mlx5_cqwq_create(mlx5_cqwq* wq, u8 log_sz) {
  constexpr u8 log_cqe_size = ilog2(sizeof(mlx5_cqe64));
  mlx5_frag_buf_alloc(&wq->fbc, log_cqe_size, log_sz);
  wq->db = mlx5_db_alloc();
  wq->cc = 0;
  // Lap 0 expects owner 0.
  for (u32 i = 0; i <= wq->fbc.sz_m1; i++) mlx5_cqwq_get_wqe(wq, i)->op_own = ringside::connectx::kCqeInitOpOwn;
}
