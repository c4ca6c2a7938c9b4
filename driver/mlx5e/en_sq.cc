// Commands that create and destroy a send queue.
#include "driver/mlx5e/en.h"

namespace cx = ringside::connectx;

int mlx5e_create_sq(mlx5_core_dev* mdev, u32 port, const mlx5_wq_cyc* wq, u32 cqn, u32* sqn) {
  mlx5_cmd_mailbox mbox = {};
  mbox.opcode = cx::kCmdCreateSq;
  mbox.sq.buffer = wq->fbc.frags[0].map;
  mbox.sq.doorbell_record = virt_to_phys(wq->db - MLX5_SND_DBR);
  mbox.sq.log_size = wq->fbc.log_sz;
  mbox.sq.cqn = cqn;
  mbox.sq.port = port;
  int err = mlx5_cmd_exec(mdev, &mbox);
  if (err != 0) return err;
  *sqn = mbox.object;
  mbox = {};
  mbox.opcode = cx::kCmdModifySq;
  mbox.object = *sqn;
  mbox.sq.state = cx::kRqReady;
  return mlx5_cmd_exec(mdev, &mbox);
}

int mlx5e_destroy_sq(mlx5_core_dev* mdev, u32 sqn) {
  mlx5_cmd_mailbox mbox = {};
  mbox.opcode = cx::kCmdDestroySq;
  mbox.object = sqn;
  return mlx5_cmd_exec(mdev, &mbox);
}
