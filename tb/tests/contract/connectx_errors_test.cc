// Errors: completion queue overrun, error completions, addresses that are not RAM.
#include "tb/tests/contract/connectx_bench.h"

namespace ringside::connectx {
namespace {

TEST(ConnectxErrors, CqOverrunKillsTheQueueAndNeverWritesPastIt) {
  Bench b;
  b.open({.log_rq = 5, .log_cq = 3});
  b.arm_eq(0);
  b.post(32);
  for (int i = 0; i < 12; ++i) b.offer(plain_frame(60));
  b.run_for(microseconds(20));
  EXPECT_EQ(b.stat("device.packets_completed"), 8u);
  EXPECT_EQ(b.stat("rx_cq_error"), 4u);
  EXPECT_EQ(b.stat("device.cq_errors"), 1u);
  EXPECT_EQ(b.nic.packets_inside(), 0u);
  for (std::uint32_t i = 0; i < 8; ++i) EXPECT_EQ(b.cqe(i).wqe_counter, i);  // none overwritten
  const eqe e = b.event(0);
  EXPECT_EQ(e.type, kEventCqError);
  EXPECT_EQ(e.data[0], b.cqn);
  EXPECT_EQ(e.data[2], kCqErrorOverrun);
  EXPECT_EQ(b.fabric.interrupts.size(), 1u);
  // Dead for good, whatever the driver consumes now.
  b.set_consumer(8);
  b.arm_cq(8);
  b.offer(plain_frame(60));
  b.run_for(microseconds(20));
  EXPECT_EQ(b.stat("rx_cq_error"), 5u);
  EXPECT_EQ(b.stat("device.packets_completed"), 8u);
}

TEST(ConnectxErrors, CqThatIsConsumedInTimeDoesNotOverrun) {
  Bench b;
  b.open({.log_rq = 5, .log_cq = 3});
  b.post(32);
  for (int i = 0; i < 12; ++i) b.offer(plain_frame(60));
  // Record, WQEs, eight packets. The read of the consumer index that the low-water mark started takes its sample before
  // the driver has consumed anything; the ninth packet makes the device look again.
  b.run_for(nanoseconds(1200 + 8 * 5 + 350));
  EXPECT_EQ(b.stat("device.packets_completed"), 8u);
  EXPECT_EQ(b.stat("device.cq_record_reads"), 1u);
  b.set_consumer(4);
  b.run_for(microseconds(20));
  EXPECT_EQ(b.stat("device.packets_completed"), 12u);
  EXPECT_EQ(b.stat("device.cq_errors"), 0u);
  EXPECT_EQ(b.cqe(11).wqe_counter, 11);
}

TEST(ConnectxErrors, ConsumerIndexAheadOfTheProducerIsAnOverrun) {
  Bench b;
  b.open({.log_rq = 5, .log_cq = 3});
  b.post(32);
  b.set_consumer(9);
  for (int i = 0; i < 5; ++i) b.offer(plain_frame(60));  // the fifth brings the free entries below half
  b.run_for(microseconds(20));
  EXPECT_EQ(b.stat("device.packets_completed"), 5u);
  EXPECT_EQ(b.stat("device.cq_errors"), 1u);
}

TEST(ConnectxErrors, FullCqWithoutPostedWqesIsOutOfBuffer) {
  Bench b;
  b.open({.log_rq = 3, .log_cq = 3});
  b.post(8);
  for (int i = 0; i < 12; ++i) b.offer(plain_frame(60));
  b.run_for(microseconds(20));
  EXPECT_EQ(b.stat("device.packets_completed"), 8u);
  EXPECT_EQ(b.stat("rx_out_of_buffer"), 4u);
  EXPECT_EQ(b.stat("device.cq_errors"), 0u);
}

void expect_error_completion(Bench& b, std::uint8_t syndrome) {
  b.offer(plain_frame(200));
  b.offer(plain_frame(60));
  b.run_for(microseconds(10));
  ASSERT_TRUE(b.cqe_valid(0));
  const std::uint8_t* raw = b.fabric.host(Bench::kCq);
  EXPECT_EQ(raw[63], 14 << 4);  // RESP_ERR
  EXPECT_EQ(raw[55], syndrome);
  EXPECT_EQ(raw[60] << 8 | raw[61], 0);  // wqe_counter
  EXPECT_FALSE(b.cqe_valid(1));
  ASSERT_EQ(b.seen.completions.size(), 1u);
  EXPECT_TRUE(b.seen.completions[0].error);
  ASSERT_EQ(b.seen.drops.size(), 2u);
  EXPECT_EQ(b.seen.drops[0].cause, "rx_wqe_err");
  EXPECT_EQ(b.seen.drops[1].cause, "rx_steer_missed_packets");  // the queue is in error
  EXPECT_EQ(b.stat("device.rq_errors"), 1u);
  // Nothing of the packet was written.
  for (const MockFabric::Write& w : b.fabric.writes) EXPECT_LT(w.address, Bench::kBuffers);
  EXPECT_EQ(b.command([&] {
               command_mailbox m = Bench::mailbox(kCmdModifyRq, b.rqn);
               m.rq.state = kRqReady;
               return m;
             }())
                .status,
            kCmdBadResourceState);
}

TEST(ConnectxErrors, PacketLongerThanTheScatterList) {
  Bench b;
  b.open({.log_stride = 5, .segments = 2, .segment_bytes = 99});
  b.post(8);
  expect_error_completion(b, 0x01);
}

TEST(ConnectxErrors, TerminatorEndsTheScatterList) {
  Bench b;
  b.open({.log_stride = 5, .segments = 2, .segment_bytes = 128});
  b.post(8);
  b.segment(0, 1)->lkey = kTerminateScatterLkey;
  expect_error_completion(b, 0x01);
}

TEST(ConnectxErrors, KeyThatDoesNotExist) {
  Bench b;
  b.open();
  b.post(8);
  b.segment(0)->lkey = b.lkey + 0x100;
  expect_error_completion(b, 0x04);
}

TEST(ConnectxErrors, AddressOutsideTheKey) {
  Bench b;
  b.open();
  b.post(8);
  b.segment(0)->addr = Bench::kBase + Bench::kMemory - 199;
  expect_error_completion(b, 0x04);
}

TEST(ConnectxErrors, SecondSegmentTakesTheRest) {
  Bench b;
  b.open({.log_stride = 5, .segments = 2, .segment_bytes = 100});
  b.post(8);
  b.offer(plain_frame(200));
  b.run_for(microseconds(10));
  EXPECT_EQ(b.stat("device.packets_completed"), 1u);
  EXPECT_EQ(std::memcmp(b.fabric.host(b.buffer(0, 1)), plain_frame(200).data() + 100, 100), 0);
}

TEST(ConnectxErrors, RecordWithMoreThanTheRingHolds) {
  Bench b;
  b.open({.log_rq = 3});
  b.post(9);
  b.offer(plain_frame(60));
  b.run_for(microseconds(10));
  EXPECT_EQ(b.stat("device.rq_errors"), 1u);
  EXPECT_EQ(b.stat("rx_steer_missed_packets"), 1u);
}

TEST(ConnectxErrors, RecordThatIsNotRam) {
  Bench b;
  b.open();
  command_mailbox m = Bench::mailbox(kCmdCreateRq);
  m.rq = {Bench::kRq, 0x10, 4, 4, b.cqn, 0, kRqCyclic, 0, 0};
  b.rqn = b.create(m);
  m = Bench::mailbox(kCmdCreateTir);
  m.tir.rqn = b.rqn;
  b.create(m);
  b.set_rq_state(kRqReady);
  EXPECT_EQ(b.stat("device.rq_errors"), 1u);
}

TEST(ConnectxErrors, MailboxThatIsNotRamGetsNoAnswer) {
  Bench b;
  b.nic.mmio_write(b.now(), kRegCommandAddress, 8, 0x10);
  b.nic.mmio_write(b.now(), kRegCommandDoorbell, 4, 1);
  b.nic.mmio_write(b.now(), kRegCommandDoorbell, 4, 1);  // while the first runs
  b.run_for(microseconds(10));
  EXPECT_EQ(b.stat("device.commands_failed"), 1u);
  EXPECT_EQ(b.stat("device.mmio_ignored"), 1u);
  b.open();  // and the next command works
}

}  // namespace
}  // namespace ringside::connectx
