// Keys with translations: UMR WQEs set them, receive and send queues use them.
#include "tb/tests/contract/connectx_send_bench.h"

namespace ringside::connectx {
namespace {

// A striding queue of two WQEs of 8 strides of 2 KiB, that is four pages each, behind a key of 16 pages.
class UmrBench : public SendBench {
 public:
  UmrBench()
      : SendBench(bench_config(), 6, 4,
                  {.log_rq = 1, .log_stride = 5, .type = kRqStriding, .log_strides = 3, .log_stride_size = 11}) {
    command_mailbox m = mailbox(kCmdCreateMkey);
    m.mkey = {0, 16 * 4096, 16, 0};
    key = create(m);
    m = mailbox(kCmdSetPortMtu);
    m.port.mtu = 9000;
    EXPECT_EQ(command(m).status, kCmdOk);
    for (std::uint32_t i = 0; i < 2; ++i) {
      auto* w = reinterpret_cast<rx_wqe_ll*>(fabric.host(kRq + i * 32));
      w->next.next_wqe_index = static_cast<std::uint16_t>(1 - i);
      w->data.byte_count = 8 * 2048;
      w->data.lkey = key;
      w->data.addr = i * 4 * 4096;
    }
  }

  static constexpr std::uint64_t page(std::uint32_t n) { return kBuffers + 0x1000 * n; }
  static constexpr std::uint64_t writable(std::uint32_t n) { return page(n) | 1; }

  void map(std::uint32_t first, const std::vector<std::uint64_t>& entries) {
    umr(key, first, entries, true);
    ring();
    run_for(microseconds(5));
  }
  void post(std::uint32_t count) {
    posted += count;
    publish();
  }
  void receive(std::size_t length, std::uint8_t seed) {
    offer(plain_frame(length, seed));
    run_for(microseconds(5));
  }
  std::vector<std::uint8_t> memory(std::uint64_t at, std::size_t length) {
    return {fabric.host(at), fabric.host(at) + length};
  }

