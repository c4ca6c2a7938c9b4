// XDP_REDIRECT between interfaces: the map that a program chooses from, and the queues that collect frames for a device
// until the driver's poll ends.
#pragma once

#include "driver/kernel/xdp.h"

// A device map: where a program may send packets.
inline constexpr u32 DEV_MAP_MAX_ENTRIES = 4;
struct bpf_dtab {
  net_device* netdev_map[DEV_MAP_MAX_ENTRIES];
};

// What a program has asked for, until the driver acts on it. It lives on the stack of the softirq, as kernels from 6.11
// have it, with room for what else such a context holds.
struct bpf_redirect_info {
  u64 tgt_index;
  void* tgt_value;
  bpf_dtab* map;
  u32 flags;
  u32 map_id;
  u32 map_type;
  u32 nh[5];
  u32 kern_flags;
};
struct bpf_net_context {
  bpf_redirect_info ri;
  list_head cpu_map_flush_list;
  list_head dev_map_flush_list;
  list_head xskmap_map_flush_list;
};
static_assert(sizeof(bpf_redirect_info) == 64 && sizeof(bpf_net_context) == 112);

// What the processor is working on; null outside of softirqs.
extern bpf_net_context* current_bpf_net_context;

__always_inline void bpf_net_ctx_set(bpf_net_context* bpf_net_ctx) {
  bpf_net_ctx->ri.kern_flags = 0;
  WRITE_ONCE(current_bpf_net_context, bpf_net_ctx);
}
__always_inline void bpf_net_ctx_clear() { WRITE_ONCE(current_bpf_net_context, static_cast<bpf_net_context*>(nullptr)); }

// Frames on their way to a device. One per device and processor.
inline constexpr u32 DEV_MAP_BULK_SIZE = XDP_BULK_QUEUE_SIZE;
struct xdp_dev_bulk_queue {
  xdp_frame* q[DEV_MAP_BULK_SIZE];
  list_head flush_node;
  net_device* dev;
  net_device* dev_rx;
  u32 count;
};

struct xdp_redirect_stats {
  u64 frames;      // taken by a device
  u64 not_taken;   // given back by it
  u64 errors;      // no device, or none that takes frames
};
extern xdp_redirect_stats redirect_stats;

// Gives a device what it needs to be a target. Its driver has ndo_xdp_xmit.
void dev_map_add(net_device* dev);

// For programs: the verdict that sends the packet to entry `index` of the map, or `flags` where there is none.
u32 bpf_redirect_map(bpf_dtab* map, u32 index, u64 flags);

// For drivers: carries out XDP_REDIRECT. Negative if the packet stays with the caller.
int xdp_do_redirect(net_device* dev, xdp_buff* xdp, const bpf_prog* prog);

// For drivers: sends what has collected, at the end of a poll that redirected.
void xdp_do_flush();
