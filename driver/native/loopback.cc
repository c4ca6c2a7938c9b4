#include "driver/native/loopback.h"

#include "driver/kernel/board.h"
#include "driver/mlx5e/en.h"

namespace cx = ringside::connectx;

constexpr u32 EQN = 3, FIRST_CQN = 4, RQN = 7, TIRN = 9, FIRST_SQN = 0x11, LKEY = 0x4200, UMR_KEY = 0x5100;
constexpr u32 MAX_QUEUES = 8;
constexpr u32 MAX_TRANSLATIONS = 16384;
constexpr u32 ICOSQ = 0;  // the driver creates it, and its CQ, first

struct loopback_cq {
  cx::cqe64* buffer;
  const cx::cq_doorbell_record* record;
  u32 log_size;
  u32 produced;
};

struct loopback_sq {
  u8* buffer;
  const cx::wq_doorbell_record* record;
  u32 size;
  u16 consumed;
};

struct loopback_rq {
  const cx::rx_wqe_ll* buffer;
  const cx::wq_doorbell_record* record;
  loopback_cq* cq;
  u32 log_strides;
  u32 log_stride_size;
  u32 wqe;     // the current one, and its next stride
  u32 stride;
  u16 consumed;
};

static u8* bar;
static cx::eqe* eq_buffer;
static u32 eq_log_size, events;
static loopback_cq cqs[MAX_QUEUES];
static loopback_sq sqs[MAX_QUEUES];
static loopback_rq rq;
static u32 num_cqs, num_sqs;
static u64 translations[MAX_TRANSLATIONS];

template <class T>
static T* at(u64 address) {
  return reinterpret_cast<T*>(address);
}

template <class T>
static T* bar_register(u64 offset) {
  return reinterpret_cast<T*>(bar + offset);
}

static loopback_cq* find_cq(u32 cqn) {
  if (cqn - FIRST_CQN >= num_cqs) panic("loopback: no such CQ");
  return &cqs[cqn - FIRST_CQN];
}

static u8 create_cq(cx::command_mailbox* cmd) {
  if (num_cqs == MAX_QUEUES) return cx::kCmdExceedsLimit;
  cqs[num_cqs] = {at<cx::cqe64>(cmd->cq.buffer), at<cx::cq_doorbell_record>(cmd->cq.doorbell_record),
                  cmd->cq.log_size, 0};
  cmd->object = FIRST_CQN + num_cqs++;
  return cx::kCmdOk;
}

static u8 create_sq(cx::command_mailbox* cmd) {
  if (num_sqs == MAX_QUEUES) return cx::kCmdExceedsLimit;
  sqs[num_sqs] = {at<u8>(cmd->sq.buffer), at<cx::wq_doorbell_record>(cmd->sq.doorbell_record),
                  1u << cmd->sq.log_size, 0};
  cmd->object = FIRST_SQN + num_sqs++;
  return cx::kCmdOk;
}

static u8 create_rq(cx::command_mailbox* cmd) {
  if (cmd->rq.type != cx::kRqStriding) return cx::kCmdBadParameter;
  rq = {at<cx::rx_wqe_ll>(cmd->rq.buffer), at<cx::wq_doorbell_record>(cmd->rq.doorbell_record), find_cq(cmd->rq.cqn),
        cmd->rq.log_strides, cmd->rq.log_stride_size, 0, 0, 0};
  cmd->object = RQN;
  return cx::kCmdOk;
}

static u8 execute(cx::command_mailbox* cmd) {
  switch (cmd->opcode) {
    case cx::kCmdCreateMkey:
      if (cmd->mkey.translations > MAX_TRANSLATIONS) return cx::kCmdExceedsLimit;
      cmd->object = cmd->mkey.translations == 0 ? LKEY : UMR_KEY;
      return cx::kCmdOk;
    case cx::kCmdCreateEq:
      eq_buffer = at<cx::eqe>(cmd->eq.buffer);
      eq_log_size = cmd->eq.log_size;
      cmd->object = EQN;
      return cx::kCmdOk;
    case cx::kCmdCreateCq:
      return create_cq(cmd);
    case cx::kCmdCreateSq:
      return create_sq(cmd);
    case cx::kCmdCreateRq:
      return create_rq(cmd);
    case cx::kCmdCreateTir:
      cmd->object = TIRN;
      return cx::kCmdOk;
    case cx::kCmdModifyRq:
    case cx::kCmdModifySq:
    case cx::kCmdSetPortMtu:
      return cx::kCmdOk;
    default:
      return cx::kCmdBadOpcode;
  }
}

static cx::cqe64* next_cqe(loopback_cq* cq) {
  const u32 consumed = cq->record->consumer_index;
  if (((cq->produced - consumed) & cx::kCqIndexMask) >= 1u << cq->log_size) panic("loopback: CQ overrun");
  return &cq->buffer[cq->produced & ((1u << cq->log_size) - 1)];
}

