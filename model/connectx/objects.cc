#include "model/connectx/objects.h"

namespace ringside::connectx {

namespace {

constexpr std::uint32_t kMaxLogEq = 18, kMaxLogCq = 22, kMaxLogWq = 15;
constexpr std::size_t kMaxEqs = 0xff;          // 8 bits in the EQ doorbell
constexpr std::size_t kMaxQueues = 0xff'ffff;  // 24 bits in the CQ doorbell

bool between(std::uint32_t value, std::uint32_t low, std::uint32_t high) { return low <= value && value <= high; }

Moderation moderation_of(const command_mailbox& mailbox) {
  return {microseconds(mailbox.cq.period_us), mailbox.cq.max_count, mailbox.cq.period_from_cqe != 0};
}

bool valid_moderation(const command_mailbox& mailbox) {
  return mailbox.cq.period_us < 1u << 12 && mailbox.cq.max_count < 1u << 16;  // widths of the CQ context's fields
}

// Ranges of the device's queue context: 3 bits of log2(stride) - 6, and from 8 strides on (ext_stride_num_range) to
// what a CQE can name.
bool valid_striding(std::uint32_t type, std::uint32_t log_stride, std::uint32_t log_strides, std::uint32_t log_size) {
  return type == kRqStriding && 1u << log_stride == sizeof(rx_wqe_ll) && between(log_strides, 3, 15) &&
         between(log_size, 6, 13);
}

}  // namespace

CompletionQueue* Objects::completion_queue(std::uint32_t number) {
  CompletionQueue* cq = find(completion_queues_, number);
  return cq != nullptr && !cq->destroyed() ? cq : nullptr;
}

ReceiveQueue* Objects::receive_queue(std::uint32_t number) {
  ReceiveQueue* rq = find(receive_queues_, number);
  return rq != nullptr && !rq->destroyed() ? rq : nullptr;
}

SendQueue* Objects::send_queue(std::uint32_t number) {
  SendQueue* sq = find(send_queues_, number);
  return sq != nullptr && !sq->destroyed() ? sq : nullptr;
}

CommandStatus Objects::execute(Time now, command_mailbox& mailbox, Engines& engines) {
  switch (mailbox.opcode) {
    case kCmdCreateMkey:
      return create_mkey(mailbox);
    case kCmdDestroyMkey:
      return mkeys_.destroy(mailbox.object) ? kCmdOk : kCmdBadParameter;
    case kCmdCreateEq:
      return create_eq(mailbox);
    case kCmdDestroyEq:
      return destroy_eq(mailbox.object);
    case kCmdCreateCq:
      return create_cq(mailbox, engines);
    case kCmdModifyCq:
      return modify_cq(now, mailbox);
    case kCmdDestroyCq:
      return destroy_cq(mailbox.object);
    case kCmdCreateRq:
      return create_rq(mailbox, engines);
    case kCmdModifyRq:
      return modify_rq(now, mailbox);
    case kCmdDestroyRq:
      return destroy_rq(now, mailbox.object);
    case kCmdCreateSq:
      return create_sq(mailbox, engines);
    case kCmdModifySq:
      return modify_sq(mailbox);
    case kCmdDestroySq:
      return destroy_sq(mailbox.object, engines);
    case kCmdCreateTir:
      return create_tir(mailbox);
    case kCmdDestroyTir:
      return destroy_tir(mailbox.object);
    default:
      return kCmdBadOpcode;
  }
}

CommandStatus Objects::create_mkey(command_mailbox& mailbox) {
  const auto& in = mailbox.mkey;
  mailbox.object = mkeys_.create(PhysAddr{in.address}, in.length, in.translations, PhysAddr{in.filler});
  return mailbox.object != 0 ? kCmdOk : kCmdBadParameter;
}

CommandStatus Objects::create_eq(command_mailbox& mailbox) {
  const auto& in = mailbox.eq;
  if (!between(in.log_size, 1, kMaxLogEq) || in.buffer % sizeof(eqe) != 0) return kCmdBadParameter;
  if (event_queues_.size() >= kMaxEqs) return kCmdExceedsLimit;
  mailbox.object = static_cast<std::uint32_t>(event_queues_.size() + 1);
  event_queues_.push_back(
      std::make_unique<EventQueue>(context_, mailbox.object, PhysAddr{in.buffer}, in.log_size, in.vector));
  return kCmdOk;
}

CommandStatus Objects::create_cq(command_mailbox& mailbox, Engines& engines) {
  const auto& in = mailbox.cq;
  EventQueue* events = event_queue(in.eqn);
  if (events == nullptr || !between(in.log_size, 1, kMaxLogCq) || in.buffer % sizeof(cqe64) != 0 ||
      in.doorbell_record % sizeof(cq_doorbell_record) != 0 || !valid_moderation(mailbox)) {
    return kCmdBadParameter;
  }
  if (completion_queues_.size() >= kMaxQueues) return kCmdExceedsLimit;
  mailbox.object = static_cast<std::uint32_t>(completion_queues_.size() + 1);
  const CompletionQueue::Layout layout{PhysAddr{in.buffer}, PhysAddr{in.doorbell_record}, in.log_size};
  completion_queues_.push_back(
      std::make_unique<CompletionQueue>(context_, mailbox.object, layout, moderation_of(mailbox), *events, engines));
  ++events->users;
  return kCmdOk;
}

CommandStatus Objects::create_rq(command_mailbox& mailbox, Engines& engines) {
  const auto& in = mailbox.rq;
  CompletionQueue* completions = completion_queue(in.cqn);
  if (completions == nullptr || !between(in.log_size, 1, kMaxLogWq) || !between(in.log_stride, 4, 6) ||
      in.buffer % sizeof(wqe_data_seg) != 0 || in.doorbell_record % sizeof(wq_doorbell_record) != 0) {
    return kCmdBadParameter;
  }
  if (in.type != kRqCyclic && !valid_striding(in.type, in.log_stride, in.log_strides, in.log_stride_size)) {
    return kCmdBadParameter;
  }
  if (receive_queues_.size() >= kMaxQueues) return kCmdExceedsLimit;
  mailbox.object = static_cast<std::uint32_t>(receive_queues_.size() + 1);
  const ReceiveQueue::Layout layout{PhysAddr{in.buffer}, PhysAddr{in.doorbell_record}, in.log_size,
                                    in.log_stride,       in.type == kRqStriding,       in.log_strides,
                                    in.log_stride_size};
  receive_queues_.push_back(std::make_unique<ReceiveQueue>(context_, mailbox.object, layout, *completions, engines.rx));
  ++completions->users;
  return kCmdOk;
}

CommandStatus Objects::create_sq(command_mailbox& mailbox, Engines& engines) {
  const auto& in = mailbox.sq;
  CompletionQueue* completions = completion_queue(in.cqn);
  if (completions == nullptr || !between(in.log_size, 1, kMaxLogWq) || in.buffer % kSendWqeBb != 0 ||
      in.doorbell_record % sizeof(wq_doorbell_record) != 0 || in.port >= kPorts) {
    return kCmdBadParameter;
  }
  if (send_queues_.size() >= kMaxQueues) return kCmdExceedsLimit;
  mailbox.object = static_cast<std::uint32_t>(send_queues_.size() + 1);
  send_queues_.push_back(std::make_unique<SendQueue>(context_, mailbox.object, PhysAddr{in.buffer}, in.log_size,
                                                     *completions, mkeys_, engines.tx[in.port]));
  engines.tx[in.port].add(*send_queues_.back());
  ++completions->users;
  return kCmdOk;
}

CommandStatus Objects::create_tir(command_mailbox& mailbox) {
  ReceiveQueue* queue = receive_queue(mailbox.tir.rqn);
  if (queue == nullptr || mailbox.tir.port >= kPorts) return kCmdBadParameter;
  mailbox.object = next_tir_++;
  steering_.add({mailbox.object, mailbox.tir.port, queue});
  ++queue->users;
  return kCmdOk;
}

CommandStatus Objects::modify_cq(Time now, const command_mailbox& mailbox) {
  CompletionQueue* cq = completion_queue(mailbox.object);
  if (cq == nullptr || !valid_moderation(mailbox)) return kCmdBadParameter;
  cq->set_moderation(now, moderation_of(mailbox));
  return kCmdOk;
}

CommandStatus Objects::modify_rq(Time now, const command_mailbox& mailbox) {
  ReceiveQueue* rq = receive_queue(mailbox.object);
  const std::uint32_t state = mailbox.rq.state;
  if (rq == nullptr || (state != kRqReset && state != kRqReady && state != kRqError)) return kCmdBadParameter;
  if (rq->state() == kRqError && state == kRqReady) return kCmdBadResourceState;  // only by way of reset
  rq->set_state(now, static_cast<RqState>(state));
  return kCmdOk;
}

CommandStatus Objects::modify_sq(const command_mailbox& mailbox) {
  SendQueue* sq = send_queue(mailbox.object);
  const std::uint32_t state = mailbox.sq.state;
  if (sq == nullptr || (state != kRqReset && state != kRqReady && state != kRqError)) return kCmdBadParameter;
  if (sq->state() == kRqError && state == kRqReady) return kCmdBadResourceState;
  sq->set_state(static_cast<RqState>(state));
  return kCmdOk;
}

CommandStatus Objects::destroy_eq(std::uint32_t number) {
  EventQueue* eq = event_queue(number);
  if (eq == nullptr) return kCmdBadParameter;
  if (eq->users != 0) return kCmdBadResourceState;
  event_queues_[number - 1].reset();
  return kCmdOk;
}

CommandStatus Objects::destroy_cq(std::uint32_t number) {
  CompletionQueue* cq = completion_queue(number);
  if (cq == nullptr) return kCmdBadParameter;
  if (cq->users != 0) return kCmdBadResourceState;
  cq->destroy();
  --cq->events().users;
  return kCmdOk;
}

CommandStatus Objects::destroy_rq(Time now, std::uint32_t number) {
  ReceiveQueue* rq = receive_queue(number);
  if (rq == nullptr) return kCmdBadParameter;
  if (rq->users != 0) return kCmdBadResourceState;
  rq->destroy(now);
  --rq->completions().users;
  return kCmdOk;
}

CommandStatus Objects::destroy_sq(std::uint32_t number, Engines& engines) {
  SendQueue* sq = send_queue(number);
  if (sq == nullptr) return kCmdBadParameter;
  sq->destroy();
  for (TxEngine& engine : engines.tx) engine.remove(*sq);
  --sq->completions().users;
  return kCmdOk;
}

CommandStatus Objects::destroy_tir(std::uint32_t number) {
  ReceiveQueue* queue = steering_.remove(number);
  if (queue == nullptr) return kCmdBadParameter;
  --queue->users;
  return kCmdOk;
}

std::string Objects::waiting_for() const {
  std::string text;
  for (const auto& rq : receive_queues_) text += rq->waiting_for();
  for (const auto& sq : send_queues_) text += sq->waiting_for();
  for (const auto& cq : completion_queues_) text += cq->waiting_for();
  return text;
}

}  // namespace ringside::connectx
