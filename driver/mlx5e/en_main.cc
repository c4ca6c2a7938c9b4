// Bringing the interface up and down.
#include "driver/mlx5e/en.h"

namespace cx = ringside::connectx;

constexpr dim_cq_moder icocq_moder = {.usec = 0, .pkts = 0, .from_cqe = false};

constexpr dim_cq_moder tx_cq_moder = {.usec = 16, .pkts = 32, .from_cqe = false};

static int mlx5e_open_cq(mlx5e_channel* c, u8 log_cq_size, const dim_cq_moder* moder, mlx5e_cq* cq) {
  mlx5_cqwq_create(&cq->wq, log_cq_size);
  cq->napi = &c->napi;
  cq->ch_stats = c->stats;
  cq->mdev = c->mdev;
  cq->mcq.set_ci_db = cq->wq.db;
  cq->mcq.arm_db = cq->wq.db + 1;
  cq->mcq.comp = mlx5e_completion_event;

  mlx5_cmd_mailbox mbox = {};
  mbox.opcode = cx::kCmdCreateCq;
  mbox.cq.buffer = cq->wq.fbc.frags[0].map;
  mbox.cq.doorbell_record = virt_to_phys(cq->wq.db);
  mbox.cq.log_size = cq->wq.fbc.log_sz;
  mbox.cq.eqn = c->eq->eqn;
  mbox.cq.period_us = moder->usec;
  mbox.cq.max_count = moder->pkts;
  mbox.cq.period_from_cqe = moder->from_cqe ? 1 : 0;
  const int err = mlx5_cmd_exec(c->mdev, &mbox);
  if (err != 0) return err;
  cq->mcq.cqn = mbox.object;
  return mlx5_eq_add_cq(c->eq, &cq->mcq);
}

static int mlx5e_close_cq(mlx5e_cq* cq) {
  mlx5_cmd_mailbox mbox = {};
  mbox.opcode = cx::kCmdDestroyCq;
  mbox.object = cq->mcq.cqn;
  return mlx5_cmd_exec(cq->mdev, &mbox);
}

static int mlx5e_open_cqs(mlx5e_channel* c, const mlx5e_params* params) {
  constexpr u8 log_xdpsq_size = MLX5E_PARAMS_DEFAULT_LOG_SQ_SIZE;
  int err = mlx5e_open_cq(c, mlx5e_build_icosq_log_wq_sz(params), &icocq_moder, &c->icosq.cq);
  if (err == 0 && c->xdp) err = mlx5e_open_cq(c, log_xdpsq_size, &tx_cq_moder, &c->xdpsq.cq);
  if (err == 0) err = mlx5e_open_cq(c, mlx5e_rx_log_cq_size(params), &params->rx_cq_moderation, &c->rq.cq);
  if (err == 0 && c->xdp) err = mlx5e_open_cq(c, log_xdpsq_size, &tx_cq_moder, &c->rq_xdpsq.cq);
  if (err == 0 && c->tx) err = mlx5e_open_cq(c, MLX5E_PARAMS_DEFAULT_LOG_SQ_SIZE, &tx_cq_moder, &c->txqsq.cq);
  return err;
}

static int mlx5e_open_queues(mlx5e_channel* c, const mlx5e_params* params, mlx5e_channel_stats* stats) {
  int err = mlx5e_open_cqs(c, params);
  if (err == 0) err = mlx5e_open_icosq(c, params);
  if (err == 0 && c->xdp) err = mlx5e_open_xdpsq(c, params, &c->xdpsq, &stats->xdpsq);
  if (err == 0) err = mlx5e_open_rq(c, params, &stats->rq);
  if (err == 0 && c->xdp) err = mlx5e_open_xdpsq(c, params, &c->rq_xdpsq, &stats->rq_xdpsq);
  if (err == 0 && c->tx) err = mlx5e_open_txqsq(c);
  return err;
}

