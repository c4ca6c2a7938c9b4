// Socket buffers: a packet on its way through the stack. The head describes it; its bytes lie in one linear buffer,
// which ends with a skb_shared_info, and in fragments of pages.
#pragma once

#include "driver/kernel/list.h"
#include "driver/kernel/page_pool.h"
#include "driver/kernel/percpu.h"

struct net_device;
struct napi_struct;
struct sk_buff;

inline constexpr u32 SMP_CACHE_BYTES = L1_CACHE_BYTES;
inline constexpr u32 MAX_SKB_FRAGS = 17;
inline constexpr u32 NET_SKB_PAD = 64;

constexpr u32 SKB_DATA_ALIGN(u64 size) { return static_cast<u32>(ALIGN(size, SMP_CACHE_BYTES)); }

struct skb_frag_t {
  struct page* page;
  u32 len;
  u32 offset;
};

__always_inline struct page* skb_frag_page(const skb_frag_t* frag) { return frag->page; }
__always_inline u32 skb_frag_size(const skb_frag_t* frag) { return frag->len; }
__always_inline void skb_frag_size_add(skb_frag_t* frag, int delta) { frag->len += static_cast<u32>(delta); }
__always_inline void skb_frag_size_sub(skb_frag_t* frag, int delta) { frag->len -= static_cast<u32>(delta); }
__always_inline u32 skb_frag_off(const skb_frag_t* frag) { return frag->offset; }
__always_inline void skb_frag_off_add(skb_frag_t* frag, int delta) { frag->offset += static_cast<u32>(delta); }
__always_inline u8* skb_frag_address(const skb_frag_t* frag) { return page_address(frag->page) + frag->offset; }
__always_inline void skb_frag_fill_page_desc(skb_frag_t* frag, struct page* page, u32 off, u32 size) {
  frag->page = page;
  frag->offset = off;
  frag->len = size;
}

// At the end of a packet's linear buffer: the buffers that follow it.
struct skb_shared_info {
  u8 flags;
  u8 meta_len;
  u8 nr_frags;
  u8 tx_flags;
  u16 gso_size;
  u16 gso_segs;
  sk_buff* frag_list;
  u64 hwtstamps;
  u32 gso_type;
  u32 tskey;
  atomic_t dataref;  // what stands before it is zeroed when a buffer becomes a packet
  u32 xdp_frags_size;
  void* destructor_arg;
  skb_frag_t frags[MAX_SKB_FRAGS];
};
static_assert(offsetof(skb_shared_info, dataref) == 32 && offsetof(skb_shared_info, frags) == 48);
static_assert(SKB_DATA_ALIGN(sizeof(skb_shared_info)) == 320);

constexpr u32 SKB_WITH_OVERHEAD(u32 x) { return x - SKB_DATA_ALIGN(sizeof(skb_shared_info)); }

enum skb_ip_summed : u8 { CHECKSUM_NONE = 0, CHECKSUM_UNNECESSARY = 1, CHECKSUM_COMPLETE = 2, CHECKSUM_PARTIAL = 3 };
enum pkt_hash_types : u8 { PKT_HASH_TYPE_NONE, PKT_HASH_TYPE_L2, PKT_HASH_TYPE_L3, PKT_HASH_TYPE_L4 };
enum pkt_type_values : u8 { PACKET_HOST = 0, PACKET_BROADCAST = 1, PACKET_MULTICAST = 2, PACKET_OTHERHOST = 3 };

