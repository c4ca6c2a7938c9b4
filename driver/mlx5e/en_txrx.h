// What all send queues do: posting NOPs and ringing the doorbell.
#pragma once

#include "driver/kernel/prefetch.h"
#include "driver/mlx5e/en.h"

__always_inline void mlx5e_post_nop(mlx5_wq_cyc* wq, u32 sqn, u16* pc) {
  mlx5_wqe_ctrl_seg* cseg = static_cast<mlx5_wqe_ctrl_seg*>(mlx5_wq_cyc_get_wqe(wq, mlx5_wq_cyc_ctr2ix(wq, *pc)));
  __builtin_memset(cseg, 0, sizeof(*cseg));
  cseg->opmod_idx_opcode = u32{*pc} << 8 | ringside::connectx::kWqeNop;
  cseg->qpn_ds = sqn << 8 | 1;
  (*pc)++;
}

// Hands over all WQEs up to `pc`. Only the last one, `ctrl`, asks for a completion.
__always_inline void mlx5e_notify_hw(mlx5_wq_cyc* wq, u16 pc, __iomem* uar_map, mlx5_wqe_ctrl_seg* ctrl) {
  ctrl->fm_ce_se |= ringside::connectx::kWqeCtrlCqUpdate;
  // The WQEs must be visible before the record that hands them over,
  dma_wmb();
  *wq->db = pc;
  // and the record before the doorbell.
  wmb();
  u64 first;
  __builtin_memcpy(&first, ctrl, sizeof(first));
  __raw_writeq(first, uar_map);
}
