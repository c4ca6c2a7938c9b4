#include "driver/net/gro.h"
#include "driver/net/stack.h"

const guest_stat* net_stats() {
  static const guest_stat table[] = {
      {"GRO_MERGED", &gro_stats.merged},
      {"consume_skb", &skb_drop_reasons[SKB_CONSUMED]},
      {"kfree_skb:NOT_SPECIFIED", &skb_drop_reasons[SKB_DROP_REASON_NOT_SPECIFIED]},
      {"kfree_skb:NO_SOCKET", &skb_drop_reasons[SKB_DROP_REASON_NO_SOCKET]},
      {"kfree_skb:PKT_TOO_SMALL", &skb_drop_reasons[SKB_DROP_REASON_PKT_TOO_SMALL]},
      {"kfree_skb:UDP_CSUM", &skb_drop_reasons[SKB_DROP_REASON_UDP_CSUM]},
      {"kfree_skb:NETFILTER_DROP", &skb_drop_reasons[SKB_DROP_REASON_NETFILTER_DROP]},
      {"kfree_skb:OTHERHOST", &skb_drop_reasons[SKB_DROP_REASON_OTHERHOST]},
      {"kfree_skb:IP_CSUM", &skb_drop_reasons[SKB_DROP_REASON_IP_CSUM]},
      {"kfree_skb:IP_INHDR", &skb_drop_reasons[SKB_DROP_REASON_IP_INHDR]},
      {"kfree_skb:UNHANDLED_PROTO", &skb_drop_reasons[SKB_DROP_REASON_UNHANDLED_PROTO]},
      {"kfree_skb:IP_NOPROTO", &skb_drop_reasons[SKB_DROP_REASON_IP_NOPROTO]},
      {"IpInReceives", &mib.IpInReceives},
      {"IpInHdrErrors", &mib.IpInHdrErrors},
      {"IpInTruncatedPkts", &mib.IpInTruncatedPkts},
      {"IpInUnknownProtos", &mib.IpInUnknownProtos},
      {"IpInDelivers", &mib.IpInDelivers},
      {"IpOutNoRoutes", &mib.IpOutNoRoutes},
      {"IcmpOutRateLimitGlobal", &mib.IcmpOutRateLimitGlobal},
      {"UdpNoPorts", &mib.UdpNoPorts},
      {"UdpInErrors", &mib.UdpInErrors},
      {"sink_packets", &mib.sink_packets},
      {"sink_bytes", &mib.sink_bytes},
      {"", nullptr},
  };
  return table;
}
