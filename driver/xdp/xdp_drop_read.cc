// Reads the Ethernet header of every packet, then drops it. A packet too short for one is an error.
#include "driver/xdp/programs.h"

u32 xdp_drop_read(const void* ctx, const bpf_insn*) {
  const xdp_buff* xdp = static_cast<const xdp_buff*>(ctx);
  const u8* data = static_cast<const u8*>(xdp->data);
  const u8* data_end = static_cast<const u8*>(xdp->data_end);
  datarec* rec = rx_cnt_lookup();
  if (rec == nullptr) return XDP_PASS;
  count_inc(rec->processed);
  if (data + sizeof(ethhdr) > data_end) return XDP_ABORTED;
  READ_ONCE(*reinterpret_cast<const u16*>(data + offsetof(ethhdr, h_proto)));
  count_inc(rec->dropped);
  return XDP_DROP;
}
