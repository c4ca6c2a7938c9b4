// The process's side of a socket.
#include "driver/net/tcp.h"

#include "driver/kernel/uaccess.h"

DEFINE_PER_CPU(tcp_mib_t, tcp_mib);

static noinline void skb_copy_datagram(const sk_buff* skb, u32 offset, u8* to, u32 len) {
  const auto copy = [&](const u8* bytes, u32 size) {
    if (offset >= size) {
      offset -= size;
      return;
    }
    const u32 part = min(len, size - offset);
    copy_to_user(to, bytes + offset, part);
    to += part;
    len -= part;
    offset = 0;
  };
  copy(skb->data, skb_headlen(skb));
  const skb_shared_info* shinfo = skb_shinfo(skb);
  for (u32 i = 0; i < shinfo->nr_frags && len > 0; i++) {
    copy(skb_frag_address(&shinfo->frags[i]), skb_frag_size(&shinfo->frags[i]));
  }
  for (const sk_buff* next = shinfo->frag_list; next != nullptr && len > 0; next = next->next) {
    if (offset >= next->len) {
      offset -= next->len;
      continue;
    }
    const u32 part = min(len, next->len - offset);
    skb_copy_datagram(next, offset, to, part);
    to += part;
    len -= part;
    offset = 0;
  }
}

// The process has read: acknowledges what waits for it, or says that there is much more room than the peer knows of.
static noinline void tcp_cleanup_rbuf(tcp_sock* tp, u32 copied) {
  bool time_to_ack = inet_csk_ack_scheduled(tp) && tp->rcv_nxt - tp->rcv_wup > tp->icsk_ack.rcv_mss;
  if (copied > 0 && !time_to_ack) {
    const u32 rcv_window_now = tcp_receive_window(tp);
    if (2 * rcv_window_now <= tp->window_clamp) {
      const u32 new_window = __tcp_select_window(tp);
      time_to_ack = new_window != 0 && new_window >= 2 * rcv_window_now;
    }
  }
  if (time_to_ack) tcp_send_ack(tp);
}

static void tcp_eat_recv_skb(sk_buff* skb) {
  skb_list_del_init(skb);
  if constexpr (SMP) {
    // Whatever becomes of the packet, the socket's memory is free.
    sock_rfree(skb);
    skb->destructor = nullptr;
    skb->sk = nullptr;
  }
  skb_attempt_defer_free(skb);
}

noinline u32 tcp_recvmsg(tcp_sock* tp, void* buf, u32 len, task_struct* reader) {
  u8* to = static_cast<u8*>(buf);
  u32 copied = 0;
  lock_sock(tp);
  while (copied < len) {
    if (list_empty(&tp->sk_receive_queue)) {
      if (copied > 0 && list_empty(&tp->sk_backlog.list)) break;
      if (list_empty(&tp->sk_backlog.list)) {
        tp->sk_wq = reader;
        break;
      }
      release_sock(tp);
      lock_sock(tp);
      continue;
    }
    sk_buff* skb = skb_list_entry(tp->sk_receive_queue.next);
    const u32 offset = tp->copied_seq - TCP_SKB_CB(skb)->seq;
    if (offset < skb->len) {
      const u32 used = min(skb->len - offset, len - copied);
      skb_copy_datagram(skb, offset, to + copied, used);
      tp->copied_seq += used;
      copied += used;
      if (used + offset < skb->len) continue;
    }
    tcp_eat_recv_skb(skb);
    interrupt_window();
  }
  tcp_cleanup_rbuf(tp, copied);
  release_sock(tp);
  return copied;
}
