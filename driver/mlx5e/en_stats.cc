#include "driver/kernel/devmap.h"
#include "driver/kernel/digest.h"
#include "driver/mlx5e/en.h"
#include "driver/net/stack.h"

constexpr u32 MLX5E_MAX_STATS = 128;

struct stat_table {
  guest_stat entries[MLX5E_MAX_STATS];
  u32 count;
};

static void add(stat_table* table, const char* name, u64* value) {
  if (table->count + 1 >= MLX5E_MAX_STATS) panic("too many statistics");
  guest_stat* stat = &table->entries[table->count++];
  for (u32 i = 0; i + 1 < sizeof(stat->name) && name[i] != '\0'; i++) stat->name[i] = name[i];
  stat->value = value;
}

const guest_stat* mlx5e_stats(mlx5e_priv* priv) {
  stat_table* table = memblock_alloc_array<stat_table>(1);
  mlx5e_rq_stats* rq = &priv->channel_stats.rq;
  add(table, "rx_packets", &rq->packets);
  add(table, "rx_bytes", &rq->bytes);
  add(table, "rx_xdp_drop", &rq->xdp_drop);
  add(table, "rx_xdp_redirect", &rq->xdp_redirect);
  add(table, "rx_wqe_err", &rq->wqe_err);
  add(table, "rx_buff_alloc_err", &rq->buff_alloc_err);
  add(table, "rx_recover", &rq->recover);
  add(table, "rx_mpwqe_filler_cqes", &rq->mpwqe_filler_cqes);
  add(table, "rx_mpwqe_filler_strides", &rq->mpwqe_filler_strides);
  add(table, "rx_oversize_pkts_sw_drop", &rq->oversize_pkts_sw_drop);
  add(table, "rx_congst_umr", &rq->congst_umr);
  add(table, "rx_csum_complete", &rq->csum_complete);
  add(table, "rx_csum_unnecessary", &rq->csum_unnecessary);
  add(table, "rx_csum_none", &rq->csum_none);
  add(table, "rx_removed_vlan_packets", &rq->removed_vlan_packets);
  add(table, "rx_mcast_packets", &rq->mcast_packets);

  mlx5e_xdpsq_stats* rq_xdpsq = &priv->channel_stats.rq_xdpsq;
  add(table, "rx_xdp_tx_xmit", &rq_xdpsq->xmit);
  add(table, "rx_xdp_tx_mpwqe", &rq_xdpsq->mpwqe);
  add(table, "rx_xdp_tx_inlnw", &rq_xdpsq->inlnw);
  add(table, "rx_xdp_tx_nops", &rq_xdpsq->nops);
  add(table, "rx_xdp_tx_full", &rq_xdpsq->full);
  add(table, "rx_xdp_tx_err", &rq_xdpsq->err);
  add(table, "rx_xdp_tx_cqe", &rq_xdpsq->cqes);

  mlx5e_xdpsq_stats* xdpsq = &priv->channel_stats.xdpsq;
  add(table, "tx_xdp_xmit", &xdpsq->xmit);
  add(table, "tx_xdp_mpwqe", &xdpsq->mpwqe);
  add(table, "tx_xdp_inlnw", &xdpsq->inlnw);
  add(table, "tx_xdp_nops", &xdpsq->nops);
  add(table, "tx_xdp_full", &xdpsq->full);
  add(table, "tx_xdp_err", &xdpsq->err);
  add(table, "tx_xdp_cqes", &xdpsq->cqes);
  if (priv->other_port != nullptr) {
    mlx5e_channel_stats* other = &priv->other_port->channel_stats;
    add(table, "eth1:tx_xdp_xmit", &other->xdpsq.xmit);
    add(table, "eth1:tx_xdp_mpwqe", &other->xdpsq.mpwqe);
    add(table, "eth1:tx_xdp_inlnw", &other->xdpsq.inlnw);
    add(table, "eth1:tx_xdp_nops", &other->xdpsq.nops);
    add(table, "eth1:tx_xdp_full", &other->xdpsq.full);
    add(table, "eth1:tx_xdp_err", &other->xdpsq.err);
    add(table, "eth1:tx_xdp_cqes", &other->xdpsq.cqes);
    add(table, "eth1:ch_poll", &other->ch.poll);
    add(table, "eth1:ch_arm", &other->ch.arm);
  }

  mlx5e_txqsq_stats* sq = &priv->channel_stats.sq;
  add(table, "tx_packets", &sq->packets);
  add(table, "tx_bytes", &sq->bytes);
  add(table, "tx_nop", &sq->nop);
  add(table, "tx_queue_stopped", &sq->stopped);
  add(table, "tx_queue_wake", &sq->wake);
  add(table, "tx_cqes", &sq->cqes);

  page_pool_alloc_stats* alloc = &priv->channel->rq.page_pool->alloc_stats;
  add(table, "rx_pp_alloc_fast", &alloc->fast);
  add(table, "rx_pp_alloc_slow", &alloc->slow);
  add(table, "rx_pp_alloc_empty", &alloc->empty);
  add(table, "rx_pp_alloc_refill", &alloc->refill);
  add(table, "rx_pp_alloc_waive", &alloc->waive);

  page_pool_recycle_stats* recycle = priv->channel->rq.page_pool->recycle_stats;
  add(table, "rx_pp_recycle_cached", &recycle->cached);
  add(table, "rx_pp_recycle_cache_full", &recycle->cache_full);
  add(table, "rx_pp_recycle_ring", &recycle->ring);
  add(table, "rx_pp_recycle_ring_full", &recycle->ring_full);
  add(table, "rx_pp_recycle_released_ref", &recycle->released_refcnt);

  mlx5e_ch_stats* ch = &priv->channel_stats.ch;
  add(table, "ch_events", &ch->events);
  add(table, "ch_poll", &ch->poll);
  add(table, "ch_arm", &ch->arm);

  add(table, "cq_errors", &priv->eq.cq_errors);
  add(table, "softnet_processed", &softnet.processed);
  add(table, "softnet_time_squeeze", &softnet.time_squeeze);
  add(table, "xdp_devmap_xmit", &redirect_stats.frames);
  add(table, "xdp_devmap_drop", &redirect_stats.not_taken);
  add(table, "xdp_redirect_err", &redirect_stats.errors);
  add(table, "xdp_exception", &xdp_stats.exceptions);
  add(table, "xdp_invalid_action", &xdp_stats.invalid_actions);
  add(table, "pp_negative_refs", &page_pool_negative_refs);
  add(table, "digest_packets", &rx_digest.packets);
  add(table, "digest_bytes", &rx_digest.bytes);
  add(table, "digest", &rx_digest.digest);
  for (const guest_stat* stat = net_stats(); stat->name[0] != '\0'; stat++) add(table, stat->name, stat->value);
  return table->entries;
}
