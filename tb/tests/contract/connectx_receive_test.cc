// One ConnectX, a mock fabric: commands, and packets to memory with their completions.
#include "tb/tests/contract/connectx_bench.h"

namespace ringside::connectx {
namespace {

TEST(ConnectxRegisters, FirmwareRevisionReadsBack) {
  Bench b;
  EXPECT_EQ(b.nic.mmio_read(b.now(), kRegFirmwareRevision, 4), kFirmwareRevision);
  EXPECT_EQ(b.stat("device.mmio_ignored"), 0u);
  b.nic.mmio_read(b.now(), 0x8000, 4);
  EXPECT_EQ(b.stat("device.mmio_ignored"), 1u);
}

TEST(ConnectxCommands, AnswerComesAfterReadLatencyCommandLatencyAndWriteLatency) {
  Bench b;
  command_mailbox m = Bench::mailbox(kCmdCreateMkey);
  m.mkey = {Bench::kBuffers, 4096, 0, 0};
  m.status = kCmdBusy;
  std::memcpy(b.fabric.host(Bench::kMailbox), &m, sizeof m);
  b.nic.mmio_write(b.now(), kRegCommandAddress, 8, Bench::kMailbox);
  b.nic.mmio_write(b.now(), kRegCommandDoorbell, 4, 1);
  const Time due = nanoseconds(600 + 2000 + 250);
  b.timeline.run_until(due - picoseconds(1));
  EXPECT_EQ(b.fabric.host(Bench::kMailbox)[2], kCmdBusy);
  b.timeline.run_until(due);
  EXPECT_EQ(b.fabric.host(Bench::kMailbox)[2], kCmdOk);
}

TEST(ConnectxCommands, ObjectsAreCheckedAndDestroyedInOrder) {
  Bench b;
  b.open();
  EXPECT_EQ(b.command(Bench::mailbox(0x7777)).status, kCmdBadOpcode);
  EXPECT_EQ(b.command(Bench::mailbox(kCmdDestroyEq, b.eqn)).status, kCmdBadResourceState);
  EXPECT_EQ(b.command(Bench::mailbox(kCmdDestroyCq, b.cqn)).status, kCmdBadResourceState);
  EXPECT_EQ(b.command(Bench::mailbox(kCmdDestroyRq, b.rqn)).status, kCmdBadResourceState);
  ASSERT_EQ(b.nic.cq_ranges().size(), 1u);
  EXPECT_EQ(b.nic.cq_ranges()[0].base, PhysAddr{Bench::kCq});
  EXPECT_EQ(b.nic.cq_ranges()[0].log_size, 6u);
  EXPECT_EQ(b.command(Bench::mailbox(kCmdDestroyTir, b.tirn)).status, kCmdOk);
  EXPECT_EQ(b.command(Bench::mailbox(kCmdDestroyRq, b.rqn)).status, kCmdOk);
  EXPECT_EQ(b.command(Bench::mailbox(kCmdDestroyCq, b.cqn)).status, kCmdOk);
  EXPECT_EQ(b.command(Bench::mailbox(kCmdDestroyEq, b.eqn)).status, kCmdOk);
  EXPECT_EQ(b.command(Bench::mailbox(kCmdDestroyMkey, b.lkey)).status, kCmdOk);
  EXPECT_EQ(b.command(Bench::mailbox(kCmdDestroyMkey, b.lkey)).status, kCmdBadParameter);
  EXPECT_TRUE(b.nic.cq_ranges().empty());
}

TEST(ConnectxReceive, PacketLandsWithAnExactCompletion) {
  Bench b;
  b.open();
  b.post(8);
  const std::vector<std::uint8_t> frame = plain_frame(100);
  b.timeline.run_until(nanoseconds(123'456));
  b.offer(frame);
  b.run_for(microseconds(5));
  EXPECT_EQ(std::memcmp(b.fabric.host(b.buffer(0)), frame.data(), frame.size()), 0);
  // The byte map of an ordinary receive completion: everything else is zero.
  std::uint8_t expected[64] = {};
  std::uint32_t sum = 0;
  for (std::size_t i = 14; i < frame.size(); i += 2) sum += frame[i] << 8 | frame[i + 1];
  sum = (sum & 0xffff) + (sum >> 16);
  sum = (sum & 0xffff) + (sum >> 16);
  expected[20] = static_cast<std::uint8_t>(sum >> 8);
  expected[21] = static_cast<std::uint8_t>(sum);
  expected[28] = 1;    // L2 ok
  expected[47] = 100;  // byte_cnt
  expected[53] = 123'456 >> 16;
  expected[54] = (123'456 >> 8) & 0xff;
  expected[55] = 123'456 & 0xff;
  expected[63] = 0x20;  // RESP_SEND, no format, lap 0
  const std::uint8_t* actual = b.fabric.host(Bench::kCq);
  for (int i = 0; i < 64; ++i) EXPECT_EQ(actual[i], expected[i]) << "byte " << i;
  EXPECT_FALSE(b.cqe_valid(1));
  ASSERT_EQ(b.seen.completions.size(), 1u);
  EXPECT_EQ(b.seen.completions[0].slot, Bench::kCq);
  EXPECT_FALSE(b.seen.completions[0].error);
}

TEST(ConnectxReceive, DataIsPostedBeforeItsCompletion) {
  Bench b;
  b.open({.log_stride = 5, .segments = 2, .segment_bytes = 64});
  b.post(4);
  b.fabric.writes.clear();
  const std::vector<std::uint8_t> frame = plain_frame(100);
  b.offer(frame);
  b.run_for(microseconds(5));
  ASSERT_EQ(b.fabric.writes.size(), 3u);
  EXPECT_EQ(b.fabric.writes[0].address, b.buffer(0, 0));
  EXPECT_EQ(b.fabric.writes[0].data, std::vector<std::uint8_t>(frame.begin(), frame.begin() + 64));
  EXPECT_EQ(b.fabric.writes[1].address, b.buffer(0, 1));
  EXPECT_EQ(b.fabric.writes[1].data, std::vector<std::uint8_t>(frame.begin() + 64, frame.end()));
  EXPECT_EQ(b.fabric.writes[2].address, Bench::kCq);
}

TEST(ConnectxReceive, OwnerFlipsEachLapAndTheWqeCounterRunsOn) {
  Bench b;
  b.open({.log_rq = 3, .log_cq = 3});
  b.post(8);
  for (std::uint32_t i = 0; i < 40; ++i) {
    EXPECT_FALSE(b.cqe_valid(i)) << i;
    b.offer(plain_frame(60 + i));
    b.run_for(microseconds(3));
    ASSERT_TRUE(b.cqe_valid(i)) << i;
    EXPECT_EQ(b.cqe(i).wqe_counter, i);
    EXPECT_EQ(b.cqe(i).byte_cnt, 60 + i);
    b.set_consumer(i + 1);
    b.post(1);
  }
  EXPECT_TRUE(b.seen.drops.empty());
}

}  // namespace
}  // namespace ringside::connectx
