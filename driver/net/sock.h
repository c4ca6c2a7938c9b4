// A connected TCP socket: what the receive side needs of one that was established before the machine started.
#pragma once

#include "driver/kernel/netdevice.h"
#include "driver/kernel/sched.h"
#include "driver/kernel/skbuff.h"
#include "driver/net/headers.h"

// Bits of inet_connection_ack.pending.
inline constexpr u8 ICSK_ACK_SCHED = 1;
inline constexpr u8 ICSK_ACK_TIMER = 2;
inline constexpr u8 ICSK_ACK_NOW = 16;

struct sock;

struct inet_connection_ack {
  sock* sk;
  u8 pending;
  u8 quick;  // segments still acknowledged at once
  u8 ato;    // nonzero once data has arrived
  u16 rcv_mss;
  timer_list delack_timer;
};

struct sock {
  // Identity, in network order, and the link layer's header of what is sent.
  ____cacheline_aligned __be32 skc_daddr;
  __be32 skc_rcv_saddr;
  __be16 skc_dport;
  __be16 skc_num;
  sock* skc_next;  // in its hash bucket
  net_device* sk_dst_dev;
  u16 inet_id;
  ethhdr hh;

  // The process that owns the socket keeps softirqs from it: their packets wait in the backlog.
  ____cacheline_aligned spinlock_t slock;
  int owned;
  struct {
    atomic_t rmem_alloc;
    u32 len;
    list_head list;
  } sk_backlog;
  list_head sk_receive_queue;
  u32 sk_rcvbuf;
  u32 sk_sndbuf;
  u32 sk_rcvlowat;
  task_struct* sk_wq;  // waits for data
};

__always_inline u32 sk_rmem_alloc(const sock* sk) { return static_cast<u32>(atomic_read(&sk->sk_backlog.rmem_alloc)); }
__always_inline bool sock_owned_by_user(const sock* sk) { return sk->owned != 0; }
__always_inline void bh_lock_sock(sock* sk) { spin_lock(&sk->slock); }
__always_inline void bh_unlock_sock(sock* sk) { spin_unlock(&sk->slock); }

// A process takes the socket, or gives it back and sees to the backlog.
void lock_sock(sock* sk);
void release_sock(sock* sk);

// Charges the packet's memory to the socket, and gives it back when the packet is freed.
void skb_set_owner_r(sk_buff* skb, sock* sk);
void sock_rfree(sk_buff* skb);

// There is something to read.
void sock_def_readable(sock* sk);

// Takes a packet of the local host; the link layer's header and the device's queue come next.
void ip_queue_xmit(sock* sk, sk_buff* skb);
void dev_queue_xmit(sk_buff* skb);
