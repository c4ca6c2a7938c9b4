// Where packets end that only have to be received: it adds up what they held, so that two runs can be compared.
#pragma once

#include "driver/kernel/xdp.h"

// Sums over all packets in the order of their arrival. `checksum` starts at 0 and becomes, for each packet,
// checksum * P + h, with P = 0x100000001b3 and h = 0xcbf29ce484222325 ^ length; for each 8 bytes, as little-endian words
// and the last ones filled up with zeros, h becomes (h ^ word) * P.
struct packet_sink {
  u64 packets;
  u64 bytes;
  u64 checksum;
};
extern packet_sink rx_sink;

// Adds the packet that a program sees.
void sink_xdp(packet_sink* sink, const xdp_buff* xdp);

