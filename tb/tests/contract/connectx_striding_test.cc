// Striding receive queue: where packets go in a multi-packet WQE, fillers, and the list of WQEs.
#include "tb/tests/contract/connectx_bench.h"

namespace ringside::connectx {
namespace {

// WQEs of 8 strides of 256 bytes, each with a buffer of its own.
class StridingBench : public Bench {
 public:
  static constexpr std::uint32_t kStrides = 8, kStride = 256, kWqeBytes = kStrides * kStride;

  explicit StridingBench(std::uint32_t log_rq = 3, std::uint32_t log_cq = 6) {
    open({.log_rq = log_rq,
          .log_cq = log_cq,
          .log_stride = 5,
          .type = kRqStriding,
          .log_strides = 3,
          .log_stride_size = 8});
    command_mailbox m = mailbox(kCmdSetPortMtu);
    m.port.mtu = 4000;
    EXPECT_EQ(command(m).status, kCmdOk);
  }

  rx_wqe_ll* wqe(std::uint32_t index) { return reinterpret_cast<rx_wqe_ll*>(fabric.host(kRq + index * 32)); }

  // Fills entry `index`, which entry `next` follows.
  void put(std::uint32_t index, std::uint32_t next) {
    rx_wqe_ll* w = wqe(index);
    w->next.next_wqe_index = static_cast<std::uint16_t>(next);
    w->data.byte_count = kWqeBytes;
    w->data.lkey = lkey;
    w->data.addr = buffer(index);
  }

  // The list in ring order; `count` entries posted.
  void post_ring(std::uint32_t count) {
    const std::uint32_t size = 1u << setup.log_rq;
    for (std::uint32_t i = 0; i < size; ++i) put(i, (i + 1) % size);
    posted += count;
    publish();
  }

  void receive(std::size_t length, std::uint8_t seed = 0) {
    offer(plain_frame(length, seed));
    run_for(microseconds(5));
  }

  // Completion `index` says: packet of `length` at this stride of this WQE, and the bytes are there.
  void expect_packet(std::uint32_t index, std::uint32_t wqe_index, std::uint32_t stride, std::uint32_t length,
                     std::uint8_t seed = 0) {
    SCOPED_TRACE(index);
    ASSERT_TRUE(cqe_valid(index));
    const cqe64 c = cqe(index);
    EXPECT_EQ(c.op_own >> 4, 2);  // RESP_SEND
    EXPECT_EQ(c.wqe_id, wqe_index);
    EXPECT_EQ(c.wqe_counter, stride);
    EXPECT_EQ(c.byte_cnt, ((length + kStride - 1) / kStride) << 16 | length);
    EXPECT_EQ(std::memcmp(fabric.host(buffer(wqe_index) + stride * kStride), plain_frame(length, seed).data(), length),
              0);
  }

