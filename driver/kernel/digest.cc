#include "driver/kernel/digest.h"

#include "driver/kernel/filter.h"

packet_digest rx_digest;

constexpr u64 PRIME = 0x100000001b3;
constexpr u32 CHUNK = 256;

// Adds a packet of `len` bytes, which `load` copies piece by piece.
template <class Load>
static __always_inline void digest_packet(packet_digest* sum, u32 len, Load load) {
  u64 words[CHUNK / sizeof(u64)];
  u64 h = 0xcbf29ce484222325 ^ len;
  for (u32 offset = 0; offset < len; offset += CHUNK) {
    const u32 part = min(CHUNK, len - offset);
    words[(part - 1) / sizeof(u64)] = 0;
    load(offset, words, part);
    for (u32 i = 0; i < DIV_ROUND_UP(part, sizeof(u64)); i++) h = (h ^ words[i]) * PRIME;
  }
  sum->packets++;
  sum->bytes += len;
  sum->digest = sum->digest * PRIME + h;
}

noinline void digest_xdp(packet_digest* sum, const xdp_buff* xdp) {
  digest_packet(sum, xdp_get_buff_len(xdp), [xdp](u32 offset, void* to, u32 len) {
    bpf_xdp_load_bytes(xdp, offset, to, len);
  });
}

noinline void digest_skb(packet_digest* sum, sk_buff* skb) {
  __skb_push(skb, skb->mac_len);
  digest_packet(sum, skb->len, [skb](u32 offset, void* to, u32 len) { skb_copy_bits(skb, offset, to, len); });
  __skb_pull(skb, skb->mac_len);
}
