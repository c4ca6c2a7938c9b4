#include "driver/net/netfilter.h"

#include "driver/net/headers.h"

nf_hook_entries* nf_hooks_ipv4[NF_INET_NUMHOOKS];

struct ipt_ip {
  __be32 src, dst;
  __be32 smsk, dmsk;
  alignas(sizeof(u64)) char iniface[IFNAMSIZ];
  alignas(sizeof(u64)) char outiface[IFNAMSIZ];
  alignas(sizeof(u64)) u8 iniface_mask[IFNAMSIZ];
  alignas(sizeof(u64)) u8 outiface_mask[IFNAMSIZ];
  u16 proto;
  u8 flags;
  u8 invflags;
};

// A target without a function says the verdict itself, as -verdict - 1.
struct xt_standard_target {
  void* target;
  int verdict;
};

struct xt_counters {
  u64 pcnt;
  u64 bcnt;
};

struct ipt_entry {
  ipt_ip ip;
  u32 nfcache;
  u16 target_offset;
  u16 next_offset;
  u32 comefrom;
  xt_counters counters;
  xt_standard_target target;
};

struct xt_table {
  ipt_entry entries[2];  // the rule, and the chain's policy
  u32 recseq;            // odd while counters change
};

// What matches and targets would get to know.
struct xt_action_param {
  const void* match;
  const void* matchinfo;
  const nf_hook_state* state;
  u32 thoff;
  u16 fragoff;
  bool hotdrop;
};

static xt_table raw_table;
static nf_hook_entries raw_prerouting;

static __always_inline u64 ifname_compare_aligned(const char* a, const char* b, const u8* mask) {
  const u64* x = reinterpret_cast<const u64*>(a);
  const u64* y = reinterpret_cast<const u64*>(b);
  const u64* m = reinterpret_cast<const u64*>(mask);
  return ((x[0] ^ y[0]) & m[0]) | ((x[1] ^ y[1]) & m[1]);
}

static __always_inline bool ip_packet_match(const iphdr* ip, const char* indev, const char* outdev, const ipt_ip* info,
                                            int isfrag) {
  constexpr u8 ipt_f_frag = 1;
  if ((ip->saddr & info->smsk) != info->src || (ip->daddr & info->dmsk) != info->dst) return false;
  if (ifname_compare_aligned(indev, info->iniface, info->iniface_mask) != 0) return false;
  if (ifname_compare_aligned(outdev, info->outiface, info->outiface_mask) != 0) return false;
  if (info->proto != 0 && ip->protocol != info->proto) return false;
  return !((info->flags & ipt_f_frag) && isfrag == 0);
}

static noinline u32 ipt_do_table(void* priv, sk_buff* skb, const nf_hook_state* state) {
  alignas(sizeof(u64)) static const char nulldevname[IFNAMSIZ] = {};
  xt_table* table = static_cast<xt_table*>(priv);
  const iphdr* ip = ip_hdr(skb);
  const char* indev = state->in != nullptr ? state->in->name : nulldevname;
  const char* outdev = state->out != nullptr ? state->out->name : nulldevname;
  u32 verdict = NF_DROP;
  xt_action_param acpar;

  acpar.fragoff = ntohs(ip->frag_off) & IP_OFFSET;
  acpar.thoff = ip->ihl * 4u;
  acpar.hotdrop = false;
  acpar.state = state;
  WRITE_ONCE(table->recseq, table->recseq + 1);
  ipt_entry* e = table->entries;
  do {
    if (!ip_packet_match(ip, indev, outdev, &e->ip, acpar.fragoff)) {
      e = reinterpret_cast<ipt_entry*>(reinterpret_cast<u8*>(e) + e->next_offset);
      continue;
    }
    e->counters.bcnt += skb->len;
    e->counters.pcnt++;
    verdict = static_cast<u32>(-e->target.verdict) - 1;
    break;
  } while (!acpar.hotdrop);
  WRITE_ONCE(table->recseq, table->recseq + 1);
  return acpar.hotdrop ? u32{NF_DROP} : verdict;
}

static void fill_entry(ipt_entry* e, nf_verdict verdict) {
  *e = {};
  e->target_offset = offsetof(ipt_entry, target);
  e->next_offset = sizeof(ipt_entry);
  e->target.verdict = -static_cast<int>(verdict) - 1;
}

void iptable_raw_drop() {
  fill_entry(&raw_table.entries[0], NF_DROP);
  fill_entry(&raw_table.entries[1], NF_ACCEPT);
  raw_table.recseq = 0;
  raw_prerouting = {.num_hook_entries = 1, .hooks = {{.hook = ipt_do_table, .priv = &raw_table}}};
  nf_hooks_ipv4[NF_INET_PRE_ROUTING] = &raw_prerouting;
}

// True if all hooks accept the packet; it is freed otherwise.
static noinline bool nf_hook_slow(sk_buff* skb, nf_hook_state* state, const nf_hook_entries* e) {
  for (u32 s = 0; s < e->num_hook_entries; s++) {
    if (e->hooks[s].hook(e->hooks[s].priv, skb, state) == NF_ACCEPT) continue;
    kfree_skb_reason(skb, SKB_DROP_REASON_NETFILTER_DROP);
    return false;
  }
  return true;
}

noinline void nf_hook_slow_list(list_head* head, nf_hook_state* state, const nf_hook_entries* e) {
  list_head sublist;
  INIT_LIST_HEAD(&sublist);
  for (list_head *entry = head->next, *next; entry != head; entry = next) {
    next = entry->next;
    sk_buff* skb = skb_list_entry(entry);
    skb_list_del_init(skb);
    if (nf_hook_slow(skb, state, e)) list_add_tail(&skb->list, &sublist);
  }
  list_splice_tail_init(&sublist, head);
}
