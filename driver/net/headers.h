// Headers as they are on the wire. Fields are in network order and need not be aligned.
#pragma once

#include "driver/kernel/skbuff.h"

inline constexpr u32 ETH_HLEN = 14;
inline constexpr u32 ETH_ZLEN = 60;  // a frame without FCS is no shorter

using __be16 = u16;
using __be32 = u32;

constexpr __be16 htons(u16 x) { return __builtin_bswap16(x); }
constexpr __be32 htonl(u32 x) { return __builtin_bswap32(x); }
constexpr u16 ntohs(__be16 x) { return __builtin_bswap16(x); }
constexpr u32 ntohl(__be32 x) { return __builtin_bswap32(x); }

inline constexpr u16 ETH_P_IP = 0x0800;
inline constexpr u16 ETH_P_8021Q = 0x8100;
inline constexpr u16 ETH_P_802_3 = 0x0001;
inline constexpr u16 ETH_P_802_3_MIN = 0x0600;  // smaller values are lengths
inline constexpr u16 ETH_P_IPV6 = 0x86dd;

inline constexpr u16 IP_DF = 0x4000;
inline constexpr u16 IP_MF = 0x2000;
inline constexpr u16 IP_OFFSET = 0x1fff;

inline constexpr u8 IPPROTO_ICMP = 1;
inline constexpr u8 IPPROTO_TCP = 6;
inline constexpr u8 IPPROTO_UDP = 17;
inline constexpr u8 IPPROTO_SCTP = 132;

struct [[gnu::packed]] ethhdr {
  u8 h_dest[6];
  u8 h_source[6];
  __be16 h_proto;
};
static_assert(sizeof(ethhdr) == ETH_HLEN);

struct [[gnu::packed]] iphdr {
  u8 ihl : 4;
  u8 version : 4;
  u8 tos;
  __be16 tot_len;
  __be16 id;
  __be16 frag_off;
  u8 ttl;
  u8 protocol;
  u16 check;
  __be32 saddr;
  __be32 daddr;
};
static_assert(sizeof(iphdr) == 20);

struct [[gnu::packed]] udphdr {
  __be16 source;
  __be16 dest;
  __be16 len;
  u16 check;
};
static_assert(sizeof(udphdr) == 8);

struct [[gnu::packed]] tcphdr {
  __be16 source;
  __be16 dest;
  __be32 seq;
  __be32 ack_seq;
  __be32 flags;  // with header length and window
  u16 check;
  __be16 urg_ptr;
};
static_assert(sizeof(tcphdr) == 20);

// Bits of tcphdr.flags.
inline constexpr __be32 TCP_FLAG_CWR = htonl(0x0080'0000);
inline constexpr __be32 TCP_FLAG_URG = htonl(0x0020'0000);
inline constexpr __be32 TCP_FLAG_ACK = htonl(0x0010'0000);
inline constexpr __be32 TCP_FLAG_PSH = htonl(0x0008'0000);
inline constexpr __be32 TCP_FLAG_RST = htonl(0x0004'0000);
inline constexpr __be32 TCP_FLAG_SYN = htonl(0x0002'0000);
inline constexpr __be32 TCP_FLAG_FIN = htonl(0x0001'0000);

__always_inline u32 tcp_hdrlen_of(const tcphdr* th) { return (ntohl(th->flags) >> 28) * 4; }
__always_inline bool ip_is_fragment(const iphdr* iph) { return (iph->frag_off & htons(IP_MF | IP_OFFSET)) != 0; }

__always_inline ethhdr* eth_hdr(const sk_buff* skb) { return reinterpret_cast<ethhdr*>(skb_mac_header(skb)); }
__always_inline iphdr* ip_hdr(const sk_buff* skb) { return reinterpret_cast<iphdr*>(skb_network_header(skb)); }
__always_inline tcphdr* tcp_hdr(const sk_buff* skb) { return reinterpret_cast<tcphdr*>(skb_transport_header(skb)); }
__always_inline udphdr* udp_hdr(const sk_buff* skb) { return reinterpret_cast<udphdr*>(skb_transport_header(skb)); }
