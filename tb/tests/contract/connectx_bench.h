// A ConnectX between a mock fabric backed by plain bytes and a hand-written driver, for tests of the device.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "model/base/timeline.h"
#include "model/connectx/connectx.h"
#include "model/connectx/hw/cqe.h"
#include "model/connectx/hw/eqe.h"
#include "model/connectx/hw/registers.h"
#include "model/connectx/hw/wqe.h"
#include "model/guest/contract.h"

namespace ringside::connectx {

// Writes land after `write_latency`, reads take a sample after half of `read_latency` and complete after all of it. The
// link takes `per_write` for each write, one after the other.
class MockFabric : public DmaFabric, public EventTarget {
 public:
  struct Write {
    Time at;
    std::uint64_t address;
    std::vector<std::uint8_t> data;
  };

  MockFabric(Timeline& timeline, std::uint64_t base, std::size_t size)
      : timeline_(timeline), base_(base), memory_(size) {}

  Time write_latency = nanoseconds(250);
  Time read_latency = nanoseconds(600);
  Time per_write{};
  std::uint64_t slow_address = 0;  // reads from here take as much longer
  Time slow_extra{};
  bool log = true;
  std::vector<Write> writes;
  std::vector<std::pair<std::uint64_t, std::uint32_t>> reads;  // address, length
  std::vector<std::pair<Time, std::uint32_t>> interrupts;      // time of the write, vector

  bool contains(std::uint64_t at, std::size_t n) const { return at >= base_ && at - base_ + n <= memory_.size(); }
  std::uint8_t* host(std::uint64_t at) { return memory_.data() + (at - base_); }

  Posted write(Time at, PhysAddr address, std::span<const std::uint8_t> data) override {
    EXPECT_GE(at, timeline_.now());
    link_free_ = std::max(link_free_, at) + per_write;
    if (address.value == guest::kMsiAddress) {
      std::uint32_t vector = 0;
      EXPECT_EQ(data.size(), 4u);
      std::memcpy(&vector, data.data(), 4);
      interrupts.emplace_back(at, vector);
      return {link_free_, link_free_ + write_latency};
    }
    EXPECT_TRUE(contains(address.value, data.size()));
    if (log) writes.push_back({at, address.value, {data.begin(), data.end()}});
    later_.push_back({address.value, {data.begin(), data.end()}, nullptr, 0, 0});
    timeline_.schedule(link_free_ + write_latency, *this, first_ + later_.size() - 1);
    return {link_free_, link_free_ + write_latency};
  }

  void read(Time at, PhysAddr address, std::uint32_t length, DmaReader& reader, std::uint64_t tag) override {
    if (log) reads.emplace_back(address.value, length);
    later_.push_back({address.value, std::vector<std::uint8_t>(length), &reader, tag, 0});
    const Time request = read_latency / 2 + (address.value == slow_address ? slow_extra : Time{});
    timeline_.schedule(at + request, *this, first_ + later_.size() - 1);
  }

  void fire(Time now, std::uint64_t index) override {
    Later& op = later_[index - first_];
    const bool ram = contains(op.address, op.data.size());
    if (op.reader == nullptr) {
      std::memcpy(host(op.address), op.data.data(), op.data.size());
      op.stage = 2;
    } else if (op.stage == 0) {
      if (ram) std::memcpy(op.data.data(), host(op.address), op.data.size());
      op.stage = 1;
      timeline_.schedule(now + read_latency - read_latency / 2, *this, index);
    } else {
      const std::vector<std::uint8_t> data = ram ? std::move(op.data) : std::vector<std::uint8_t>{};
      DmaReader& reader = *op.reader;
      const std::uint64_t tag = op.tag;
      op.stage = 2;
      reader.on_read(now, tag, data, ram);
    }
    for (; !later_.empty() && later_.front().stage == 2; ++first_) later_.pop_front();
  }

 private:
  struct Later {
    std::uint64_t address;
    std::vector<std::uint8_t> data;
    DmaReader* reader;
    std::uint64_t tag;
    int stage;
  };

  Timeline& timeline_;
  std::uint64_t base_;
  std::vector<std::uint8_t> memory_;
  std::deque<Later> later_;
  std::uint64_t first_ = 0;
  Time link_free_{};
};

// Lets a test put another fabric in place of the mock.
struct Route : DmaFabric {
  explicit Route(DmaFabric& fabric) : to(&fabric) {}
  DmaFabric* to;

  Posted write(Time at, PhysAddr address, std::span<const std::uint8_t> data) override {
    return to->write(at, address, data);
  }
  void read(Time at, PhysAddr address, std::uint32_t length, DmaReader& reader, std::uint64_t tag) override {
    to->read(at, address, length, reader, tag);
  }
};

struct Recorder : PacketObserver {
  struct Drop {
    Time at;
    std::uint64_t sequence;
    std::string cause;
  };
  struct Completion {
    Time at;
    std::uint64_t sequence;
    Time visible;
    std::uint64_t slot;
    bool error;
  };
  std::vector<Drop> drops;
  std::vector<Completion> completions;
  std::vector<std::pair<Time, std::uint32_t>> interrupts;

