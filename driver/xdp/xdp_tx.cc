// Sends every packet back where it came from: swaps the MAC addresses.
#include "driver/xdp/programs.h"

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
