#include "driver/kernel/board.h"
#include "driver/mlx5e/mlx5.h"

namespace cx = ringside::connectx;

int mlx5_cmd_exec(mlx5_core_dev* mdev, mlx5_cmd_mailbox* mbox) {
  mlx5_cmd_mailbox* cmd = mdev->cmd;
  *cmd = *mbox;
  cmd->status = cx::kCmdBusy;
  writeq(virt_to_phys(cmd), mdev->bar + cx::kRegCommandAddress);
  wmb();
  writel(1, mdev->bar + cx::kRegCommandDoorbell);
  while (READ_ONCE(cmd->status) == cx::kCmdBusy) cond_resched();
  dma_rmb();
  *mbox = *cmd;
  return mbox->status == cx::kCmdOk ? 0 : -EINVAL;
}

static int create_mkey(mlx5_core_dev* mdev, u64 length, u32 translations, dma_addr_t filler, be32* mkey) {
  mlx5_cmd_mailbox mbox = {};
  mbox.opcode = cx::kCmdCreateMkey;
  mbox.mkey.address = 0;
  mbox.mkey.length = length;
  mbox.mkey.translations = translations;
  mbox.mkey.filler = filler;
  const int err = mlx5_cmd_exec(mdev, &mbox);
  if (err == 0) *mkey = mbox.object;
  return err;
}

int mlx5_core_create_mkey(mlx5_core_dev* mdev, be32* mkey) { return create_mkey(mdev, ~u64{0}, 0, 0, mkey); }

int mlx5e_create_umr_mkey(mlx5_core_dev* mdev, u32 num_entries, dma_addr_t filler, be32* mkey) {
  return create_mkey(mdev, num_entries * PAGE_SIZE, num_entries, filler, mkey);
}

int mlx5_core_destroy_mkey(mlx5_core_dev* mdev, be32 mkey) {
  mlx5_cmd_mailbox mbox = {};
  mbox.opcode = cx::kCmdDestroyMkey;
  mbox.object = mkey;
  return mlx5_cmd_exec(mdev, &mbox);
}

int mlx5_set_port_mtu(mlx5_core_dev* mdev, u32 port, u32 mtu) {
  mlx5_cmd_mailbox mbox = {};
  mbox.opcode = cx::kCmdSetPortMtu;
  mbox.port.mtu = mtu;
  mbox.port.number = port;
  return mlx5_cmd_exec(mdev, &mbox);
}

int mlx5_core_create_tir(mlx5_core_dev* mdev, u32 port, u32 rqn, u32* tirn) {
  mlx5_cmd_mailbox mbox = {};
  mbox.opcode = cx::kCmdCreateTir;
  mbox.tir.rqn = rqn;
  mbox.tir.port = port;
  const int err = mlx5_cmd_exec(mdev, &mbox);
  *tirn = mbox.object;
  return err;
}

int mlx5_core_destroy_tir(mlx5_core_dev* mdev, u32 tirn) {
  mlx5_cmd_mailbox mbox = {};
  mbox.opcode = cx::kCmdDestroyTir;
  mbox.object = tirn;
  return mlx5_cmd_exec(mdev, &mbox);
}