  void dropped(Time at, std::uint64_t sequence, std::string_view cause) override {
    drops.push_back({at, sequence, std::string(cause)});
  }
  void completed(Time at, std::uint64_t sequence, Time visible, PhysAddr slot, bool error) override {
    completions.push_back({at, sequence, visible, slot.value, error});
  }
  void interrupt(Time at, std::uint32_t vector) override { interrupts.emplace_back(at, vector); }
};

inline ConnectxConfig bench_config() {
  ConnectxConfig c;
  c.packet_buffer = kibibytes(64);
  c.rx_packet_rate = PacketRate{200'000'000};  // 5 ns
  c.wqe_fetch = 16;
  c.wqe_cache = 64;
  c.wqe_reads = 4;
  c.record_low_water = 64;
  c.record_poll_interval = nanoseconds(500);
  c.cq_low_water = 64;
  c.command_latency = microseconds(2);
  c.sq_fetch = 8;
  c.sq_reads = 4;
  c.umr_latency = microseconds(1);
  c.tx_reads = 64;
  c.tx_buffer = kibibytes(64);
  c.tx_packet_rate = PacketRate{200'000'000};  // 5 ns
  c.tx_latency = nanoseconds(0);
  c.port_rate = gigabits_per_second(100);
  return c;
}

struct Setup {
  std::uint32_t log_rq = 6, log_cq = 6, log_eq = 4, log_stride = 4;
  std::uint32_t period_us = 0, max_count = 0, from_cqe = 0;
  std::uint32_t segments = 1, segment_bytes = 2048;
  std::uint32_t type = kRqCyclic, log_strides = 0, log_stride_size = 0;
};

// A frame of `length` bytes without FCS: broadcast, Ethertype of local experiments, a pattern of `seed`.
inline std::vector<std::uint8_t> plain_frame(std::size_t length, std::uint8_t seed = 0) {
  std::vector<std::uint8_t> f(length);
  for (std::size_t i = 0; i < length; ++i) f[i] = static_cast<std::uint8_t>(i * 7 + seed);
  if (length >= 14) f[12] = 0x88, f[13] = 0xb5;
  return f;
}

class Bench {
 public:
  static constexpr std::uint64_t kBase = guest::kRamBase;
  static constexpr std::uint64_t kMailbox = kBase, kRqRecord = kBase + 0x100, kCqRecord = kBase + 0x140;
  static constexpr std::uint64_t kEq = kBase + 0x1000, kRq = kBase + 0x10000, kCq = kBase + 0x40000;
  static constexpr std::uint64_t kBuffers = kBase + 0x200000;
  static constexpr std::uint64_t kBufferStride = 0x2800;
  static constexpr std::size_t kMemory = 0x200000 + kBufferStride * 1024;
  static constexpr std::uint32_t kVector = 5;

  explicit Bench(ConnectxConfig config = bench_config())
      : fabric(timeline, kBase, kMemory),
        route(fabric),
        nic(sc_core::sc_gen_unique_name("nic"), config, timeline, route) {
    nic.set_observer(&seen);
    nic.register_statistics(statistics);
  }

  Timeline timeline;
  MockFabric fabric;
  Route route;
  ConnectX nic;
  Recorder seen;
  Statistics statistics;
  Setup setup;
  std::uint32_t lkey = 0, eqn = 0, cqn = 0, rqn = 0, tirn = 0;
  std::uint64_t offered = 0;
  std::uint32_t posted = 0;

  Time now() const { return timeline.now(); }
  void run_for(Time t) { timeline.run_until(now() + t); }

  std::uint64_t stat(const std::string& name) const {
    for (const Statistic& s : statistics.all()) {
      if (s.name == name) return *s.value;
    }
    ADD_FAILURE() << "no statistic " << name;
    return 0;
  }

  // Runs a command to its end; the mailbox with the answer.
  command_mailbox command(command_mailbox m) {
    m.status = kCmdBusy;
    std::memcpy(fabric.host(kMailbox), &m, sizeof m);
    nic.mmio_write(now(), kRegCommandAddress, 8, kMailbox);
    nic.mmio_write(now(), kRegCommandDoorbell, 4, 1);
    run_for(microseconds(10));
    std::memcpy(&m, fabric.host(kMailbox), sizeof m);
    return m;
  }

  static command_mailbox mailbox(std::uint16_t opcode, std::uint32_t object = 0) {
    command_mailbox m{};
    m.opcode = opcode;
    m.object = object;
    return m;
  }

