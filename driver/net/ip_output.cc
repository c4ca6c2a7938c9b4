// From a socket to its device.
#include "driver/net/checksum.h"
#include "driver/net/sock.h"
#include "driver/net/stack.h"

constexpr u8 IPDEFTTL = 64;

static noinline void neigh_hh_output(sock* sk, sk_buff* skb) {
  __builtin_memcpy(skb_push(skb, ETH_HLEN), &sk->hh, ETH_HLEN);
  skb_reset_mac_header(skb);
  dev_queue_xmit(skb);
}

noinline void ip_queue_xmit(sock* sk, sk_buff* skb) {
  iphdr* iph = static_cast<iphdr*>(skb_push(skb, sizeof(iphdr)));
  skb_reset_network_header(skb);
  iph->version = 4;
  iph->ihl = sizeof(iphdr) / 4;
  iph->tos = 0;
  iph->tot_len = htons(static_cast<u16>(skb->len));
  iph->id = htons(sk->inet_id++);
  iph->frag_off = htons(IP_DF);
  iph->ttl = IPDEFTTL;
  iph->protocol = IPPROTO_TCP;
  iph->saddr = sk->skc_rcv_saddr;
  iph->daddr = sk->skc_daddr;
  iph->check = 0;
  iph->check = ip_fast_csum(iph, 5);
  skb->protocol = ETH_P_IP;
  skb->dev = sk->sk_dst_dev;
  neigh_hh_output(sk, skb);
}

// The queue's discipline is passed by while it has nothing to send; a queue that is full loses the packet.
noinline void dev_queue_xmit(sk_buff* skb) {
  net_device* dev = skb->dev;
  netdev_queue* txq = dev->_tx;
  __netif_tx_lock(txq, smp_processor_id());
  const bool sent = !netif_tx_queue_stopped(txq) && dev->netdev_ops->ndo_start_xmit(skb, dev) == NETDEV_TX_OK;
  __netif_tx_unlock(txq);
  if (likely(sent)) return;
  this_cpu_ptr(&mib)->tx_dropped++;
  kfree_skb_reason(skb, SKB_SENT);
}
