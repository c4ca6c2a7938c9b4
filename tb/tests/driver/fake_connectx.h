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
};

class FakeConnectx {
 public:
  explicit FakeConnectx(const FakeConfig& config = {});
  ~FakeConnectx();
  FakeConnectx(const FakeConnectx&) = delete;
  FakeConnectx& operator=(const FakeConnectx&) = delete;

  // Brings the interface up and runs what that leaves to do.
  void open();
  void close();

  // Puts a packet into the next WQE and completes it; false if none is posted.
  bool deliver(std::uint32_t length = 60);
  // Delivers `count` packets, raises the event, and lets the guest handle it.
  void receive(std::uint32_t count, std::uint32_t length = 60);
  // Completes the next WQE with an error, after which the queue is in error.
  void fail(std::uint8_t syndrome);
  // The next reset of the queue is preceded by this many flushed completions.
  void flush_at_reset(std::uint32_t count) { flush_at_reset_ = count; }
  // Writes an EQE for the CQ and runs the interrupt handler.
  void interrupt();

  mlx5e_priv& priv() { return *priv_; }
  mlx5e_rq& rq() { return priv_->channel->rq; }
  std::uint64_t stat(const std::string& name) const;

  std::uint16_t posted() const { return static_cast<std::uint16_t>(word(rq_record_)); }
  std::uint32_t cq_consumer() const { return word(cq_record_); }
  std::uint32_t cq_arm_word() const { return word(cq_record_ + 4); }
  std::uint64_t cq_doorbell() const;  // the last one rung
  std::uint32_t eq_doorbell() const;
  std::uint16_t consumed() const { return consumed_; }
  std::uint32_t produced() const { return produced_; }
  // Address and length in the descriptor of a WQE.
  const connectx::wqe_data_seg& wqe(std::uint32_t index) const;
  std::uint32_t port_mtu() const { return port_mtu_; }
  std::uint32_t rq_state() const { return rq_state_; }
  const std::vector<std::uint16_t>& commands() const { return commands_; }

  // Takes all pages from the driver's allocator, and gives them back.
  void exhaust_memory();
  void return_memory();

  // What the driver's machine interface calls.
  void execute_command();
  void publish(const guest_stat* table) { table_ = table; }

  static FakeConnectx& current();

 private:
  std::uint8_t* bar() { return bar_.data(); }
  static std::uint32_t word(std::uint64_t address);
  void complete(connectx::cqe64 entry);
  std::uint8_t run(connectx::command_mailbox& mailbox);

  FakeConfig config_;
  std::vector<std::uint8_t> bar_;
  std::unique_ptr<std::uint8_t[]> heap_;
  board_info board_{};
  mlx5e_priv* priv_ = nullptr;
  const guest_stat* table_ = nullptr;
  std::vector<std::uint16_t> commands_;
  std::vector<page*> hoard_;

  std::uint64_t eq_buffer_ = 0, cq_buffer_ = 0, cq_record_ = 0, rq_buffer_ = 0, rq_record_ = 0;
  std::uint32_t eq_log_ = 0, cq_log_ = 0, rq_log_ = 0, rq_state_ = 0, port_mtu_ = 0;
  std::uint32_t events_ = 0, produced_ = 0, flush_at_reset_ = 0;
  std::uint16_t consumed_ = 0;
};

}  // namespace ringside
