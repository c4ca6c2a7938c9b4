#include "driver/kernel/board.h"
#include "driver/kernel/interrupt.h"
#include "driver/mlx5e/mlx5.h"

namespace cx = ringside::connectx;

// Entries handled per interrupt, so that a busy queue does not keep the processor.
constexpr int MLX5_EQ_POLLING_BUDGET = 128;

static mlx5_eqe* get_eqe(mlx5_eq* eq, u32 entry) {
  return static_cast<mlx5_eqe*>(mlx5_frag_buf_get_wqe(&eq->fbc, entry));
}

// The next entry if the device has written it: its owner bit equals the parity of the lap.
static mlx5_eqe* next_eqe_sw(mlx5_eq* eq) {
  mlx5_eqe* eqe = get_eqe(eq, eq->cons_index & eq->fbc.sz_m1);
  const u32 lap = (eq->cons_index >> eq->fbc.log_sz) & 1;
  return ((READ_ONCE(eqe->owner) ^ lap) & 1) != 0 ? nullptr : eqe;
}

// Tells the device what has been consumed, and asks for an interrupt at the next entry.
static void eq_arm(mlx5_eq* eq) {
  be32 val;
  val = (eq->cons_index & 0xff'ffff) | (eq->eqn << 24);
  __raw_writel(val.raw, eq->mdev->uar + (cx::kUarEqArm - cx::kUarPage));
  // Keeps doorbells of successive interrupts in order.
  mb();
}

static void eq_dispatch(mlx5_eq* eq, mlx5_eqe* eqe) {
  const u32 index = eqe->type == cx::kEventCompletion ? 6 : 0;
  const u32 cqn = eqe->data[index] & 0xff'ffff;
  mlx5_core_cq* cq = cqn < MLX5_MAX_CQS ? eq->cq_table[cqn] : nullptr;
  if (unlikely(cq == nullptr)) return;
  if (unlikely(eqe->type != cx::kEventCompletion)) {
    eq->cq_errors++;
    return;
  }
  cq->arm_sn++;
  cq->comp(cq, eqe);
}

static void mlx5_eq_comp_int(void* dev_id) {
  mlx5_eq* eq = static_cast<mlx5_eq*>(dev_id);
  mlx5_eqe* eqe;
  int num_eqes = 0;
  while ((eqe = next_eqe_sw(eq)) != nullptr) {
    // The rest of the entry is read after its owner bit.
    dma_rmb();
    eq_dispatch(eq, eqe);
    eq->cons_index++;
    if (++num_eqes == MLX5_EQ_POLLING_BUDGET) break;
  }
  eq_arm(eq);
}

int mlx5_eq_create(mlx5_core_dev* mdev, mlx5_eq* eq, u8 log_size, u32 vector) {
  constexpr u8 MLX5_EQE_OWNER_INIT_VAL = 1;
  constexpr u8 log_eqe_size = ilog2(sizeof(mlx5_eqe));
  eq->mdev = mdev;
  mlx5_frag_buf_alloc(&eq->fbc, log_eqe_size, log_size);
  for (u32 i = 0; i <= eq->fbc.sz_m1; i++) get_eqe(eq, i)->owner = MLX5_EQE_OWNER_INIT_VAL;
  mlx5_cmd_mailbox mbox = {};
  mbox.opcode = cx::kCmdCreateEq;
  mbox.eq.buffer = eq->fbc.frags[0].map;
  mbox.eq.log_size = log_size;
  mbox.eq.vector = vector;
  int err = mlx5_cmd_exec(mdev, &mbox);
  if (err == 0) err = request_irq(vector, mlx5_eq_comp_int, eq);
  if (err != 0) return err;
  eq->eqn = mbox.object;
  eq_arm(eq);
  return 0;
}

int mlx5_eq_add_cq(mlx5_eq* eq, mlx5_core_cq* cq) {
  if (cq->cqn >= MLX5_MAX_CQS) return -EINVAL;
  eq->cq_table[cq->cqn] = cq;
  return 0;
}
