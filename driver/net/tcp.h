// TCP as a receiver has it (RFC 9293, RFC 7323 time stamps and window scaling; no selective acknowledgements).
#pragma once

#include "driver/net/sock.h"
#include "driver/net/stack.h"

inline constexpr u32 TCPOLEN_TSTAMP_ALIGNED = 12;
inline constexpr u8 TCPOPT_EOL = 0, TCPOPT_NOP = 1, TCPOPT_TIMESTAMP = 8, TCPOLEN_TIMESTAMP = 10;
inline constexpr __be32 TCPOPT_TSTAMP_HEADER =
    htonl(u32{TCPOPT_NOP} << 24 | u32{TCPOPT_NOP} << 16 | u32{TCPOPT_TIMESTAMP} << 8 | TCPOLEN_TIMESTAMP);
inline constexpr u32 TCP_MSS_DEFAULT = 536;
inline constexpr u8 TCP_MAX_QUICKACKS = 16;
inline constexpr u8 TCP_RMEM_TO_WIN_SCALE = 8;
inline constexpr u32 MAX_TCP_HEADER = 128 + 32;  // link layer, IPv4, TCP and its options

// What TCP knows of a packet, in sk_buff.cb.
struct tcp_skb_cb {
  u32 seq;
  u32 end_seq;  // with FIN counted
  u32 ack_seq;
  u8 tcp_flags;
};
static_assert(sizeof(tcp_skb_cb) <= sizeof(sk_buff::cb));
inline constexpr u8 TCPHDR_FIN = 0x01;
__always_inline tcp_skb_cb* TCP_SKB_CB(sk_buff* skb) { return reinterpret_cast<tcp_skb_cb*>(skb->cb); }

struct tcp_sock : sock {
  // Read for every segment
  ____cacheline_aligned __be32 pred_flags;  // flag word of a segment that needs no thought
  u16 tcp_header_len;
  u8 rcv_wscale;
  u8 scaling_ratio;  // of window to memory, in 1/256
  u32 snd_nxt;
  u32 snd_una;
  u32 snd_wnd;
  u32 window_clamp;
  u16 advmss;
  // Written for every segment
  ____cacheline_aligned u32 rcv_nxt;
  u32 copied_seq;  // up to where the process has read
  u32 rcv_wup;     // rcv_nxt when the window was last announced
  u32 rcv_wnd;     // as announced then
  struct {
    u32 ts_recent;
    u32 rcv_tsval;
    u32 rcv_tsecr;
    bool saw_tstamp;
  } rx_opt;
  u64 segs_in;
  list_head out_of_order_queue;  // by sequence number, without gaps that are filled
  inet_connection_ack icsk_ack;
};

__always_inline tcp_sock* tcp_sk(sock* sk) { return static_cast<tcp_sock*>(sk); }

// Sequence numbers wrap.
__always_inline bool before(u32 seq1, u32 seq2) { return static_cast<s32>(seq1 - seq2) < 0; }
__always_inline bool after(u32 seq1, u32 seq2) { return before(seq2, seq1); }

// Bytes that may still arrive in the announced window.
__always_inline u32 tcp_receive_window(const tcp_sock* tp) {
  const s32 win = static_cast<s32>(tp->rcv_wup + tp->rcv_wnd - tp->rcv_nxt);
  return win < 0 ? 0 : static_cast<u32>(win);
}
// Part of the memory counts as room for data, as far as packets have been seen to use it.
__always_inline u32 tcp_win_from_space(const tcp_sock* tp, s32 space) {
  return space <= 0 ? 0 : static_cast<u32>(static_cast<u64>(space) * tp->scaling_ratio >> TCP_RMEM_TO_WIN_SCALE);
}
__always_inline u32 tcp_space(const tcp_sock* tp) {
  return tcp_win_from_space(tp, static_cast<s32>(tp->sk_rcvbuf - tp->sk_backlog.len - sk_rmem_alloc(tp)));
}
__always_inline u32 tcp_full_space(const tcp_sock* tp) {
  return tcp_win_from_space(tp, static_cast<s32>(tp->sk_rcvbuf));
}

// tcp_ipv4.cc
// `rcvbuf`: bytes of memory for what has not been read. Connections are those of model/guest/stream.h.
void tcp_init(u32 flows, u32 rcvbuf);
tcp_sock* tcp_socket(u32 flow);
void tcp_v4_rcv(sk_buff* skb);
void tcp_v4_do_rcv(tcp_sock* tp, sk_buff* skb);

// tcp_input.cc
void tcp_rcv_established(tcp_sock* tp, sk_buff* skb);

// tcp_data.cc
// Takes the packet's bytes, of which the header has been removed, for the receive queue or the one of what came too
// early.
void tcp_data_queue(tcp_sock* tp, sk_buff* skb);
void tcp_queue_rcv(tcp_sock* tp, sk_buff* skb);
void tcp_event_data_recv(tcp_sock* tp, const sk_buff* skb);

// tcp_output.cc
void tcp_send_ack(tcp_sock* tp);
void tcp_send_delayed_ack(tcp_sock* tp);
void tcp_delack_timer(timer_list* timer);
// What may be announced now, without the promise to never take back what was announced before.
u32 __tcp_select_window(tcp_sock* tp);

__always_inline bool inet_csk_ack_scheduled(const tcp_sock* tp) { return (tp->icsk_ack.pending & ICSK_ACK_SCHED) != 0; }
__always_inline void tcp_enter_quickack_mode(tcp_sock* tp) {
  tp->icsk_ack.quick = max(tp->icsk_ack.quick, TCP_MAX_QUICKACKS);
}

// tcp.cc
// Reads up to `len` bytes; 0 if there are none, and then `reader` is woken when there are.
u32 tcp_recvmsg(tcp_sock* tp, void* buf, u32 len, task_struct* reader);
