// As xdp_tx, for packets whose first bytes may lie in a fragment.
#include "driver/kernel/filter.h"
#include "driver/xdp/programs.h"

u32 xdp_tx_frags(const void* ctx, const bpf_insn*) {
  xdp_buff* xdp = static_cast<xdp_buff*>(const_cast<void*>(ctx));
  datarec* rec = rx_cnt_lookup();
  if (rec == nullptr) return XDP_PASS;
  count_inc(rec->processed);
  ethhdr eth;
  if (bpf_xdp_load_bytes(xdp, 0, &eth, sizeof(eth)) != 0) return XDP_ABORTED;
  ethhdr answer = eth;
  __builtin_memcpy(answer.h_dest, eth.h_source, sizeof(answer.h_dest));
  __builtin_memcpy(answer.h_source, eth.h_dest, sizeof(answer.h_source));
  if (bpf_xdp_store_bytes(xdp, 0, &answer, sizeof(answer)) != 0) return XDP_ABORTED;
  return XDP_TX;
}
