#include "tb/tests/driver/fake_connectx.h"

#include <cstring>

#include "driver/kernel/board.h"
#include "driver/xdp/programs.h"

namespace ringside {

namespace cx = connectx;

namespace {

constexpr std::size_t kBarBytes = 0x2000;
constexpr std::uint32_t kEqn = 3, kCqn = 5, kRqn = 7, kLkey = 0x4200, kTirn = 9;
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
  config.program.copy(board_.xdp_program, sizeof board_.xdp_program - 1);
  for (datarec& rec : rx_cnt) rec = {};
  xdp_stats = {};
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
}

void FakeConnectx::close() {
  if (mlx5e_close(priv_) != 0) throw std::runtime_error("close failed");
}

bool FakeConnectx::deliver(std::uint32_t length) {
  if (rq_state_ != cx::kRqReady || static_cast<std::uint16_t>(posted() - consumed_) == 0) return false;
  const cx::wqe_data_seg& segment = wqe(consumed_);
  std::memset(at(segment.addr), static_cast<int>(consumed_ & 0xff), length);
  cx::cqe64 entry{};
  entry.byte_cnt = length;
  entry.op_own = cx::kCqeRespSend << 4;
  complete(entry);
  return true;
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
  complete(entry);
  rq_state_ = cx::kRqError;
}

void FakeConnectx::complete(cx::cqe64 entry) {
  entry.wqe_counter = consumed_++;
  entry.op_own |= (produced_ >> cq_log_) & 1;
  std::memcpy(at(cq_buffer_) + (produced_ & ((1u << cq_log_) - 1)) * sizeof entry, &entry, sizeof entry);
  ++produced_;
}

void FakeConnectx::interrupt() {
  cx::eqe entry{};
  entry.type = cx::kEventCompletion;
  entry.data[6] = kCqn;
  entry.owner = (events_ >> eq_log_) & 1;
  std::memcpy(at(eq_buffer_) + (events_ & ((1u << eq_log_) - 1)) * sizeof entry, &entry, sizeof entry);
  ++events_;
  handle_interrupts(1);
}

std::uint64_t FakeConnectx::stat(const std::string& name) const {
  for (const guest_stat* entry = table_; entry->name[0] != '\0'; ++entry) {
    if (name == entry->name) return *entry->value;
  }
  throw std::runtime_error("no statistic " + name);
}

std::uint32_t FakeConnectx::word(std::uint64_t address) { return load<be32>(at(address)); }
std::uint64_t FakeConnectx::cq_doorbell() const { return load<be64>(bar_.data() + cx::kUarCqDoorbell); }
std::uint32_t FakeConnectx::eq_doorbell() const { return load<be32>(bar_.data() + cx::kUarEqArm); }

const cx::wqe_data_seg& FakeConnectx::wqe(std::uint32_t index) const {
  const std::uint32_t slot = index & ((1u << rq_log_) - 1);
  return *reinterpret_cast<const cx::wqe_data_seg*>(rq_buffer_ + slot * sizeof(cx::wqe_data_seg));
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
  if (rung == 0) throw std::logic_error("the driver waits for a command that it has not issued");
  rung = 0;
  std::memcpy(bar() + cx::kRegCommandDoorbell, &rung, sizeof rung);
  auto& mailbox = *reinterpret_cast<cx::command_mailbox*>(load<std::uint64_t>(bar() + cx::kRegCommandAddress));
  commands_.push_back(mailbox.opcode);
  mailbox.status = run(mailbox);
}

std::uint8_t FakeConnectx::run(cx::command_mailbox& mailbox) {
  switch (mailbox.opcode) {
    case cx::kCmdCreateMkey:
      mailbox.object = kLkey;
      return cx::kCmdOk;
    case cx::kCmdCreateEq:
      eq_buffer_ = mailbox.eq.buffer;
      eq_log_ = mailbox.eq.log_size;
      mailbox.object = kEqn;
      return mailbox.eq.vector == 0 ? cx::kCmdOk : cx::kCmdBadParameter;
    case cx::kCmdCreateCq:
      cq_buffer_ = mailbox.cq.buffer;
      cq_record_ = mailbox.cq.doorbell_record;
      cq_log_ = mailbox.cq.log_size;
      mailbox.object = kCqn;
      return mailbox.cq.eqn == kEqn ? cx::kCmdOk : cx::kCmdBadParameter;
    case cx::kCmdCreateRq:
      rq_buffer_ = mailbox.rq.buffer;
      rq_record_ = mailbox.rq.doorbell_record;
      rq_log_ = mailbox.rq.log_size;
      mailbox.object = kRqn;
      return mailbox.rq.cqn == kCqn && mailbox.rq.log_stride == 4 ? cx::kCmdOk : cx::kCmdBadParameter;
    case cx::kCmdModifyRq:
      if (mailbox.object != kRqn) return cx::kCmdBadParameter;
      if (rq_state_ == cx::kRqError && mailbox.rq.state == cx::kRqReady) return cx::kCmdBadResourceState;
      if (mailbox.rq.state == cx::kRqReset) {
        for (; flush_at_reset_ > 0; --flush_at_reset_) fail(cx::kSyndromeWrFlush);
        consumed_ = 0;
      }
      rq_state_ = mailbox.rq.state;
      return cx::kCmdOk;
    case cx::kCmdCreateTir:
      mailbox.object = kTirn;
      return mailbox.tir.rqn == kRqn ? cx::kCmdOk : cx::kCmdBadParameter;
    case cx::kCmdSetPortMtu:
      port_mtu_ = mailbox.port.mtu;
      return cx::kCmdOk;
    case cx::kCmdDestroyTir:
      return mailbox.object == kTirn ? cx::kCmdOk : cx::kCmdBadParameter;
    case cx::kCmdDestroyRq:
      return mailbox.object == kRqn ? cx::kCmdOk : cx::kCmdBadParameter;
    case cx::kCmdDestroyCq:
      return mailbox.object == kCqn ? cx::kCmdOk : cx::kCmdBadParameter;
    default:
      return cx::kCmdBadOpcode;
  }
}

}  // namespace ringside

void panic(const char* message) { throw ringside::GuestPanic(message); }
void cond_resched() { ringside::FakeConnectx::current().execute_command(); }
void publish_statistics(const guest_stat* table) { ringside::FakeConnectx::current().publish(table); }
