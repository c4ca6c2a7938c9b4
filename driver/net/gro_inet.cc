// GRO of IPv4: TCP segments merge; everything else passes.
#include "driver/net/checksum.h"
#include "driver/net/gro.h"

// True if the transport's checksum is right: known from the device, or from its sum of the whole packet, or added up.
static bool skb_gro_checksum_ok(sk_buff* skb, const iphdr* iph) {
  napi_gro_cb* cb = NAPI_GRO_CB(skb);
  if (cb->csum_cnt > 0) {
    cb->csum_cnt--;
    return true;
  }
  const u32 len = skb_gro_len(skb);
  const u32 pseudo = csum_tcpudp_nofold(iph->saddr, iph->daddr, len, iph->protocol, 0);
  // The IP header sums to nothing, so that a sum with it is one without it.
  if (cb->csum_valid && csum_fold(csum_add(cb->csum, pseudo)) == 0) return true;
  return csum_fold(skb_checksum(skb, skb_gro_offset(skb), len, pseudo)) == 0;
}

// Nonzero if IP headers say that `skb` does not follow `p`.
static u16 inet_gro_flush(const iphdr* iph, const iphdr* iph2, u16 count) {
  const u16 differ = static_cast<u16>((iph->ttl ^ iph2->ttl) | (iph->tos ^ iph2->tos) |
                                      ((iph->frag_off ^ iph2->frag_off) & htons(IP_DF)));
  const u16 offset = static_cast<u16>(ntohs(iph->id) - ntohs(iph2->id));
  // Packets that must not be fragmented need no identification, and may all have the same.
  const bool fixed = offset == 0 && (iph->frag_off & htons(IP_DF)) != 0;
  return static_cast<u16>(differ | (fixed ? 0 : offset ^ count));
}

static sk_buff* tcp_gro_lookup(list_head* head, const tcphdr* th) {
  for (list_head* entry = head->next; entry != head; entry = entry->next) {
    sk_buff* p = skb_list_entry(entry);
    if (!NAPI_GRO_CB(p)->same_flow) continue;
    const tcphdr* th2 = tcp_hdr(p);
    if (th->source == th2->source && th->dest == th2->dest) return p;
    NAPI_GRO_CB(p)->same_flow = 0;
  }
  return nullptr;
}

static sk_buff* tcp_gro_receive(list_head* head, sk_buff* skb, const iphdr* iph, const tcphdr* th) {
  const u32 thlen = tcp_hdrlen_of(th);
  const __be32 flags = th->flags;
  // The word has header length and window too: a new window is news.
  constexpr __be32 fewer = TCP_FLAG_CWR | TCP_FLAG_FIN | TCP_FLAG_PSH;
  constexpr __be32 last = TCP_FLAG_URG | TCP_FLAG_PSH | TCP_FLAG_RST | TCP_FLAG_SYN | TCP_FLAG_FIN;
  skb_gro_pull(skb, thlen);
  const u32 len = skb_gro_len(skb);
  u32 mss = 1;
  sk_buff* p = tcp_gro_lookup(head, th);
  if (p != nullptr) {
    tcphdr* th2 = tcp_hdr(p);
    bool flush = (flags & TCP_FLAG_CWR) != 0 || ((flags ^ th2->flags) & ~fewer) != 0;
    flush |= th->ack_seq != th2->ack_seq;
    flush |= __builtin_memcmp(th + 1, th2 + 1, thlen - sizeof(tcphdr)) != 0;
    flush |= inet_gro_flush(iph, ip_hdr(p), NAPI_GRO_CB(p)->count) != 0;
    mss = skb_shinfo(p)->gso_size;
    // A segment may be shorter than those before it, and is the last then; never longer, nor empty.
    flush |= len - 1 >= mss;
    flush |= ntohl(th2->seq) + skb_gro_len(p) != ntohl(th->seq);
    if (flush || skb_gro_receive(p, skb) != 0) {
      mss = 1;
    } else {
      th2->flags |= flags & (TCP_FLAG_FIN | TCP_FLAG_PSH);
    }
  }
  const bool flush = len < mss || (flags & last) != 0;
  NAPI_GRO_CB(skb)->flush |= flush;
  return p != nullptr && (!NAPI_GRO_CB(skb)->same_flow || flush) ? p : nullptr;
}

