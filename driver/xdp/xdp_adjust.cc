// Puts 16 bytes in front of every packet, numbers from 0xa0 on, and cuts off its last half. What becomes of the rest is
// the choice of the program.
#include "driver/kernel/filter.h"
#include "driver/kernel/digest.h"
#include "driver/xdp/programs.h"

static u32 adjusted(xdp_buff* xdp, u32 verdict) {
  u8 tag[16];
  datarec* rec = rx_cnt_lookup();
  if (rec == nullptr) return XDP_PASS;
  count_inc(rec->processed);
  const int len = static_cast<int>(xdp_get_buff_len(xdp));
  for (u32 i = 0; i < sizeof(tag); i++) tag[i] = static_cast<u8>(0xa0 + i);
  if (bpf_xdp_adjust_head(xdp, -static_cast<int>(sizeof(tag))) != 0) return XDP_ABORTED;
  if (bpf_xdp_store_bytes(xdp, 0, tag, sizeof(tag)) != 0) return XDP_ABORTED;
  if (bpf_xdp_adjust_tail(xdp, -(len / 2)) != 0) return XDP_ABORTED;
  return verdict;
}

u32 xdp_adjust(const void* ctx, const bpf_insn*) {
  return adjusted(static_cast<xdp_buff*>(const_cast<void*>(ctx)), XDP_PASS);
}

u32 xdp_adjust_checksum(const void* ctx, const bpf_insn*) {
  xdp_buff* xdp = static_cast<xdp_buff*>(const_cast<void*>(ctx));
  const u32 verdict = adjusted(xdp, XDP_DROP);
  if (verdict == XDP_DROP) digest_xdp(&rx_digest, xdp);
  return verdict;
}

u32 xdp_adjust_tx(const void* ctx, const bpf_insn*) {
  return adjusted(static_cast<xdp_buff*>(const_cast<void*>(ctx)), XDP_TX);
}