// The fields that a received packet uses, where a 64-bit kernel has them. Zeroed up to `tail` at birth.
struct sk_buff {
  union {
    sk_buff* next;
    list_head list;
  };
  net_device* dev;
  void* sk;
  u64 tstamp;
  u8 cb[48];  // of whoever has the packet
  u64 _skb_refdst;
  void (*destructor)(sk_buff* skb);
  u64 _nfct;
  u32 len;       // of all buffers
  u32 data_len;  // of the fragments and the frag_list
  u16 mac_len;
  u16 hdr_len;
  u16 queue_mapping;  // receive queue plus one
  u8 cloned : 1;
  u8 nohdr : 1;
  u8 head_frag : 1;   // the linear buffer is part of a page
  u8 pp_recycle : 1;  // its pages belong to page pools
  u8 active_extensions;
  u8 pkt_type : 3;
  u8 ip_summed : 2;
  u8 tstamp_type : 2;
  u8 l4_hash : 1;
  u8 sw_hash : 1;
  u8 csum_level : 2;
  u8 csum_valid : 1;
  u8 encapsulation : 1;
  u8 vlan_present : 1;
  u8 _flags[2];
  u16 tc_index;
  u16 alloc_cpu;
  u32 csum;
  u32 priority;
  s32 skb_iif;
  u32 hash;
  be16 vlan_proto;
  u16 vlan_tci;
  u32 napi_id;
  u32 secmark;
  u32 mark;
  be16 inner_protocol;
  u16 inner_transport_header;
  u16 inner_network_header;
  u16 inner_mac_header;
  be16 protocol;
  u16 transport_header;  // headers are offsets from `head`
  u16 network_header;
  u16 mac_header;
  u32 tail;
  u32 end;
  u8* head;
  u8* data;
  u32 truesize;
  atomic_t users;
  void* extensions;
  u64 kcov_handle;
};
static_assert(sizeof(sk_buff) == 232);
static_assert(offsetof(sk_buff, cb) == 40 && offsetof(sk_buff, len) == 112);
static_assert(offsetof(sk_buff, active_extensions) == 127 && offsetof(sk_buff, tc_index) == 132);
static_assert(offsetof(sk_buff, csum) == 136 && offsetof(sk_buff, hash) == 148 && offsetof(sk_buff, protocol) == 176);
static_assert(offsetof(sk_buff, tail) == 184 && offsetof(sk_buff, head) == 192 && offsetof(sk_buff, users) == 212);

// Bytes of memory that a packet of `x` linear bytes is charged with.
constexpr u32 SKB_TRUESIZE(u32 x) {
  return x + SKB_DATA_ALIGN(sizeof(sk_buff)) + SKB_DATA_ALIGN(sizeof(skb_shared_info));
}

// Heads that NAPI freed and takes again, in front of the allocator.
inline constexpr u32 NAPI_SKB_CACHE_SIZE = 128;
inline constexpr u32 NAPI_SKB_CACHE_BULK = 32;
inline constexpr u32 NAPI_SKB_CACHE_HALF = NAPI_SKB_CACHE_SIZE / 2;

// Why a packet ended.
enum skb_drop_reason : u32 {
  SKB_NOT_DROPPED_YET = 0,
  SKB_CONSUMED,
  SKB_SENT,
  SKB_DROP_REASON_NOT_SPECIFIED,
  SKB_DROP_REASON_NO_SOCKET,
  SKB_DROP_REASON_PKT_TOO_SMALL,
  SKB_DROP_REASON_TCP_CSUM,
  SKB_DROP_REASON_TCP_FLAGS,
  SKB_DROP_REASON_TCP_RFC7323_PAWS,
  SKB_DROP_REASON_TCP_INVALID_SEQUENCE,
  SKB_DROP_REASON_TCP_OLD_DATA,
  SKB_DROP_REASON_TCP_OVERWINDOW,
  SKB_DROP_REASON_TCP_ZEROWINDOW,
  SKB_DROP_REASON_TCP_OFOMERGE,
  SKB_DROP_REASON_TCP_OFO_QUEUE_PRUNE,
  SKB_DROP_REASON_PROTO_MEM,
  SKB_DROP_REASON_SOCKET_BACKLOG,
  SKB_DROP_REASON_UDP_CSUM,
  SKB_DROP_REASON_NETFILTER_DROP,
  SKB_DROP_REASON_OTHERHOST,
  SKB_DROP_REASON_IP_CSUM,
  SKB_DROP_REASON_IP_INHDR,
  SKB_DROP_REASON_UNHANDLED_PROTO,
  SKB_DROP_REASON_IP_NOPROTO,
  SKB_DROP_REASON_MAX,
};