static sk_buff* tcp4_gro_receive(list_head* head, sk_buff* skb, const iphdr* iph) {
  const u32 off = skb_gro_offset(skb);
  NAPI_GRO_CB(skb)->flush |= !skb_gro_checksum_ok(skb, iph);
  const tcphdr* th = static_cast<const tcphdr*>(skb_gro_header(skb, off + sizeof(tcphdr), off));
  if (unlikely(th == nullptr || NAPI_GRO_CB(skb)->flush != 0)) {
    NAPI_GRO_CB(skb)->flush |= 1;
    return nullptr;
  }
  const u32 thlen = tcp_hdrlen_of(th);
  if (unlikely(thlen < sizeof(tcphdr) || skb_gro_header(skb, off + thlen, off) == nullptr)) {
    NAPI_GRO_CB(skb)->flush |= 1;
    return nullptr;
  }
  // Finding room for options may have moved the headers.
  const u32 network = skb_gro_offset(skb) - static_cast<u32>(sizeof(iphdr));
  iph = static_cast<const iphdr*>(skb_gro_header(skb, off + thlen, network));
  th = static_cast<const tcphdr*>(skb_gro_header(skb, off + thlen, off));
  return tcp_gro_receive(head, skb, iph, th);
}

// Datagrams are units of their own: no socket here has asked to get several at once.
static sk_buff* udp4_gro_receive(list_head*, sk_buff* skb, const iphdr*) {
  const u32 off = skb_gro_offset(skb);
  const udphdr* uh = static_cast<const udphdr*>(skb_gro_header(skb, off + sizeof(udphdr), off));
  if (likely(uh != nullptr)) skb_gro_pull(skb, sizeof(udphdr));
  NAPI_GRO_CB(skb)->flush |= 1;
  return nullptr;
}

noinline sk_buff* inet_gro_receive(list_head* head, sk_buff* skb) {
  const u32 off = skb_gro_offset(skb);
  const u32 hlen = off + static_cast<u32>(sizeof(iphdr));
  constexpr u8 version_and_no_options = 0x45;
  const iphdr* iph = static_cast<const iphdr*>(skb_gro_header(skb, hlen, off));
  if (unlikely(iph == nullptr || *reinterpret_cast<const u8*>(iph) != version_and_no_options || ip_is_fragment(iph) ||
               ip_fast_csum(iph, 5) != 0)) {
    NAPI_GRO_CB(skb)->flush |= 1;
    return nullptr;
  }
  // Padding would end up between two segments.
  NAPI_GRO_CB(skb)->flush |= ntohs(iph->tot_len) != skb_gro_len(skb);
  for (list_head* entry = head->next; entry != head; entry = entry->next) {
    sk_buff* p = skb_list_entry(entry);
    if (!NAPI_GRO_CB(p)->same_flow) continue;
    const iphdr* iph2 = ip_hdr(p);
    if (iph->saddr != iph2->saddr || iph->daddr != iph2->daddr || iph->protocol != iph2->protocol) {
      NAPI_GRO_CB(p)->same_flow = 0;
    }
  }
  NAPI_GRO_CB(skb)->proto = iph->protocol;
  skb_gro_pull(skb, sizeof(iphdr));
  skb_set_transport_header(skb, static_cast<int>(skb_gro_offset(skb)));
  if (iph->protocol == IPPROTO_UDP) return udp4_gro_receive(head, skb, iph);
  if (iph->protocol == IPPROTO_TCP) return tcp4_gro_receive(head, skb, iph);
  NAPI_GRO_CB(skb)->flush |= 1;
  return nullptr;
}

// The merged packet gets the headers that one segment of its length would have had.
void inet_gro_complete(sk_buff* skb) {
  iphdr* iph = ip_hdr(skb);
  tcphdr* th = tcp_hdr(skb);
  const u32 network = static_cast<u32>(skb_network_header(skb) - skb->data);
  iph->tot_len = htons(static_cast<u16>(skb->len - network));
  iph->check = 0;
  iph->check = ip_fast_csum(iph, 5);
  const u32 len = skb->len - network - static_cast<u32>(sizeof(iphdr));
  th->check = static_cast<u16>(~csum_tcpudp_magic(iph->saddr, iph->daddr, len, IPPROTO_TCP, 0));
  skb->ip_summed = CHECKSUM_PARTIAL;
  skb_shinfo(skb)->gso_segs = NAPI_GRO_CB(skb)->count;
}
