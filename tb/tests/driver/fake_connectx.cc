#include "tb/tests/driver/fake_connectx.h"

#include <algorithm>
#include <cstring>

#include "driver/kernel/board.h"
#include "driver/kernel/digest.h"
#include "driver/xdp/programs.h"

namespace ringside {

namespace cx = connectx;

namespace {

constexpr std::size_t kBarBytes = 0x2000;
constexpr std::uint32_t kEqn = 3, kFirstCqn = 4, kRqn = 7, kTirn = 9, kFirstSqn = 0x11;
constexpr std::uint32_t kLkey = 0x4200, kUmrKey = 0x5100;
FakeConnectx* machine = nullptr;

template <class T>
T load(const std::uint8_t* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

std::uint8_t* at(std::uint64_t address) { return reinterpret_cast<std::uint8_t*>(address); }

}  // namespace

FakeConnectx::FakeConnectx(const FakeConfig& config)
    : config_(config), bar_(kBarBytes), heap_(new std::uint8_t[(config.heap_pages + 1) * PAGE_SIZE]) {
  machine = this;
  const std::uint32_t revision = cx::kFirmwareRevision;
  std::memcpy(bar() + cx::kRegFirmwareRevision, &revision, sizeof revision);
  board_.nic_bar = reinterpret_cast<std::uint64_t>(bar());
  board_.heap_base = ALIGN(reinterpret_cast<std::uint64_t>(heap_.get()), PAGE_SIZE);
  board_.heap_size = config.heap_pages * PAGE_SIZE;
  board_.rx_ring = config.ring;
  board_.mtu = config.mtu;
  board_.rx_usecs = 3;
  board_.rx_frames = 32;
  board_.napi_budget = config.budget;
  board_.rx_striding_rq = config.striding ? 1 : 0;
  board_.xdp_tx_mpwqe = config.mpwqe ? 1 : 0;
  config.program.copy(board_.xdp_program, sizeof board_.xdp_program - 1);
  config.stack.copy(board_.stack, sizeof board_.stack - 1);
  board_.gro = config.gro ? 1 : 0;
  board_.tcp_flows = config.tcp_flows;
  board_.tcp_rmem = config.tcp_rmem;
  board_.tcp_verify = 1;
  for (datarec& rec : rx_cnt) rec = {};
  xdp_stats = {};
  rx_digest = {};
  page_pool_negative_refs = 0;
}

FakeConnectx::~FakeConnectx() { machine = nullptr; }

FakeConnectx& FakeConnectx::current() {
  if (machine == nullptr) throw std::logic_error("no machine");
  return *machine;
}

void FakeConnectx::open() {
  mm_init(board_.heap_base, board_.heap_size);
  softirq_init();
  priv_ = mlx5e_probe(board_);
  table_ = mlx5e_stats(priv_);
  handle_interrupts(0);
  settle();
}

void FakeConnectx::close() {
  if (mlx5e_close(priv_) != 0) throw std::runtime_error("close failed");
}

bool FakeConnectx::deliver(std::uint32_t length) {
  return deliver(Packet(length, static_cast<std::uint8_t>(config_.striding ? stride_ : consumed_)));
}

bool FakeConnectx::deliver(const Packet& packet) {
  if (rq_state_ != cx::kRqReady || static_cast<std::uint16_t>(posted() - consumed_) == 0) return false;
  if (config_.striding) return deliver_strides(packet);
  scatter(packet);
  cx::cqe64 entry = description_;
  entry.byte_cnt = static_cast<std::uint32_t>(packet.size());
  entry.wqe_counter = consumed_++;
  entry.op_own = cx::kCqeRespSend << 4;
  complete(rq_cqn_, entry);
  return true;
}

// Fills the segments of the next WQE in order, up to the one that ends the list.
void FakeConnectx::scatter(const Packet& packet) {
  std::size_t done = 0;
  for (std::uint32_t i = 0; done < packet.size(); ++i) {
    if (i == 1u << (rq_log_wqe_ - 4)) throw std::logic_error("a packet longer than its WQE");
    const cx::wqe_data_seg& segment = wqe(consumed_, i);
    if (segment.lkey == cx::kTerminateScatterLkey) throw std::logic_error("a packet longer than its WQE");
    const std::size_t part = std::min<std::size_t>(segment.byte_count, packet.size() - done);
    std::memcpy(at(segment.addr), packet.data() + done, part);
    done += part;
  }
}

bool FakeConnectx::deliver_strides(const Packet& packet) {
  const std::uint32_t size = 1u << log_stride_size_;
  const auto count = static_cast<std::uint32_t>((packet.size() + size - 1) / size);
  const std::uint32_t left = (1u << log_strides_) - stride_;
  if (count > left) {
    complete_strides(left, cx::kMpwrqFiller);
    if (static_cast<std::uint16_t>(posted() - consumed_) == 0) return false;
  }
  const std::uint64_t address = mpwqe(wqe_id_).data.addr + std::uint64_t{stride_} * size;
  for (std::size_t i = 0; i < packet.size(); ++i) *at(translate(address + i)) = packet[i];
  complete_strides(count, static_cast<std::uint32_t>(packet.size()));
  return true;
}

std::uint64_t FakeConnectx::translate(std::uint64_t address) const {
  const std::uint64_t entry = translations_.at(address / PAGE_SIZE);
  if ((entry & cx::kMttWriteEnable) == 0) throw std::logic_error("a page that no UMR has mapped");
  return (entry & ~(PAGE_SIZE - 1)) + address % PAGE_SIZE;
}

void FakeConnectx::complete_strides(std::uint32_t count, std::uint32_t byte_cnt) {
  cx::cqe64 entry = description_;
  entry.byte_cnt = byte_cnt | count << cx::kMpwrqStridesShift;
  entry.wqe_id = static_cast<std::uint16_t>(wqe_id_);
  entry.wqe_counter = static_cast<std::uint16_t>(stride_);
  entry.op_own = cx::kCqeRespSend << 4;
  complete(rq_cqn_, entry);
  stride_ += count;
  if (stride_ < 1u << log_strides_) return;
  stride_ = 0;
  ++consumed_;
  // The link is good by the time that the next WQE counts as posted; here the driver has always written it before.
  wqe_id_ = mpwqe(wqe_id_).next.next_wqe_index;
}

void FakeConnectx::receive(std::uint32_t count, std::uint32_t length) {
  for (std::uint32_t i = 0; i < count; ++i) {
    if (!deliver(length)) throw std::runtime_error("no WQE posted");
  }
  interrupt();
}

void FakeConnectx::fail(std::uint8_t syndrome) {
  cx::cqe64 entry{};
  reinterpret_cast<cx::err_cqe&>(entry).syndrome = syndrome;
  entry.op_own = cx::kCqeRespErr << 4;
  if (config_.striding)
    entry.wqe_id = static_cast<std::uint16_t>(wqe_id_);
  else
    entry.wqe_counter = consumed_++;
  complete(rq_cqn_, entry);
  rq_state_ = cx::kRqError;
}

void FakeConnectx::complete(std::uint32_t cqn, cx::cqe64 entry) {
  Cq& cq = cqs_.at(cqn);
  if (cq.produced - word(cq.record) >= 1u << cq.log) throw std::logic_error("CQ overrun");
  entry.op_own |= (cq.produced >> cq.log) & 1;
  std::memcpy(at(cq.buffer) + (cq.produced & ((1u << cq.log) - 1)) * sizeof entry, &entry, sizeof entry);
  ++cq.produced;
}

void FakeConnectx::raise_event(std::uint32_t cqn) {
  write_event(cqn);
  handle_interrupts(1);
}

// The first send queue is the one for UMR WQEs.
std::uint64_t FakeConnectx::pending() {
  const Cq& cq = cqs_.at(kFirstCqn);
  const std::uint32_t before = cq.produced;
  run_send_queues();
  if (cq.produced == before) return 0;
  write_event(kFirstCqn);
  return 1;
}

void FakeConnectx::write_event(std::uint32_t cqn) {
  cx::eqe entry{};
  entry.type = cx::kEventCompletion;
  entry.data[6] = cqn;
  entry.owner = (events_ >> eq_log_) & 1;
  std::memcpy(at(eq_buffer_) + (events_ & ((1u << eq_log_) - 1)) * sizeof entry, &entry, sizeof entry);
  ++events_;
}

void FakeConnectx::interrupt() {
  raise_event(rq_cqn_);
  settle();
}

// The first send queue is the one for UMR WQEs: its completions raise events, those of XDP queues do not.
void FakeConnectx::settle() {
  for (;;) {
    const Cq& cq = cqs_.at(kFirstCqn);
    const std::uint32_t before = cq.produced;
    run_send_queues();
    if (cq.produced == before) return;
    raise_event(kFirstCqn);
  }
}

std::uint64_t FakeConnectx::stat(const std::string& name) const {
  for (const guest_stat* entry = table_; entry->name[0] != '\0'; ++entry) {
    if (name == entry->name) return *entry->value;
  }
  throw std::runtime_error("no statistic " + name);
}

std::uint32_t FakeConnectx::word(std::uint64_t address) { return load<be32>(at(address)); }
std::uint64_t FakeConnectx::cq_doorbell() const { return load<be64>(bar_.data() + cx::kUarCqDoorbell); }
std::uint64_t FakeConnectx::send_doorbell() const { return load<std::uint64_t>(bar_.data() + cx::kUarBlueFlame); }
std::uint32_t FakeConnectx::eq_doorbell() const { return load<be32>(bar_.data() + cx::kUarEqArm); }

const cx::wqe_data_seg& FakeConnectx::wqe(std::uint32_t index, std::uint32_t segment) const {
  const std::uint64_t slot = index & ((1u << rq_log_) - 1);
  return reinterpret_cast<const cx::wqe_data_seg*>(rq_buffer_ + (slot << rq_log_wqe_))[segment];
}

const cx::rx_wqe_ll& FakeConnectx::mpwqe(std::uint32_t index) const {
  return *reinterpret_cast<const cx::rx_wqe_ll*>(rq_buffer_ + index * sizeof(cx::rx_wqe_ll));
}

void FakeConnectx::forget_sent() {
  sent_.clear();
  transmitted_.clear();
}

void FakeConnectx::exhaust_memory() {
  page* one = nullptr;
  while (alloc_pages_bulk(1, &one) == 1) hoard_.push_back(one);
}

void FakeConnectx::return_memory() {
  for (page* p : hoard_) put_page(p);
  hoard_.clear();
}

void FakeConnectx::execute_command() {
  auto rung = load<std::uint32_t>(bar() + cx::kRegCommandDoorbell);
  if (rung == 0) {
    if (run_send_queues() > 0) return;
    throw std::logic_error("the driver waits for something that it has not asked for");
  }
  rung = 0;
  std::memcpy(bar() + cx::kRegCommandDoorbell, &rung, sizeof rung);
  auto& mailbox = *reinterpret_cast<cx::command_mailbox*>(load<std::uint64_t>(bar() + cx::kRegCommandAddress));
  commands_.push_back(mailbox.opcode);
  mailbox.status = run(mailbox);
}

std::uint8_t FakeConnectx::run(cx::command_mailbox& mailbox) {
  switch (mailbox.opcode) {
    case cx::kCmdCreateMkey:
      mailbox.object = mailbox.mkey.translations == 0 ? kLkey : kUmrKey;
      if (mailbox.mkey.translations != 0) {
        translations_.assign(mailbox.mkey.translations, mailbox.mkey.filler | cx::kMttWriteEnable);
      }
      return cx::kCmdOk;
    case cx::kCmdDestroyMkey:
      return mailbox.object == kUmrKey ? cx::kCmdOk : cx::kCmdBadParameter;
    case cx::kCmdCreateEq:
      eq_buffer_ = mailbox.eq.buffer;
      eq_log_ = mailbox.eq.log_size;
      mailbox.object = kEqn;
      return mailbox.eq.vector == 0 ? cx::kCmdOk : cx::kCmdBadParameter;
    case cx::kCmdCreateTir:
      mailbox.object = kTirn;
      return mailbox.tir.rqn == kRqn ? cx::kCmdOk : cx::kCmdBadParameter;
    case cx::kCmdSetPortMtu:
      port_mtu_ = mailbox.port.mtu;
      return cx::kCmdOk;
    case cx::kCmdDestroyTir:
      return mailbox.object == kTirn ? cx::kCmdOk : cx::kCmdBadParameter;
    default:
      return run_queue_command(mailbox);
  }
}

std::uint8_t FakeConnectx::run_queue_command(cx::command_mailbox& mailbox) {
  switch (mailbox.opcode) {
    case cx::kCmdCreateCq: {
      if (mailbox.cq.eqn != kEqn) return cx::kCmdBadParameter;
      mailbox.object = kFirstCqn + static_cast<std::uint32_t>(cqs_.size());
      cqs_[mailbox.object] = {mailbox.cq.buffer, mailbox.cq.doorbell_record, mailbox.cq.log_size, 0};
      return cx::kCmdOk;
    }
    case cx::kCmdCreateRq:
      return create_rq(mailbox);
    case cx::kCmdModifyRq:
      return modify_rq(mailbox);
    case cx::kCmdCreateSq: {
      if (!cqs_.contains(mailbox.sq.cqn)) return cx::kCmdBadParameter;
      const cx::command_mailbox in = mailbox;
      mailbox.object = kFirstSqn + static_cast<std::uint32_t>(sqs_.size());
      sqs_[mailbox.object] = {in.sq.buffer, in.sq.doorbell_record, in.sq.log_size, in.sq.cqn, cx::kRqReset, 0, 0};
      return cx::kCmdOk;
    }
    case cx::kCmdModifySq:
      if (!sqs_.contains(mailbox.object)) return cx::kCmdBadParameter;
      sqs_[mailbox.object].state = mailbox.sq.state;
      return cx::kCmdOk;
    case cx::kCmdDestroySq:
      return sqs_.erase(mailbox.object) == 1 ? cx::kCmdOk : cx::kCmdBadParameter;
    case cx::kCmdDestroyRq:
      return mailbox.object == kRqn ? cx::kCmdOk : cx::kCmdBadParameter;
    case cx::kCmdDestroyCq:
      return cqs_.erase(mailbox.object) == 1 ? cx::kCmdOk : cx::kCmdBadParameter;
    default:
      return cx::kCmdBadOpcode;
  }
}

std::uint8_t FakeConnectx::create_rq(cx::command_mailbox& mailbox) {
  const bool striding = mailbox.rq.type == cx::kRqStriding;
  const std::uint32_t log_wqe = mailbox.rq.log_stride;
  if (!cqs_.contains(mailbox.rq.cqn) || striding != config_.striding) return cx::kCmdBadParameter;
  if (striding ? log_wqe != 5 : log_wqe < 4 || log_wqe > 6) return cx::kCmdBadParameter;
  rq_buffer_ = mailbox.rq.buffer;
  rq_record_ = mailbox.rq.doorbell_record;
  rq_log_ = mailbox.rq.log_size;
  rq_log_wqe_ = log_wqe;
  rq_cqn_ = mailbox.rq.cqn;
  log_strides_ = mailbox.rq.log_strides;
  log_stride_size_ = mailbox.rq.log_stride_size;
  mailbox.object = kRqn;
  return cx::kCmdOk;
}

std::uint8_t FakeConnectx::modify_rq(const cx::command_mailbox& mailbox) {
  if (mailbox.object != kRqn) return cx::kCmdBadParameter;
  if (rq_state_ == cx::kRqError && mailbox.rq.state == cx::kRqReady) return cx::kCmdBadResourceState;
  if (mailbox.rq.state == cx::kRqReset) {
    for (; flush_at_reset_ > 0; --flush_at_reset_) fail(cx::kSyndromeWrFlush);
    consumed_ = 0;
    wqe_id_ = stride_ = 0;
  }
  rq_state_ = mailbox.rq.state;
  return cx::kCmdOk;
}

}  // namespace ringside

void panic(const char* message) { throw ringside::GuestPanic(message); }
void cond_resched() { ringside::FakeConnectx::current().execute_command(); }
u64 pending_interrupts() { return ringside::FakeConnectx::current().pending(); }
void publish_statistics(const guest_stat* table) { ringside::FakeConnectx::current().publish(table); }
