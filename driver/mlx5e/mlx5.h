// The device as the core driver sees it: command interface, doorbell page, event queue, completion queues.
#pragma once

#include "driver/kernel/dma-mapping.h"
#include "driver/kernel/io.h"
#include "model/connectx/hw/cqe.h"
#include "model/connectx/hw/eqe.h"
#include "model/connectx/hw/registers.h"
#include "model/connectx/hw/wqe.h"

using mlx5_cqe64 = ringside::connectx::cqe64;
using mlx5_err_cqe = ringside::connectx::err_cqe;
using mlx5_eqe = ringside::connectx::eqe;
using mlx5_wqe_data_seg = ringside::connectx::wqe_data_seg;
using mlx5_wqe_ctrl_seg = ringside::connectx::wqe_ctrl_seg;
using mlx5_wqe_eth_seg = ringside::connectx::wqe_eth_seg;
using mlx5_mtt = ringside::connectx::mtt_entry;
using mlx5e_rx_wqe_ll = ringside::connectx::rx_wqe_ll;
using mlx5_cmd_mailbox = ringside::connectx::command_mailbox;

struct mlx5_core_dev {
  device* pdev;
  __iomem* bar;
  __iomem* uar;  // doorbell page
  mlx5_cmd_mailbox* cmd;
};

// A buffer that hardware reads as one and software finds through its pages.
struct mlx5_buf_list {
  u8* buf;
  dma_addr_t map;
};
struct mlx5_frag_buf_ctrl {
  mlx5_buf_list* frags;
  u32 sz_m1;
  u16 frag_sz_m1;
  u16 strides_offset;
  u8 log_sz;
  u8 log_stride;
  u8 log_frag_strides;
};

// Allocates 2^log_sz entries of 2^log_stride bytes.
void mlx5_frag_buf_alloc(mlx5_frag_buf_ctrl* fbc, u8 log_stride, u8 log_sz);

__always_inline void* mlx5_frag_buf_get_wqe(const mlx5_frag_buf_ctrl* fbc, u32 ix) {
  ix += fbc->strides_offset;
  const u32 frag = ix >> fbc->log_frag_strides;
  return fbc->frags[frag].buf + ((fbc->frag_sz_m1 & ix) << fbc->log_stride);
}

// Two words of a doorbell record, in a cache line of their own.
be32* mlx5_db_alloc();

// Executes the command in `mbox`. Returns 0 or -EINVAL, with the reason in mbox->status.
int mlx5_cmd_exec(mlx5_core_dev* mdev, mlx5_cmd_mailbox* mbox);

// A key for all of memory, by physical address.
int mlx5_core_create_mkey(mlx5_core_dev* mdev, be32* mkey);
// A key for `num_entries` pages that UMR WQEs set; until then they are the page at `filler`.
int mlx5e_create_umr_mkey(mlx5_core_dev* mdev, u32 num_entries, dma_addr_t filler, be32* mkey);
int mlx5_core_destroy_mkey(mlx5_core_dev* mdev, be32 mkey);
int mlx5_set_port_mtu(mlx5_core_dev* mdev, u32 port, u32 mtu);
int mlx5_core_create_tir(mlx5_core_dev* mdev, u32 port, u32 rqn, u32* tirn);
int mlx5_core_destroy_tir(mlx5_core_dev* mdev, u32 tirn);

// Completion queue as the core driver keeps it.
struct mlx5_core_cq {
  u32 cqn;
  be32* set_ci_db;
  be32* arm_db;
  u32 arm_sn;
  void (*comp)(mlx5_core_cq* cq, mlx5_eqe* eqe);
};

// Asks for an event when an entry at or after `cons_index` is written.
__always_inline void mlx5_cq_arm(mlx5_core_cq* cq, u32 cmd, __iomem* uar, u32 cons_index) {
  const u32 sn = cq->arm_sn & 3;
  const u32 ci = cons_index & ringside::connectx::kCqIndexMask;
  be32 doorbell[2];
  doorbell[0] = sn << 28 | cmd | ci;
  doorbell[1] = cq->cqn;
  WRITE_ONCE(cq->arm_db->raw, doorbell[0].raw);
  // The record must be visible before the device hears of it.
  wmb();
  const u64 both = doorbell[0].raw | static_cast<u64>(doorbell[1].raw) << 32;
  __raw_writeq(both, uar + (ringside::connectx::kUarCqDoorbell - ringside::connectx::kUarPage));
}

inline constexpr u32 MLX5_MAX_CQS = 64;

// Event queue of completion vector 0.
struct mlx5_eq {
  mlx5_core_dev* mdev;
  mlx5_frag_buf_ctrl fbc;
  u32 cons_index;
  u32 eqn;
  mlx5_core_cq* cq_table[MLX5_MAX_CQS];
  u64 cq_errors;
};

// Creates the queue, installs its interrupt handler on `vector` and arms it.
int mlx5_eq_create(mlx5_core_dev* mdev, mlx5_eq* eq, u8 log_size, u32 vector);

// Makes events of this CQ reach its `comp`.
int mlx5_eq_add_cq(mlx5_eq* eq, mlx5_core_cq* cq);
