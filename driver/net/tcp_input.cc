// A segment of an established connection.
#include "driver/net/tcp.h"
#include "model/guest/stream.h"

// Header length, flags and window, without what may differ between segments that need no thought.
constexpr __be32 TCP_HP_BITS = ~(htonl(0x0f00'0000) | TCP_FLAG_PSH);

static __always_inline u32 load_be32(const void* at) {
  struct [[gnu::packed]] word {
    u32 value;
  };
  return ntohl(static_cast<const word*>(at)->value);
}

// The options as everybody sends them: two no-ops and the time stamps.
static __always_inline bool tcp_parse_aligned_timestamp(tcp_sock* tp, const tcphdr* th) {
  const u8* ptr = reinterpret_cast<const u8*>(th + 1);
  if (load_be32(ptr) != ntohl(TCPOPT_TSTAMP_HEADER)) return false;
  tp->rx_opt.saw_tstamp = true;
  tp->rx_opt.rcv_tsval = load_be32(ptr + 4);
  tp->rx_opt.rcv_tsecr = load_be32(ptr + 8);
  return true;
}

static noinline void tcp_parse_options(tcp_sock* tp, const tcphdr* th) {
  tp->rx_opt.saw_tstamp = false;
  const u8* ptr = reinterpret_cast<const u8*>(th + 1);
  const u8* end = reinterpret_cast<const u8*>(th) + tcp_hdrlen_of(th);
  while (ptr < end && *ptr != TCPOPT_EOL) {
    if (*ptr == TCPOPT_NOP) {
      ptr++;
      continue;
    }
    if (end - ptr < 2 || ptr[1] < 2 || ptr[1] > end - ptr) return;
    if (ptr[0] == TCPOPT_TIMESTAMP && ptr[1] == TCPOLEN_TIMESTAMP) {
      tp->rx_opt.saw_tstamp = true;
      tp->rx_opt.rcv_tsval = load_be32(ptr + 2);
      tp->rx_opt.rcv_tsecr = load_be32(ptr + 6);
    }
    ptr += ptr[1];
  }
}

// Time stamps of segments that reach back to what was acknowledged last are the ones to echo (RFC 7323, 4.3).
static __always_inline void tcp_replace_ts_recent(tcp_sock* tp, u32 seq) {
  if (!tp->rx_opt.saw_tstamp || after(seq, tp->rcv_wup)) return;
  if (static_cast<s32>(tp->rx_opt.rcv_tsval - tp->rx_opt.ts_recent) >= 0) tp->rx_opt.ts_recent = tp->rx_opt.rcv_tsval;
}

static __always_inline bool tcp_paws_discard(const tcp_sock* tp) {
  return tp->rx_opt.saw_tstamp && static_cast<s32>(tp->rx_opt.rcv_tsval - tp->rx_opt.ts_recent) < 0;
}

static __always_inline void __tcp_ack_snd_check(tcp_sock* tp, bool ofo_possible) {
  // More than a full segment waits for an acknowledgement, and the window can move.
  const bool due = tp->rcv_nxt - tp->rcv_wup > tp->icsk_ack.rcv_mss &&
                   (tp->rcv_nxt - tp->copied_seq < tp->sk_rcvlowat || __tcp_select_window(tp) >= tp->rcv_wnd);
  const bool holes = ofo_possible && !list_empty(&tp->out_of_order_queue);
  if (due || tp->icsk_ack.quick != 0 || (tp->icsk_ack.pending & ICSK_ACK_NOW) != 0 || holes) return tcp_send_ack(tp);
  tcp_send_delayed_ack(tp);
}

static __always_inline void tcp_ack_snd_check(tcp_sock* tp) {
  if (inet_csk_ack_scheduled(tp)) __tcp_ack_snd_check(tp, true);
}

static void tcp_send_dupack(tcp_sock* tp, const sk_buff* skb) {
  const tcp_skb_cb* cb = TCP_SKB_CB(const_cast<sk_buff*>(skb));
  if (cb->end_seq != cb->seq && before(cb->seq, tp->rcv_nxt)) {
    this_cpu_ptr(&tcp_mib)->DelayedACKLost++;
    tcp_enter_quickack_mode(tp);
  }
  tcp_send_ack(tp);
}

// False if the segment cannot belong to the connection as it is; it has been freed then.
static bool tcp_validate_incoming(tcp_sock* tp, sk_buff* skb, const tcphdr* th) {
  const tcp_skb_cb* cb = TCP_SKB_CB(skb);
  if (tcp_hdrlen_of(th) != tp->tcp_header_len || !tcp_parse_aligned_timestamp(tp, th)) tcp_parse_options(tp, th);
  if (tcp_paws_discard(tp)) {
    this_cpu_ptr(&tcp_mib)->PAWSEstab++;
    tcp_send_dupack(tp, skb);
    kfree_skb_reason(skb, SKB_DROP_REASON_TCP_RFC7323_PAWS);
    return false;
  }
  if (before(cb->end_seq, tp->rcv_wup) || after(cb->seq, tp->rcv_nxt + tcp_receive_window(tp))) {
    tcp_send_dupack(tp, skb);
    kfree_skb_reason(skb, SKB_DROP_REASON_TCP_INVALID_SEQUENCE);
    return false;
  }
  // The peer neither resets nor opens a connection that exists.
  if ((th->flags & (TCP_FLAG_RST | TCP_FLAG_SYN)) != 0 || (th->flags & TCP_FLAG_ACK) == 0) {
    kfree_skb_reason(skb, SKB_DROP_REASON_TCP_FLAGS);
    return false;
  }
  return true;
}

// Nothing was sent that could be acknowledged: what remains is the peer's window.
static bool tcp_ack(tcp_sock* tp, const sk_buff* skb, const tcphdr* th) {
  const tcp_skb_cb* cb = TCP_SKB_CB(const_cast<sk_buff*>(skb));
  if (after(cb->ack_seq, tp->snd_nxt)) return false;
  if (before(cb->ack_seq, tp->snd_una)) return true;
  const u32 window = ntohl(th->flags) & 0xffff;
  tp->snd_una = cb->ack_seq;
  tp->snd_wnd = window << ringside::guest::kWindowShift;
  tp->pred_flags = htonl(u32{tp->tcp_header_len} << 26 | window) | TCP_FLAG_ACK;
  return true;
}

static noinline void tcp_rcv_slow(tcp_sock* tp, sk_buff* skb, const tcphdr* th) {
  if (!tcp_validate_incoming(tp, skb, th)) return;
  if (!tcp_ack(tp, skb, th)) return kfree_skb_reason(skb, SKB_DROP_REASON_TCP_INVALID_SEQUENCE);
  tcp_replace_ts_recent(tp, TCP_SKB_CB(skb)->seq);
  __skb_pull(skb, tcp_hdrlen_of(th));
  if (skb->len == 0 && (TCP_SKB_CB(skb)->tcp_flags & TCPHDR_FIN) == 0) {
    this_cpu_ptr(&tcp_mib)->TCPPureAcks++;
    return kfree_skb_reason(skb, SKB_CONSUMED);
  }
  tcp_data_queue(tp, skb);
  tcp_ack_snd_check(tp);
}

noinline void tcp_rcv_established(tcp_sock* tp, sk_buff* skb) {
  const tcphdr* th = reinterpret_cast<const tcphdr*>(skb->data);
  tp->rx_opt.saw_tstamp = false;
  const bool predicted = (th->flags & TCP_HP_BITS) == tp->pred_flags && TCP_SKB_CB(skb)->seq == tp->rcv_nxt &&
                         TCP_SKB_CB(skb)->ack_seq == tp->snd_una;
  const u32 tcp_header_len = tp->tcp_header_len;
  // Memory and window are looked at only when they may be short.
  if (!predicted || !list_empty(&tp->out_of_order_queue) || !tcp_parse_aligned_timestamp(tp, th) ||
      tcp_paws_discard(tp) || skb->len <= tcp_header_len || sk_rmem_alloc(tp) + skb->truesize > tp->sk_rcvbuf ||
      skb->len - tcp_header_len > tcp_receive_window(tp)) {
    return tcp_rcv_slow(tp, skb, th);
  }
  if (tp->rcv_nxt == tp->rcv_wup) tp->rx_opt.ts_recent = tp->rx_opt.rcv_tsval;
  this_cpu_ptr(&tcp_mib)->TCPHPHits++;
  __skb_pull(skb, tcp_header_len);
  tcp_queue_rcv(tp, skb);
  tcp_event_data_recv(tp, skb);
  __tcp_ack_snd_check(tp, false);
  sock_def_readable(tp);
}
