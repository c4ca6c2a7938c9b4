#include "driver/kernel/devmap.h"
#include "driver/kernel/digest.h"
#include "driver/net/stack.h"
#include "driver/stmmac/stmmac.h"

constexpr u32 STMMAC_MAX_STATS = 128;

struct stat_table {
  guest_stat entries[STMMAC_MAX_STATS];
  u32 count;
};

// A name that begins with "q0_" gets the number of the queue instead of 0.
static void add(stat_table* table, const char* name, u64* value, u32 queue = 0) {
  if (table->count + 1 >= STMMAC_MAX_STATS) panic("too many statistics");
  guest_stat* stat = &table->entries[table->count++];
  for (u32 i = 0; i + 1 < sizeof(stat->name) && name[i] != '\0'; i++) stat->name[i] = name[i];
  if (queue != 0) stat->name[1] = static_cast<char>('0' + queue);
  stat->value = value;
}

static void add_frame_stats(stat_table* table, stmmac_extra_stats* x) {
  add(table, "rx_errors", &x->rx_errors);
  add(table, "rx_dropped", &x->rx_dropped);
  add(table, "tx_errors", &x->tx_errors);
  add(table, "rx_desc", &x->rx_desc);
  add(table, "rx_length", &x->rx_length);
  add(table, "rx_crc_errors", &x->rx_crc_errors);
  add(table, "rx_watchdog", &x->rx_watchdog);
  add(table, "rx_gmac_overflow", &x->rx_gmac_overflow);
  add(table, "rx_mii", &x->rx_mii);
  add(table, "dribbling_bit", &x->dribbling_bit);
  add(table, "rx_vlan", &x->rx_vlan);
  add(table, "rx_split_hdr_pkt_n", &x->rx_split_hdr_pkt_n);
  add(table, "ip_hdr_err", &x->ip_hdr_err);
  add(table, "ip_payload_err", &x->ip_payload_err);
  add(table, "ip_csum_bypassed", &x->ip_csum_bypassed);
  add(table, "ipv4_pkt_rcvd", &x->ipv4_pkt_rcvd);
  add(table, "ipv6_pkt_rcvd", &x->ipv6_pkt_rcvd);
  add(table, "timestamp_dropped", &x->timestamp_dropped);
  add(table, "sa_rx_filter_fail", &x->sa_rx_filter_fail);
  add(table, "da_rx_filter_fail", &x->da_rx_filter_fail);
}

static void add_interrupt_stats(stat_table* table, stmmac_extra_stats* x) {
  add(table, "tx_process_stopped_irq", &x->tx_process_stopped_irq);
  add(table, "rx_buf_unav_irq", &x->rx_buf_unav_irq);
  add(table, "rx_process_stopped_irq", &x->rx_process_stopped_irq);
  add(table, "fatal_bus_error_irq", &x->fatal_bus_error_irq);
}

static void add_queue_stats(stat_table* table, stmmac_priv* priv) {
  for (u32 queue = 0; queue < priv->rx_queues_to_use; queue++) {
    stmmac_rxq_stats* rxq = &priv->xstats.rxq_stats[queue];
    add(table, "q0_rx_pkt_n", &rxq->rx_packets, queue);
    add(table, "q0_rx_bytes", &rxq->rx_bytes, queue);
    add(table, "q0_rx_irq_n", &rxq->rx_normal_irq_n, queue);
    add(table, "q0_rx_napi_poll", &rxq->napi_poll, queue);
  }
  stmmac_txq_stats* txq = &priv->xstats.txq_stats;
  add(table, "q0_tx_pkt_n", &txq->tx_packets);
  add(table, "q0_tx_irq_n", &txq->tx_normal_irq_n);
  add(table, "q0_tx_napi_poll", &txq->napi_poll);
  add(table, "tx_bytes", &txq->tx_bytes);
  add(table, "tx_set_ic_bit", &txq->tx_set_ic_bit);
  add(table, "tx_clean", &txq->tx_clean);
}

static void add_page_pool_stats(stat_table* table, page_pool* pool) {
  page_pool_alloc_stats* alloc = &pool->alloc_stats;
  add(table, "rx_pp_alloc_fast", &alloc->fast);
  add(table, "rx_pp_alloc_slow", &alloc->slow);
  add(table, "rx_pp_alloc_empty", &alloc->empty);
  add(table, "rx_pp_alloc_refill", &alloc->refill);
  add(table, "rx_pp_alloc_waive", &alloc->waive);
  page_pool_recycle_stats* recycle = pool->recycle_stats;
  add(table, "rx_pp_recycle_cached", &recycle->cached);
  add(table, "rx_pp_recycle_cache_full", &recycle->cache_full);
  add(table, "rx_pp_recycle_ring", &recycle->ring);
  add(table, "rx_pp_recycle_ring_full", &recycle->ring_full);
  add(table, "rx_pp_recycle_released_ref", &recycle->released_refcnt);
}

const guest_stat* stmmac_stats(stmmac_priv* priv) {
  stat_table* table = memblock_alloc_array<stat_table>(1);
  add_queue_stats(table, priv);
  add_frame_stats(table, &priv->xstats);
  add_interrupt_stats(table, &priv->xstats);
  // Several pools would have to be added up when somebody asks.
  if (priv->rx_queues_to_use == 1) add_page_pool_stats(table, priv->dma_conf.rx_queue[0].page_pool);
  add(table, "softnet_processed", &softnet.processed);
  add(table, "softnet_time_squeeze", &softnet.time_squeeze);
  add(table, "xdp_exception", &xdp_stats.exceptions);
  add(table, "xdp_invalid_action", &xdp_stats.invalid_actions);
  add(table, "xdp_devmap_xmit", &redirect_stats.frames);
  add(table, "xdp_devmap_drop", &redirect_stats.not_taken);
  add(table, "xdp_redirect_err", &redirect_stats.errors);
  add(table, "digest_packets", &rx_digest.packets);
  add(table, "digest_bytes", &rx_digest.bytes);
  add(table, "digest", &rx_digest.digest);
  for (const guest_stat* stat = net_stats(); stat->name[0] != '\0'; stat++) add(table, stat->name, stat->value);
  return table->entries;
}