// Once at start-up, after the page allocator.
void skb_init();

// Heads that belong to a packet now.
u64 skb_heads_in_use();

// A packet around a buffer of `frag_size` bytes in a page, which becomes its linear part. It is empty: the caller
// reserves headroom and puts the bytes. Null if there is no memory; the buffer stays the caller's then.
sk_buff* napi_build_skb(void* data, u32 frag_size);

// A packet with a linear buffer of its own for `len` bytes, behind NET_SKB_PAD bytes of headroom. Null if there is no
// memory, or none so large.
sk_buff* napi_alloc_skb(napi_struct* napi, u32 len);

// A packet to send, with a linear buffer for `size` bytes. Null if there is no memory, or none so large.
sk_buff* alloc_skb(u32 size);

// Ends a packet that has been sent.
void napi_consume_sent_skb(sk_buff* skb, int budget);

// Ends a packet that arrived where it was meant to go. `budget`: that of the poll that it ends in, 0 outside NAPI.
void napi_consume_skb(sk_buff* skb, int budget);

// Ends a packet that was given up, and counts why.
void kfree_skb_reason(sk_buff* skb, skb_drop_reason reason);
__always_inline void kfree_skb(sk_buff* skb) { kfree_skb_reason(skb, SKB_DROP_REASON_NOT_SPECIFIED); }

// Ends a packet that a process has read. One that another processor's NAPI has made goes back there, so that its memory does,
// unless that one has many to free already.
struct softnet_data;
#ifdef CONFIG_SMP
void skb_attempt_defer_free(sk_buff* skb);
// Frees what other processors have sent back.
void skb_defer_free_flush(softnet_data* sd);
#else
__always_inline void skb_attempt_defer_free(sk_buff* skb) { kfree_skb_reason(skb, SKB_CONSUMED); }
__always_inline void skb_defer_free_flush(softnet_data*) {}
#endif

// Frees what is left of a packet whose fragments another one has taken.
void __napi_kfree_skb(sk_buff* skb);
// Frees a head whose linear buffer has become a fragment of another packet.
void napi_skb_free_stolen_head(sk_buff* skb);

// Packets that ended, by reason.
using skb_drop_counts = u64[SKB_DROP_REASON_MAX];
DECLARE_PER_CPU(skb_drop_counts, skb_drop_reasons);

// Lists of packets through their `list`.
__always_inline sk_buff* skb_list_entry(list_head* entry) { return container_of(entry, sk_buff, list); }
__always_inline void skb_list_del_init(sk_buff* skb) {
  skb->list.prev->next = skb->list.next;
  skb->list.next->prev = skb->list.prev;
  skb->next = nullptr;
}

__always_inline u8* skb_tail_pointer(const sk_buff* skb) { return skb->head + skb->tail; }
__always_inline u8* skb_end_pointer(const sk_buff* skb) { return skb->head + skb->end; }
__always_inline skb_shared_info* skb_shinfo(const sk_buff* skb) {
  return reinterpret_cast<skb_shared_info*>(skb_end_pointer(skb));
}
__always_inline u32 skb_headlen(const sk_buff* skb) { return skb->len - skb->data_len; }
__always_inline u32 skb_headroom(const sk_buff* skb) { return static_cast<u32>(skb->data - skb->head); }
__always_inline u32 skb_tailroom(const sk_buff* skb) { return skb->data_len != 0 ? 0 : skb->end - skb->tail; }