  void expect_filler(std::uint32_t index, std::uint32_t wqe_index, std::uint32_t stride, std::uint32_t strides) {
    SCOPED_TRACE(index);
    ASSERT_TRUE(cqe_valid(index));
    const cqe64 c = cqe(index);
    EXPECT_EQ(c.op_own >> 4, 2);
    EXPECT_EQ(c.wqe_id, wqe_index);
    EXPECT_EQ(c.wqe_counter, stride);
    EXPECT_EQ(c.byte_cnt, 0x8000'0000u | strides << 16);
  }
};

TEST(ConnectxStriding, PacketsStartAtStridesAndTakeAsManyAsTheyNeed) {
  StridingBench b;
  b.post_ring(7);
  b.receive(60, 1);
  b.receive(256, 2);
  b.receive(257, 3);
  b.receive(900, 4);
  b.expect_packet(0, 0, 0, 60, 1);
  b.expect_packet(1, 0, 1, 256, 2);
  b.expect_packet(2, 0, 2, 257, 3);
  b.expect_packet(3, 0, 4, 900, 4);  // the last four: the WQE is used up exactly
  b.receive(100, 5);
  b.expect_packet(4, 1, 0, 100, 5);
  EXPECT_EQ(b.stat("device.wqes_consumed"), 2u);
  EXPECT_EQ(b.stat("device.filler_completions"), 0u);
}

TEST(ConnectxStriding, FillerGivesUpStridesThatCannotHoldThePacket) {
  StridingBench b;
  b.post_ring(7);
  b.receive(1400, 1);  // six strides
  b.receive(700, 2);   // needs three, two are left
  b.receive(60, 3);
  b.expect_packet(0, 0, 0, 1400, 1);
  b.expect_filler(1, 0, 6, 2);
  b.expect_packet(2, 1, 0, 700, 2);
  b.expect_packet(3, 1, 3, 60, 3);
  EXPECT_EQ(b.stat("device.filler_completions"), 1u);
  EXPECT_EQ(b.stat("device.packets_completed"), 3u);
  EXPECT_EQ(b.seen.completions.size(), 3u);  // a filler is no packet
}

TEST(ConnectxStriding, LengthCountsWithoutTheVlanTag) {
  StridingBench b;
  b.post_ring(7);
  std::vector<std::uint8_t> frame = plain_frame(260);
  frame[12] = 0x81, frame[13] = 0x00;
  b.offer(frame);
  b.run_for(microseconds(5));
  EXPECT_EQ(b.cqe(0).byte_cnt, 1u << 16 | 256u);
}

TEST(ConnectxStriding, FillerAndItsPacketNeedAnEntryEach) {
  StridingBench b(3, 3);
  b.post_ring(7);
  for (int i = 0; i < 4; ++i) b.receive(1400);  // four packets, three fillers
  b.set_consumer(1);
  b.receive(1400, 7);
  b.expect_filler(7, 3, 6, 2);
  b.expect_packet(8, 4, 0, 1400, 7);
  EXPECT_EQ(b.stat("device.cq_errors"), 0u);
  b.receive(1400);
  EXPECT_EQ(b.stat("device.cq_errors"), 1u);
  EXPECT_EQ(b.stat("rx_cq_error"), 1u);
}

TEST(ConnectxStriding, LastStridesWaitWhileNothingIsPosted) {
  StridingBench b;
  b.post_ring(1);
  b.receive(1800, 1);  // all eight strides
  b.receive(60, 2);
  EXPECT_EQ(b.stat("rx_out_of_buffer"), 1u);
  b.posted = 2;
  b.publish();
  b.receive(1000, 3);  // four strides
  b.receive(1100, 4);  // five: a filler, then no WQE
  b.expect_packet(1, 1, 0, 1000, 3);
  b.expect_filler(2, 1, 4, 4);
  EXPECT_EQ(b.stat("rx_out_of_buffer"), 2u);
}

TEST(ConnectxStriding, PacketLongerThanAWqeIsALengthError) {
  StridingBench b;
  b.post_ring(7);
  b.receive(60);
  b.receive(2049);
  b.expect_filler(1, 0, 1, 7);
  const std::uint8_t* raw = b.fabric.host(Bench::kCq + 2 * 64);
  EXPECT_EQ(raw[63] >> 4, 14);  // RESP_ERR
  EXPECT_EQ(raw[55], 0x01);     // local length
  EXPECT_EQ(raw[3], 1);         // wqe_id
  EXPECT_EQ(b.stat("device.rq_errors"), 1u);
}

TEST(ConnectxStriding, RingWrapsManyTimes) {
  StridingBench b(2);
  b.post_ring(3);
  std::uint32_t consumed = 0;
  for (std::uint32_t i = 0; i < 100; ++i) {
    b.receive(1500 + i, static_cast<std::uint8_t>(i));
    // From the second packet on, a filler of two strides comes first.
    if (i > 0) b.expect_filler(consumed++, (i - 1) % 4, 6 + (i > 37), 2 - (i > 37));
    b.expect_packet(consumed++, i % 4, 0, 1500 + i, static_cast<std::uint8_t>(i));
    if (::testing::Test::HasFailure()) return;
    b.set_consumer(consumed);
    ++b.posted;
    b.publish();
  }
}

TEST(ConnectxStriding, FollowsTheLinksInWhateverOrder) {
  StridingBench b;
  const std::uint32_t order[] = {0, 1, 5, 6, 7, 2, 4, 3};
  for (std::uint32_t i = 0; i < 8; ++i) b.put(order[i], order[(i + 1) % 8]);
  b.posted = 7;
  b.publish();
  for (std::uint32_t i = 0; i < 7; ++i) {
    b.receive(2000, static_cast<std::uint8_t>(i));
    b.expect_packet(i, order[i], 0, 2000, static_cast<std::uint8_t>(i));
  }
  b.receive(2000);
  EXPECT_EQ(b.stat("rx_out_of_buffer"), 1u);
  // The driver gets the entries back in another order, and links them behind entry 3.
  b.put(3, 4);
  b.put(4, 0);
  b.put(0, 7);
  b.posted += 2;
  b.publish();
  b.receive(2000, 77);
  b.receive(2000, 78);
  b.expect_packet(7, 3, 0, 2000, 77);
  b.expect_packet(8, 4, 0, 2000, 78);
}

TEST(ConnectxStriding, OneFetchAtATimeAndLinksDecideWhatIsKept) {
  StridingBench b;
  const std::uint32_t order[] = {0, 1, 5, 6, 7, 2, 4, 3};
  for (std::uint32_t i = 0; i < 8; ++i) b.put(order[i], order[(i + 1) % 8]);
  b.posted = 7;
  b.publish();
  b.fabric.reads.clear();
  b.receive(60);
  // 0 to 6 (0 and 1 kept), 5 to the end of the ring, 2 and 3 (2 kept), 4.
  const std::vector<std::pair<std::uint64_t, std::uint32_t>> expected{{Bench::kRqRecord, 4},
                                                                      {Bench::kRq, 7 * 32},
                                                                      {Bench::kRq + 5 * 32, 3 * 32},
                                                                      {Bench::kRq + 2 * 32, 2 * 32},
                                                                      {Bench::kRq + 4 * 32, 32}};
  ASSERT_GE(b.fabric.reads.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(b.fabric.reads[i], expected[i]) << i;
}

TEST(ConnectxStriding, ResetStartsAtEntryZeroWithNoStridesLeft) {
  StridingBench b;
  b.post_ring(3);
  b.receive(2000);
  b.receive(100);
  b.set_rq_state(kRqReset);
  b.posted = 0;
  b.post_ring(2);
  b.set_rq_state(kRqReady);
  b.receive(300, 9);
  b.expect_packet(2, 0, 0, 300, 9);
}

TEST(ConnectxStriding, ParametersOfTheQueueAreChecked) {
  StridingBench b;
  const auto status = [&](std::uint32_t type, std::uint32_t log_stride, std::uint32_t log_strides,
                          std::uint32_t log_size) {
    command_mailbox m = Bench::mailbox(kCmdCreateRq);
    m.rq = {Bench::kRq, Bench::kRqRecord, 3, log_stride, b.cqn, 0, type, log_strides, log_size};
    return b.command(m).status;
  };
  EXPECT_EQ(status(kRqStriding, 5, 6, 12), kCmdOk);
  EXPECT_EQ(status(2, 5, 6, 12), kCmdBadParameter);
  EXPECT_EQ(status(kRqStriding, 4, 6, 12), kCmdBadParameter);  // a WQE has 32 bytes
  EXPECT_EQ(status(kRqStriding, 5, 2, 12), kCmdBadParameter);
  EXPECT_EQ(status(kRqStriding, 5, 16, 12), kCmdBadParameter);
  EXPECT_EQ(status(kRqStriding, 5, 6, 5), kCmdBadParameter);
  EXPECT_EQ(status(kRqStriding, 5, 6, 14), kCmdBadParameter);
}

}  // namespace
}  // namespace ringside::connectx
