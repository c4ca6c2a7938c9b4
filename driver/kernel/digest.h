// Adds up what packets held, so that one can tell whether two drivers have delivered the same bytes.
#pragma once

#include "driver/kernel/xdp.h"

// Sums over all packets in the order of their arrival. `digest` starts at 0 and becomes, for each packet,
// digest * P + h, with P = 0x100000001b3 and h = 0xcbf29ce484222325 ^ length; for each 8 bytes, as little-endian words
// and the last ones filled up with zeros, h becomes (h ^ word) * P.
struct packet_digest {
  u64 packets;
  u64 bytes;
  u64 digest;
};
extern packet_digest rx_digest;

// Adds the packet that a program sees.
void digest_xdp(packet_digest* sum, const xdp_buff* xdp);

// Adds a packet of the stack, as it was received: with the link layer's header, which is in front of its data.
void digest_skb(packet_digest* sum, sk_buff* skb);
