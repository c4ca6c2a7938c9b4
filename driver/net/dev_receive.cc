// From the device to network protocols.
#include "driver/kernel/digest.h"
#include "driver/net/gro.h"
#include "driver/net/headers.h"
#include "driver/net/netfilter.h"
#include "driver/net/reader.h"
#include "driver/net/stack.h"
#include "driver/net/tcp.h"

constexpr u32 PTYPE_HASH_SIZE = 16;
static list_head ptype_base[PTYPE_HASH_SIZE];

// A packet socket that sees whatever a device receives, as tcpdump's.
static void (*packet_tap)(sk_buff* skb);

static void tap_digest(sk_buff* skb) { digest_skb(&rx_digest, skb); }

static __always_inline list_head* ptype_head(u16 type) { return &ptype_base[type & (PTYPE_HASH_SIZE - 1)]; }

void dev_add_pack(packet_type* pt) { list_add_tail(&pt->list, ptype_head(pt->type)); }

static void ptype_init() {
  for (list_head& head : ptype_base) INIT_LIST_HEAD(&head);
}

noinline be16 eth_type_trans(sk_buff* skb, net_device* dev) {
  skb->dev = dev;
  skb_reset_mac_header(skb);
  const ethhdr* eth = reinterpret_cast<const ethhdr*>(skb->data);
  __skb_pull(skb, ETH_HLEN);
  if (unlikely(__builtin_memcmp(eth->h_dest, dev->dev_addr, ETH_ALEN) != 0)) {
    if ((eth->h_dest[0] & 1) == 0) {
      skb->pkt_type = PACKET_OTHERHOST;
    } else {
      constexpr u8 broadcast[ETH_ALEN] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
      const bool all = __builtin_memcmp(eth->h_dest, broadcast, ETH_ALEN) == 0;
      skb->pkt_type = all ? PACKET_BROADCAST : PACKET_MULTICAST;
    }
  }
  be16 type;
  type.raw = ntohs(eth->h_proto) >= ETH_P_802_3_MIN ? eth->h_proto : htons(ETH_P_802_3);
  return type;
}

// Finds the protocol of a packet; null if there is none, and the packet is freed.
static noinline packet_type* __netif_receive_skb_core(sk_buff* skb) {
  skb_reset_network_header(skb);
  if (skb->transport_header == 0xffff) skb_reset_transport_header(skb);
  skb->mac_len = static_cast<u16>(skb->network_header - skb->mac_header);
  skb->skb_iif = static_cast<s32>(skb->dev->ifindex);
  if (unlikely(packet_tap != nullptr)) packet_tap(skb);
  if (unlikely(skb->vlan_present)) {
    // No interface for this VLAN: nobody here is meant.
    constexpr u16 vlan_vid_mask = 0x0fff;
    if ((skb->vlan_tci & vlan_vid_mask) != 0) skb->pkt_type = PACKET_OTHERHOST;
    skb->vlan_present = 0;
  }
  const u16 type = skb->protocol;
  list_head* head = ptype_head(type);
  for (list_head* entry = head->next; entry != head; entry = entry->next) {
    packet_type* pt = container_of(entry, packet_type, list);
    if (pt->type == type) return pt;
  }
  kfree_skb_reason(skb, SKB_DROP_REASON_UNHANDLED_PROTO);
  return nullptr;
}

static __always_inline void __netif_receive_skb_list_ptype(list_head* head, packet_type* pt_prev, net_device* dev) {
  if (pt_prev == nullptr || list_empty(head)) return;
  pt_prev->list_func(head, pt_prev, dev);
}

static noinline void __netif_receive_skb_list_core(list_head* head) {
  packet_type* pt_curr = nullptr;
  net_device* od_curr = nullptr;
  list_head sublist;
  INIT_LIST_HEAD(&sublist);
  for (list_head *entry = head->next, *next; entry != head; entry = next) {
    next = entry->next;
    sk_buff* skb = skb_list_entry(entry);
    net_device* orig_dev = skb->dev;
    skb_list_del_init(skb);
    packet_type* pt_prev = __netif_receive_skb_core(skb);
    if (pt_prev == nullptr) continue;
    if (pt_curr != pt_prev || od_curr != orig_dev) {
      __netif_receive_skb_list_ptype(&sublist, pt_curr, od_curr);
      INIT_LIST_HEAD(&sublist);
      pt_curr = pt_prev;
      od_curr = orig_dev;
    }
    list_add_tail(&skb->list, &sublist);
  }
  __netif_receive_skb_list_ptype(&sublist, pt_curr, od_curr);
}

// Each packet would be time-stamped, and may wait for a stamp of the PHY: here none does.
static __always_inline bool skb_defer_rx_timestamp(const sk_buff*) { return false; }

noinline void netif_receive_skb_list_internal(list_head* head) {
  list_head sublist;
  INIT_LIST_HEAD(&sublist);
  for (list_head *entry = head->next, *next; entry != head; entry = next) {
    next = entry->next;
    sk_buff* skb = skb_list_entry(entry);
    skb_list_del_init(skb);
    if (!skb_defer_rx_timestamp(skb)) list_add_tail(&skb->list, &sublist);
  }
  __netif_receive_skb_list_core(&sublist);
}

static packet_type ip_packet_type = {.type = ETH_P_IP, .list_func = ip_list_rcv, .list = {}};

static bool same(const char* a, const char* b) {
  for (; *a == *b; a++, b++) {
    if (*a == '\0') return true;
  }
  return false;
}

bool net_stack_transmits(const board_info& board) { return same(board.stack, "tcp"); }

static void tcp_start(const board_info& board) {
  constexpr u32 tcp_rmem_max = 6 << 20;
  inet_add_protocol(IPPROTO_UDP, udp_rcv);
  tcp_init(board.tcp_flows, board.tcp_rmem != 0 ? board.tcp_rmem : tcp_rmem_max);
#ifdef CONFIG_SMP
  tcp_readers_run_on(board.reader_cpu);
#endif
  tcp_readers_start(board.tcp_flows, board.tcp_verify != 0);
}

void net_stack_init(const board_info& board) {
  const char* end = board.stack;
  mib = {};
  tcp_mib = {};
  gro_stats = {};
  ptype_init();
  ip_init();
  icmp_init();
  dev_add_pack(&ip_packet_type);
  packet_tap = nullptr;
  if (end[0] == '\0' || same(end, "raw-drop")) {
    iptable_raw_drop();
  } else if (same(end, "digest")) {
    packet_tap = tap_digest;
    iptable_raw_drop();
  } else if (same(end, "udp-no-port")) {
    inet_add_protocol(IPPROTO_UDP, udp_rcv);
  } else if (same(end, "sink")) {
    inet_add_protocol(IPPROTO_UDP, sink_rcv);
    inet_add_protocol(IPPROTO_TCP, sink_rcv);
  } else if (net_stack_transmits(board)) {
    tcp_start(board);
  } else {
    panic("no such end of the stack in the image");
  }
}
