// Rings shared with the device: cyclic work queue, linked list of receive WQEs, completion queue.
#pragma once

#include "driver/mlx5e/mlx5.h"

struct mlx5_wq_cyc {
  mlx5_frag_buf_ctrl fbc;
  be32* db;
  u16 sz;
  u16 wqe_ctr;  // WQEs posted, ever
  u16 cur_sz;   // WQEs posted and not completed
};

// WQEs are used in the order of a linked list, of which one entry stays free as its end.
struct mlx5_wq_ll {
  mlx5_frag_buf_ctrl fbc;
  be32* db;
  be16* tail_next;  // where the next consumed WQE is linked in
  u16 head;
  u16 wqe_ctr;  // WQEs posted, ever
  u16 cur_sz;   // WQEs posted and not consumed
};

struct mlx5_cqwq {
  mlx5_frag_buf_ctrl fbc;
  be32* db;
  u32 cc;  // consumer counter
};

inline constexpr u8 MLX5_CQE_OWNER_MASK = 1;

// Words of a work queue's doorbell record.
inline constexpr u32 MLX5_RCV_DBR = 0, MLX5_SND_DBR = 1;

__always_inline u32 mlx5_wq_cyc_get_size(const mlx5_wq_cyc* wq) { return wq->fbc.sz_m1 + 1; }
__always_inline u32 mlx5_wq_cyc_missing(const mlx5_wq_cyc* wq) { return wq->sz - wq->cur_sz; }
__always_inline u16 mlx5_wq_cyc_ctr2ix(const mlx5_wq_cyc* wq, u16 ctr) { return static_cast<u16>(ctr & wq->fbc.sz_m1); }
__always_inline u16 mlx5_wq_cyc_get_head(const mlx5_wq_cyc* wq) { return mlx5_wq_cyc_ctr2ix(wq, wq->wqe_ctr); }
__always_inline u16 mlx5_wq_cyc_get_tail(const mlx5_wq_cyc* wq) {
  return mlx5_wq_cyc_ctr2ix(wq, static_cast<u16>(wq->wqe_ctr - wq->cur_sz));
}
__always_inline void* mlx5_wq_cyc_get_wqe(const mlx5_wq_cyc* wq, u16 ix) { return mlx5_frag_buf_get_wqe(&wq->fbc, ix); }
__always_inline void mlx5_wq_cyc_push_n(mlx5_wq_cyc* wq, u16 n) {
  wq->wqe_ctr = static_cast<u16>(wq->wqe_ctr + n);
  wq->cur_sz = static_cast<u16>(wq->cur_sz + n);
}
__always_inline void mlx5_wq_cyc_pop(mlx5_wq_cyc* wq) { wq->cur_sz--; }
__always_inline void mlx5_wq_cyc_update_db_record(mlx5_wq_cyc* wq) { *wq->db = wq->wqe_ctr; }

// Entries from `ix` to the end of its page.
__always_inline u16 mlx5_wq_cyc_get_contig_wqebbs(const mlx5_wq_cyc* wq, u16 ix) {
  return static_cast<u16>(min<u32>(ix | wq->fbc.frag_sz_m1, wq->fbc.sz_m1) - ix + 1);
}
// A send queue's producer `pc` and consumer `cc` leave room for `n` entries.
__always_inline bool mlx5e_wqc_has_room_for(const mlx5_wq_cyc* wq, u16 cc, u16 pc, u16 n) {
  return mlx5_wq_cyc_ctr2ix(wq, static_cast<u16>(cc - pc)) >= n || cc == pc;
}

__always_inline u32 mlx5_wq_ll_get_size(const mlx5_wq_ll* wq) { return wq->fbc.sz_m1 + 1; }
__always_inline bool mlx5_wq_ll_is_empty(const mlx5_wq_ll* wq) { return wq->cur_sz == 0; }
__always_inline u32 mlx5_wq_ll_missing(const mlx5_wq_ll* wq) { return wq->fbc.sz_m1 - wq->cur_sz; }
__always_inline mlx5e_rx_wqe_ll* mlx5_wq_ll_get_wqe(const mlx5_wq_ll* wq, u16 ix) {
  return static_cast<mlx5e_rx_wqe_ll*>(mlx5_frag_buf_get_wqe(&wq->fbc, ix));
}
__always_inline u16 mlx5_wq_ll_get_wqe_next_ix(const mlx5_wq_ll* wq, u16 ix) {
  return mlx5_wq_ll_get_wqe(wq, ix)->next.next_wqe_index;
}
__always_inline void mlx5_wq_ll_push(mlx5_wq_ll* wq, u16 head_next) {
  wq->head = head_next;
  wq->wqe_ctr++;
  wq->cur_sz++;
}
__always_inline void mlx5_wq_ll_pop(mlx5_wq_ll* wq, be16 ix, be16* next_tail_next) {
  *wq->tail_next = ix;
  wq->tail_next = next_tail_next;
  wq->cur_sz--;
}
__always_inline void mlx5_wq_ll_update_db_record(mlx5_wq_ll* wq) { *wq->db = wq->wqe_ctr; }

__always_inline u32 mlx5_cqwq_ctr2ix(const mlx5_cqwq* wq, u32 ctr) { return ctr & wq->fbc.sz_m1; }
__always_inline u32 mlx5_cqwq_get_ci(const mlx5_cqwq* wq) { return mlx5_cqwq_ctr2ix(wq, wq->cc); }
__always_inline u32 mlx5_cqwq_get_ctr_wrap_cnt(const mlx5_cqwq* wq, u32 ctr) { return ctr >> wq->fbc.log_sz; }
__always_inline mlx5_cqe64* mlx5_cqwq_get_wqe(const mlx5_cqwq* wq, u32 ix) {
  return static_cast<mlx5_cqe64*>(mlx5_frag_buf_get_wqe(&wq->fbc, ix));
}
__always_inline void mlx5_cqwq_pop(mlx5_cqwq* wq) { wq->cc++; }
__always_inline void mlx5_cqwq_update_db_record(mlx5_cqwq* wq) { *wq->db = wq->cc & ringside::connectx::kCqIndexMask; }

__always_inline u8 get_cqe_opcode(const mlx5_cqe64* cqe) { return ringside::connectx::cqe_opcode(cqe->op_own); }

// The next entry if the device has written it in this lap: the owner bit equals the parity of the lap.
__always_inline mlx5_cqe64* mlx5_cqwq_get_cqe(const mlx5_cqwq* wq) {
  mlx5_cqe64* cqe = mlx5_cqwq_get_wqe(wq, mlx5_cqwq_get_ci(wq));
  const u8 cqe_ownership_bit = READ_ONCE(cqe->op_own) & MLX5_CQE_OWNER_MASK;
  const u8 sw_ownership_val = mlx5_cqwq_get_ctr_wrap_cnt(wq, wq->cc) & 1;
  if (cqe_ownership_bit != sw_ownership_val) return nullptr;
  // Nothing else of the entry is read before its owner bit.
  dma_rmb();
  return cqe;
}

void mlx5_wq_cyc_create(mlx5_wq_cyc* wq, u8 log_stride, u8 log_sz);

// Forgets everything posted.
void mlx5_wq_cyc_reset(mlx5_wq_cyc* wq);

void mlx5_wq_ll_create(mlx5_wq_ll* wq, u8 log_stride, u8 log_sz);

// Forgets everything posted, and links the WQEs in the order of their indices.
void mlx5_wq_ll_reset(mlx5_wq_ll* wq);

void mlx5_cqwq_create(mlx5_cqwq* wq, u8 log_sz);
