// Life of a receive queue: creation, activation, recovery, release.
#include "driver/mlx5e/en.h"

namespace cx = ringside::connectx;

// Where each WQE's fragments lie: one after the other, in pages that they share through a frag_page. None crosses a page.
static void mlx5e_init_frags_partition(mlx5e_rq* rq) {
  const mlx5e_rq_frags_info* info = &rq->wqe.info;
  mlx5e_wqe_frag_info next_frag = {.frag_page = rq->wqe.frag_pages, .offset = 0, .flags = 0};
  mlx5e_wqe_frag_info* prev = nullptr;
  for (u32 ix = 0; ix < mlx5_wq_cyc_get_size(&rq->wqe.wq); ix++) {
    mlx5e_wqe_frag_info* frag = &rq->wqe.frags[ix << info->log_num_frags];
    for (u32 f = 0; f < info->num_frags; f++, frag++) {
      const u32 stride = info->arr[f].frag_stride;
      if (next_frag.offset + stride > PAGE_SIZE) {
        next_frag.frag_page++;
        next_frag.offset = 0;
        if (prev != nullptr) prev->flags |= BIT(MLX5E_WQE_FRAG_LAST_IN_PAGE);
      }
      *frag = next_frag;
      // No page yet that could be released.
      frag->flags = BIT(MLX5E_WQE_FRAG_SKIP_RELEASE);
      next_frag.offset += stride;
      prev = frag;
    }
  }
  prev->flags |= BIT(MLX5E_WQE_FRAG_LAST_IN_PAGE);
}

// Everything but the addresses is the same for the life of the queue. Segments of no use end the list.
static void mlx5e_init_wqes(mlx5e_rq* rq) {
  mlx5_wq_cyc* wq = &rq->wqe.wq;
  const mlx5e_rq_frags_info* info = &rq->wqe.info;
  for (u32 i = 0; i < mlx5_wq_cyc_get_size(wq); i++) {
    mlx5e_rx_wqe_cyc* wqe = static_cast<mlx5e_rx_wqe_cyc*>(mlx5_wq_cyc_get_wqe(wq, static_cast<u16>(i)));
    for (u32 f = 0; f < 1u << info->log_num_frags; f++) {
      const bool used = f < info->num_frags;
      wqe->data[f].byte_count = used ? info->arr[f].frag_size : 0;
      wqe->data[f].lkey = used ? u32{rq->mkey_be} : cx::kTerminateScatterLkey;
      wqe->data[f].addr = 0;
    }
  }
}

static void mlx5e_build_umr_wqe(mlx5e_rq* rq) {
  constexpr u8 MLX5_UMR_TRANSLATION_OFFSET_EN = 1 << 4;
  constexpr u8 MLX5_UMR_INLINE = 1 << 7;
  constexpr u64 MLX5_MKEY_MASK_FREE = 1u << 29;
  cx::umr_wqe* wqe = &rq->mpwqe.umr_wqe;
  *wqe = {};
  wqe->ctrl.qpn_ds = rq->icosq->sqn << 8 | sizeof(mlx5e_umr_wqe) / cx::kSendWqeDs;
  wqe->ctrl.imm = rq->mpwqe.umr_mkey_be;
  wqe->uctrl.flags = MLX5_UMR_TRANSLATION_OFFSET_EN | MLX5_UMR_INLINE;
  wqe->uctrl.xlt_octowords = static_cast<u16>(rq->mpwqe.pages_per_wqe * sizeof(mlx5_mtt) / cx::kSendWqeDs);
  wqe->uctrl.mkey_mask = MLX5_MKEY_MASK_FREE;
}

// Each WQE has its part of the key's range; UMR WQEs change the pages behind it, never the WQE.
static void mlx5e_init_mpwqes(mlx5e_rq* rq) {
  for (u32 i = 0; i < mlx5_wq_ll_get_size(&rq->mpwqe.wq); i++) {
    mlx5e_rx_wqe_ll* wqe = mlx5_wq_ll_get_wqe(&rq->mpwqe.wq, static_cast<u16>(i));
    const u64 dma_offset = u64{i} * rq->mpwqe.mtts_per_wqe << rq->mpwqe.page_shift;
    wqe->data.addr = dma_offset + rq->buff.headroom;
    wqe->data.byte_count = u32{rq->mpwqe.num_strides} << rq->mpwqe.log_stride_sz;
    wqe->data.lkey = rq->mpwqe.umr_mkey_be;
    // No pages yet that could be released.
    rq->mpwqe.info[i].skip_release_bitmap = ~u64{0};
  }
}

