// Acknowledgements, which are all that a receiver sends.
#include "driver/net/checksum.h"
#include "driver/net/tcp.h"

noinline u32 __tcp_select_window(tcp_sock* tp) {
  const u32 allowed_space = tcp_full_space(tp);
  const u32 full_space = min(tp->window_clamp, allowed_space);
  const u32 mss = min<u32>(tp->icsk_ack.rcv_mss, full_space);
  u32 free_space = tcp_space(tp);
  if (free_space < full_space / 2) {
    tp->icsk_ack.quick = 0;
    free_space &= ~((1u << tp->rcv_wscale) - 1);
    // A window of less than a segment, or of next to nothing, would only bring small segments.
    if (free_space < allowed_space / 16 || free_space < mss) return 0;
  }
  free_space = min(free_space, tp->window_clamp);
  return static_cast<u32>(ALIGN(free_space, u64{1} << tp->rcv_wscale));
}

// The window field. What has been announced is not taken back.
static u16 tcp_select_window(tcp_sock* tp) {
  const u32 old_win = tp->rcv_wnd;
  const u32 cur_win = tcp_receive_window(tp);
  u32 new_win = __tcp_select_window(tp);
  if (new_win < cur_win) {
    if (new_win == 0) this_cpu_ptr(&tcp_mib)->TCPWantZeroWindowAdv++;
    new_win = static_cast<u32>(ALIGN(cur_win, u64{1} << tp->rcv_wscale));
  }
  new_win = min(new_win, 65535u << tp->rcv_wscale);
  tp->rcv_wnd = new_win;
  tp->rcv_wup = tp->rcv_nxt;
  if (new_win == 0 && old_win != 0) this_cpu_ptr(&tcp_mib)->TCPToZeroWindowAdv++;
  if (new_win != 0 && old_win == 0) this_cpu_ptr(&tcp_mib)->TCPFromZeroWindowAdv++;
  return static_cast<u16>(new_win >> tp->rcv_wscale);
}

static void put_be32(u8* at, u32 value) {
  const __be32 word = htonl(value);
  __builtin_memcpy(at, &word, sizeof(word));
}

// The machine has no clock that could stamp what it sends: the peer's last stamp serves, which is monotonic too.
static void tcp_options_write(const tcp_sock* tp, tcphdr* th) {
  u8* ptr = reinterpret_cast<u8*>(th + 1);
  put_be32(ptr, ntohl(TCPOPT_TSTAMP_HEADER));
  put_be32(ptr + 4, tp->rx_opt.ts_recent);
  put_be32(ptr + 8, tp->rx_opt.ts_recent);
}

static noinline void __tcp_transmit_skb(tcp_sock* tp, sk_buff* skb) {
  const u32 header_size = tp->tcp_header_len;
  tcphdr* th = static_cast<tcphdr*>(skb_push(skb, header_size));
  skb_reset_transport_header(skb);
  th->source = tp->skc_num;
  th->dest = tp->skc_dport;
  th->seq = htonl(tp->snd_nxt);
  th->ack_seq = htonl(tp->rcv_nxt);
  th->flags = htonl(header_size << 26 | tcp_select_window(tp)) | TCP_FLAG_ACK;
  th->check = 0;
  th->urg_ptr = 0;
  tcp_options_write(tp, th);
  th->check =
      csum_tcpudp_magic(tp->skc_rcv_saddr, tp->skc_daddr, header_size, IPPROTO_TCP, csum_partial(th, header_size, 0));
  tp->icsk_ack.pending = 0;
  if (tp->icsk_ack.quick != 0) tp->icsk_ack.quick--;
  del_timer(&tp->icsk_ack.delack_timer);
  this_cpu_ptr(&tcp_mib)->OutSegs++;
  ip_queue_xmit(tp, skb);
}

noinline void tcp_send_ack(tcp_sock* tp) {
  sk_buff* buff = alloc_skb(MAX_TCP_HEADER);
  if (unlikely(buff == nullptr)) {
    // Later, when there may be memory again.
    tp->icsk_ack.pending |= ICSK_ACK_SCHED | ICSK_ACK_TIMER;
    return add_timer(&tp->icsk_ack.delack_timer);
  }
  skb_reserve(buff, MAX_TCP_HEADER);
  __tcp_transmit_skb(tp, buff);
}

void tcp_send_delayed_ack(tcp_sock* tp) {
  if ((tp->icsk_ack.pending & ICSK_ACK_TIMER) != 0) return;
  tp->icsk_ack.pending |= ICSK_ACK_SCHED | ICSK_ACK_TIMER;
  add_timer(&tp->icsk_ack.delack_timer);
}

static __always_inline void tcp_delack_timer_handler(inet_connection_ack* ack) {
  tcp_sock* tp = tcp_sk(ack->sk);
  ack->pending &= static_cast<u8>(~ICSK_ACK_TIMER);
  if (!inet_csk_ack_scheduled(tp)) return;
  this_cpu_ptr(&tcp_mib)->DelayedACKs++;
  tcp_send_ack(tp);
}

// The 40 ms of Linux cannot be measured; the timer fires when nothing else is to be done.
void tcp_delack_timer(timer_list* timer) {
  inet_connection_ack* ack = container_of(timer, inet_connection_ack, delack_timer);
#ifdef CONFIG_SMP
  tcp_sock* tp = tcp_sk(ack->sk);
  bh_lock_sock(tp);
  if (sock_owned_by_user(tp)) {
    add_timer(timer);
  } else {
    tcp_delack_timer_handler(ack);
  }
  bh_unlock_sock(tp);
#else
  tcp_delack_timer_handler(ack);
#endif
}
