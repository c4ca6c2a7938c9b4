#include "driver/net/gro.h"

#include "driver/net/stack.h"

napi_gro_stats gro_stats;

void init_gro_hash(napi_struct* napi) {
  for (gro_list& bucket : napi->gro_hash) {
    INIT_LIST_HEAD(&bucket.list);
    bucket.count = 0;
  }
  napi->gro_bitmask = 0;
  INIT_LIST_HEAD(&napi->rx_list);
  napi->rx_count = 0;
}

void gro_normal_list(napi_struct* napi) {
  if (napi->rx_count == 0) return;
  netif_receive_skb_list_internal(&napi->rx_list);
  INIT_LIST_HEAD(&napi->rx_list);
  napi->rx_count = 0;
}

static __always_inline void gro_normal_one(napi_struct* napi, sk_buff* skb, int segs) {
  list_add_tail(&skb->list, &napi->rx_list);
  napi->rx_count += segs;
  if (napi->rx_count >= gro_normal_batch) gro_normal_list(napi);
}

static void napi_gro_complete(napi_struct* napi, sk_buff* skb) {
  const u16 count = NAPI_GRO_CB(skb)->count;
  if (count == 1) {
    skb_shinfo(skb)->gso_size = 0;
  } else {
    inet_gro_complete(skb);
  }
  gro_normal_one(napi, skb, count);
}

static void __napi_gro_flush_chain(napi_struct* napi, u32 index) {
  gro_list* bucket = &napi->gro_hash[index];
  while (!list_empty(&bucket->list)) {
    sk_buff* skb = skb_list_entry(bucket->list.next);
    skb_list_del_init(skb);
    bucket->count--;
    napi_gro_complete(napi, skb);
  }
  napi->gro_bitmask &= ~BIT(index);
}

noinline void napi_gro_flush(napi_struct* napi) {
  for (u32 bitmask = napi->gro_bitmask; bitmask != 0; bitmask &= bitmask - 1) {
    __napi_gro_flush_chain(napi, static_cast<u32>(__builtin_ctz(bitmask)));
  }
}

static __always_inline void skb_gro_reset_offset(sk_buff* skb) {
  const skb_shared_info* shinfo = skb_shinfo(skb);
  const u32 headlen = skb_headlen(skb);
  napi_gro_cb* cb = NAPI_GRO_CB(skb);
  cb->data_offset = 0;
  cb->frag0 = skb->data;
  cb->frag0_len = headlen;
  if (headlen == 0 && shinfo->nr_frags != 0) {
    cb->frag0 = skb_frag_address(&shinfo->frags[0]);
    cb->frag0_len = skb_frag_size(&shinfo->frags[0]);
  }
}

// Who of the waiting packets may be of the same flow, as far as hash and link layer say.
static __always_inline void gro_list_prepare(const list_head* head, const sk_buff* skb) {
  for (list_head* entry = head->next; entry != head; entry = entry->next) {
    sk_buff* p = skb_list_entry(entry);
    bool same = skb->hash == p->hash && skb->dev == p->dev && skb->vlan_present == p->vlan_present &&
                (!skb->vlan_present || skb->vlan_tci == p->vlan_tci);
    if (same) same = __builtin_memcmp(skb_mac_header(p), skb_mac_header(skb), ETH_HLEN) == 0;
    NAPI_GRO_CB(p)->same_flow = same;
    NAPI_GRO_CB(p)->flush = 0;
  }
}

// Headers must be in the linear part before the packet waits.
static void gro_try_pull_from_frag0(sk_buff* skb) {
  const u32 grow = skb_gro_offset(skb);
  if (grow > skb_headlen(skb)) __pskb_pull_tail(skb, grow - skb_headlen(skb));
}

static void gro_flush_oldest(napi_struct* napi, list_head* head) {
  sk_buff* oldest = skb_list_entry(head->next);
  skb_list_del_init(oldest);
  napi_gro_complete(napi, oldest);
}

static __always_inline void gro_init_csum(sk_buff* skb) {
  napi_gro_cb* cb = NAPI_GRO_CB(skb);
  cb->csum = skb->csum;
  cb->csum_valid = skb->ip_summed == CHECKSUM_COMPLETE;
  cb->csum_cnt = skb->ip_summed == CHECKSUM_UNNECESSARY ? static_cast<u8>(skb->csum_level + 1) : 0;
}

