#include "driver/kernel/xdp.h"

#include "driver/kernel/page_pool.h"

xdp_exception_stats xdp_stats;

void xdp_rxq_info_reg(xdp_rxq_info* xdp_rxq, net_device* dev, u32 queue_index, u32 napi_id) {
  constexpr u32 REG_STATE_REGISTERED = 1;
  *xdp_rxq = {};
  xdp_rxq->dev = dev;
  xdp_rxq->queue_index = queue_index;
  xdp_rxq->napi_id = napi_id;
  xdp_rxq->reg_state = REG_STATE_REGISTERED;
}

void xdp_rxq_info_reg_mem_model(xdp_rxq_info* xdp_rxq, xdp_mem_type type, u32 id) { xdp_rxq->mem = {type, id}; }

void trace_xdp_exception(const net_device*, const bpf_prog*, u32) { xdp_stats.exceptions++; }

void bpf_warn_invalid_xdp_action(const net_device*, const bpf_prog*, u32) { xdp_stats.invalid_actions++; }

void xdp_flush_frame_bulk(xdp_frame_bulk* bq) {
  if (unlikely(bq->count == 0)) return;
  page_pool_put_page_bulk(bq->q, bq->count);
  bq->count = 0;
}

void xdp_return_frame_bulk(xdp_frame* xdpf, xdp_frame_bulk* bq) {
  const skb_shared_info* sinfo = xdp_frame_has_frags(xdpf) ? xdp_get_shared_info_from_frame(xdpf) : nullptr;
  const int num = 1 + (unlikely(sinfo != nullptr) ? sinfo->nr_frags : 0);
  for (int i = 0; i < num; i++) {
    if (unlikely(bq->count == XDP_BULK_QUEUE_SIZE)) xdp_flush_frame_bulk(bq);
    bq->q[bq->count++] = i == 0 ? virt_to_page(xdpf->data) : sinfo->frags[i - 1].page;
  }
}

void xdp_return_frame_rx_napi(xdp_frame* xdpf) {
  struct page* page = virt_to_page(xdpf->data);
  if (unlikely(xdp_frame_has_frags(xdpf))) {
    const skb_shared_info* sinfo = xdp_get_shared_info_from_frame(xdpf);
    for (u32 i = 0; i < sinfo->nr_frags; i++) page_pool_recycle_direct(sinfo->frags[i].page->pp, sinfo->frags[i].page);
  }
  page_pool_recycle_direct(page->pp, page);
}
