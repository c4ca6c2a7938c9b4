// The send queue of the stack.
#include "driver/mlx5e/en_txrx.h"
#include "driver/net/headers.h"

namespace cx = ringside::connectx;

static __always_inline bool mlx5e_txqsq_has_room(const mlx5e_txqsq* sq) {
  return mlx5e_wqc_has_room_for(&sq->wq, sq->cc, sq->pc, sq->stop_room);
}

// The next place for `size` basic blocks, which must not cross a page: NOPs fill up what is too small.
static __always_inline u16 mlx5e_txqsq_get_next_pi(mlx5e_txqsq* sq, u16 size) {
  mlx5_wq_cyc* wq = &sq->wq;
  u16 pi = mlx5_wq_cyc_ctr2ix(wq, sq->pc);
  const u16 contig_wqebbs = mlx5_wq_cyc_get_contig_wqebbs(wq, pi);
  if (unlikely(contig_wqebbs < size)) {
    for (u16 i = 0; i < contig_wqebbs; i++) {
      sq->db.wqe_info[pi + i] = {.skb = nullptr, .num_bytes = 0, .num_wqebbs = 1};
      mlx5e_post_nop(wq, sq->sqn, &sq->pc);
    }
    sq->stats->nop += contig_wqebbs;
    pi = mlx5_wq_cyc_ctr2ix(wq, sq->pc);
  }
  return pi;
}

static void mlx5e_txwqe_build_dsegs(const mlx5e_txqsq* sq, const sk_buff* skb, mlx5_wqe_data_seg* dseg) {
  const auto add = [&](const u8* data, u32 len) {
    const dma_addr_t addr = virt_to_phys(data);
    dma_sync_single_for_device(sq->pdev, addr, len, DMA_TO_DEVICE);
    dseg->addr = addr;
    dseg->lkey = sq->mkey_be;
    dseg->byte_count = len;
    dseg++;
  };
  if (skb_headlen(skb) != 0) add(skb->data, skb_headlen(skb));
  const skb_shared_info* shinfo = skb_shinfo(skb);
  for (u32 i = 0; i < shinfo->nr_frags; i++) add(skb_frag_address(&shinfo->frags[i]), skb_frag_size(&shinfo->frags[i]));
}

noinline netdev_tx mlx5e_xmit(sk_buff* skb, net_device* dev) {
  mlx5e_txqsq* sq = &netdev_priv<mlx5e_priv>(dev)->channel->txqsq;
  const u32 pieces = (skb_headlen(skb) != 0) + skb_shinfo(skb)->nr_frags;
  const u16 ds_cnt = static_cast<u16>(MLX5E_TX_WQE_EMPTY_DS_COUNT + pieces);
  const u8 num_wqebbs = static_cast<u8>(DIV_ROUND_UP(ds_cnt, MLX5_SEND_WQEBB_NUM_DS));

  const u16 pi = mlx5e_txqsq_get_next_pi(sq, num_wqebbs);
  mlx5e_tx_wqe* wqe = static_cast<mlx5e_tx_wqe*>(mlx5_wq_cyc_get_wqe(&sq->wq, pi));
  net_prefetchw(wqe->data);
  __builtin_memset(wqe, 0, sizeof(*wqe));
  mlx5e_txwqe_build_dsegs(sq, skb, wqe->data);
  sq->db.wqe_info[pi] = {.skb = skb, .num_bytes = skb->len, .num_wqebbs = num_wqebbs};
  wqe->ctrl.opmod_idx_opcode = u32{sq->pc} << 8 | cx::kWqeSend;
  wqe->ctrl.qpn_ds = sq->sqn << 8 | ds_cnt;
  sq->pc = static_cast<u16>(sq->pc + num_wqebbs);
  sq->stats->packets++;
  sq->stats->bytes += skb->len;
  // There is room for any packet as long as the queue runs.
  if (unlikely(!mlx5e_txqsq_has_room(sq))) {
    netif_tx_stop_queue(&sq->txq);
    sq->stats->stopped++;
  }
  mlx5e_notify_hw(&sq->wq, sq->pc, sq->uar_map, &wqe->ctrl);
  return NETDEV_TX_OK;
}