static int mlx5e_alloc_mpwqe_rq(mlx5e_rq* rq, const mlx5e_params* params) {
  constexpr u8 log_wqe_stride = ilog2(sizeof(mlx5e_rx_wqe_ll));
  mlx5_wq_ll_create(&rq->mpwqe.wq, log_wqe_stride, mlx5e_mpwqe_get_log_rq_size(params));
  const u32 wq_sz = mlx5_wq_ll_get_size(&rq->mpwqe.wq);
  rq->mpwqe.page_shift = PAGE_SHIFT;
  rq->mpwqe.pages_per_wqe = MLX5_MPWRQ_PAGES_PER_WQE;
  rq->mpwqe.umr_wqebbs = MLX5E_UMR_WQEBBS;
  rq->mpwqe.mtts_per_wqe = MLX5E_MPWRQ_MTTS_PER_WQE;
  rq->mpwqe.log_stride_sz = mlx5e_mpwqe_get_log_stride_size(params);
  rq->mpwqe.num_strides = static_cast<u16>(1u << mlx5e_mpwqe_get_log_num_strides(params));
  rq->mpwqe.min_wqe_bulk = mlx5e_mpwqe_get_min_wqe_bulk(wq_sz);
  rq->buff.frame0_sz = 1u << rq->mpwqe.log_stride_sz;
  rq->mpwqe.info = memblock_alloc_array<mlx5e_mpw_info>(wq_sz);
  rq->wqe_overflow = memblock_alloc(PAGE_SIZE, PAGE_SIZE);
  const int err = mlx5e_create_umr_mkey(rq->mdev, wq_sz * rq->mpwqe.mtts_per_wqe, virt_to_phys(rq->wqe_overflow),
                                        &rq->mpwqe.umr_mkey_be);
  if (err != 0) return err;
  mlx5e_build_umr_wqe(rq);
  mlx5e_init_mpwqes(rq);
  return 0;
}

static int mlx5e_alloc_cyc_rq(mlx5e_rq* rq, const mlx5e_params* params) {
  constexpr u8 log_seg_size = ilog2(sizeof(mlx5_wqe_data_seg));
  mlx5e_rq_frags_info* info = &rq->wqe.info;
  const int err = mlx5e_build_rq_frags_info(params, info);
  if (err != 0) return err;
  rq->buff.frame0_sz = info->arr[0].frag_stride;
  // A program may let the last fragment grow.
  if (info->num_frags > 1 && params->xdp_prog != nullptr) rq->xdp_rxq.frag_size = PAGE_SIZE;
  mlx5_wq_cyc_create(&rq->wqe.wq, static_cast<u8>(log_seg_size + info->log_num_frags), params->log_rq_mtu_frames);
  const u32 num_frags = mlx5_wq_cyc_get_size(&rq->wqe.wq) << info->log_num_frags;
  rq->wqe.frags = memblock_alloc_array<mlx5e_wqe_frag_info>(num_frags);
  rq->wqe.frag_pages = memblock_alloc_array<mlx5e_frag_page>(num_frags);
  mlx5e_init_frags_partition(rq);
  mlx5e_init_wqes(rq);
  return 0;
}

static u32 mlx5e_page_pool_size(const mlx5e_params* params) {
  if (params->rq_wq_type == MLX5_WQ_TYPE_CYCLIC) return 1u << params->log_rq_mtu_frames;
  return MLX5_MPWRQ_PAGES_PER_WQE << mlx5e_mpwqe_get_log_rq_size(params);
}

static int mlx5e_create_page_pool(mlx5e_rq* rq, const mlx5e_params* params) {
  const page_pool_params pp_params = {
      .flags = PP_FLAG_DMA_MAP | PP_FLAG_DMA_SYNC_DEV,
      .order = 0,
      .pool_size = mlx5e_page_pool_size(params),
      .nid = numa_mem_id(),
      .dev = rq->pdev,
      .napi = &rq->channel->napi,
      .dma_dir = rq->buff.map_dir,
      .max_len = PAGE_SIZE,
      .offset = 0,
  };
  rq->page_pool = page_pool_create(&pp_params);
  if (rq->page_pool == nullptr) return -EINVAL;
  xdp_rxq_info_reg_mem_model(&rq->xdp_rxq, MEM_TYPE_PAGE_POOL, rq->page_pool->xdp_mem_id);
  return 0;
}

static int mlx5e_alloc_rq(mlx5e_rq* rq, const mlx5e_params* params) {
  rq->xdp_prog = params->xdp_prog;
  rq->hw_mtu = mlx5e_sw2hw_mtu(params->sw_mtu);
  rq->buff.headroom = mlx5e_get_rq_headroom(params);
  rq->buff.map_dir = params->xdp_prog != nullptr ? DMA_BIDIRECTIONAL : DMA_FROM_DEVICE;
  xdp_rxq_info_reg(&rq->xdp_rxq, rq->netdev, static_cast<u32>(rq->ix), rq->channel->napi.napi_id);
  const bool striding = rq->wq_type == MLX5_WQ_TYPE_LINKED_LIST_STRIDING_RQ;
  const int err = striding ? mlx5e_alloc_mpwqe_rq(rq, params) : mlx5e_alloc_cyc_rq(rq, params);
  if (err != 0) return err;
  return mlx5e_create_page_pool(rq, params);
}

