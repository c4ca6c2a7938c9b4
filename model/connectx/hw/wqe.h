// ConnectX receive WQEs and the doorbell record of work queues. Freestanding. Offsets: mlx5 device interface.
#pragma once

#include <cstddef>
#include <cstdint>

#include "model/base/bigendian.h"

namespace ringside::connectx {

// Data segment: one buffer of a scatter list. A cyclic RQ's WQE is 1, 2 or 4 of them.
struct wqe_data_seg {
  be32 byte_count;
  be32 lkey;
  be64 addr;
};
static_assert(sizeof(wqe_data_seg) == 16 && offsetof(wqe_data_seg, addr) == 8);

// lkey that ends a scatter list early.
inline constexpr std::uint32_t kTerminateScatterLkey = 0x100;

// Doorbell record of a work queue: word 0 counts posted receive WQEs, word 1 send WQEBBs (16-bit counters).
struct wq_doorbell_record {
  be32 receive;
  be32 send;
};
static_assert(sizeof(wq_doorbell_record) == 8);

}  // namespace ringside::connectx
