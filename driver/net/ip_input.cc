// IPv4: checks the header, asks netfilter, and delivers. Every address counts as one of this host.
#include "driver/net/checksum.h"
#include "driver/net/netfilter.h"
#include "driver/net/stack.h"

DEFINE_PER_CPU(net_mib, mib);

constexpr u32 MAX_INET_PROTOS = 256;
static inet_handler inet_protos[MAX_INET_PROTOS];

// What IPv4 notes about a packet, in sk_buff.cb.
struct inet_skb_parm {
  s32 iif;
  u8 opt[16];
  u16 flags;
  u16 frag_max_size;
};
static_assert(sizeof(inet_skb_parm) == 24);

void inet_add_protocol(u8 protocol, inet_handler handler) { inet_protos[protocol] = handler; }

void ip_init() {
  for (inet_handler& handler : inet_protos) handler = nullptr;
  for (nf_hook_entries*& entries : nf_hooks_ipv4) entries = nullptr;
}

static noinline sk_buff* ip_drop(sk_buff* skb, u64* counter, skb_drop_reason reason) {
  if (counter != nullptr) (*this_cpu_ptr(counter))++;
  kfree_skb_reason(skb, reason);
  return nullptr;
}

// Null if the packet is not worth more work; it has been freed then.
static noinline sk_buff* ip_rcv_core(sk_buff* skb) {
  if (skb->pkt_type == PACKET_OTHERHOST) return ip_drop(skb, nullptr, SKB_DROP_REASON_OTHERHOST);
  this_cpu_ptr(&mib)->IpInReceives++;
  if (!pskb_may_pull(skb, sizeof(iphdr))) return ip_drop(skb, &mib.IpInHdrErrors, SKB_DROP_REASON_PKT_TOO_SMALL);
  const iphdr* iph = ip_hdr(skb);
  const u32 header = iph->ihl * 4u;
  if (header < sizeof(iphdr) || iph->version != 4) {
    return ip_drop(skb, &mib.IpInHdrErrors, SKB_DROP_REASON_IP_INHDR);
  }
  if (!pskb_may_pull(skb, header)) return ip_drop(skb, &mib.IpInHdrErrors, SKB_DROP_REASON_PKT_TOO_SMALL);
  iph = ip_hdr(skb);
  if (unlikely(ip_fast_csum(iph, iph->ihl) != 0)) return ip_drop(skb, &mib.IpInHdrErrors, SKB_DROP_REASON_IP_CSUM);
  const u32 len = ntohs(iph->tot_len);
  if (skb->len < len) return ip_drop(skb, &mib.IpInTruncatedPkts, SKB_DROP_REASON_PKT_TOO_SMALL);
  if (len < header) return ip_drop(skb, &mib.IpInHdrErrors, SKB_DROP_REASON_IP_INHDR);
  pskb_trim_rcsum(skb, len);
  skb->transport_header = static_cast<u16>(skb->network_header + header);
  __builtin_memset(skb->cb, 0, sizeof(inet_skb_parm));
  reinterpret_cast<inet_skb_parm*>(skb->cb)->iif = skb->skb_iif;
  return skb;
}

static noinline void ip_protocol_deliver_rcu(sk_buff* skb, u8 protocol) {
  const inet_handler handler = inet_protos[protocol];
  if (unlikely(handler == nullptr)) {
    this_cpu_ptr(&mib)->IpInUnknownProtos++;
    kfree_skb_reason(skb, SKB_DROP_REASON_IP_NOPROTO);
    return;
  }
  this_cpu_ptr(&mib)->IpInDelivers++;
  handler(skb);
}

static noinline void ip_local_deliver(sk_buff* skb) {
  const u32 header = ip_hdr(skb)->ihl * 4u;
  const u8 protocol = ip_hdr(skb)->protocol;
  // The header sums to nothing: CHECKSUM_COMPLETE stays right.
  __skb_pull(skb, header);
  ip_protocol_deliver_rcu(skb, protocol);
}

static noinline void ip_sublist_rcv(list_head* head, net_device* dev) {
  const nf_hook_entries* entries = READ_ONCE(nf_hooks_ipv4[NF_INET_PRE_ROUTING]);
  if (entries != nullptr) {
    nf_hook_state state;
    state.hook = NF_INET_PRE_ROUTING;
    state.pf = NFPROTO_IPV4;
    state.in = dev;
    state.out = nullptr;
    state.sk = nullptr;
    state.net = nullptr;
    state.okfn = nullptr;
    nf_hook_slow_list(head, &state, entries);
  }
  for (list_head *entry = head->next, *next; entry != head; entry = next) {
    next = entry->next;
    sk_buff* skb = skb_list_entry(entry);
    skb_list_del_init(skb);
    ip_local_deliver(skb);
  }
}

noinline void ip_list_rcv(list_head* head, packet_type*, net_device* dev) {
  list_head sublist;
  INIT_LIST_HEAD(&sublist);
  for (list_head *entry = head->next, *next; entry != head; entry = next) {
    next = entry->next;
    sk_buff* skb = skb_list_entry(entry);
    skb_list_del_init(skb);
    skb = ip_rcv_core(skb);
    if (skb == nullptr) continue;
    list_add_tail(&skb->list, &sublist);
  }
  if (!list_empty(&sublist)) ip_sublist_rcv(&sublist, dev);
}
