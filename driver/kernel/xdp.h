// XDP: what a program sees of a packet, and how it is called.
#pragma once

#include "driver/kernel/netdevice.h"

enum xdp_action : u32 { XDP_ABORTED = 0, XDP_DROP, XDP_PASS, XDP_TX, XDP_REDIRECT };

inline constexpr u32 XDP_PACKET_HEADROOM = 256;

enum xdp_mem_type : u32 { MEM_TYPE_PAGE_SHARED = 0, MEM_TYPE_PAGE_ORDER0, MEM_TYPE_PAGE_POOL };

struct xdp_mem_info {
  u32 type;
  u32 id;
};

struct ____cacheline_aligned xdp_rxq_info {
  net_device* dev;
  u32 queue_index;
  u32 reg_state;
  xdp_mem_info mem;
  u32 napi_id;
  u32 frag_size;
};
static_assert(sizeof(xdp_rxq_info) == 64);

struct xdp_txq_info {
  net_device* dev;
};

struct xdp_buff {
  void* data;
  void* data_end;
  void* data_meta;
  void* data_hard_start;
  xdp_rxq_info* rxq;
  xdp_txq_info* txq;
  u32 frame_sz;
  u32 flags;
};
static_assert(sizeof(xdp_buff) == 56);

__always_inline void xdp_init_buff(xdp_buff* xdp, u32 frame_sz, xdp_rxq_info* rxq) {
  xdp->frame_sz = frame_sz;
  xdp->rxq = rxq;
  xdp->flags = 0;
}

__always_inline void xdp_prepare_buff(xdp_buff* xdp, u8* hard_start, u32 headroom, u32 data_len) {
  u8* data = hard_start + headroom;
  xdp->data_hard_start = hard_start;
  xdp->data = data;
  xdp->data_end = data + data_len;
  xdp->data_meta = data;
}

struct bpf_insn {
  u8 code;
  u8 regs;
  u16 off;
  s32 imm;
};

using bpf_func_t = u32 (*)(const void* ctx, const bpf_insn* insn);

struct bpf_prog {
  u16 pages;
  u16 jited;
  u32 type;
  u32 len;
  u8 tag[8];
  void* stats;
  bpf_func_t bpf_func;  // the program as machine code
  const char* name;
  bpf_insn insnsi[1];
};

// The program in the image with this name, or null.
const bpf_prog* bpf_prog_get_by_name(const char* name);

__always_inline u32 bpf_prog_run_xdp(const bpf_prog* prog, xdp_buff* xdp) { return prog->bpf_func(xdp, prog->insnsi); }

void xdp_rxq_info_reg(xdp_rxq_info* xdp_rxq, net_device* dev, u32 queue_index, u32 napi_id);
void xdp_rxq_info_reg_mem_model(xdp_rxq_info* xdp_rxq, xdp_mem_type type, u32 id);

// Trace point of a program that failed, and warning about a verdict that does not exist or that the driver lacks.
void trace_xdp_exception(const net_device* dev, const bpf_prog* prog, u32 act);
void bpf_warn_invalid_xdp_action(const net_device* dev, const bpf_prog* prog, u32 act);

struct xdp_exception_stats {
  u64 exceptions;
  u64 invalid_actions;
};
extern xdp_exception_stats xdp_stats;
