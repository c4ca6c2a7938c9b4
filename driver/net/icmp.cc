// ICMP errors, up to the route back: the host has none, so that no answer leaves it.
#include "driver/net/headers.h"
#include "driver/net/stack.h"

struct icmphdr {
  u8 type;
  u8 code;
  u16 checksum;
  be32 un;
};

struct ip_options_data {
  u8 opt[16];
  u8 data[40];
};

// The answer as it is put together.
struct icmp_bxm {
  sk_buff* skb;
  int offset;
  int data_len;
  struct {
    icmphdr icmph;
    __be32 times[3];
  } data;
  int head_len;
  ip_options_data replyopts;
};
static_assert(sizeof(icmp_bxm) == 96);

struct flowi4 {
  u32 oif, iif, l3mdev, mark;
  u8 tos, scope, proto, flags;
  u32 secid;
  u32 uid;
  u32 multipath_hash;
  u64 tun_id;
  __be32 saddr, daddr;
  u64 uli;
};
static_assert(sizeof(flowi4) == 56);

struct sockcm_cookie {
  u64 transmit_time;
  u32 mark;
  u32 tsflags;
  u32 ts_opt_id;
  u32 priority;
  u32 dmabuf_id;
};

struct ipcm_cookie {
  sockcm_cookie sockc;
  __be32 addr;
  int oif;
  void* opt;
  u8 protocol;
  u8 ttl;
  s16 tos;
};
static_assert(sizeof(ipcm_cookie) == 56);

// Messages that may be sent before the allowance is renewed, which happens no more often than every 20 ms.
constexpr u32 sysctl_icmp_msgs_burst = 50;
static u32 icmp_global_credit;

void icmp_init() { icmp_global_credit = sysctl_icmp_msgs_burst; }

static bool icmp_global_allow() {
  if (icmp_global_credit == 0) return false;
  icmp_global_credit--;
  return true;
}

// -ENETUNREACH, always.
static noinline int icmp_route_lookup(flowi4* fl4, sk_buff* skb_in, const iphdr* iph, icmp_bxm* param,
                                      const ipcm_cookie* ipc) {
  *fl4 = {};
  fl4->daddr = iph->saddr;
  fl4->mark = ipc->sockc.mark;
  fl4->tos = ipc->tos >= 0 ? static_cast<u8>(ipc->tos) : iph->tos;
  fl4->proto = IPPROTO_ICMP;
  fl4->oif = static_cast<u32>(skb_in->skb_iif);
  param->offset = static_cast<int>(skb_network_header(skb_in) - skb_in->data);
  this_cpu_ptr(&mib)->IpOutNoRoutes++;
  return -ENETUNREACH;
}

noinline void icmp_send(sk_buff* skb_in, u8 type, u8 code, be32 info) {
  icmp_bxm icmp_param;
  ipcm_cookie ipc;
  flowi4 fl4;

  const iphdr* iph = ip_hdr(skb_in);
  // Neither broadcasts nor later fragments are answered, as the answers would be too many.
  if (skb_in->pkt_type != PACKET_HOST || (iph->frag_off & htons(IP_OFFSET)) != 0) return;
  if (!icmp_global_allow()) {
    this_cpu_ptr(&mib)->IcmpOutRateLimitGlobal++;
    return;
  }
  icmp_param.data.icmph = {.type = type, .code = code, .checksum = 0, .un = info};
  icmp_param.skb = skb_in;
  icmp_param.head_len = sizeof(icmphdr);
  __builtin_memset(&ipc, 0, sizeof(ipc));
  ipc.tos = static_cast<s16>((iph->tos & 0x1e) | 0xc0);
  ipc.sockc.mark = skb_in->mark;
  icmp_route_lookup(&fl4, skb_in, iph, &icmp_param, &ipc);
}
