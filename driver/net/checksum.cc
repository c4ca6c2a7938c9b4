#include "driver/net/checksum.h"

noinline u32 csum_partial(const void* buff, u32 len, u32 sum) {
  const u8* p = static_cast<const u8*>(buff);
  u64 total = sum;
  for (; len >= 4; len -= 4, p += 4) total += reinterpret_cast<const unaligned_u32*>(p)->value;
  if (len >= 2) {
    total += static_cast<u32>(p[0] | p[1] << 8);
    p += 2;
    len -= 2;
  }
  if (len != 0) total += *p;
  return from64to32(total);
}

// The sum of bytes that begin at an odd place has its bytes swapped.
static u32 csum_block_add(u32 csum, u32 csum2, u32 offset) {
  if (offset & 1) csum2 = csum2 << 8 | csum2 >> 24;
  return csum_add(csum, csum2);
}

noinline u32 skb_checksum(const sk_buff* skb, u32 offset, u32 len, u32 csum) {
  u32 pos = 0;
  const auto add = [&](const u8* bytes, u32 size) {
    if (offset >= size) {
      offset -= size;
      return;
    }
    const u32 part = min(len, size - offset);
    csum = csum_block_add(csum, csum_partial(bytes + offset, part, 0), pos);
    pos += part;
    len -= part;
    offset = 0;
  };
  add(skb->data, skb_headlen(skb));
  const skb_shared_info* shinfo = skb_shinfo(skb);
  for (u32 i = 0; i < shinfo->nr_frags && len > 0; i++) {
    add(skb_frag_address(&shinfo->frags[i]), skb_frag_size(&shinfo->frags[i]));
  }
  return csum;
}

bool skb_transport_csum_ok(sk_buff* skb, u32 pseudo) {
  if (skb_csum_unnecessary(skb)) return true;
  if (skb->ip_summed == CHECKSUM_COMPLETE && csum_fold(csum_add(pseudo, skb->csum)) == 0) {
    skb->csum_valid = 1;
    return true;
  }
  return csum_fold(skb_checksum(skb, 0, skb->len, pseudo)) == 0;
}
