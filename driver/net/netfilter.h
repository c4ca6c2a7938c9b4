// Netfilter's hooks, and iptables' raw table with one rule.
#pragma once

#include "driver/kernel/netdevice.h"
#include "driver/kernel/skbuff.h"

inline constexpr u8 NFPROTO_IPV4 = 2;

enum nf_inet_hooks : u8 {
  NF_INET_PRE_ROUTING,
  NF_INET_LOCAL_IN,
  NF_INET_FORWARD,
  NF_INET_LOCAL_OUT,
  NF_INET_POST_ROUTING,
  NF_INET_NUMHOOKS,
};

enum nf_verdict : u32 { NF_DROP = 0, NF_ACCEPT = 1 };

struct nf_hook_state {
  u8 hook;
  u8 pf;
  net_device* in;
  net_device* out;
  void* sk;
  void* net;
  int (*okfn)(void* net, void* sk, sk_buff* skb);
};
static_assert(sizeof(nf_hook_state) == 48);

using nf_hookfn = u32(void* priv, sk_buff* skb, const nf_hook_state* state);

struct nf_hook_entry {
  nf_hookfn* hook;
  void* priv;
};
struct nf_hook_entries {
  u16 num_hook_entries;
  nf_hook_entry hooks[1];
};

// By hook of IPv4; null where nothing is registered.
extern nf_hook_entries* nf_hooks_ipv4[NF_INET_NUMHOOKS];

// Asks the hooks about each packet of the list. Those that are refused are freed; the others stay in the list.
void nf_hook_slow_list(list_head* head, nf_hook_state* state, const nf_hook_entries* e);

// Adds the rule  iptables -t raw -A PREROUTING -j DROP.
void iptable_raw_drop();
