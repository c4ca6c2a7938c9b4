// Generic receive offload: consecutive segments of a flow that one poll finds travel up the stack as one packet.
#pragma once

#include "driver/kernel/netdevice.h"
#include "driver/kernel/skbuff.h"
#include "driver/net/headers.h"

inline constexpr int MAX_GRO_SKBS = 8;      // that wait in one bucket
inline constexpr u32 GRO_MAX_SIZE = 65536;  // bytes of a merged packet
inline constexpr int gro_normal_batch = 8;  // packets handed to the stack at once

enum gro_result : u32 { GRO_MERGED, GRO_MERGED_FREE, GRO_HELD, GRO_NORMAL };
// What is left of a merged packet: nothing, the head with an empty buffer, or the head alone.
enum napi_gro_free : u8 { NAPI_GRO_KEEP = 0, NAPI_GRO_FREE, NAPI_GRO_FREE_STOLEN_HEAD };

// What GRO knows of a packet, in sk_buff.cb.
struct napi_gro_cb {
  u8* frag0;      // where the first bytes are that need no copying, and how many
  sk_buff* last;  // of the packets chained to this one
  u32 frag0_len;
  u32 data_offset;  // of what has not been parsed
  u32 csum;
  u16 flush;  // must not wait, nor be waited for
  u16 count;  // segments
  u8 proto;
  u8 free;
  u8 csum_cnt;  // checksums that the device has verified
  u8 same_flow : 1;
  u8 csum_valid : 1;
};
static_assert(sizeof(napi_gro_cb) <= sizeof(sk_buff::cb));

__always_inline napi_gro_cb* NAPI_GRO_CB(sk_buff* skb) { return reinterpret_cast<napi_gro_cb*>(skb->cb); }
__always_inline u32 skb_gro_offset(sk_buff* skb) { return NAPI_GRO_CB(skb)->data_offset; }
__always_inline u32 skb_gro_len(sk_buff* skb) { return skb->len - NAPI_GRO_CB(skb)->data_offset; }
__always_inline void skb_gro_pull(sk_buff* skb, u32 len) { NAPI_GRO_CB(skb)->data_offset += len; }

// The header at `offset`, whose end is `hlen` bytes into the packet. Null if the packet is too short.
__always_inline void* skb_gro_header(sk_buff* skb, u32 hlen, u32 offset) {
  if (likely(hlen <= NAPI_GRO_CB(skb)->frag0_len)) return NAPI_GRO_CB(skb)->frag0 + offset;
  if (!pskb_may_pull(skb, hlen)) return nullptr;
  NAPI_GRO_CB(skb)->frag0 = skb->data;
  NAPI_GRO_CB(skb)->frag0_len = skb_headlen(skb);
  return skb->data + offset;
}

struct napi_gro_stats {
  u64 merged;  // packets that became part of another
};
extern napi_gro_stats gro_stats;

void init_gro_hash(napi_struct* napi);

// Takes over a packet that a driver has received.
gro_result napi_gro_receive(napi_struct* napi, sk_buff* skb);

// Sends all waiting packets on, and then the batch that has gathered.
void napi_gro_flush(napi_struct* napi);
void gro_normal_list(napi_struct* napi);

// Appends `skb` to `p`. Negative if there is no room.
int skb_gro_receive(sk_buff* p, sk_buff* skb);

// Protocols, gro_inet.cc. The receive functions return the packet that must not wait longer, or null.
sk_buff* inet_gro_receive(list_head* head, sk_buff* skb);
void inet_gro_complete(sk_buff* skb);