// The owner bit, of which the parity of the lap makes a new entry, goes last.
static void publish_cqe(loopback_cq* cq, cx::cqe64* cqe, u8 opcode) {
  const u8 owner = static_cast<u8>(cq->produced >> cq->log_size & 1);
  dma_wmb();
  WRITE_ONCE(cqe->op_own, static_cast<u8>(opcode << 4 | owner));
  cq->produced++;
}

static void complete_packet(u32 length) {
  cx::cqe64* cqe = next_cqe(rq.cq);
  u64* words = reinterpret_cast<u64*>(cqe);
  for (u32 i = 0; i < 7; i++) words[i] = 0;  // the last word keeps the old owner bit until the end
  cqe->byte_cnt = length | 1u << cx::kMpwrqStridesShift;
  cqe->wqe_id = static_cast<u16>(rq.wqe);
  cqe->wqe_counter = static_cast<u16>(rq.stride);
  publish_cqe(rq.cq, cqe, cx::kCqeRespSend);
}

// Where the next packet goes.
static u8* packet_address() {
  if (rq.record->receive == rq.consumed) panic("loopback: no receive WQE");
  const u64 address = rq.buffer[rq.wqe].data.addr + (u64{rq.stride} << rq.log_stride_size);
  const u64 entry = translations[address >> PAGE_SHIFT];
  if ((entry & cx::kMttWriteEnable) == 0) panic("loopback: a page that no UMR has mapped");
  return at<u8>((entry & ~(PAGE_SIZE - 1)) + (address & (PAGE_SIZE - 1)));
}

static void next_stride() {
  if (++rq.stride < 1u << rq.log_strides) return;
  rq.stride = 0;
  rq.consumed++;
  rq.wqe = rq.buffer[rq.wqe].next.next_wqe_index;
}

static void flush(const void* p, u32 length) {
  for (u32 i = 0; i < length; i += L1_CACHE_BYTES) {
    asm volatile("clflush %0" ::"m"(*(static_cast<const u8*>(p) + i)) : "memory");
  }
}

static void raise_event(u32 cqn) {
  cx::eqe* eqe = &eq_buffer[events & ((1u << eq_log_size) - 1)];
  eqe->type = cx::kEventCompletion;
  eqe->data[6] = cqn;
  dma_wmb();
  WRITE_ONCE(eqe->owner, static_cast<u8>(events >> eq_log_size & 1));
  events++;
}

void loopback_init(u8* bar_address) {
  bar = bar_address;
  *bar_register<u32>(cx::kRegFirmwareRevision) = cx::kFirmwareRevision;
}

void loopback_execute_command() {
  cx::command_mailbox* cmd = at<cx::command_mailbox>(*bar_register<u64>(cx::kRegCommandAddress));
  const u8 status = execute(cmd);
  dma_wmb();
  WRITE_ONCE(cmd->status, status);
}

void loopback_run_umr() {
  loopback_sq* sq = &sqs[ICOSQ];
  loopback_cq* cq = &cqs[ICOSQ];
  const u16 producer = static_cast<u16>(sq->record->send);
  while (sq->consumed != producer) {
    const cx::umr_wqe* wqe = at<cx::umr_wqe>(reinterpret_cast<u64>(sq->buffer) +
                                             u64{sq->consumed & (sq->size - 1)} * cx::kSendWqeBb);
    const u32 ds = wqe->ctrl.qpn_ds & 0x3f;
    if ((wqe->ctrl.opmod_idx_opcode & 0xff) == cx::kWqeUmr) {
      constexpr u32 entries_per_octoword = cx::kSendWqeDs / sizeof(cx::mtt_entry);
      const cx::mtt_entry* mtt = reinterpret_cast<const cx::mtt_entry*>(wqe + 1);
      const u32 first = wqe->uctrl.xlt_offset * entries_per_octoword;
      const u32 count = wqe->uctrl.xlt_octowords * entries_per_octoword;
      for (u32 i = 0; i < count; i++) translations[first + i] = mtt[i].ptag;
    }
    if ((wqe->ctrl.fm_ce_se & cx::kWqeCtrlCqUpdate) != 0) {
      cx::cqe64* cqe = next_cqe(cq);
      cqe->wqe_counter = sq->consumed;
      publish_cqe(cq, cqe, cx::kCqeReq);
    }
    sq->consumed = static_cast<u16>(sq->consumed + DIV_ROUND_UP(ds, MLX5_SEND_WQEBB_NUM_DS));
  }
}

void loopback_receive(u32 count, u32 length, bool cold) {
  const u32 first = rq.cq->produced;
  for (u32 i = 0; i < count; i++) {
    u8* packet = packet_address();
    for (u32 k = 0; k < length; k += sizeof(u64)) WRITE_ONCE(*reinterpret_cast<u64*>(packet + k), u64{i});
    if (cold) flush(packet, length);
    complete_packet(length);
    next_stride();
  }
  const u32 mask = (1u << rq.cq->log_size) - 1;
  for (u32 i = 0; cold && i < count; i++) flush(&rq.cq->buffer[(first + i) & mask], sizeof(cx::cqe64));
  raise_event(FIRST_CQN + static_cast<u32>(rq.cq - cqs));
  mb();
}