// The packets that the queue of XDP_TX still holds belong to the receive queue's page pool, which goes last.
static int mlx5e_close_queues(mlx5e_channel* c) {
  int err = 0;
  if (c->xdp) err = mlx5e_close_xdpsq(&c->xdpsq);
  if (err == 0 && c->xdp) err = mlx5e_close_xdpsq(&c->rq_xdpsq);
  if (err == 0 && c->tx) err = mlx5e_close_txqsq(&c->txqsq);
  if (err == 0) err = mlx5e_close_rq(&c->rq);
  if (err == 0) err = mlx5e_close_icosq(&c->icosq);
  if (err == 0 && c->tx) err = mlx5e_close_cq(&c->txqsq.cq);
  if (err == 0 && c->xdp) err = mlx5e_close_cq(&c->rq_xdpsq.cq);
  if (err == 0) err = mlx5e_close_cq(&c->rq.cq);
  if (err == 0 && c->xdp) err = mlx5e_close_cq(&c->xdpsq.cq);
  if (err == 0) err = mlx5e_close_cq(&c->icosq.cq);
  return err;
}

static int mlx5e_open_channel(mlx5e_priv* priv) {
  mlx5e_channel* c = memblock_alloc_array<mlx5e_channel>(1);
  priv->channel = c;
  c->pdev = priv->mdev->pdev;
  c->netdev = priv->netdev;
  c->mdev = priv->mdev;
  c->port = priv->port;
  c->eq = &priv->eq;
  c->stats = &priv->channel_stats.ch;
  c->mkey_be = priv->mkey;
  c->xdp = priv->params.xdp_prog != nullptr;
  c->tx = priv->params.tx;
  c->tx_stats = &priv->channel_stats.sq;
  netif_napi_add_weight(c->netdev, &c->napi, mlx5e_napi_poll, priv->params.napi_weight);
  return mlx5e_open_queues(c, &priv->params, &priv->channel_stats);
}

static void mlx5e_activate_channel(mlx5e_channel* c) {
  napi_enable(&c->napi);
  mlx5e_activate_rq(&c->rq);
}

static bool mlx5e_rq_is_empty(const mlx5e_rq* rq) {
  if (rq->wq_type == MLX5_WQ_TYPE_LINKED_LIST_STRIDING_RQ) return mlx5_wq_ll_is_empty(&rq->mpwqe.wq);
  return rq->wqe.wq.cur_sz == 0;
}

// A peer that waits for answers would lose its first packets, and time: they find buffers. Those of a striding queue are
// there when the first UMR WQEs have completed.
static void mlx5e_wait_for_min_rx_wqes(mlx5e_channel* c) {
  while (mlx5e_rq_is_empty(&c->rq)) {
    napi_schedule(&c->napi);
    interrupt_window();
  }
}

int mlx5e_open(mlx5e_priv* priv) {
  constexpr u8 log_eq_size = 10;
  const u32 comp_vector = priv->port;
  int err = mlx5_core_create_mkey(priv->mdev, &priv->mkey);
  if (err == 0) err = mlx5_eq_create(priv->mdev, &priv->eq, log_eq_size, comp_vector);
  if (err == 0) err = mlx5e_open_channel(priv);
  if (err == 0) err = mlx5_core_create_tir(priv->mdev, priv->port, priv->channel->rq.rqn, &priv->tirn);
  if (err == 0) err = mlx5_set_port_mtu(priv->mdev, priv->port, priv->params.sw_mtu);
  if (err == 0) mlx5e_activate_channel(priv->channel);
  if (err == 0 && priv->params.tx) mlx5e_wait_for_min_rx_wqes(priv->channel);
  return err;
}

int mlx5e_close(mlx5e_priv* priv) {
  mlx5e_channel* c = priv->channel;
  int err = mlx5_core_destroy_tir(priv->mdev, priv->tirn);
  mlx5e_deactivate_rq(&c->rq);
  napi_disable(&c->napi);
  if (err == 0) err = mlx5e_close_queues(c);
  return err;
}
