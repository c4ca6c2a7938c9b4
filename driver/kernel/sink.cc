#include "driver/kernel/sink.h"

#include "driver/kernel/filter.h"

packet_sink rx_sink;

constexpr u64 PRIME = 0x100000001b3;
constexpr u32 CHUNK = 256;

// Adds a packet of `len` bytes, which `load` copies piece by piece.
template <class Load>
static __always_inline void sink_packet(packet_sink* sink, u32 len, Load load) {
  u64 words[CHUNK / sizeof(u64)];
  u64 h = 0xcbf29ce484222325 ^ len;
  for (u32 offset = 0; offset < len; offset += CHUNK) {
    const u32 part = min(CHUNK, len - offset);
    words[(part - 1) / sizeof(u64)] = 0;
    load(offset, words, part);
    for (u32 i = 0; i < DIV_ROUND_UP(part, sizeof(u64)); i++) h = (h ^ words[i]) * PRIME;
  }
  sink->packets++;
  sink->bytes += len;
  sink->checksum = sink->checksum * PRIME + h;
}

noinline void sink_xdp(packet_sink* sink, const xdp_buff* xdp) {
  sink_packet(sink, xdp_get_buff_len(xdp), [xdp](u32 offset, void* to, u32 len) {
    bpf_xdp_load_bytes(xdp, offset, to, len);
  });
}
