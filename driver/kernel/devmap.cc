#include "driver/kernel/devmap.h"

#include "driver/kernel/mm.h"
#include "driver/kernel/prefetch.h"

bpf_net_context* current_bpf_net_context;
xdp_redirect_stats redirect_stats;

constexpr u32 BPF_RI_F_RI_INIT = BIT(0);
constexpr u32 BPF_RI_F_DEV_MAP_INIT = BIT(2);
constexpr u32 BPF_MAP_TYPE_UNSPEC = 0;
constexpr u32 BPF_MAP_TYPE_DEVMAP = 14;

static bpf_redirect_info* bpf_net_ctx_get_ri() {
  bpf_net_context* bpf_net_ctx = READ_ONCE(current_bpf_net_context);
  bpf_redirect_info* ri = &bpf_net_ctx->ri;
  if ((ri->kern_flags & BPF_RI_F_RI_INIT) == 0) {
    ri->tgt_index = 0;
    ri->tgt_value = nullptr;
    ri->map = nullptr;
    ri->flags = ri->map_id = ri->map_type = 0;
    ri->kern_flags |= BPF_RI_F_RI_INIT;
  }
  return ri;
}

static list_head* bpf_net_ctx_get_dev_flush_list() {
  bpf_net_context* bpf_net_ctx = READ_ONCE(current_bpf_net_context);
  bpf_redirect_info* ri = &bpf_net_ctx->ri;
  if ((ri->kern_flags & BPF_RI_F_DEV_MAP_INIT) == 0) {
    INIT_LIST_HEAD(&bpf_net_ctx->dev_map_flush_list);
    ri->kern_flags |= BPF_RI_F_DEV_MAP_INIT;
  }
  return &bpf_net_ctx->dev_map_flush_list;
}

void dev_map_add(net_device* dev) {
  xdp_dev_bulk_queue* bq = memblock_alloc_array<xdp_dev_bulk_queue>(1);
  bq->dev = dev;
  dev->xdp_bulkq = bq;
}

u32 bpf_redirect_map(bpf_dtab* map, u32 index, u64 flags) {
  bpf_redirect_info* ri = bpf_net_ctx_get_ri();
  ri->tgt_value = index < DEV_MAP_MAX_ENTRIES ? map->netdev_map[index] : nullptr;
  if (unlikely(ri->tgt_value == nullptr)) {
    ri->map_id = 0;
    ri->map_type = BPF_MAP_TYPE_UNSPEC;
    return static_cast<u32>(flags);
  }
  ri->tgt_index = index;
  ri->map = map;
  ri->map_id = 1;
  ri->map_type = BPF_MAP_TYPE_DEVMAP;
  return XDP_REDIRECT;
}

static void bq_xmit_all(xdp_dev_bulk_queue* bq, u32 flags) {
  const int cnt = static_cast<int>(bq->count);
  if (unlikely(cnt == 0)) return;
  for (int i = 0; i < cnt; i++) prefetch(bq->q[i]);
  int sent = bq->dev->netdev_ops->ndo_xdp_xmit(bq->dev, cnt, bq->q, flags);
  if (sent < 0) sent = 0;  // the device is down: it has taken none
  redirect_stats.frames += static_cast<u64>(sent);
  redirect_stats.not_taken += static_cast<u64>(cnt - sent);
  for (int i = sent; unlikely(i < cnt); i++) xdp_return_frame_rx_napi(bq->q[i]);
  bq->count = 0;
}

static void bq_enqueue(net_device* dev, xdp_frame* xdpf, net_device* dev_rx) {
  xdp_dev_bulk_queue* bq = dev->xdp_bulkq;
  if (unlikely(bq->count == DEV_MAP_BULK_SIZE)) bq_xmit_all(bq, 0);
  // The device that received is the same for all: a poll flushes before the next one begins.
  if (bq->dev_rx == nullptr) {
    list_add_tail(&bq->flush_node, bpf_net_ctx_get_dev_flush_list());
    bq->dev_rx = dev_rx;
  }
  bq->q[bq->count++] = xdpf;
}

static noinline int dev_map_enqueue(net_device* dev, xdp_frame* xdpf, net_device* dev_rx) {
  if (unlikely(dev->netdev_ops->ndo_xdp_xmit == nullptr || dev->xdp_bulkq == nullptr)) return -EOPNOTSUPP;
  constexpr u32 eth_vlan_hlen = 18;
  if (unlikely(xdpf->len > dev->mtu + eth_vlan_hlen)) return -EMSGSIZE;
  bq_enqueue(dev, xdpf, dev_rx);
  return 0;
}

int xdp_do_redirect(net_device* dev, xdp_buff* xdp, const bpf_prog*) {
  bpf_redirect_info* ri = bpf_net_ctx_get_ri();
  net_device* target = static_cast<net_device*>(ri->tgt_value);
  ri->map_id = 0;
  ri->map_type = BPF_MAP_TYPE_UNSPEC;
  xdp_frame* xdpf = xdp_convert_buff_to_frame(xdp);
  int err = -EOVERFLOW;
  if (likely(xdpf != nullptr)) err = target != nullptr ? dev_map_enqueue(target, xdpf, dev) : -EINVAL;
  if (unlikely(err != 0)) redirect_stats.errors++;
  return err;
}

void xdp_do_flush() {
  list_head* flush_list = bpf_net_ctx_get_dev_flush_list();
  while (!list_empty(flush_list)) {
    xdp_dev_bulk_queue* bq = container_of(flush_list->next, xdp_dev_bulk_queue, flush_node);
    bq_xmit_all(bq, XDP_XMIT_FLUSH);
    bq->dev_rx = nullptr;
    list_del_init(&bq->flush_node);
  }
}
