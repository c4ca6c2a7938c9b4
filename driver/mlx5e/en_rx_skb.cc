// What a completion says about a packet becomes what the stack knows of it.
#include "driver/mlx5e/en_rx.h"
#include "driver/net/headers.h"
#include "driver/net/stack.h"

namespace cx = ringside::connectx;

static __always_inline void mlx5e_skb_set_hash(const mlx5_cqe64* cqe, sk_buff* skb) {
  const u8 cht = cqe->rss_hash_type;
  const pkt_hash_types ht = (cht & cx::kHashL4Mask) != 0   ? PKT_HASH_TYPE_L4
                            : (cht & cx::kHashIpMask) != 0 ? PKT_HASH_TYPE_L3
                                                           : PKT_HASH_TYPE_NONE;
  skb_set_hash(skb, cqe->rss_hash_result, ht);
}

static __always_inline bool is_last_ethertype_ip(const sk_buff* skb) {
  const __be16 proto = reinterpret_cast<const ethhdr*>(skb->data)->h_proto;
  return proto == htons(ETH_P_IP) || proto == htons(ETH_P_IPV6);
}

// SCTP has a checksum of its own kind.
static __always_inline bool is_sctp(const sk_buff* skb) {
  const ethhdr* eth = reinterpret_cast<const ethhdr*>(skb->data);
  const u8* network = skb->data + ETH_HLEN;
  constexpr u32 ipv6_nexthdr = 6;
  const u8 protocol =
      eth->h_proto == htons(ETH_P_IP) ? reinterpret_cast<const iphdr*>(network)->protocol : network[ipv6_nexthdr];
  return protocol == IPPROTO_SCTP;
}

static __always_inline void mlx5e_handle_csum(const net_device* netdev, const mlx5_cqe64* cqe, mlx5e_rq* rq,
                                              sk_buff* skb) {
  constexpr u8 checked = cx::kL3Ok | cx::kL4Ok;
  mlx5e_rq_stats* stats = rq->stats;
  if (unlikely(!(netdev->features & NETIF_F_RXCSUM))) goto csum_none;
  if (test_bit(MLX5E_RQ_STATE_NO_CSUM_COMPLETE, &rq->state)) goto csum_unnecessary;
  // The device's sum leaves out what pads short frames, and IP headers would have to be read to know how much that is.
  if (skb->len <= ETH_ZLEN) goto csum_unnecessary;
  if (likely(is_last_ethertype_ip(skb) && !is_sctp(skb))) {
    stats->csum_complete++;
    skb->ip_summed = CHECKSUM_COMPLETE;
    skb->csum = cqe->check_sum.raw;
    return;
  }

csum_unnecessary:
  if (likely((cqe->hds_ip_ext & checked) == checked)) {
    skb->ip_summed = CHECKSUM_UNNECESSARY;
    stats->csum_unnecessary++;
    return;
  }
csum_none:
  skb->ip_summed = CHECKSUM_NONE;
  stats->csum_none++;
}

static __always_inline void mlx5e_build_rx_skb(const mlx5_cqe64* cqe, mlx5e_rq* rq, sk_buff* skb) {
  constexpr u32 flow_tag = 0xff'ffff;
  mlx5e_rq_stats* stats = rq->stats;
  net_device* netdev = rq->netdev;

  skb->mac_len = ETH_HLEN;
  skb_shinfo(skb)->hwtstamps = cqe->timestamp;
  skb_record_rx_queue(skb, static_cast<u16>(rq->ix));
  if (likely(netdev->features & NETIF_F_RXHASH)) mlx5e_skb_set_hash(cqe, skb);
  if (cqe->l4_l3_hdr_type & cx::kVlanPresent) {
    be16 proto;
    proto = ETH_P_8021Q;
    __vlan_hwaccel_put_tag(skb, proto, cqe->vlan_info);
    stats->removed_vlan_packets++;
  }
  skb->mark = cqe->sop_drop_qpn & flow_tag;
  mlx5e_handle_csum(netdev, cqe, rq, skb);
  skb->protocol = eth_type_trans(skb, netdev);
  if (unlikely(skb->pkt_type == PACKET_MULTICAST)) stats->mcast_packets++;
}

noinline void mlx5e_complete_rx_cqe(mlx5e_rq* rq, mlx5_cqe64* cqe, u32 cqe_bcnt, sk_buff* skb) {
  mlx5e_rq_stats* stats = rq->stats;
  stats->packets++;
  stats->bytes += cqe_bcnt;
  mlx5e_build_rx_skb(cqe, rq, skb);
}
