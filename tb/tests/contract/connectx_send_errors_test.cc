// Send queue: what is wrong with a WQE, and what happens then.
#include "tb/tests/contract/connectx_send_bench.h"

namespace ringside::connectx {
namespace {

// The WQE put last is wrong: completion `index` says so, and nothing after it is done.
void expect_error(SendBench& b, std::uint32_t index, std::uint16_t wqe, std::uint8_t opcode, std::uint8_t syndrome) {
  b.nop(true);
  b.ring();
  b.run_for(microseconds(10));
  ASSERT_TRUE(b.send_cqe_valid(index));
  const std::uint8_t* raw = b.fabric.host(SendBench::kSendCq + index * 64);
  EXPECT_EQ(raw[63] >> 4, 13);  // REQ_ERR
  EXPECT_EQ(raw[55], syndrome);
  EXPECT_EQ(raw[56], opcode);
  EXPECT_EQ(raw[60] << 8 | raw[61], wqe);
  EXPECT_FALSE(b.send_cqe_valid(index + 1));
  EXPECT_EQ(b.stat("device.sq_errors"), 1u);
  EXPECT_EQ(b.stat("device.send_error_completions"), 1u);
  EXPECT_EQ(b.try_sq_state(kRqReady), kCmdBadResourceState);  // only by way of reset
  EXPECT_EQ(b.nic.waiting_for().find("TX port"), std::string::npos) << "room in the buffer is given back";
}

TEST(ConnectxSendErrors, UnknownOpcode) {
  SendBench b;
  b.put(b.begin(0x77, false));
  expect_error(b, 0, 0, 0x77, 0x02);
}

TEST(ConnectxSendErrors, SizeZero) {
  SendBench b;
  b.put(b.begin(0x0a, false).eth(), 0);
  expect_error(b, 0, 0, 0x0a, 0x02);
}

TEST(ConnectxSendErrors, SizeBeyondWhatIsPosted) {
  SendBench b;
  b.put(b.begin(0x0a, false).eth(), 60);
  expect_error(b, 0, 0, 0x0a, 0x02);
}

TEST(ConnectxSendErrors, IndexOrQueueOfAnother) {
  SendBench b;
  Wqe w = b.begin(0x00, false);
  w.bytes[2] = 1;
  b.put(w);
  expect_error(b, 0, 0, 0x00, 0x02);
  SendBench c;
  Wqe v = c.begin(0x00, false);
  v.bytes[5] = 1;
  c.put(v);
  expect_error(c, 0, 0, 0x00, 0x02);
}

TEST(ConnectxSendErrors, KeyThatDoesNotExistAfterGoodPackets) {
  SendBench b;
  b.send(100, b.payload(0), true);
  b.put(b.begin(0x29, false)
            .eth()
            .pointer(60, b.lkey, b.payload(1))
            .pointer(60, b.lkey + 0x100, b.payload(2))
            .pointer(60, b.lkey, b.payload(3)));
  expect_error(b, 1, 1, 0x29, 0x04);
  EXPECT_EQ(b.send_cqe(0).op_own >> 4, 0);
  EXPECT_EQ(b.sink.frames.size(), 2u);
}

TEST(ConnectxSendErrors, AddressOutsideTheKey) {
  SendBench b;
  b.send(100, Bench::kBase + Bench::kMemory - 99, false);
  expect_error(b, 0, 0, 0x0a, 0x04);
}

TEST(ConnectxSendErrors, InlineDataBeyondTheWqe) {
  SendBench b;
  b.put(b.begin(0x29, false).eth().inlined(plain_frame(60)), 5);
  expect_error(b, 0, 0, 0x29, 0x02);
  SendBench header;
  header.put(header.begin(0x0a, false).eth(plain_frame(40)), 3);
  expect_error(header, 0, 0, 0x0a, 0x02);
}

TEST(ConnectxSendErrors, MultiPacketWqeWithoutPackets) {
  SendBench b;
  b.put(b.begin(0x29, false).eth());
  expect_error(b, 0, 0, 0x29, 0x02);
}

TEST(ConnectxSendErrors, NothingToSendOrTooMuch) {
  SendBench b;
  b.put(b.begin(0x0a, false).eth());
  expect_error(b, 0, 0, 0x0a, 0x01);
  SendBench zero;
  zero.send(0, zero.payload(0), false);
  expect_error(zero, 0, 0, 0x0a, 0x01);
  // 9996 bytes and the FCS are the longest frame.
  SendBench longest;
  longest.send(9996, longest.payload(0), true);
  longest.put(longest.begin(0x0a, false)
                  .eth()
                  .pointer(9000, longest.lkey, longest.payload(1))
                  .pointer(997, longest.lkey, longest.payload(2)));
  expect_error(longest, 1, 1, 0x0a, 0x01);
  ASSERT_EQ(longest.sink.frames.size(), 1u);
  EXPECT_EQ(longest.sink.frames[0].bytes.size(), 9996u);
}

TEST(ConnectxSendErrors, PayloadThatIsNotRam) {
  SendBench b;
  command_mailbox m = Bench::mailbox(kCmdCreateMkey);
  m.mkey = {0, 1ull << 40, 0, 0};
  const std::uint32_t all = b.create(m);
  b.send(100, b.payload(0), false);
  b.put(b.begin(0x0a, false).eth().pointer(100, all, 1ull << 36));
  b.send(100, b.payload(1), true);  // its payload is read, and forgotten
  expect_error(b, 0, 1, 0x0a, 0x04);
  EXPECT_EQ(b.sink.frames.size(), 1u);
}

TEST(ConnectxSendErrors, ResetStartsOver) {
  SendBench b;
  b.put(b.begin(0x77, false));
  b.ring();
  b.run_for(microseconds(5));
  b.set_sq_state(kRqReset);
  b.set_sq_state(kRqReady);
  b.posted_blocks = 0;
  b.put_payload(0, 100, 8);
  b.send(100, b.payload(0), true);
  b.ring();
  b.run_for(microseconds(5));
  EXPECT_EQ(b.send_cqe(1).op_own >> 4, 0);
  ASSERT_EQ(b.sink.frames.size(), 1u);
  EXPECT_EQ(b.sink.frames[0].bytes, plain_frame(100, 8));
}

TEST(ConnectxSendErrors, ResetForgetsReadsUnderWay) {
  SendBench b;
  b.fabric.slow_address = b.payload(0);
  b.fabric.slow_extra = microseconds(50);
  b.send(100, b.payload(0), true);
  b.ring();
  b.run_for(microseconds(1));  // the payload is on its way
  b.set_sq_state(kRqReset);
  b.set_sq_state(kRqReady);
  b.run_for(microseconds(100));
  EXPECT_TRUE(b.sink.frames.empty());
  EXPECT_FALSE(b.send_cqe_valid(0));
  EXPECT_EQ(b.nic.waiting_for().find("TX port"), std::string::npos);
}

TEST(ConnectxSendErrors, DoorbellsThatMeanNothing) {
  SendBench b;
  const std::uint64_t ignored = b.stat("device.mmio_ignored");
  b.nic.mmio_write(b.now(), kUarBlueFlame, 8, 0);  // queue 0
  EXPECT_EQ(b.stat("device.mmio_ignored"), ignored + 1);
  b.nop(true);
  b.set_sq_state(kRqReset);
  b.ring();
  EXPECT_EQ(b.stat("device.mmio_ignored"), ignored + 2);
  b.set_sq_state(kRqReady);
  b.posted_blocks = 64;  // block 64 in a ring of 64 after none
  b.nop(true);
  b.ring();
  EXPECT_EQ(b.stat("device.sq_errors"), 1u);
  b.run_for(microseconds(5));
  EXPECT_FALSE(b.send_cqe_valid(0));
}

TEST(ConnectxSendErrors, RingThatIsNotRam) {
  SendBench b;
  command_mailbox m = Bench::mailbox(kCmdCreateSq);
  m.sq = {0x40, SendBench::kSqRecord, 6, b.send_cqn, 0, 0};
  b.sqn = b.create(m);
  b.set_sq_state(kRqReady);
  b.nop(true);
  b.ring();
  b.run_for(microseconds(5));
  EXPECT_EQ(b.stat("device.sq_errors"), 1u);
}

TEST(ConnectxSendErrors, ParametersOfTheQueueAreChecked) {
  SendBench b;
  const auto status = [&](std::uint64_t buffer, std::uint64_t record, std::uint32_t log_size, std::uint32_t cqn) {
    command_mailbox m = Bench::mailbox(kCmdCreateSq);
    m.sq = {buffer, record, log_size, cqn, 0, 0};
    return b.command(m).status;
  };
  EXPECT_EQ(status(SendBench::kSq, SendBench::kSqRecord, 10, b.send_cqn), kCmdOk);
  EXPECT_EQ(status(SendBench::kSq + 32, SendBench::kSqRecord, 10, b.send_cqn), kCmdBadParameter);
  EXPECT_EQ(status(SendBench::kSq, SendBench::kSqRecord + 4, 10, b.send_cqn), kCmdBadParameter);
  EXPECT_EQ(status(SendBench::kSq, SendBench::kSqRecord, 16, b.send_cqn), kCmdBadParameter);
  EXPECT_EQ(status(SendBench::kSq, SendBench::kSqRecord, 10, 99), kCmdBadParameter);
  EXPECT_EQ(b.try_sq_state(2), kCmdBadParameter);
}

TEST(ConnectxSendErrors, FullCompletionQueueWaitsForTheConsumerThenOverruns) {
  SendBench b(bench_config(), 6, 2);
  for (int i = 0; i < 6; ++i) b.nop(true);
  b.ring();
  b.run_for(nanoseconds(850));  // blocks, then four completions and the read of the consumer index that found nothing
  EXPECT_EQ(b.send_cqe(3).wqe_counter, 3);
  b.set_send_consumer(3);
  b.run_for(microseconds(5));
  EXPECT_EQ(b.stat("device.cq_errors"), 0u);
  EXPECT_EQ(b.send_cqe(4).wqe_counter, 4);
  EXPECT_EQ(b.send_cqe(5).wqe_counter, 5);
  for (int i = 0; i < 6; ++i) b.nop(true);
  b.ring();
  b.run_for(microseconds(10));
  EXPECT_EQ(b.stat("device.cq_errors"), 1u);
  EXPECT_EQ(b.stat("device.sq_errors"), 1u);
  EXPECT_EQ(b.send_cqe(6).wqe_counter, 6);
  EXPECT_EQ(b.send_cqe(3).wqe_counter, 3);  // not overwritten
}

}  // namespace
}  // namespace ringside::connectx
