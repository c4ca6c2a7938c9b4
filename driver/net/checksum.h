// Ones' complement sums (RFC 1071). Sums are of 16-bit words in the machine's order, unfolded in 32 bits.
#pragma once

#include "driver/kernel/skbuff.h"
#include "driver/net/headers.h"

struct [[gnu::packed]] unaligned_u32 {
  u32 value;
};

__always_inline u32 csum_add(u32 csum, u32 addend) {
  const u32 sum = csum + addend;
  return sum + (sum < addend);
}
__always_inline u32 csum_sub(u32 csum, u32 addend) { return csum_add(csum, ~addend); }
__always_inline u16 csum_fold(u32 csum) {
  csum = (csum & 0xffff) + (csum >> 16);
  csum = (csum & 0xffff) + (csum >> 16);
  return static_cast<u16>(~csum);
}
__always_inline u32 from64to32(u64 x) {
  x = (x & 0xffff'ffff) + (x >> 32);
  x = (x & 0xffff'ffff) + (x >> 32);
  return static_cast<u32>(x);
}

// Of a header of `ihl` 32-bit words; 0 if the checksum in it is right.
__always_inline u16 ip_fast_csum(const void* iph, u32 ihl) {
  const unaligned_u32* word = static_cast<const unaligned_u32*>(iph);
  u64 sum = u64{word[0].value} + word[1].value + word[2].value + word[3].value;
  for (u32 i = 4; i < ihl; i++) sum += word[i].value;
  return csum_fold(from64to32(sum));
}

// Pseudo header of TCP and UDP over IPv4.
__always_inline u32 csum_tcpudp_nofold(__be32 saddr, __be32 daddr, u32 len, u8 proto, u32 sum) {
  const u64 words = u64{saddr} + daddr + (u64{len + proto} << 8) + sum;
  return from64to32(words);
}
__always_inline u16 csum_tcpudp_magic(__be32 saddr, __be32 daddr, u32 len, u8 proto, u32 sum) {
  return csum_fold(csum_tcpudp_nofold(saddr, daddr, len, proto, sum));
}

u32 csum_partial(const void* buff, u32 len, u32 sum);

// Of `len` bytes of the packet from `offset` on, wherever they lie.
u32 skb_checksum(const sk_buff* skb, u32 offset, u32 len, u32 csum);

__always_inline bool skb_csum_unnecessary(const sk_buff* skb) {
  return skb->ip_summed == CHECKSUM_UNNECESSARY || skb->ip_summed == CHECKSUM_PARTIAL || skb->csum_valid;
}

// Whether TCP or UDP's checksum is right, of a packet whose data begins with that header. `pseudo`: sum of the pseudo
// header.
bool skb_transport_csum_ok(sk_buff* skb, u32 pseudo);
