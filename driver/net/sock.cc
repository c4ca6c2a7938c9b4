#include "driver/net/sock.h"

#include "driver/net/tcp.h"

void lock_sock(sock* sk) {
  bh_lock_sock(sk);
  sk->owned = 1;
  bh_unlock_sock(sk);
}

// Packets that arrive meanwhile are processed too: the loop ends when none is left.
static void __release_sock(sock* sk) {
  while (!list_empty(&sk->sk_backlog.list)) {
    list_head batch;
    INIT_LIST_HEAD(&batch);
    list_splice_tail_init(&sk->sk_backlog.list, &batch);
    bh_unlock_sock(sk);
    while (!list_empty(&batch)) {
      sk_buff* skb = skb_list_entry(batch.next);
      skb_list_del_init(skb);
      tcp_v4_do_rcv(tcp_sk(sk), skb);
    }
    bh_lock_sock(sk);
  }
  sk->sk_backlog.len = 0;
}

void release_sock(sock* sk) {
  bh_lock_sock(sk);
  if (!list_empty(&sk->sk_backlog.list)) __release_sock(sk);
  sk->owned = 0;
  bh_unlock_sock(sk);
}

void sock_rfree(sk_buff* skb) {
  sock* sk = static_cast<sock*>(skb->sk);
  atomic_sub(static_cast<s32>(skb->truesize), &sk->sk_backlog.rmem_alloc);
}

void skb_set_owner_r(sk_buff* skb, sock* sk) {
  skb->sk = sk;
  skb->destructor = sock_rfree;
  atomic_add(static_cast<s32>(skb->truesize), &sk->sk_backlog.rmem_alloc);
}

noinline void sock_def_readable(sock* sk) {
  if (sk->sk_wq == nullptr) return;
  wake_up_process(sk->sk_wq);
  sk->sk_wq = nullptr;
}
