// Send queue: WQEs become frames on the wire and completions in host memory.
#include "tb/tests/contract/connectx_send_bench.h"

namespace ringside::connectx {
namespace {

// Last bit of a frame of `length` bytes without FCS, from its start: 8 bytes of preamble, 4 of FCS, 80 ps a byte.
Time on_wire(std::uint64_t length) { return picoseconds(80 * (8 + length + 4)); }

TEST(ConnectxSend, CompletionOfANopIsExact) {
  SendBench b;
  for (int i = 0; i < 3; ++i) b.nop(false);
  b.nop(true);
  b.ring();
  b.run_for(microseconds(5));
  std::uint8_t expected[64] = {};
  expected[59] = static_cast<std::uint8_t>(b.sqn);  // opcode 0, queue number
  expected[61] = 3;                                 // wqe_counter
  expected[63] = 0x00;                              // REQ, lap 0
  const std::uint8_t* actual = b.fabric.host(SendBench::kSendCq);
  for (int i = 0; i < 64; ++i) EXPECT_EQ(actual[i], expected[i]) << "byte " << i;
  EXPECT_FALSE(b.send_cqe_valid(1));
  EXPECT_EQ(b.stat("device.send_nops"), 4u);
}

TEST(ConnectxSend, OneSendTakesTwoReadsAndThenTheWire) {
  SendBench b;
  const std::vector<std::uint8_t> frame = b.put_payload(0, 200, 9);
  b.send(200, b.payload(0), true);
  b.fabric.reads.clear();
  b.fabric.writes.clear();
  const Time start = b.now();
  b.ring();
  b.run_for(microseconds(5));
  const std::vector<std::pair<std::uint64_t, std::uint32_t>> reads{{SendBench::kSq, 64}, {b.payload(0), 200}};
  EXPECT_EQ(b.fabric.reads, reads);
  ASSERT_EQ(b.fabric.writes.size(), 1u);
  EXPECT_EQ(b.fabric.writes[0].address, SendBench::kSendCq);
  EXPECT_EQ(b.fabric.writes[0].at - start, nanoseconds(1200));
  EXPECT_EQ(b.send_cqe(0).wqe_counter, 0);
  EXPECT_EQ(b.send_cqe(0).sop_drop_qpn, 0x0a00'0000u | b.sqn);
  ASSERT_EQ(b.sink.frames.size(), 1u);
  EXPECT_EQ(b.sink.frames[0].bytes, frame);
  EXPECT_EQ(b.sink.frames[0].at - start, nanoseconds(1200) + on_wire(200));
  EXPECT_EQ(b.stat("tx_packets_phy"), 1u);
  EXPECT_EQ(b.stat("tx_bytes_phy"), 204u);
}

TEST(ConnectxSend, FramesLeaveByTheQueuesPort) {
  SendBench b;
  Listener second;
  b.nic.set_transmit_sink(&second, 1);
  command_mailbox m = b.mailbox(kCmdCreateSq);
  m.sq = {SendBench::kSq, SendBench::kSqRecord, b.log_sq, b.send_cqn, 0, 1};
  b.sqn = b.create(m);
  b.set_sq_state(kRqReady);
  const std::vector<std::uint8_t> frame = b.put_payload(0, 200, 9);
  b.send(200, b.payload(0), true);
  b.ring();
  b.run_for(microseconds(5));
  EXPECT_TRUE(b.sink.frames.empty());
  ASSERT_EQ(second.frames.size(), 1u);
  EXPECT_EQ(second.frames[0].bytes, frame);
  EXPECT_EQ(b.stat("tx_packets_phy"), 0u);
  EXPECT_EQ(b.stat("eth1:tx_packets_phy"), 1u);
  EXPECT_EQ(b.stat("eth1:tx_bytes_phy"), 204u);
}

TEST(ConnectxSend, ThereAreTwoPorts) {
  SendBench b;
  command_mailbox m = b.mailbox(kCmdCreateSq);
  m.sq = {SendBench::kSq, SendBench::kSqRecord, b.log_sq, b.send_cqn, 0, 2};
  EXPECT_EQ(b.command(m).status, kCmdBadParameter);
}

TEST(ConnectxSend, CompletionAndFrameComeAfterTheEnginesLatency) {
  ConnectxConfig config = bench_config();
  config.tx_latency = nanoseconds(700);
  SendBench b(config);
  b.put_payload(0, 200, 9);
  b.send(200, b.payload(0), true);
  b.fabric.writes.clear();
  const Time start = b.now();
  b.ring();
  b.run_for(microseconds(5));
  ASSERT_EQ(b.fabric.writes.size(), 1u);
  EXPECT_EQ(b.fabric.writes[0].at - start, nanoseconds(1200 + 700));
  ASSERT_EQ(b.sink.frames.size(), 1u);
  EXPECT_EQ(b.sink.frames[0].at - start, nanoseconds(1200 + 700) + on_wire(200));
}

// Ten packets that are there at once pass one after the other, 5 ns each.
TEST(ConnectxSend, CompletionWaitsUntilAllPacketsHavePassedTheEngine) {
  SendBench b;
  Wqe w = b.begin(0x29, true).eth();
  for (int packet = 0; packet < 10; ++packet) w.inlined(plain_frame(60));
  b.put(w);
  b.fabric.writes.clear();
  const Time start = b.now();
  b.ring();
  b.run_for(microseconds(5));
  ASSERT_EQ(b.fabric.writes.size(), 1u);
  // The first request of 512 bytes brings most of the WQE, and it is executed when all of it is there.
  EXPECT_EQ(b.fabric.writes[0].at - start, nanoseconds(600 + 9 * 5));
}

TEST(ConnectxSend, InlineHeaderAndSegmentsAreJoined) {
  SendBench b;
  const std::vector<std::uint8_t> all = plain_frame(400, 3);
  const auto part = [&](int from, int to) { return std::vector<std::uint8_t>(all.begin() + from, all.begin() + to); };
  std::memcpy(b.fabric.host(b.payload(1)), all.data() + 18, 282);
  std::memcpy(b.fabric.host(b.payload(2)), all.data() + 330, 70);
  b.put(b.begin(0x0a, true)
            .eth(part(0, 18))
            .pointer(282, b.lkey, b.payload(1))
            .inlined(part(300, 330))
            .pointer(70, b.lkey, b.payload(2)));
  b.ring();
  b.run_for(microseconds(5));
  ASSERT_EQ(b.sink.frames.size(), 1u);
  EXPECT_EQ(b.sink.frames[0].bytes, all);
  EXPECT_TRUE(b.send_cqe_valid(0));
}

TEST(ConnectxSend, ShortFramesArePadded) {
  SendBench b;
  b.put(b.begin(0x0a, true).eth(plain_frame(20, 5)));  // a header and nothing else
  b.ring();
  b.run_for(microseconds(5));
  std::vector<std::uint8_t> expected = plain_frame(20, 5);
  expected.resize(60);
  ASSERT_EQ(b.sink.frames.size(), 1u);
  EXPECT_EQ(b.sink.frames[0].bytes, expected);
  EXPECT_EQ(b.stat("tx_bytes_phy"), 64u);
}

TEST(ConnectxSend, MultiPacketWqeWithPointers) {
  SendBench b;
  Wqe w = b.begin(0x29, true).eth();
  for (std::uint32_t i = 0; i < 58; ++i) {
    b.put_payload(i, 60 + i, static_cast<std::uint8_t>(i));
    w.pointer(60 + i, b.lkey, b.payload(i));
  }
  b.put(w);  // 60 DS, 15 blocks
  EXPECT_EQ(b.posted_blocks, 15u);
  b.ring();
  b.run_for(microseconds(20));
  ASSERT_EQ(b.sink.frames.size(), 58u);
  for (std::uint32_t i = 0; i < 58; ++i) {
    EXPECT_EQ(b.sink.frames[i].bytes, plain_frame(60 + i, static_cast<std::uint8_t>(i)));
    EXPECT_EQ(b.sink.frames[i].sequence, i);
  }
  EXPECT_TRUE(b.send_cqe_valid(0));
  EXPECT_FALSE(b.send_cqe_valid(1));
}

TEST(ConnectxSend, MultiPacketWqeWithInlineDataNeedsNoFurtherRead) {
  SendBench b;
  Wqe w = b.begin(0x29, true).eth();
  for (std::uint32_t i = 0; i < 11; ++i) w.inlined(plain_frame(60, static_cast<std::uint8_t>(i)));
  b.put(w);
  EXPECT_EQ(b.posted_blocks, 12u);  // 2 + 11 * 4 DS
  b.fabric.reads.clear();
  const Time start = b.now();
  b.ring();
  b.run_for(microseconds(5));
  EXPECT_EQ(b.fabric.reads.size(), 2u);  // 12 blocks, 8 at a time
  ASSERT_EQ(b.sink.frames.size(), 11u);
  for (std::uint32_t i = 0; i < 11; ++i) {
    EXPECT_EQ(b.sink.frames[i].bytes, plain_frame(60, static_cast<std::uint8_t>(i)));
    // 84 bytes on the wire take 6.72 ns, more than the 5 ns of the engine.
    EXPECT_EQ(b.sink.frames[i].at - start, nanoseconds(600) + on_wire(60) + picoseconds(6720) * i);
  }
}

TEST(ConnectxSend, NopsPadTheEndOfTheRing) {
  SendBench b;  // 64 blocks
  std::uint32_t sent = 0, completions = 0;
  for (std::uint32_t lap = 0; lap < 40; ++lap) {
    const std::uint32_t packets = 1 + lap % 11;
    const std::uint32_t blocks = (2 + packets * 4 + 3) / 4;
    while (64 - b.posted_blocks % 64 < blocks) b.nop(false);
    const std::uint32_t index = b.posted_blocks;
    Wqe w = b.begin(0x29, true).eth();
    for (std::uint32_t i = 0; i < packets; ++i) w.inlined(plain_frame(60, static_cast<std::uint8_t>(sent + i)));
    b.put(w);
    b.ring();
    b.run_for(microseconds(5));
    ASSERT_TRUE(b.send_cqe_valid(completions));
    EXPECT_EQ(b.send_cqe(completions).wqe_counter, index);
    b.set_send_consumer(++completions);
    for (std::uint32_t i = 0; i < packets; ++i, ++sent) {
      ASSERT_EQ(b.sink.frames.at(sent).bytes, plain_frame(60, static_cast<std::uint8_t>(sent)));
    }
  }
  EXPECT_EQ(b.sink.frames.size(), sent);
  EXPECT_GT(b.posted_blocks, 64u * 3);
  EXPECT_GT(b.stat("device.send_nops"), 0u);
}

TEST(ConnectxSend, AWqeMayWrapAndCountersPassSixteenBits) {
  SendBench b;
  b.fabric.log = false;
  b.nic.set_transmit_sink(nullptr);
  std::uint32_t completions = 0;
  while (b.posted_blocks < 70'000) {
    const std::uint32_t index = b.posted_blocks;
    Wqe w = b.begin(0x29, true).eth();
    for (int i = 0; i < 14; ++i) w.inlined(plain_frame(60));
    b.put(w);  // 58 DS, 15 blocks
    b.ring();
    b.run_for(microseconds(2));
    ASSERT_TRUE(b.send_cqe_valid(completions));
    ASSERT_EQ(b.send_cqe(completions).wqe_counter, index & 0xffff);
    b.set_send_consumer(++completions);
  }
  EXPECT_EQ(b.stat("tx_packets_phy"), completions * 14u);
}

TEST(ConnectxSend, OneCompletionForOneDoorbell) {
  SendBench b;
  for (std::uint32_t i = 0; i < 20; ++i) {
    b.put_payload(i, 100);
    b.send(100, b.payload(i), i == 19);
  }
  b.ring();
  b.run_for(microseconds(10));
  EXPECT_EQ(b.sink.frames.size(), 20u);
  EXPECT_TRUE(b.send_cqe_valid(0));
  EXPECT_EQ(b.send_cqe(0).wqe_counter, 19);
  EXPECT_FALSE(b.send_cqe_valid(1));
}

TEST(ConnectxSend, LatePayloadHoldsBackWhatFollows) {
  SendBench b;
  for (std::uint32_t i = 0; i < 4; ++i) {
    b.put_payload(i, 100, static_cast<std::uint8_t>(i));
    b.send(100, b.payload(i), true);
  }
  b.fabric.slow_address = b.payload(1);
  b.fabric.slow_extra = microseconds(3);
  const Time start = b.now();
  b.ring();
  b.run_for(microseconds(4));
  EXPECT_EQ(b.sink.frames.size(), 1u);
  EXPECT_TRUE(b.send_cqe_valid(0));
  EXPECT_FALSE(b.send_cqe_valid(1));
  b.run_for(microseconds(4));
  ASSERT_EQ(b.sink.frames.size(), 4u);
  for (std::uint32_t i = 0; i < 4; ++i) {
    EXPECT_EQ(b.sink.frames[i].bytes, plain_frame(100, static_cast<std::uint8_t>(i)));
    EXPECT_EQ(b.send_cqe(i).wqe_counter, i);
  }
  EXPECT_EQ(b.sink.frames[1].at - start, nanoseconds(4200) + on_wire(100));
}

TEST(ConnectxSend, FetchesAreLimitedInSizeAndNumber) {
  ConnectxConfig config = bench_config();
  config.sq_fetch = 4;
  config.sq_reads = 2;
  SendBench b(config);
  for (int i = 0; i < 18; ++i) b.nop(i == 17);
  b.fabric.reads.clear();
  b.ring();
  ASSERT_EQ(b.fabric.reads.size(), 2u);
  EXPECT_EQ(b.fabric.reads[0], std::make_pair(SendBench::kSq, 256u));
  EXPECT_EQ(b.fabric.reads[1], std::make_pair(SendBench::kSq + 256, 256u));
  b.run_for(microseconds(5));
  ASSERT_EQ(b.fabric.reads.size(), 5u);
  EXPECT_EQ(b.fabric.reads[4], std::make_pair(SendBench::kSq + 1024, 128u));
  EXPECT_TRUE(b.send_cqe_valid(0));
}

TEST(ConnectxSend, OnlyWhatTheDoorbellAnnouncesIsFetched) {
  SendBench b;
  b.nop(true);
  b.ring();
  b.nop(true);
  b.nop(true);
  b.run_for(microseconds(5));
  EXPECT_TRUE(b.send_cqe_valid(0));
  EXPECT_FALSE(b.send_cqe_valid(1));
  EXPECT_EQ(b.stat("device.sq_wqebbs_fetched"), 1u);
  b.ring();
  b.run_for(microseconds(5));
  EXPECT_TRUE(b.send_cqe_valid(2));
  EXPECT_EQ(b.timeline.next(), Time::max());
}

TEST(ConnectxSend, PayloadReadsAreLimitedInNumber) {
  ConnectxConfig config = bench_config();
  config.tx_reads = 3;
  SendBench b(config);
  for (std::uint32_t i = 0; i < 10; ++i) b.send(100, b.payload(i), i == 9);
  b.ring();
  b.run_for(nanoseconds(1150));  // 600 for the first blocks
  const auto payload_reads = [&] {
    return std::count_if(b.fabric.reads.begin(), b.fabric.reads.end(),
                         [](const auto& r) { return r.first >= Bench::kBuffers; });
  };
  EXPECT_EQ(payload_reads(), 3);
  b.run_for(nanoseconds(600));
  EXPECT_EQ(payload_reads(), 6);
  b.run_for(microseconds(5));
  EXPECT_EQ(b.sink.frames.size(), 10u);
  EXPECT_TRUE(b.send_cqe_valid(0));
}

TEST(ConnectxSend, TransmitBufferLimitsWhatIsAskedFor) {
  ConnectxConfig config = bench_config();
  config.tx_buffer = kibibytes(10);  // six frames of 1500 bytes
  SendBench b(config);
  for (std::uint32_t i = 0; i < 20; ++i) b.send(1500, b.payload(i), i == 19);
  b.fabric.reads.clear();
  b.ring();
  b.run_for(nanoseconds(1150));
  EXPECT_EQ(b.fabric.reads.size(), 3u + 6u);  // 20 blocks, 6 packets
  b.run_for(microseconds(10));
  EXPECT_EQ(b.sink.frames.size(), 20u);
  EXPECT_TRUE(b.send_cqe_valid(0));
}

TEST(ConnectxSend, QueuesTakeTurns) {
  SendBench b;
  command_mailbox m = Bench::mailbox(kCmdCreateSq);
  m.sq = {SendBench::kSq + 0x10000, SendBench::kSqRecord + 8, 6, b.send_cqn, 0, 0};
  const std::uint32_t second = b.create(m);
  m = Bench::mailbox(kCmdModifySq, second);
  m.sq.state = kRqReady;
  EXPECT_EQ(b.command(m).status, kCmdOk);
  Wqe w = b.begin(0x29, true).eth();
  for (int i = 0; i < 8; ++i) w.inlined(plain_frame(60, static_cast<std::uint8_t>(i)));
  b.put(w);
  // The same into the other queue, with other bytes.
  w.bytes[6] = static_cast<std::uint8_t>(second);
  w.bytes[7] = static_cast<std::uint8_t>(w.bytes.size() / 16);
  for (int i = 0; i < 8; ++i) {
    std::memcpy(w.bytes.data() + 36 + i * 64, plain_frame(60, static_cast<std::uint8_t>(100 + i)).data(), 60);
  }
  std::memcpy(b.fabric.host(SendBench::kSq + 0x10000), w.bytes.data(), w.bytes.size());
  std::uint64_t doorbell = 0;
  std::memcpy(&doorbell, w.bytes.data(), 8);
  b.fabric.slow_address = SendBench::kSq;  // both WQEs are there when the second one is
  b.ring();
  b.nic.mmio_write(b.now(), kUarBlueFlame, 8, doorbell);
  b.run_for(microseconds(5));
  ASSERT_EQ(b.sink.frames.size(), 16u);
  EXPECT_TRUE(b.send_cqe_valid(1));
  EXPECT_EQ(b.command(Bench::mailbox(kCmdDestroyCq, b.send_cqn)).status, kCmdBadResourceState);
  EXPECT_EQ(b.command(Bench::mailbox(kCmdDestroySq, second)).status, kCmdOk);
  EXPECT_EQ(b.command(Bench::mailbox(kCmdDestroySq, second)).status, kCmdBadParameter);
  EXPECT_EQ(b.command(Bench::mailbox(kCmdDestroySq, b.sqn)).status, kCmdOk);
  EXPECT_EQ(b.command(Bench::mailbox(kCmdDestroyCq, b.send_cqn)).status, kCmdOk);
}

TEST(ConnectxSend, SaysWhatItWaitsFor) {
  SendBench b;
  b.send(100, b.payload(0), true);
  b.ring();
  b.run_for(nanoseconds(700));
  EXPECT_NE(b.nic.waiting_for().find("TX port: 100 B"), std::string::npos);
  EXPECT_NE(b.nic.waiting_for().find("unfinished items 2"), std::string::npos);
}

}  // namespace
}  // namespace ringside::connectx
