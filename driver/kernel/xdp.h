// XDP: what a program sees of a packet, and how it is called.
#pragma once

#include "driver/kernel/netdevice.h"
#include "driver/kernel/skbuff.h"

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

inline constexpr u32 XDP_FLAGS_HAS_FRAGS = BIT(0);
// A packet on its own, described at the start of its first buffer.
struct xdp_frame {
  void* data;
  u32 len;
  u32 headroom;
  u32 metasize;
  u32 mem_type;
  net_device* dev_rx;
  u32 frame_sz;
  u32 flags;
};
static_assert(sizeof(xdp_frame) == 40);

// Pages of redirected frames on their way back to their pool.
inline constexpr int XDP_BULK_QUEUE_SIZE = 16;
struct xdp_frame_bulk {
  int count;
  struct page* q[XDP_BULK_QUEUE_SIZE];
};
static_assert(sizeof(xdp_frame_bulk) == 136);

__always_inline void xdp_frame_bulk_init(xdp_frame_bulk* bq) { bq->count = 0; }
void xdp_flush_frame_bulk(xdp_frame_bulk* bq);

// Gives back a frame that has been transmitted, together with others.
void xdp_return_frame_bulk(xdp_frame* xdpf, xdp_frame_bulk* bq);

// Gives back a frame from the softirq that received it.
void xdp_return_frame_rx_napi(xdp_frame* xdpf);

__always_inline u8* xdp_data_hard_end(const xdp_buff* xdp) {
  return static_cast<u8*>(xdp->data_hard_start) + xdp->frame_sz - sizeof(skb_shared_info);
}

__always_inline u64 xdp_get_metalen(const xdp_buff* xdp) {
  return static_cast<u64>(static_cast<u8*>(xdp->data) - static_cast<u8*>(xdp->data_meta));
}

__always_inline bool xdp_buff_has_frags(const xdp_buff* xdp) { return (xdp->flags & XDP_FLAGS_HAS_FRAGS) != 0; }
__always_inline void xdp_buff_set_frags_flag(xdp_buff* xdp) { xdp->flags |= XDP_FLAGS_HAS_FRAGS; }
__always_inline void xdp_buff_clear_frags_flag(xdp_buff* xdp) { xdp->flags &= ~XDP_FLAGS_HAS_FRAGS; }

__always_inline skb_shared_info* xdp_get_shared_info_from_buff(const xdp_buff* xdp) {
  return reinterpret_cast<skb_shared_info*>(xdp_data_hard_end(xdp));
}

// Length of the whole packet.
__always_inline u32 xdp_get_buff_len(const xdp_buff* xdp) {
  u32 len = static_cast<u32>(static_cast<u8*>(xdp->data_end) - static_cast<u8*>(xdp->data));
  if (likely(!xdp_buff_has_frags(xdp))) return len;
  return len + xdp_get_shared_info_from_buff(xdp)->xdp_frags_size;
}

// Gives `skb`, built around the first buffer, the fragments that XDP knows.
__always_inline void xdp_update_skb_shared_info(sk_buff* skb, u32 nr_frags, u32 size, u32 truesize) {
  skb_shinfo(skb)->nr_frags = static_cast<u8>(nr_frags);
  skb->len += size;
  skb->data_len += size;
  skb->truesize += truesize;
}

__always_inline bool xdp_frame_has_frags(const xdp_frame* frame) { return (frame->flags & XDP_FLAGS_HAS_FRAGS) != 0; }

__always_inline skb_shared_info* xdp_get_shared_info_from_frame(const xdp_frame* frame) {
  u8* hard_start = static_cast<u8*>(frame->data) - frame->headroom - sizeof(xdp_frame);
  return reinterpret_cast<skb_shared_info*>(hard_start + frame->frame_sz - sizeof(skb_shared_info));
}

// Null if the program has left no room for the frame's description.
__always_inline xdp_frame* xdp_convert_buff_to_frame(const xdp_buff* xdp) {
  xdp_frame* frame = static_cast<xdp_frame*>(xdp->data_hard_start);
  const u8* data = static_cast<const u8*>(xdp->data);
  const s32 headroom = static_cast<s32>(data - static_cast<const u8*>(xdp->data_hard_start));
  const s32 metasize = max(0, static_cast<s32>(data - static_cast<const u8*>(xdp->data_meta)));
  if (unlikely(headroom - metasize < static_cast<s32>(sizeof(xdp_frame)))) return nullptr;
  if (unlikely(static_cast<const u8*>(xdp->data_end) > xdp_data_hard_end(xdp))) return nullptr;
  frame->data = xdp->data;
  frame->len = static_cast<u32>(static_cast<const u8*>(xdp->data_end) - data);
  frame->headroom = static_cast<u32>(headroom) - static_cast<u32>(sizeof(xdp_frame));
  frame->metasize = static_cast<u32>(metasize);
  frame->frame_sz = xdp->frame_sz;
  frame->flags = xdp->flags;
  frame->mem_type = xdp->rxq->mem.type;
  return frame;
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
  bool xdp_has_frags;  // it can work on packets in several pieces
  bpf_insn insnsi[1];
  bool other_port = false;  // it redirects to another interface of the device
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
