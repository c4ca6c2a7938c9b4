// Sends every packet out of an interface that a device map names, with the MAC addresses swapped.
#include "driver/xdp/programs.h"

static __always_inline u32 redirect(const xdp_buff* xdp, u32 index) {
  u8* data = static_cast<u8*>(xdp->data);
  const u8* data_end = static_cast<const u8*>(xdp->data_end);
  datarec* rec = rx_cnt_lookup();
  if (rec == nullptr) return XDP_PASS;
  count_inc(rec->processed);
  if (data + sizeof(ethhdr) > data_end) return XDP_ABORTED;
  swap_mac(data);
  return bpf_redirect_map(&tx_port, index, XDP_ABORTED);
}

u32 xdp_redirect(const void* ctx, const bpf_insn*) { return redirect(static_cast<const xdp_buff*>(ctx), TX_PORT_OTHER); }

u32 xdp_redirect_same(const void* ctx, const bpf_insn*) {
  return redirect(static_cast<const xdp_buff*>(ctx), TX_PORT_SAME);
}
