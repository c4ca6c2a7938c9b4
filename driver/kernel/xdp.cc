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
  for (int i = 0; i < bq->count; i++) page_pool_recycle_direct(bq->q[i]->pp, bq->q[i]);
  bq->count = 0;
}
