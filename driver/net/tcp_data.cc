// Data of a connection on its way to the process: what is in order, what is not yet, and what comes again.
#include "driver/net/tcp.h"

noinline void tcp_queue_rcv(tcp_sock* tp, sk_buff* skb) {
  tp->rcv_nxt = TCP_SKB_CB(skb)->end_seq;
  list_add_tail(&skb->list, &tp->sk_receive_queue);
  skb_set_owner_r(skb, tp);
}

// Finds how large full segments are, and what part of the memory they use is data.
static void tcp_measure_rcv_mss(tcp_sock* tp, const sk_buff* skb) {
  const u16 gso_size = skb_shinfo(skb)->gso_size;
  const u32 len = gso_size != 0 ? gso_size : skb->len;
  if (len <= tp->icsk_ack.rcv_mss) return;
  tp->icsk_ack.rcv_mss = static_cast<u16>(min<u32>(len, tp->advmss));
  const u64 ratio = (u64{skb->len} << TCP_RMEM_TO_WIN_SCALE) / skb->truesize;
  constexpr u64 most = 255;
  tp->scaling_ratio = static_cast<u8>(ratio == 0 ? 1 : min(ratio, most));
}

void tcp_event_data_recv(tcp_sock* tp, const sk_buff* skb) {
  tp->icsk_ack.pending |= ICSK_ACK_SCHED;
  tcp_measure_rcv_mss(tp, skb);
  if (unlikely(tp->icsk_ack.ato == 0)) {
    tp->icsk_ack.ato = 1;
    const u32 quick = tp->rcv_wnd / (2u * tp->icsk_ack.rcv_mss);
    tp->icsk_ack.quick = static_cast<u8>(min<u32>(max(quick, 2u), TCP_MAX_QUICKACKS));
  }
}

// Packets that have come too early go, from the last one on, until there is memory for the one that fills the hole.
static noinline bool tcp_try_rmem_schedule(tcp_sock* tp, u32 truesize) {
  list_head* ofo = &tp->out_of_order_queue;
  while (sk_rmem_alloc(tp) + truesize > tp->sk_rcvbuf && !list_empty(ofo)) {
    sk_buff* last = skb_list_entry(ofo->prev);
    skb_list_del_init(last);
    this_cpu_ptr(&tcp_mib)->TCPOFODrop++;
    kfree_skb_reason(last, SKB_DROP_REASON_TCP_OFO_QUEUE_PRUNE);
  }
  // One packet may go beyond the limit, so that a large one does not wait for ever.
  return sk_rmem_alloc(tp) <= tp->sk_rcvbuf;
}

// The hole is filled: what waited behind it is in order now.
static noinline void tcp_ofo_queue(tcp_sock* tp) {
  list_head* ofo = &tp->out_of_order_queue;
  while (!list_empty(ofo)) {
    sk_buff* skb = skb_list_entry(ofo->next);
    if (after(TCP_SKB_CB(skb)->seq, tp->rcv_nxt)) return;
    skb_list_del_init(skb);
    if (!after(TCP_SKB_CB(skb)->end_seq, tp->rcv_nxt)) {
      kfree_skb_reason(skb, SKB_DROP_REASON_TCP_OLD_DATA);
      continue;
    }
    tp->rcv_nxt = TCP_SKB_CB(skb)->end_seq;
    list_add_tail(&skb->list, &tp->sk_receive_queue);
  }
}

static void tcp_ofo_drop(sk_buff* skb) {
  this_cpu_ptr(&tcp_mib)->TCPOFOMerge++;
  kfree_skb_reason(skb, SKB_DROP_REASON_TCP_OFOMERGE);
}

// Keeps the queue in order. Packets whose bytes another one has all are not kept.
static noinline void tcp_data_queue_ofo(tcp_sock* tp, sk_buff* skb) {
  list_head* ofo = &tp->out_of_order_queue;
  const u32 seq = TCP_SKB_CB(skb)->seq;
  const u32 end_seq = TCP_SKB_CB(skb)->end_seq;
  tp->icsk_ack.pending |= ICSK_ACK_SCHED;
  if (sk_rmem_alloc(tp) + skb->truesize > tp->sk_rcvbuf) {
    this_cpu_ptr(&tcp_mib)->TCPOFODrop++;
    return kfree_skb_reason(skb, SKB_DROP_REASON_PROTO_MEM);
  }
  this_cpu_ptr(&tcp_mib)->TCPOFOQueue++;
  // New packets mostly come behind all others.
  list_head* at = ofo->prev;
  while (at != ofo && before(seq, TCP_SKB_CB(skb_list_entry(at))->seq)) at = at->prev;
  if (at != ofo && !after(end_seq, TCP_SKB_CB(skb_list_entry(at))->end_seq)) return tcp_ofo_drop(skb);
  list_head* next = at->next;
  while (next != ofo && !before(end_seq, TCP_SKB_CB(skb_list_entry(next))->end_seq)) {
    sk_buff* covered = skb_list_entry(next);
    next = next->next;
    skb_list_del_init(covered);
    tcp_ofo_drop(covered);
  }
  list_add_tail(&skb->list, next);
  skb_set_owner_r(skb, tp);
}

static void tcp_out_of_window(tcp_sock* tp, sk_buff* skb, skb_drop_reason reason) {
  tcp_enter_quickack_mode(tp);
  tp->icsk_ack.pending |= ICSK_ACK_SCHED | ICSK_ACK_NOW;
  kfree_skb_reason(skb, reason);
}

noinline void tcp_data_queue(tcp_sock* tp, sk_buff* skb) {
  const tcp_skb_cb* cb = TCP_SKB_CB(skb);
  if (!after(cb->end_seq, tp->rcv_nxt)) {
    this_cpu_ptr(&tcp_mib)->DelayedACKLost++;
    return tcp_out_of_window(tp, skb, SKB_DROP_REASON_TCP_OLD_DATA);
  }
  const u32 window = tcp_receive_window(tp);
  if (window == 0) {
    this_cpu_ptr(&tcp_mib)->TCPZeroWindowDrop++;
    return tcp_out_of_window(tp, skb, SKB_DROP_REASON_TCP_ZEROWINDOW);
  }
  if (!before(cb->seq, tp->rcv_nxt + window)) return tcp_out_of_window(tp, skb, SKB_DROP_REASON_TCP_OVERWINDOW);
  if (after(cb->seq, tp->rcv_nxt)) return tcp_data_queue_ofo(tp, skb);
  if (!tcp_try_rmem_schedule(tp, skb->truesize)) {
    this_cpu_ptr(&tcp_mib)->TCPRcvQDrop++;
    tp->icsk_ack.pending |= ICSK_ACK_SCHED | ICSK_ACK_NOW;
    return kfree_skb_reason(skb, SKB_DROP_REASON_PROTO_MEM);
  }
  // Bytes that it has in common with what is there are skipped when the packet is read.
  tcp_queue_rcv(tp, skb);
  tcp_event_data_recv(tp, skb);
  if (!list_empty(&tp->out_of_order_queue)) {
    tcp_ofo_queue(tp);
    if (list_empty(&tp->out_of_order_queue)) tp->icsk_ack.pending |= ICSK_ACK_NOW;
  }
  sock_def_readable(tp);
}
