// The receive side of the network stack: from the link layer to IPv4's protocols, and the ends that packets find here.
#pragma once

#include "driver/kernel/board.h"
#include "driver/kernel/netdevice.h"
#include "driver/kernel/skbuff.h"

// Counters of `nstat` and of the sink.
struct net_mib {
  u64 IpInReceives;
  u64 IpInHdrErrors;
  u64 IpInTruncatedPkts;
  u64 IpInUnknownProtos;
  u64 IpInDelivers;
  u64 IpOutNoRoutes;
  u64 IcmpOutRateLimitGlobal;
  u64 UdpNoPorts;
  u64 UdpInErrors;
  u64 tx_dropped;    // that the device's queue had no room for
  u64 sink_packets;  // as received, before GRO merged them
  u64 sink_bytes;    // of IPv4 payload, with the transport's header of merged packets counted once
};
DECLARE_PER_CPU(net_mib, mib);

// Those of TCP, without "Tcp" or "TcpExt".
struct tcp_mib_t {
  u64 InSegs;  // merged ones count once
  u64 InErrs;
  u64 InCsumErrors;
  u64 OutSegs;
  u64 TCPHPHits;
  u64 TCPPureAcks;
  u64 DelayedACKs;
  u64 DelayedACKLost;
  u64 PAWSEstab;
  u64 TCPBacklogDrop;
  u64 TCPRcvQDrop;
  u64 TCPOFOQueue;
  u64 TCPOFODrop;
  u64 TCPOFOMerge;
  u64 TCPToZeroWindowAdv;
  u64 TCPFromZeroWindowAdv;
  u64 TCPWantZeroWindowAdv;
  u64 TCPZeroWindowDrop;
};
DECLARE_PER_CPU(tcp_mib_t, tcp_mib);

// Sets the stack up once at start-up. board.stack: "raw-drop" or "" drops every IPv4 packet in the PREROUTING chain of
// iptables' raw table, "digest" does so after it has added each packet to rx_digest, "udp-no-port" has no sockets, "sink"
// consumes UDP and TCP where sockets would take them, and "tcp" has connections and processes that read them.
void net_stack_init(const board_info& board);
// Whether the stack sends anything.
bool net_stack_transmits(const board_info& board);

// All counters of packets above the driver; ends with an empty name.
const guest_stat* net_stats();

// Finds what a received frame carries, and whom it is for; takes the Ethernet header off.
be16 eth_type_trans(sk_buff* skb, net_device* dev);

// Hands packets to their protocols. The list is empty afterwards.
void netif_receive_skb_list_internal(list_head* head);

// A network protocol. `list_func` gets packets of one device.
struct packet_type {
  u16 type;
  void (*list_func)(list_head* head, packet_type* pt, net_device* dev);
  list_head list;
};
void dev_add_pack(packet_type* pt);

// IPv4, and a transport above it: the handler owns the packet, whose data begins with the transport's header.
void ip_list_rcv(list_head* head, packet_type* pt, net_device* dev);
using inet_handler = void (*)(sk_buff* skb);
void inet_add_protocol(u8 protocol, inet_handler handler);
void ip_init();

void udp_rcv(sk_buff* skb);
void sink_rcv(sk_buff* skb);

// Answers a packet that cannot be delivered with an ICMP message; the packet stays the caller's.
inline constexpr u8 ICMP_DEST_UNREACH = 3;
inline constexpr u8 ICMP_PORT_UNREACH = 3;
void icmp_send(sk_buff* skb_in, u8 type, u8 code, be32 info);
void icmp_init();