  std::uint32_t create(command_mailbox m) {
    m = command(m);
    EXPECT_EQ(m.status, kCmdOk);
    return m.object;
  }

  command_mailbox cq_mailbox(std::uint16_t opcode = kCmdCreateCq) const {
    command_mailbox m = mailbox(opcode, cqn);
    m.cq = {kCq, kCqRecord, setup.log_cq, eqn, setup.period_us, setup.max_count, setup.from_cqe};
    return m;
  }

  void set_rq_state(std::uint32_t state) {
    command_mailbox m = mailbox(kCmdModifyRq, rqn);
    m.rq.state = state;
    EXPECT_EQ(command(m).status, kCmdOk);
  }

  // Key, EQ, CQ, RQ and TIR, everything ready, nothing posted.
  void open(const Setup& s = {}) {
    setup = s;
    for (std::uint32_t i = 0; i < 1u << s.log_cq; ++i) fabric.host(kCq + i * 64)[63] = kCqeInitOpOwn;
    for (std::uint32_t i = 0; i < 1u << s.log_eq; ++i) fabric.host(kEq + i * 64)[63] = kEqeInitOwner;
    command_mailbox m = mailbox(kCmdCreateMkey);
    m.mkey = {kBuffers, kMemory - 0x200000, 0, 0};
    lkey = create(m);
    m = mailbox(kCmdCreateEq);
    m.eq = {kEq, s.log_eq, kVector};
    eqn = create(m);
    cqn = create(cq_mailbox());
    m = mailbox(kCmdCreateRq);
    m.rq = {kRq, kRqRecord, s.log_rq, s.log_stride, cqn, 0, s.type, s.log_strides, s.log_stride_size};
    rqn = create(m);
    set_rq_state(kRqReady);
    m = mailbox(kCmdCreateTir);
    m.tir.rqn = rqn;
    tirn = create(m);
  }

  std::uint64_t buffer(std::uint32_t wqe, std::uint32_t segment = 0) const {
    return kBuffers + (wqe & ((1u << setup.log_rq) - 1)) * kBufferStride + segment * setup.segment_bytes;
  }

  wqe_data_seg* segment(std::uint32_t wqe, std::uint32_t index = 0) {
    const std::uint32_t slot = wqe & ((1u << setup.log_rq) - 1);
    return reinterpret_cast<wqe_data_seg*>(fabric.host(kRq + (std::uint64_t{slot} << setup.log_stride))) + index;
  }

  void write_wqe(std::uint32_t wqe) {
    for (std::uint32_t i = 0; i < 1u << (setup.log_stride - 4); ++i) {
      wqe_data_seg* s = segment(wqe, i);
      const bool used = i < setup.segments;
      s->byte_count = used ? setup.segment_bytes : 0;
      s->lkey = used ? lkey : kTerminateScatterLkey;
      s->addr = used ? buffer(wqe, i) : 0;
    }
  }

  void publish() { reinterpret_cast<wq_doorbell_record*>(fabric.host(kRqRecord))->receive = posted & 0xffff; }

  void post(std::uint32_t count) {
    for (std::uint32_t i = 0; i < count; ++i) write_wqe(posted++);
    publish();
  }

  void set_consumer(std::uint32_t index) {
    reinterpret_cast<cq_doorbell_record*>(fabric.host(kCqRecord))->consumer_index = index & kCqIndexMask;
  }

  void arm_cq(std::uint32_t consumer, std::uint32_t command_bits = kCqArmAny) {
    const std::uint64_t word = byte_swapped(command_bits | (consumer & kCqIndexMask));
    nic.mmio_write(now(), kUarCqDoorbell, 8, word | std::uint64_t{byte_swapped(cqn)} << 32);
  }

  void ring_eq(std::uint64_t reg, std::uint32_t consumer) {
    nic.mmio_write(now(), reg, 4, byte_swapped(eqn << 24 | (consumer & kCqIndexMask)));
  }
  void arm_eq(std::uint32_t consumer) { ring_eq(kUarEqArm, consumer); }

  void offer(const std::vector<std::uint8_t>& bytes) { nic.on_frame(now(), {offered++, now(), bytes}); }

  cqe64 cqe(std::uint32_t index) {
    cqe64 c;
    std::memcpy(&c, fabric.host(kCq + (index & ((1u << setup.log_cq) - 1)) * 64), sizeof c);
    return c;
  }
  bool cqe_valid(std::uint32_t index) {
    const std::uint8_t own = cqe(index).op_own;
    return cqe_owner(own) == (index >> setup.log_cq & 1) && cqe_opcode(own) != kCqeInvalid;
  }
  eqe event(std::uint32_t index) {
    eqe e;
    std::memcpy(&e, fabric.host(kEq + (index & ((1u << setup.log_eq) - 1)) * 64), sizeof e);
    return e;
  }
};

}  // namespace ringside::connectx