static int mlx5e_create_rq(mlx5e_rq* rq) {
  const bool striding = rq->wq_type == MLX5_WQ_TYPE_LINKED_LIST_STRIDING_RQ;
  const mlx5_frag_buf_ctrl* fbc = striding ? &rq->mpwqe.wq.fbc : &rq->wqe.wq.fbc;
  mlx5_cmd_mailbox mbox = {};
  mbox.opcode = cx::kCmdCreateRq;
  mbox.rq.buffer = fbc->frags[0].map;
  mbox.rq.doorbell_record = virt_to_phys(striding ? rq->mpwqe.wq.db : rq->wqe.wq.db);
  mbox.rq.log_size = fbc->log_sz;
  mbox.rq.log_stride = fbc->log_stride;
  mbox.rq.cqn = rq->cq.mcq.cqn;
  mbox.rq.type = rq->wq_type;
  if (striding) {
    mbox.rq.log_strides = ilog2(rq->mpwqe.num_strides);
    mbox.rq.log_stride_size = rq->mpwqe.log_stride_sz;
  }
  const int err = mlx5_cmd_exec(rq->mdev, &mbox);
  rq->rqn = mbox.object;
  return err;
}

static int mlx5e_modify_rq_state(mlx5e_rq* rq, u32 next_state) {
  mlx5_cmd_mailbox mbox = {};
  mbox.opcode = cx::kCmdModifyRq;
  mbox.object = rq->rqn;
  mbox.rq.state = next_state;
  return mlx5_cmd_exec(rq->mdev, &mbox);
}

// Skips what the device completed before it stopped.
static void mlx5e_drop_rx_cqes(mlx5e_rq* rq) {
  mlx5_cqwq* cqwq = &rq->cq.wq;
  while (mlx5_cqwq_get_cqe(cqwq) != nullptr) mlx5_cqwq_pop(cqwq);
  mlx5_cqwq_update_db_record(cqwq);
  wmb();
}

// UMR WQEs under way would report their completion to a queue that has forgotten them.
static void mlx5e_wait_for_umrs(mlx5e_rq* rq) {
  while (rq->mpwqe.umr_completed != rq->mpwqe.umr_in_progress) {
    if (mlx5e_poll_ico_cq(&rq->icosq->cq) == 0) cond_resched();
  }
}

static void mlx5e_rq_err_cqe_work(work_struct* recover_work) {
  mlx5e_rq* rq = container_of(recover_work, mlx5e_rq, recover_work);
  mlx5e_deactivate_rq(rq);
  if (mlx5e_modify_rq_state(rq, cx::kRqReset) != 0) return;
  mlx5e_drop_rx_cqes(rq);
  if (rq->wq_type == MLX5_WQ_TYPE_LINKED_LIST_STRIDING_RQ) mlx5e_wait_for_umrs(rq);
  mlx5e_free_rx_descs(rq);
  if (mlx5e_modify_rq_state(rq, cx::kRqReady) != 0) return;
  clear_bit(MLX5E_RQ_STATE_RECOVERING, &rq->state);
  rq->stats->recover++;
  mlx5e_activate_rq(rq);
}

int mlx5e_open_rq(mlx5e_channel* c, const mlx5e_params* params, mlx5e_rq_stats* stats) {
  mlx5e_rq* rq = &c->rq;
  rq->pdev = c->pdev;
  rq->netdev = c->netdev;
  rq->mdev = c->mdev;
  rq->channel = c;
  rq->stats = stats;
  rq->mkey_be = c->mkey_be;
  rq->wq_type = params->rq_wq_type;
  rq->icosq = &c->icosq;
  rq->xdpsq = &c->rq_xdpsq;
  INIT_WORK(&rq->recover_work, mlx5e_rq_err_cqe_work);
  mlx5e_rq_set_handlers(rq, params);
  int err = mlx5e_alloc_rq(rq, params);
  if (err == 0) err = mlx5e_create_rq(rq);
  if (err == 0) err = mlx5e_modify_rq_state(rq, cx::kRqReady);
  return err;
}

void mlx5e_activate_rq(mlx5e_rq* rq) {
  if (rq->xdp_prog != nullptr) __set_bit(MLX5E_RQ_STATE_NO_CSUM_COMPLETE, &rq->state);
  set_bit(MLX5E_RQ_STATE_ENABLED, &rq->state);
  // The first poll posts the WQEs and arms the CQ.
  napi_schedule(&rq->channel->napi);
}

void mlx5e_deactivate_rq(mlx5e_rq* rq) { clear_bit(MLX5E_RQ_STATE_ENABLED, &rq->state); }

int mlx5e_close_rq(mlx5e_rq* rq) {
  mlx5_cmd_mailbox mbox = {};
  mbox.opcode = cx::kCmdDestroyRq;
  mbox.object = rq->rqn;
  int err = mlx5_cmd_exec(rq->mdev, &mbox);
  mlx5e_free_rx_descs(rq);
  page_pool_destroy(rq->page_pool);
  if (err == 0 && rq->wq_type == MLX5_WQ_TYPE_LINKED_LIST_STRIDING_RQ) {
    err = mlx5_core_destroy_mkey(rq->mdev, rq->mpwqe.umr_mkey_be);
  }
  return err;
}
