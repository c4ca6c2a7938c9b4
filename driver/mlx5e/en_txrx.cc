#include "driver/mlx5e/en.h"

int mlx5e_napi_poll(napi_struct* napi, int budget) {
  mlx5e_channel* c = container_of(napi, mlx5e_channel, napi);
  mlx5e_ch_stats* ch_stats = c->stats;
  mlx5e_rq* rq = &c->rq;
  bool busy = false;
  int work_done = 0;

  ch_stats->poll++;
  if (c->tx) busy |= mlx5e_poll_tx_cq(&c->txqsq.cq, budget);
  if (c->xdp) {
    busy |= mlx5e_poll_xdpsq_cq(&c->xdpsq.cq);
    busy |= mlx5e_poll_xdpsq_cq(&c->rq_xdpsq.cq);
  }
  if (likely(budget - work_done)) work_done += mlx5e_poll_rx_cq(&rq->cq, budget - work_done);
  busy |= work_done == budget;
  mlx5e_poll_ico_cq(&c->icosq.cq);
  busy |= INDIRECT_CALL_2(rq->post_wqes, mlx5e_post_rx_mpwqes, mlx5e_post_rx_wqes, rq);
  if (busy) return budget;
  if (unlikely(!napi_complete_done(napi, work_done))) return work_done;
  ch_stats->arm++;
  if (c->tx) mlx5e_cq_arm(&c->txqsq.cq);
  mlx5e_cq_arm(&rq->cq);
  mlx5e_cq_arm(&c->icosq.cq);
  // Not the one of rq_xdpsq: what it completes was received here, and waits for more to be.
  if (c->xdp) mlx5e_cq_arm(&c->xdpsq.cq);
  return work_done;
}

void mlx5e_completion_event(mlx5_core_cq* mcq, mlx5_eqe*) {
  mlx5e_cq* cq = container_of(mcq, mlx5e_cq, mcq);
  napi_schedule(cq->napi);
  cq->event_ctr++;
  cq->ch_stats->events++;
}