  std::uint32_t key = 0;
};

TEST(ConnectxUmr, PacketIsSplitWhereItsPagesAreApart) {
  UmrBench b;
  b.map(0, {b.writable(9), b.writable(3), b.writable(20), b.writable(5)});
  b.post(1);
  b.receive(1500, 1);
  b.receive(8000, 2);  // strides 1 to 4: half of page 9, page 3, half of page 20
  const std::vector<std::uint8_t> frame = plain_frame(8000, 2);
  EXPECT_EQ(b.memory(b.page(9), 1500), plain_frame(1500, 1));
  const auto part = [&](int from, int to) {
    return std::vector<std::uint8_t>(frame.begin() + from, frame.begin() + to);
  };
  EXPECT_EQ(b.memory(b.page(9) + 2048, 2048), part(0, 2048));
  EXPECT_EQ(b.memory(b.page(3), 4096), part(2048, 6144));
  EXPECT_EQ(b.memory(b.page(20), 1856), part(6144, 8000));
  EXPECT_EQ(b.cqe(1).byte_cnt, 4u << 16 | 8000u);
  EXPECT_EQ(b.cqe(1).wqe_counter, 1);
}

TEST(ConnectxUmr, TakesItsLatencyAndCompletes) {
  UmrBench b;
  b.umr(b.key, 0, {b.writable(0), b.writable(1)}, true);
  b.fabric.writes.clear();
  const Time start = b.now();
  b.ring();
  b.run_for(microseconds(5));
  ASSERT_EQ(b.fabric.writes.size(), 1u);
  EXPECT_EQ(b.fabric.writes[0].at - start, nanoseconds(600 + 1000));  // fetch, then nic.umr_latency
  EXPECT_EQ(b.send_cqe(0).sop_drop_qpn >> 24, 0x25u);
  EXPECT_EQ(b.stat("device.umrs"), 1u);
}

TEST(ConnectxUmr, PagesAreUnusableBeforeItIsDone) {
  UmrBench b;
  b.post(1);
  b.umr(b.key, 0, {b.writable(0), b.writable(1)}, true);
  b.ring();
  b.run_for(nanoseconds(1599) - nanoseconds(1200));
  b.offer(plain_frame(100));  // record and WQE take 1200 ns: one too early
  b.run_for(microseconds(5));
  EXPECT_EQ(b.cqe(0).op_own >> 4, 14);  // RESP_ERR
  EXPECT_EQ(b.fabric.host(Bench::kCq)[55], 0x04);
  EXPECT_EQ(b.stat("device.rq_errors"), 1u);

  UmrBench c;
  c.post(1);
  c.umr(c.key, 0, {c.writable(0), c.writable(1)}, true);
  c.ring();
  c.run_for(nanoseconds(1600) - nanoseconds(1200));
  c.offer(plain_frame(100));
  c.run_for(microseconds(5));
  EXPECT_EQ(c.cqe(0).op_own >> 4, 2);
  EXPECT_EQ(c.memory(c.page(0), 100), plain_frame(100));
}

TEST(ConnectxUmr, ChangesWhereTheSameAddressLeads) {
  UmrBench b;
  b.map(0, {b.writable(1), b.writable(2), b.writable(3), b.writable(4)});
  b.post(1);
  b.receive(1000, 1);
  b.map(0, {b.writable(30), b.writable(31)});
  b.receive(1000, 2);  // stride 1, page 0 of the key
  b.receive(1000, 3);  // stride 2, page 1
  b.receive(1000, 4);
  b.receive(1000, 5);  // stride 4, page 2: as before
  EXPECT_EQ(b.memory(b.page(1), 1000), plain_frame(1000, 1));
  EXPECT_EQ(b.memory(b.page(30) + 2048, 1000), plain_frame(1000, 2));
  EXPECT_EQ(b.memory(b.page(31), 1000), plain_frame(1000, 3));
  EXPECT_EQ(b.memory(b.page(3), 1000), plain_frame(1000, 5));
}

TEST(ConnectxUmr, OffsetNamesTheFirstEntry) {
  UmrBench b;
  b.map(4, {b.writable(40), b.writable(41), b.writable(42), b.writable(43)});
  b.map(0, {b.writable(10), b.writable(11), b.writable(12), b.writable(13)});
  b.post(2);
  b.receive(8500, 1);  // 5 strides
  b.receive(9000, 2);  // 5 more: the second WQE
  ASSERT_EQ(b.stat("device.packets_completed"), 2u);
  EXPECT_EQ(b.memory(b.page(40), 4096), [] {
    const std::vector<std::uint8_t> f = plain_frame(9000, 2);
    return std::vector<std::uint8_t>(f.begin(), f.begin() + 4096);
  }());
}

TEST(ConnectxUmr, PageWithoutWriteEnableIsAProtectionError) {
  UmrBench b;
  b.map(0, {b.writable(1), b.page(2)});
  b.post(1);
  b.receive(1000, 1);
  b.receive(1000, 2);
  EXPECT_EQ(b.stat("device.packets_completed"), 2u);
  b.fabric.writes.clear();
  b.receive(1000, 3);
  const std::uint8_t* raw = b.fabric.host(Bench::kCq + 2 * 64);
  EXPECT_EQ(raw[63] >> 4, 14);
  EXPECT_EQ(raw[55], 0x04);
  EXPECT_EQ(raw[61], 2);                  // stride
  EXPECT_EQ(raw[44] << 8 | raw[45], 1);   // strides that the packet would have taken
  EXPECT_EQ(b.fabric.writes.size(), 1u);  // nothing but the completion
}

TEST(ConnectxUmr, PagesBeyondTheTableAreAProtectionError) {
  UmrBench b;
  reinterpret_cast<rx_wqe_ll*>(b.fabric.host(Bench::kRq))->data.addr = 15 * 4096;
  b.map(14, {b.writable(1), b.writable(2)});
  b.post(1);
  b.receive(2048, 1);
  EXPECT_EQ(b.stat("device.packets_completed"), 1u);
  b.receive(4000, 2);  // page 15, then one that does not exist
  EXPECT_EQ(b.fabric.host(Bench::kCq + 64)[55], 0x04);
}

TEST(ConnectxUmr, TransmitReadsThroughTheKeyAlsoWithoutWriteEnable) {
  UmrBench b;
  b.map(2, {b.page(7), b.writable(9)});
  const std::vector<std::uint8_t> frame = plain_frame(1000, 6);
  std::memcpy(b.fabric.host(b.page(7) + 4000), frame.data(), 96);
  std::memcpy(b.fabric.host(b.page(9)), frame.data() + 96, 904);
  b.put(b.begin(0x0a, true).eth().pointer(1000, b.key, 2 * 4096 + 4000));
  b.ring();
  b.run_for(microseconds(5));
  ASSERT_EQ(b.sink.frames.size(), 1u);
  EXPECT_EQ(b.sink.frames[0].bytes, frame);
  b.put(b.begin(0x0a, true).eth().pointer(1000, b.key, 4096));  // never mapped
  b.ring();
  b.run_for(microseconds(5));
  EXPECT_EQ(b.send_cqe(2).op_own >> 4, 13);
  EXPECT_EQ(b.stat("device.sq_errors"), 1u);
}

TEST(ConnectxUmr, TwoInARowTakeTwiceAsLongAndCompleteInOrder) {
  UmrBench b;
  b.umr(b.key, 0, {b.writable(1), b.writable(2)}, true);
  b.umr(b.key, 2, {b.writable(3), b.writable(4)}, true);
  b.fabric.writes.clear();
  const Time start = b.now();
  b.ring();
  b.run_for(microseconds(5));
  ASSERT_EQ(b.fabric.writes.size(), 2u);
  EXPECT_EQ(b.fabric.writes[1].at - start, nanoseconds(600 + 2000));
  EXPECT_EQ(b.send_cqe(1).wqe_counter, 3);  // a UMR of two entries takes three blocks
}

void expect_umr_error(UmrBench& b, std::uint8_t syndrome) {
  b.ring();
  b.run_for(microseconds(5));
  EXPECT_EQ(b.send_cqe(0).op_own >> 4, 13);  // REQ_ERR
  EXPECT_EQ(b.fabric.host(SendBench::kSendCq)[55], syndrome);
}

TEST(ConnectxUmr, MistakesAreErrors) {
  UmrBench no_key;
  no_key.umr(no_key.key + 0x100, 0, {1, 2}, true);
  expect_umr_error(no_key, 0x04);
  UmrBench physical_key;
  physical_key.umr(physical_key.lkey, 0, {1, 2}, true);
  expect_umr_error(physical_key, 0x04);
  UmrBench beyond;
  beyond.umr(beyond.key, 14, {1, 2, 3, 4}, true);
  expect_umr_error(beyond, 0x04);
  UmrBench missing;  // more entries announced than there are
  Wqe w = missing.begin(0x25, true, missing.key);
  missing.put(w.zeros(4).be(2, 2).zeros(42 + 64).zeros(16));
  expect_umr_error(missing, 0x02);
}

TEST(ConnectxUmr, TableStartsOnAPage) {
  Bench b;
  command_mailbox m = Bench::mailbox(kCmdCreateMkey);
  m.mkey = {0x800, 4096, 1, 0};
  EXPECT_EQ(b.command(m).status, kCmdBadParameter);
  m.mkey = {0x1000, 4096, 1, 0};
  EXPECT_EQ(b.command(m).status, kCmdOk);
}

}  // namespace
}  // namespace ringside::connectx