bool mlx5e_poll_tx_cq(mlx5e_cq* cq, int napi_budget) {
  mlx5e_txqsq* sq = container_of(cq, mlx5e_txqsq, cq);
  if (unlikely(!test_bit(MLX5E_SQ_STATE_ENABLED, &sq->state))) return false;
  mlx5_cqe64* cqe = mlx5_cqwq_get_cqe(&cq->wq);
  if (cqe == nullptr) return false;

  // sq->cc moves only after the CQ's record: space in the queue is a promise of space in its CQ.
  u16 sqcc = sq->cc;
  int i = 0;
  do {
    mlx5_cqwq_pop(&cq->wq);
    const u16 wqe_counter = cqe->wqe_counter;
    bool last_wqe;
    do {
      last_wqe = sqcc == wqe_counter;
      const mlx5e_tx_wqe_info* wi = &sq->db.wqe_info[mlx5_wq_cyc_ctr2ix(&sq->wq, sqcc)];
      sqcc = static_cast<u16>(sqcc + wi->num_wqebbs);
      if (likely(wi->skb != nullptr)) napi_consume_sent_skb(wi->skb, napi_budget);
    } while (!last_wqe);
    if (unlikely(get_cqe_opcode(cqe) != cx::kCqeReq)) panic("mlx5e: a transmission failed");
  } while (++i < MLX5E_TX_CQ_POLL_BUDGET && (cqe = mlx5_cqwq_get_cqe(&cq->wq)) != nullptr);

  sq->stats->cqes += static_cast<u64>(i);
  mlx5_cqwq_update_db_record(&cq->wq);
  // The device must see the free entries before WQEs that can fill them.
  wmb();
  sq->cc = sqcc;
  if (unlikely(netif_tx_queue_stopped(&sq->txq)) && mlx5e_txqsq_has_room(sq)) {
    netif_tx_wake_queue(&sq->txq);
    sq->stats->wake++;
  }
  return i == MLX5E_TX_CQ_POLL_BUDGET;
}

int mlx5e_open_txqsq(mlx5e_channel* c) {
  constexpr u8 log_wqebb = ilog2(cx::kSendWqeBb);
  mlx5e_txqsq* sq = &c->txqsq;
  sq->channel = c;
  sq->pdev = c->pdev;
  sq->mkey_be = c->mkey_be;
  sq->stats = c->tx_stats;
  sq->uar_map = c->mdev->uar + (cx::kUarBlueFlame - cx::kUarPage);
  // Padding up to the end of a page, and then the largest packet.
  constexpr u32 max_ds = MLX5E_TX_WQE_EMPTY_DS_COUNT + 1 + MAX_SKB_FRAGS;
  sq->stop_room = static_cast<u16>(2 * DIV_ROUND_UP(max_ds, MLX5_SEND_WQEBB_NUM_DS) - 1);
  mlx5_wq_cyc_create(&sq->wq, log_wqebb, MLX5E_PARAMS_DEFAULT_LOG_SQ_SIZE);
  sq->wq.db = &sq->wq.db[MLX5_SND_DBR];
  sq->db.wqe_info = memblock_alloc_array<mlx5e_tx_wqe_info>(mlx5_wq_cyc_get_size(&sq->wq));
  c->netdev->_tx = &sq->txq;
  const int err = mlx5e_create_sq(c->mdev, c->port, &sq->wq, sq->cq.mcq.cqn, &sq->sqn);
  if (err == 0) set_bit(MLX5E_SQ_STATE_ENABLED, &sq->state);
  return err;
}

int mlx5e_close_txqsq(mlx5e_txqsq* sq) {
  clear_bit(MLX5E_SQ_STATE_ENABLED, &sq->state);
  const int err = mlx5e_destroy_sq(sq->channel->mdev, sq->sqn);
  while (sq->cc != sq->pc) {
    const mlx5e_tx_wqe_info* wi = &sq->db.wqe_info[mlx5_wq_cyc_ctr2ix(&sq->wq, sq->cc)];
    sq->cc = static_cast<u16>(sq->cc + wi->num_wqebbs);
    if (wi->skb != nullptr) napi_consume_sent_skb(wi->skb, 0);
  }
  return err;
}
