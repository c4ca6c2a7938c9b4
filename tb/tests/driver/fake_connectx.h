// A machine around the natively built driver: heap, BAR and a device that does just enough. It executes commands when
// the driver waits for one, and writes packets, completions and events when a test says so.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "driver/mlx5e/en.h"

namespace ringside {

// panic() of the driver.
struct GuestPanic : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct FakeConfig {
  std::uint32_t ring = 1024;
  std::uint32_t mtu = 1500;
  std::string program = "drop";
  std::uint32_t budget = 64;
  std::uint64_t heap_pages = 8192;
  bool striding = false;
  bool mpwqe = true;
  std::string stack = "raw-drop";
  bool gro = true;
  std::uint32_t tcp_flows = 1;
  std::uint32_t tcp_rmem = 0;
};

// A WQE that the device found in a send queue.
struct SentWqe {
  std::uint8_t opcode;
  std::uint32_t wqebbs;
  std::uint32_t packets;
  bool completion;
};

class FakeConnectx {
 public:
  using Packet = std::vector<std::uint8_t>;

  explicit FakeConnectx(const FakeConfig& config = {});
  ~FakeConnectx();
  FakeConnectx(const FakeConnectx&) = delete;
  FakeConnectx& operator=(const FakeConnectx&) = delete;

  // Brings the interface up and runs what that leaves to do.
  void open();
  void close();

  // Puts a packet into the next WQE, or its next strides, and completes it; false if none is posted.
  bool deliver(const Packet& packet);
  bool deliver(std::uint32_t length = 60);
  // Delivers `count` packets, raises the event, and lets the guest handle it.
  void receive(std::uint32_t count, std::uint32_t length = 60);
  // What completions say besides the packet's place and length, from here on.
  void describe(const connectx::cqe64& description) { description_ = description; }
  // Completes the next WQE with an error, after which the queue is in error.
  void fail(std::uint8_t syndrome);
  // The next reset of the queue is preceded by this many flushed completions.
  void flush_at_reset(std::uint32_t count) { flush_at_reset_ = count; }
  // Writes an EQE for the receive queue's CQ and runs the interrupt handler, and again for what that sends.
  void interrupt();
  // Executes send queues and raises the events of UMR completions until nothing is left.
  void settle();
  // Executes what the driver has rung; returns how many WQEs there were. Raises no event.
  std::size_t run_send_queues();
  // While set, XDP send queues stand still.
  void stall_transmit(bool stalled) { stalled_ = stalled; }
  // Each run of XDP send queues executes only what had been rung by the run before.
  void delay_transmit() { delayed_ = true; }

  mlx5e_priv& priv() { return *priv_; }
  mlx5e_rq& rq() { return priv_->channel->rq; }
  std::uint64_t stat(const std::string& name) const;

  std::uint16_t posted() const { return static_cast<std::uint16_t>(word(rq_record_)); }
  std::uint32_t cq_consumer() const { return word(cqs_.at(rq_cqn_).record); }
  std::uint32_t cq_arm_word() const { return word(cqs_.at(rq_cqn_).record + 4); }
  std::uint64_t cq_doorbell() const;  // the last one rung
  std::uint32_t eq_doorbell() const;
  std::uint64_t send_doorbell() const;  // the last one rung
  std::uint16_t consumed() const { return consumed_; }
  // Address and length in a segment of a WQE of a cyclic queue.
  const connectx::wqe_data_seg& wqe(std::uint32_t index, std::uint32_t segment = 0) const;
  const connectx::rx_wqe_ll& mpwqe(std::uint32_t index) const;
  // Where the next stride of a striding queue is, and which WQE and stride that is.
  std::uint32_t wqe_id() const { return wqe_id_; }
  std::uint32_t stride() const { return stride_; }
  const std::vector<std::uint64_t>& translations() const { return translations_; }
  std::uint32_t port_mtu() const { return port_mtu_; }
  std::uint32_t rq_state() const { return rq_state_; }
  const std::vector<std::uint16_t>& commands() const { return commands_; }
  const std::vector<SentWqe>& sent() const { return sent_; }
  const std::vector<Packet>& transmitted() const { return transmitted_; }
  void forget_sent();

  // Takes all pages from the driver's allocator, and gives them back.
  void exhaust_memory();
  void return_memory();

  // What the driver's machine interface calls.
  void execute_command();
  std::uint64_t pending();
  void publish(const guest_stat* table) { table_ = table; }

  static FakeConnectx& current();

 private:
  struct Cq {
    std::uint64_t buffer, record;
    std::uint32_t log, produced;
  };
  struct Sq {
    std::uint64_t buffer, record;
    std::uint32_t log, cqn, state;
    std::uint16_t consumed, rung;  // rung: as of the last run
  };

  std::uint8_t* bar() { return bar_.data(); }
  static std::uint32_t word(std::uint64_t address);
  bool deliver_strides(const Packet& packet);
  std::uint64_t translate(std::uint64_t address) const;
  void scatter(const Packet& packet);
  void complete_strides(std::uint32_t count, std::uint32_t byte_cnt);
  void complete(std::uint32_t cqn, connectx::cqe64 entry);
  void raise_event(std::uint32_t cqn);
  void write_event(std::uint32_t cqn);
  std::size_t run(std::uint32_t sqn, Sq& sq, std::uint16_t producer);
  void map(const std::uint8_t* wqe, std::uint32_t ds);
  std::uint32_t transmit(const std::uint8_t* segments, const std::uint8_t* end, bool one_packet);
  std::uint8_t run(connectx::command_mailbox& mailbox);
  std::uint8_t run_queue_command(connectx::command_mailbox& mailbox);
  std::uint8_t create_rq(connectx::command_mailbox& mailbox);
  std::uint8_t modify_rq(const connectx::command_mailbox& mailbox);

  FakeConfig config_;
  std::vector<std::uint8_t> bar_;
  std::unique_ptr<std::uint8_t[]> heap_;
  board_info board_{};
  mlx5e_priv* priv_ = nullptr;
  const guest_stat* table_ = nullptr;
  std::vector<std::uint16_t> commands_;
  std::vector<page*> hoard_;
  std::map<std::uint32_t, Cq> cqs_;
  std::map<std::uint32_t, Sq> sqs_;
  std::vector<SentWqe> sent_;
  std::vector<Packet> transmitted_;
  std::vector<std::uint64_t> translations_;
  bool stalled_ = false, delayed_ = false;
  connectx::cqe64 description_{};

  std::uint64_t eq_buffer_ = 0, rq_buffer_ = 0, rq_record_ = 0;
  std::uint32_t eq_log_ = 0, rq_cqn_ = 0, rq_log_ = 0, rq_log_wqe_ = 0, rq_state_ = 0, port_mtu_ = 0;
  std::uint32_t log_strides_ = 0, log_stride_size_ = 0;
  std::uint32_t events_ = 0, flush_at_reset_ = 0;
  std::uint32_t wqe_id_ = 0, stride_ = 0;  // striding: the current WQE and its next stride
  std::uint16_t consumed_ = 0;
};

}  // namespace ringside
