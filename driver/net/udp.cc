// UDP of a host without sockets, and the sink that takes the place of sockets.
#include "driver/net/checksum.h"
#include "driver/net/stack.h"

noinline void udp_rcv(sk_buff* skb) {
  if (!pskb_may_pull(skb, sizeof(udphdr))) {
    this_cpu_ptr(&mib)->UdpInErrors++;
    return kfree_skb_reason(skb, SKB_DROP_REASON_PKT_TOO_SMALL);
  }
  const iphdr* iph = ip_hdr(skb);
  const udphdr* uh = reinterpret_cast<const udphdr*>(skb->data);
  const u32 ulen = ntohs(uh->len);
  if (ulen > skb->len || ulen < sizeof(udphdr)) {
    this_cpu_ptr(&mib)->UdpInErrors++;
    return kfree_skb_reason(skb, SKB_DROP_REASON_PKT_TOO_SMALL);
  }
  pskb_trim_rcsum(skb, ulen);
  // No socket can be found; a packet that nobody wants is answered only if it is intact.
  if (uh->check != 0 && !skb_transport_csum_ok(skb, csum_tcpudp_nofold(iph->saddr, iph->daddr, ulen, IPPROTO_UDP, 0))) {
    this_cpu_ptr(&mib)->UdpInErrors++;
    return kfree_skb_reason(skb, SKB_DROP_REASON_UDP_CSUM);
  }
  this_cpu_ptr(&mib)->UdpNoPorts++;
  icmp_send(skb, ICMP_DEST_UNREACH, ICMP_PORT_UNREACH, {});
  kfree_skb_reason(skb, SKB_DROP_REASON_NO_SOCKET);
}

noinline void sink_rcv(sk_buff* skb) {
  const u16 segs = skb_shinfo(skb)->gso_segs;
  this_cpu_ptr(&mib)->sink_packets += segs != 0 ? segs : 1;
  this_cpu_ptr(&mib)->sink_bytes += skb->len;
  napi_consume_skb(skb, NAPI_POLL_WEIGHT);
}