static noinline gro_result dev_gro_receive(napi_struct* napi, sk_buff* skb) {
  const u32 index = skb->hash & (GRO_HASH_BUCKETS - 1);
  gro_list* bucket = &napi->gro_hash[index];
  if (!(skb->dev->features & NETIF_F_GRO)) return GRO_NORMAL;
  gro_list_prepare(&bucket->list, skb);
  if (skb->protocol != ETH_P_IP) return GRO_NORMAL;

  napi_gro_cb* cb = NAPI_GRO_CB(skb);
  skb_set_network_header(skb, static_cast<int>(skb_gro_offset(skb)));
  skb->mac_len = static_cast<u16>(skb->network_header - skb->mac_header);
  cb->same_flow = 0;
  cb->flush = skb_shinfo(skb)->frag_list != nullptr;
  cb->free = NAPI_GRO_KEEP;
  gro_init_csum(skb);
  sk_buff* pp = inet_gro_receive(&bucket->list, skb);
  const bool same_flow = cb->same_flow;
  gro_result ret = cb->free != NAPI_GRO_KEEP ? GRO_MERGED_FREE : GRO_MERGED;
  if (pp != nullptr) {
    skb_list_del_init(pp);
    napi_gro_complete(napi, pp);
    bucket->count--;
  }
  if (!same_flow) {
    if (cb->flush != 0) {
      gro_try_pull_from_frag0(skb);
      ret = GRO_NORMAL;
    } else {
      if (unlikely(bucket->count >= MAX_GRO_SKBS)) {
        gro_flush_oldest(napi, &bucket->list);
      } else {
        bucket->count++;
      }
      gro_try_pull_from_frag0(skb);
      cb->count = 1;
      cb->last = skb;
      skb_shinfo(skb)->gso_size = static_cast<u16>(skb_gro_len(skb));
      list_add_tail(&skb->list, &bucket->list);
      ret = GRO_HELD;
    }
  }
  if (bucket->count != 0) {
    napi->gro_bitmask |= BIT(index);
  } else {
    napi->gro_bitmask &= ~BIT(index);
  }
  return ret;
}

noinline gro_result napi_gro_receive(napi_struct* napi, sk_buff* skb) {
  skb->napi_id = napi->napi_id;
  skb_gro_reset_offset(skb);
  const gro_result ret = dev_gro_receive(napi, skb);
  switch (ret) {
    case GRO_NORMAL:
      gro_normal_one(napi, skb, 1);
      break;
    case GRO_MERGED_FREE:
      if (NAPI_GRO_CB(skb)->free == NAPI_GRO_FREE_STOLEN_HEAD) {
        napi_skb_free_stolen_head(skb);
      } else {
        __napi_kfree_skb(skb);
      }
      [[fallthrough]];
    case GRO_MERGED:
      gro_stats.merged++;
      break;
    case GRO_HELD:
      break;
  }
  return ret;
}

// The bytes of `skb` from `offset` on become fragments of `lp`; false if there is no room.
static bool gro_take_frags(sk_buff* lp, sk_buff* skb, u32 offset) {
  skb_shared_info* pinfo = skb_shinfo(lp);
  skb_shared_info* skbinfo = skb_shinfo(skb);
  const u32 headlen = skb_headlen(skb);
  const bool linear = headlen > offset;
  const u32 nr_frags = pinfo->nr_frags + (linear ? 1u : 0u) + skbinfo->nr_frags;
  if ((linear && !skb->head_frag) || nr_frags > MAX_SKB_FRAGS) return false;

  skb_frag_t* to = pinfo->frags + pinfo->nr_frags;
  u32 skip = linear ? 0 : offset - headlen;
  if (linear) {
    struct page* page = virt_to_page(skb->head);
    const u32 first_offset = static_cast<u32>(skb->data - page_address(page)) + offset;
    skb_frag_fill_page_desc(to++, page, first_offset, headlen - offset);
  }
  for (u32 i = 0; i < skbinfo->nr_frags; i++, to++) {
    *to = skbinfo->frags[i];
    skb_frag_off_add(to, static_cast<int>(skip));
    skb_frag_size_sub(to, static_cast<int>(skip));
    skip = 0;  // headers reach into the first one at most
  }
  pinfo->nr_frags = static_cast<u8>(nr_frags);
  skbinfo->nr_frags = 0;
  NAPI_GRO_CB(skb)->free = linear ? NAPI_GRO_FREE_STOLEN_HEAD : NAPI_GRO_FREE;
  return true;
}

int skb_gro_receive(sk_buff* p, sk_buff* skb) {
  const u32 offset = skb_gro_offset(skb);
  const u32 len = skb_gro_len(skb);
  if (p->pp_recycle != skb->pp_recycle) return -EINVAL;
  if (unlikely(p->len + len >= GRO_MAX_SIZE)) return -ENOSPC;

  sk_buff* lp = NAPI_GRO_CB(p)->last;
  u32 delta_truesize = skb->truesize;
  if (gro_take_frags(lp, skb, offset)) {
    // The head is free, and its buffer unless that is now a fragment.
    const bool stolen = NAPI_GRO_CB(skb)->free == NAPI_GRO_FREE_STOLEN_HEAD;
    delta_truesize -= stolen ? SKB_DATA_ALIGN(sizeof(sk_buff)) : SKB_TRUESIZE(skb->end);
  } else {
    __skb_pull(skb, offset);
    if (lp == p) {
      skb_shinfo(p)->frag_list = skb;
    } else {
      lp->next = skb;
    }
    skb->next = nullptr;
    NAPI_GRO_CB(p)->last = skb;
    lp = p;
  }
  NAPI_GRO_CB(p)->count++;
  p->data_len += len;
  p->truesize += delta_truesize;
  p->len += len;
  if (lp != p) {
    lp->data_len += len;
    lp->truesize += delta_truesize;
    lp->len += len;
  }
  NAPI_GRO_CB(skb)->same_flow = 1;
  return 0;
}