// Moves an empty packet's data by `len` bytes.
__always_inline void skb_reserve(sk_buff* skb, u32 len) {
  skb->data += len;
  skb->tail += len;
}
// Adds `len` bytes to the linear part and returns where they go; panics if there is no room.
void* skb_put(sk_buff* skb, u32 len);
__always_inline void* __skb_push(sk_buff* skb, u32 len) {
  skb->data -= len;
  skb->len += len;
  return skb->data;
}
__always_inline void* __skb_pull(sk_buff* skb, u32 len) {
  skb->len -= len;
  return skb->data += len;
}
__always_inline void* skb_push(sk_buff* skb, u32 len) {
  skb->data -= len;
  skb->len += len;
  return skb->data;
}
__always_inline void* skb_pull(sk_buff* skb, u32 len) {
  return unlikely(len > skb->len) ? nullptr : __skb_pull(skb, len);
}

// Cuts the packet off after `len` bytes.
void pskb_trim(sk_buff* skb, u32 len);

// Moves `delta` bytes from the fragments to the linear part, which must have room. Null if there are not that many.
void* __pskb_pull_tail(sk_buff* skb, u32 delta);
__always_inline bool pskb_may_pull(sk_buff* skb, u32 len) {
  if (likely(len <= skb_headlen(skb))) return true;
  return len <= skb->len && __pskb_pull_tail(skb, len - skb_headlen(skb)) != nullptr;
}

// Copies `len` bytes of the packet from `offset` on. -EINVAL if there are not that many.
int skb_copy_bits(const sk_buff* skb, u32 offset, void* to, u32 len);

// Fragment `i` is the last one.
__always_inline void skb_fill_page_desc(sk_buff* skb, int i, struct page* page, u32 off, u32 size) {
  skb_frag_fill_page_desc(&skb_shinfo(skb)->frags[i], page, off, size);
  skb_shinfo(skb)->nr_frags = static_cast<u8>(i + 1);
}
__always_inline void skb_add_rx_frag(sk_buff* skb, int i, struct page* page, u32 off, u32 size, u32 truesize) {
  skb_fill_page_desc(skb, i, page, off, size);
  skb->len += size;
  skb->data_len += size;
  skb->truesize += truesize;
}

// The packet's pages go back to their page pools.
__always_inline void skb_mark_for_recycle(sk_buff* skb) { skb->pp_recycle = 1; }

// Drops a fragment's reference to its page. `recycle`: as the packet's pp_recycle says.
void __skb_frag_unref(skb_frag_t* frag, bool recycle);

__always_inline void skb_set_hash(sk_buff* skb, u32 hash, pkt_hash_types type) {
  skb->l4_hash = type == PKT_HASH_TYPE_L4;
  skb->sw_hash = 0;
  skb->hash = hash;
}
__always_inline void skb_record_rx_queue(sk_buff* skb, u16 rx_queue) {
  skb->queue_mapping = static_cast<u16>(rx_queue + 1);
}
__always_inline void __vlan_hwaccel_put_tag(sk_buff* skb, be16 vlan_proto, u16 vlan_tci) {
  skb->vlan_proto = vlan_proto;
  skb->vlan_tci = vlan_tci;
  skb->vlan_present = 1;
}

__always_inline u8* skb_mac_header(const sk_buff* skb) { return skb->head + skb->mac_header; }
__always_inline u8* skb_network_header(const sk_buff* skb) { return skb->head + skb->network_header; }
__always_inline u8* skb_transport_header(const sk_buff* skb) { return skb->head + skb->transport_header; }
__always_inline void skb_reset_mac_header(sk_buff* skb) { skb->mac_header = static_cast<u16>(skb->data - skb->head); }
__always_inline void skb_reset_network_header(sk_buff* skb) {
  skb->network_header = static_cast<u16>(skb->data - skb->head);
}
__always_inline void skb_reset_transport_header(sk_buff* skb) {
  skb->transport_header = static_cast<u16>(skb->data - skb->head);
}
__always_inline void skb_set_network_header(sk_buff* skb, int offset) {
  skb->network_header = static_cast<u16>(skb->data - skb->head + offset);
}
__always_inline void skb_set_transport_header(sk_buff* skb, int offset) {
  skb->transport_header = static_cast<u16>(skb->data - skb->head + offset);
}
