// TCP over IPv4: which socket a segment is for.
#include "driver/net/checksum.h"
#include "driver/net/tcp.h"
#include "model/guest/stream.h"

namespace guest = ringside::guest;

constexpr u32 EHASH_SIZE = 1024;
static sock* ehash[EHASH_SIZE];
static tcp_sock* sockets;  // by flow

constexpr __be32 peer_address = htonl(0xc612'0001);
constexpr __be32 local_address = htonl(0xc613'0001);

static __always_inline u32 rol32(u32 word, u32 shift) { return word << shift | word >> (32 - shift); }

// The last steps of Bob Jenkins' lookup3.
static __always_inline u32 inet_ehashfn(__be32 laddr, u16 lport, __be32 faddr, __be16 fport) {
  constexpr u32 initval = 0xdead'beef + (3u << 2);
  u32 a = laddr + initval, b = faddr + initval, c = (u32{lport} << 16 | fport) + initval;
  c = (c ^ b) - rol32(b, 14);
  a = (a ^ c) - rol32(c, 11);
  b = (b ^ a) - rol32(a, 25);
  c = (c ^ b) - rol32(b, 16);
  a = (a ^ c) - rol32(c, 4);
  b = (b ^ a) - rol32(a, 14);
  c = (c ^ b) - rol32(b, 24);
  return c;
}

static __always_inline sock** ehash_bucket(__be32 laddr, __be16 lport, __be32 faddr, __be16 fport) {
  return &ehash[inet_ehashfn(laddr, lport, faddr, fport) & (EHASH_SIZE - 1)];
}

static noinline tcp_sock* __inet_lookup_established(const iphdr* iph, const tcphdr* th) {
  for (sock* sk = *ehash_bucket(iph->daddr, th->dest, iph->saddr, th->source); sk != nullptr; sk = sk->skc_next) {
    if (sk->skc_daddr == iph->saddr && sk->skc_rcv_saddr == iph->daddr && sk->skc_dport == th->source &&
        sk->skc_num == th->dest) {
      return tcp_sk(sk);
    }
  }
  return nullptr;
}

// A buffer that the kernel would have grown to its limit in the course of a long transfer; the window follows from it.
static void tcp_init_sock(tcp_sock* tp, u32 flow, u32 rcvbuf) {
  constexpr u32 sndbuf = 87040;
  constexpr u16 mss = 1448;
  constexpr u32 peer_window = 512;
  *tp = {};
  tp->skc_daddr = peer_address;
  tp->skc_rcv_saddr = local_address;
  tp->skc_dport = htons(static_cast<u16>(guest::kPeerPort + flow));
  tp->skc_num = htons(guest::kServerPort);
  INIT_LIST_HEAD(&tp->sk_backlog.list);
  INIT_LIST_HEAD(&tp->sk_receive_queue);
  INIT_LIST_HEAD(&tp->out_of_order_queue);
  tp->sk_rcvbuf = rcvbuf;
  tp->sk_sndbuf = sndbuf;
  tp->sk_rcvlowat = 1;
  tp->tcp_header_len = sizeof(tcphdr) + TCPOLEN_TSTAMP_ALIGNED;
  tp->pred_flags = htonl(u32{tp->tcp_header_len} << 26 | peer_window) | TCP_FLAG_ACK;
  tp->rcv_wscale = guest::kWindowShift;
  tp->scaling_ratio = 1 << (TCP_RMEM_TO_WIN_SCALE - 1);
  tp->snd_nxt = tp->snd_una = guest::kFirstSequence;
  tp->snd_wnd = peer_window << guest::kWindowShift;
  tp->rcv_nxt = tp->copied_seq = tp->rcv_wup = guest::kFirstSequence;
  tp->rcv_wnd = min<u32>(tcp_full_space(tp), 65535);
  tp->window_clamp = 65535u << tp->rcv_wscale;
  tp->advmss = mss;
  tp->icsk_ack.sk = tp;
  tp->icsk_ack.rcv_mss = TCP_MSS_DEFAULT;
  timer_setup(&tp->icsk_ack.delack_timer, tcp_delack_timer);
}

void tcp_init(u32 flows, u32 rcvbuf) {
  for (sock*& bucket : ehash) bucket = nullptr;
  sockets = memblock_alloc_array<tcp_sock>(flows);
  for (u32 flow = 0; flow < flows; flow++) {
    tcp_sock* tp = &sockets[flow];
    tcp_init_sock(tp, flow, rcvbuf);
    sock** bucket = ehash_bucket(tp->skc_rcv_saddr, tp->skc_num, tp->skc_daddr, tp->skc_dport);
    tp->skc_next = *bucket;
    *bucket = tp;
  }
  inet_add_protocol(IPPROTO_TCP, tcp_v4_rcv);
}

tcp_sock* tcp_socket(u32 flow) { return &sockets[flow]; }

static __always_inline void tcp_v4_fill_cb(sk_buff* skb, const tcphdr* th) {
  tcp_skb_cb* cb = TCP_SKB_CB(skb);
  const u32 hdrlen = tcp_hdrlen_of(th);
  cb->seq = ntohl(th->seq);
  cb->end_seq = cb->seq + skb->len - hdrlen + ((th->flags & TCP_FLAG_FIN) != 0);
  cb->ack_seq = ntohl(th->ack_seq);
  cb->tcp_flags = static_cast<u8>(ntohl(th->flags) >> 16);
}

// The owner of the socket finds it there. A backlog beyond the socket's memory is refused.
static noinline void tcp_add_backlog(tcp_sock* tp, sk_buff* skb) {
  constexpr u32 slack = 64 * 1024;
  const u64 limit = u64{tp->sk_rcvbuf} * 2 + tp->sk_sndbuf / 2 + slack;
  if (unlikely(tp->sk_backlog.len + sk_rmem_alloc(tp) > limit)) {
    this_cpu_ptr(&tcp_mib)->TCPBacklogDrop++;
    return kfree_skb_reason(skb, SKB_DROP_REASON_SOCKET_BACKLOG);
  }
  list_add_tail(&skb->list, &tp->sk_backlog.list);
  tp->sk_backlog.len += skb->truesize;
}

// Where answers go is learnt from what comes, as the neighbour table would have it.
static void tcp_set_route(tcp_sock* tp, const sk_buff* skb) {
  tp->sk_dst_dev = skb->dev;
  __builtin_memcpy(tp->hh.h_dest, eth_hdr(skb)->h_source, ETH_ALEN);
  __builtin_memcpy(tp->hh.h_source, skb->dev->dev_addr, ETH_ALEN);
  tp->hh.h_proto = htons(ETH_P_IP);
}

void tcp_v4_do_rcv(tcp_sock* tp, sk_buff* skb) {
  if (unlikely(tp->sk_dst_dev == nullptr)) tcp_set_route(tp, skb);
  tcp_rcv_established(tp, skb);
}

static void tcp_bad(sk_buff* skb, u64* counter, skb_drop_reason reason) {
  if (counter != nullptr) (*this_cpu_ptr(counter))++;
  this_cpu_ptr(&tcp_mib)->InErrs++;
  kfree_skb_reason(skb, reason);
}

noinline void tcp_v4_rcv(sk_buff* skb) {
  if (skb->pkt_type != PACKET_HOST) return kfree_skb(skb);
  this_cpu_ptr(&tcp_mib)->InSegs++;
  if (!pskb_may_pull(skb, sizeof(tcphdr))) return tcp_bad(skb, nullptr, SKB_DROP_REASON_PKT_TOO_SMALL);
  const u32 hdrlen = tcp_hdrlen_of(reinterpret_cast<const tcphdr*>(skb->data));
  if (unlikely(hdrlen < sizeof(tcphdr)) || !pskb_may_pull(skb, hdrlen)) {
    return tcp_bad(skb, nullptr, SKB_DROP_REASON_PKT_TOO_SMALL);
  }
  const iphdr* iph = ip_hdr(skb);
  if (!skb_transport_csum_ok(skb, csum_tcpudp_nofold(iph->saddr, iph->daddr, skb->len, IPPROTO_TCP, 0))) {
    return tcp_bad(skb, &tcp_mib.InCsumErrors, SKB_DROP_REASON_TCP_CSUM);
  }
  const tcphdr* th = reinterpret_cast<const tcphdr*>(skb->data);
  tcp_sock* tp = __inet_lookup_established(iph, th);
  // Nobody is there to get a reset either: the peer is the only one, and its connections exist.
  if (unlikely(tp == nullptr)) return kfree_skb_reason(skb, SKB_DROP_REASON_NO_SOCKET);
  tcp_v4_fill_cb(skb, th);
  bh_lock_sock(tp);
  tp->segs_in += max<u32>(1, skb_shinfo(skb)->gso_segs);
  if (likely(!sock_owned_by_user(tp))) {
    tcp_v4_do_rcv(tp, skb);
  } else {
    tcp_add_backlog(tp, skb);
  }
  bh_unlock_sock(tp);
}
