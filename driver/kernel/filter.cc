#include "driver/kernel/filter.h"

#include "driver/kernel/page_pool.h"
#include "driver/kernel/string.h"

constexpr u32 ETH_HLEN = 14;

int bpf_xdp_adjust_head(xdp_buff* xdp, int offset) {
  u8* data = static_cast<u8*>(xdp->data) + offset;
  const u64 metalen = xdp_get_metalen(xdp);
  // An xdp_frame and the metadata stay in front.
  const u8* first = static_cast<u8*>(xdp->data_hard_start) + sizeof(xdp_frame) + metalen;
  if (unlikely(data < first || data + ETH_HLEN > static_cast<u8*>(xdp->data_end))) return -EINVAL;
  if (metalen != 0) memmove(data - metalen, xdp->data_meta, metalen);
  xdp->data_meta = data - metalen;
  xdp->data = data;
  return 0;
}

// The last fragment may grow up to the end of what the device was given for it.
static int bpf_xdp_frags_increase_tail(xdp_buff* xdp, u32 offset) {
  skb_shared_info* sinfo = xdp_get_shared_info_from_buff(xdp);
  skb_frag_t* frag = &sinfo->frags[sinfo->nr_frags - 1];
  const u32 frag_size = xdp->rxq->frag_size;
  if (frag_size == 0) return -EOPNOTSUPP;
  const u32 used = frag->offset % frag_size + frag->len;
  if (unlikely(offset > frag_size - used)) return -EINVAL;
  memset(page_address(frag->page) + frag->offset + frag->len, 0, offset);
  frag->len += offset;
  sinfo->xdp_frags_size += offset;
  return 0;
}

static int bpf_xdp_frags_shrink_tail(xdp_buff* xdp, u32 offset) {
  skb_shared_info* sinfo = xdp_get_shared_info_from_buff(xdp);
  if (unlikely(offset + ETH_HLEN > xdp_get_buff_len(xdp))) return -EINVAL;
  while (sinfo->nr_frags > 0 && offset > 0) {
    skb_frag_t* frag = &sinfo->frags[sinfo->nr_frags - 1];
    const u32 shrink = min(offset, frag->len);
    frag->len -= shrink;
    sinfo->xdp_frags_size -= shrink;
    offset -= shrink;
    if (frag->len != 0) return 0;
    page_pool_recycle_direct(frag->page->pp, frag->page);
    sinfo->nr_frags--;
  }
  if (unlikely(sinfo->nr_frags == 0)) {
    xdp_buff_clear_frags_flag(xdp);
    xdp->data_end = static_cast<u8*>(xdp->data_end) - offset;
  }
  return 0;
}

int bpf_xdp_adjust_tail(xdp_buff* xdp, int offset) {
  if (unlikely(xdp_buff_has_frags(xdp))) {
    return offset < 0 ? bpf_xdp_frags_shrink_tail(xdp, static_cast<u32>(-offset))
                      : bpf_xdp_frags_increase_tail(xdp, static_cast<u32>(offset));
  }
  u8* data_end = static_cast<u8*>(xdp->data_end) + offset;
  if (unlikely(data_end > xdp_data_hard_end(xdp))) return -EINVAL;
  if (unlikely(data_end < static_cast<u8*>(xdp->data) + ETH_HLEN)) return -EINVAL;
  if (offset > 0) memset(xdp->data_end, 0, static_cast<size_t>(offset));
  xdp->data_end = data_end;
  return 0;
}

// The bytes at `offset` as far as they lie in one piece, which has `*len` of them.
static u8* bpf_xdp_piece(const xdp_buff* xdp, u32 offset, u32* len) {
  u8* data = static_cast<u8*>(xdp->data);
  const u32 linear = static_cast<u32>(static_cast<u8*>(xdp->data_end) - data);
  if (offset < linear) {
    *len = linear - offset;
    return data + offset;
  }
  offset -= linear;
  const skb_frag_t* frag = xdp_get_shared_info_from_buff(xdp)->frags;
  for (; offset >= frag->len; frag++) offset -= frag->len;
  *len = frag->len - offset;
  return page_address(frag->page) + frag->offset + offset;
}

int bpf_xdp_load_bytes(const xdp_buff* xdp, u32 offset, void* to, u32 len) {
  const u32 size = xdp_get_buff_len(xdp);
  if (unlikely(offset > size || len > size - offset)) return -EINVAL;
  for (u32 done = 0, part; done < len; done += part) {
    const u8* from = bpf_xdp_piece(xdp, offset + done, &part);
    part = min(part, len - done);
    memcpy(static_cast<u8*>(to) + done, from, part);
  }
  return 0;
}

int bpf_xdp_store_bytes(xdp_buff* xdp, u32 offset, const void* from, u32 len) {
  const u32 size = xdp_get_buff_len(xdp);
  if (unlikely(offset > size || len > size - offset)) return -EINVAL;
  for (u32 done = 0, part; done < len; done += part) {
    u8* to = bpf_xdp_piece(xdp, offset + done, &part);
    part = min(part, len - done);
    memcpy(to, static_cast<const u8*>(from) + done, part);
  }
  return 0;
}
