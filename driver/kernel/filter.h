// Helper functions that XDP programs call. Offsets and lengths count from the packet's first byte, wherever that is.
#pragma once

#include "driver/kernel/xdp.h"

// Moves the start by `offset` bytes, back into the headroom if negative. -EINVAL if there is no room, or if the first
// buffer would keep less than an Ethernet header.
int bpf_xdp_adjust_head(xdp_buff* xdp, int offset);

// Moves the end by `offset` bytes; what is added is zero. Shrinking drops fragments that lose all their bytes, with the
// reference to their page. -EINVAL if less than an Ethernet header would be left or there is no room, -EOPNOTSUPP if the
// queue's fragments cannot grow.
int bpf_xdp_adjust_tail(xdp_buff* xdp, int offset);

// Copy between the packet and a program's memory, across fragments. -EINVAL if the packet is too short.
int bpf_xdp_load_bytes(const xdp_buff* xdp, u32 offset, void* to, u32 len);
int bpf_xdp_store_bytes(xdp_buff* xdp, u32 offset, const void* from, u32 len);
