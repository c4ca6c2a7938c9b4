// Sends every packet back where it came from: swaps the MAC addresses.
#include "driver/xdp/programs.h"

static __always_inline void swap_mac(void* data) {
  u16* p = static_cast<u16*>(data);
  u16 dst[3];
  dst[0] = p[0];
  dst[1] = p[1];
  dst[2] = p[2];
  p[0] = p[3];
  p[1] = p[4];
  p[2] = p[5];
  p[3] = dst[0];
  p[4] = dst[1];
  p[5] = dst[2];
}

u32 xdp_tx(const void* ctx, const bpf_insn*) {
  const xdp_buff* xdp = static_cast<const xdp_buff*>(ctx);
  u8* data = static_cast<u8*>(xdp->data);
  const u8* data_end = static_cast<const u8*>(xdp->data_end);
  datarec* rec = rx_cnt_lookup();
  if (rec == nullptr) return XDP_PASS;
  count_inc(rec->processed);
  if (data + sizeof(ethhdr) > data_end) return XDP_ABORTED;
  swap_mac(data);
  return XDP_TX;
}
