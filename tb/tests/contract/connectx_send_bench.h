// A ConnectX with a send queue. WQEs are put together byte by byte, as the data sheet has them.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <vector>

#include "tb/tests/contract/connectx_bench.h"

namespace ringside::connectx {

struct Listener : FrameSink {
  struct Heard {
    Time at;
    std::uint64_t sequence;
    std::vector<std::uint8_t> bytes;
  };
  std::vector<Heard> frames;

  void on_frame(Time now, const Frame& frame) override {
    EXPECT_EQ(frame.arrival, now);
    frames.push_back({now, frame.sequence, {frame.bytes.begin(), frame.bytes.end()}});
  }
};

class Wqe {
 public:
  std::vector<std::uint8_t> bytes;

  Wqe& be(std::uint64_t value, int size) {
    for (int i = size - 1; i >= 0; --i) bytes.push_back(static_cast<std::uint8_t>(value >> (8 * i)));
    return *this;
  }
  Wqe& zeros(std::size_t n) {
    bytes.insert(bytes.end(), n, 0);
    return *this;
  }
  Wqe& append(const std::vector<std::uint8_t>& more) {
    bytes.insert(bytes.end(), more.begin(), more.end());
    return *this;
  }
  Wqe& pad(std::size_t unit) { return zeros((unit - bytes.size() % unit) % unit); }

  // Ethernet segment with an inline header.
  Wqe& eth(const std::vector<std::uint8_t>& header = {}) {
    zeros(12).be(header.size(), 2).append(header);
    if (header.size() < 2) zeros(2 - header.size());
    return pad(16);
  }
  Wqe& pointer(std::uint32_t length, std::uint32_t key, std::uint64_t address) {
    return be(length, 4).be(key, 4).be(address, 8);
  }
  Wqe& inlined(const std::vector<std::uint8_t>& data) { return be(0x8000'0000u | data.size(), 4).append(data).pad(16); }
};

class SendBench : public Bench {
 public:
  static constexpr std::uint64_t kSq = kBase + 0x60000, kSendCq = kBase + 0x80000;
  static constexpr std::uint64_t kSqRecord = kBase + 0x180, kSendCqRecord = kBase + 0x1c0;

  explicit SendBench(ConnectxConfig config = bench_config(), std::uint32_t log_sq_in = 6, std::uint32_t log_cq = 4,
                     const Setup& receive = {})
      : Bench(config), log_sq(log_sq_in), log_send_cq(log_cq) {
    open(receive);
    for (std::uint32_t i = 0; i < 1u << log_cq; ++i) fabric.host(kSendCq + i * 64)[63] = kCqeInitOpOwn;
    command_mailbox m = mailbox(kCmdCreateCq);
    m.cq = {kSendCq, kSendCqRecord, log_cq, eqn, 0, 0, 0};
    send_cqn = create(m);
    m = mailbox(kCmdCreateSq);
    m.sq = {kSq, kSqRecord, log_sq, send_cqn, 0, 0};
    sqn = create(m);
    set_sq_state(kRqReady);
    nic.set_transmit_sink(&sink);
  }

  std::uint32_t log_sq, log_send_cq, send_cqn = 0, sqn = 0;
  std::uint32_t posted_blocks = 0;
  Listener sink;

  CommandStatus try_sq_state(std::uint32_t state) {
    command_mailbox m = mailbox(kCmdModifySq, sqn);
    m.sq.state = state;
    return static_cast<CommandStatus>(command(m).status);
  }
  void set_sq_state(std::uint32_t state) { EXPECT_EQ(try_sq_state(state), kCmdOk); }

  // A WQE's control segment; the number of DS is filled in by put().
  Wqe begin(std::uint8_t opcode, bool completes, std::uint32_t imm = 0) const {
    Wqe w;
    w.be((posted_blocks & 0xffff) << 8 | opcode, 4).be(sqn << 8, 4).be(completes ? 8 : 0, 4).be(imm, 4);
    return w;
  }

  // Puts a WQE into the ring; the doorbell is rung later.
  void put(Wqe w, int ds = -1) {
    w.bytes[7] = static_cast<std::uint8_t>(ds >= 0 ? ds : static_cast<int>(w.bytes.size() / 16));
    std::memcpy(&doorbell_, w.bytes.data(), 8);
    w.pad(64);
    for (std::size_t i = 0; i < w.bytes.size(); i += 64) {
      std::memcpy(fabric.host(kSq + (posted_blocks++ & ((1u << log_sq) - 1)) * 64), w.bytes.data() + i, 64);
    }
  }

  void ring() { nic.mmio_write(now(), kUarBlueFlame, 8, doorbell_); }

  void nop(bool completes) { put(begin(0x00, completes)); }
  void send(std::uint32_t length, std::uint64_t address, bool completes) {
    put(begin(0x0a, completes).eth().pointer(length, lkey, address));
  }
  void umr(std::uint32_t key, std::uint32_t first, const std::vector<std::uint64_t>& entries, bool completes) {
    Wqe w = begin(0x25, completes, key);
    w.be(0x90, 1).zeros(3).be(entries.size() / 2, 2).be(first / 2, 2).zeros(8 + 32);  // 48 bytes of UMR control
    w.zeros(64);                                                                      // context of the key
    for (const std::uint64_t entry : entries) w.be(entry, 8);
    put(w);
  }

  // Payload in host memory.
  std::uint64_t payload(std::uint32_t slot) const { return kBuffers + slot * kBufferStride; }
  std::vector<std::uint8_t> put_payload(std::uint32_t slot, std::size_t length, std::uint8_t seed = 0) {
    const std::vector<std::uint8_t> frame = plain_frame(length, seed);
    std::memcpy(fabric.host(payload(slot)), frame.data(), length);
    return frame;
  }

  cqe64 send_cqe(std::uint32_t index) {
    cqe64 c;
    std::memcpy(&c, fabric.host(kSendCq + (index & ((1u << log_send_cq) - 1)) * 64), sizeof c);
    return c;
  }
  bool send_cqe_valid(std::uint32_t index) {
    const std::uint8_t own = send_cqe(index).op_own;
    return cqe_owner(own) == (index >> log_send_cq & 1) && cqe_opcode(own) != kCqeInvalid;
  }
  void set_send_consumer(std::uint32_t index) {
    reinterpret_cast<cq_doorbell_record*>(fabric.host(kSendCqRecord))->consumer_index = index & kCqIndexMask;
  }

 private:
  std::uint64_t doorbell_ = 0;
};

}  // namespace ringside::connectx
