// Completion events: arming, moderation by count and time, event queue and interrupt.
#include "model/base/errors.h"
#include "tb/tests/contract/connectx_bench.h"

namespace ringside::connectx {
namespace {

// A bench whose WQEs are cached, so that a packet completes at once.
struct Warm : Bench {
  explicit Warm(Setup s) {
    open(s);
    post(64);
    offer(plain_frame(60));
    run_for(microseconds(100));
    set_consumer(1);
  }
  void packet() { offer(plain_frame(60)); }
};

TEST(ConnectxEvents, UnarmedQueueIsSilent) {
  Warm b({});
  b.arm_eq(0);
  b.packet();
  b.run_for(milliseconds(1));
  EXPECT_EQ(b.stat("device.eqes"), 0u);
  EXPECT_TRUE(b.fabric.interrupts.empty());
}

TEST(ConnectxEvents, ArmedQueueRaisesOneEventAndOneInterrupt) {
  Warm b({});
  b.arm_eq(0);
  b.arm_cq(1);
  EXPECT_TRUE(b.fabric.interrupts.empty());
  b.fabric.writes.clear();
  const Time at = b.now();
  b.packet();
  b.packet();
  b.run_for(microseconds(10));
  ASSERT_EQ(b.fabric.interrupts.size(), 1u);
  EXPECT_EQ(b.fabric.interrupts[0], std::make_pair(at, Bench::kVector));
  EXPECT_EQ(b.seen.interrupts, b.fabric.interrupts);
  ASSERT_GE(b.fabric.writes.size(), 3u);  // data, completion, event: in this order
  EXPECT_EQ(b.fabric.writes[1].address, Bench::kCq + 64);
  EXPECT_EQ(b.fabric.writes[2].address, Bench::kEq);
  const std::uint8_t* raw = b.fabric.host(Bench::kEq);
  std::uint8_t expected[64] = {};
  expected[59] = static_cast<std::uint8_t>(b.cqn);
  for (int i = 0; i < 64; ++i) EXPECT_EQ(raw[i], expected[i]) << "byte " << i;
}

TEST(ConnectxEvents, ArmingBehindTheProducerFiresAtOnce) {
  Warm b({});
  b.arm_eq(0);
  b.packet();
  b.run_for(microseconds(1));
  b.arm_cq(2);  // both seen
  EXPECT_TRUE(b.fabric.interrupts.empty());
  b.arm_cq(1);
  EXPECT_EQ(b.fabric.interrupts.size(), 1u);
}

TEST(ConnectxEvents, SolicitedOnlyNeverFires) {
  Warm b({});
  b.arm_eq(0);
  b.arm_cq(1, kCqArmSolicited);
  b.packet();
  b.run_for(microseconds(10));
  EXPECT_TRUE(b.fabric.interrupts.empty());
}

TEST(ConnectxEvents, UnarmedEqKeepsEventsAndFiresWhenArmed) {
  Warm b({});
  b.arm_cq(1);
  b.packet();
  b.run_for(microseconds(1));
  EXPECT_EQ(b.stat("device.eqes"), 1u);
  EXPECT_TRUE(b.fabric.interrupts.empty());
  b.arm_eq(0);  // event 0 is unconsumed
  EXPECT_EQ(b.fabric.interrupts.size(), 1u);
  b.ring_eq(kUarEqUpdate, 1);
  b.arm_eq(1);
  EXPECT_EQ(b.fabric.interrupts.size(), 1u);
}

TEST(ConnectxEvents, InterruptDisarmsTheEq) {
  Warm b({});
  b.arm_eq(0);
  b.arm_cq(1);
  b.packet();
  b.run_for(microseconds(1));
  b.arm_cq(2);
  b.packet();
  b.run_for(microseconds(1));
  EXPECT_EQ(b.stat("device.eqes"), 2u);
  EXPECT_EQ(b.fabric.interrupts.size(), 1u);
}

TEST(ConnectxEvents, OwnerOfEventsFlipsEachLap) {
  Warm b({.log_rq = 6, .log_cq = 6, .log_eq = 2});
  for (std::uint32_t i = 0; i < 12; ++i) {
    b.arm_eq(i);
    b.arm_cq(i + 1);
    b.packet();
    b.run_for(microseconds(1));
    EXPECT_EQ(b.event(i).owner, i >> 2 & 1) << i;
    EXPECT_EQ(b.event(i).data[6], b.cqn);
  }
  EXPECT_EQ(b.fabric.interrupts.size(), 12u);
}

TEST(ConnectxEvents, EqOverflowIsABrokenRule) {
  Warm b({.log_eq = 1});
  for (std::uint32_t i = 0; i < 2; ++i) b.arm_cq(i + 1), b.packet(), b.run_for(microseconds(1));
  b.arm_cq(3);
  EXPECT_THROW(b.packet(), InvariantError);
}

TEST(ConnectxEvents, EqConsumerBeyondTheProducerIsABrokenRule) {
  Warm b({});
  EXPECT_THROW(b.arm_eq(1), InvariantError);
}

// Raises a first event, so that the moderation clock has a start, and returns its time.
Time first_event(Warm& b) {
  b.arm_eq(0);
  b.arm_cq(1);
  while (b.fabric.interrupts.empty()) {
    b.packet();
    b.run_for(nanoseconds(10));
  }
  b.arm_eq(1);
  return b.fabric.interrupts[0].first;
}

std::uint32_t produced(const Warm& b) { return static_cast<std::uint32_t>(b.stat("device.packets_completed")); }

TEST(ConnectxEvents, PeriodFromTheLastEvent) {
  Warm b({.period_us = 16, .max_count = 32});
  const Time event = first_event(b);  // long after the start: at once
  b.arm_cq(produced(b));
  b.run_for(microseconds(3));
  b.packet();
  b.run_for(microseconds(3));
  b.packet();  // does not restart the period
  b.timeline.run_until(event + microseconds(16) - picoseconds(1));
  EXPECT_EQ(b.fabric.interrupts.size(), 1u);
  b.timeline.run_until(event + microseconds(16));
  EXPECT_EQ(b.fabric.interrupts.size(), 2u);
}

TEST(ConnectxEvents, PeriodFromTheLastEventIsOverAfterAQuietTime) {
  Warm b({.period_us = 16, .max_count = 32});
  const Time event = first_event(b);
  b.arm_cq(produced(b));
  b.timeline.run_until(event + microseconds(16));
  EXPECT_EQ(b.fabric.interrupts.size(), 1u);
  b.packet();
  EXPECT_EQ(b.fabric.interrupts.size(), 2u);
}

TEST(ConnectxEvents, PeriodFromTheLatestCompletionRestarts) {
  Warm b({.period_us = 3, .max_count = 32, .from_cqe = 1});
  b.arm_eq(0);
  b.arm_cq(1);
  b.packet();
  b.run_for(microseconds(2));
  b.packet();
  b.run_for(microseconds(2));
  b.packet();
  const Time latest = b.now();
  EXPECT_TRUE(b.fabric.interrupts.empty());
  b.timeline.run_until(latest + microseconds(3) - picoseconds(1));
  EXPECT_TRUE(b.fabric.interrupts.empty());
  b.timeline.run_until(latest + microseconds(3));
  EXPECT_EQ(b.fabric.interrupts.size(), 1u);
}

void expect_event_at_count(bool from_cqe) {
  Warm b({.period_us = 100, .max_count = 8, .from_cqe = from_cqe ? 1u : 0u});
  b.arm_eq(0);
  b.arm_cq(1);
  while (b.fabric.interrupts.empty()) b.packet(), b.run_for(nanoseconds(10));  // one event, wherever it falls
  b.arm_eq(1);
  b.arm_cq(produced(b));
  for (int i = 0; i < 7; ++i) {
    b.packet();
    b.run_for(nanoseconds(10));
    EXPECT_EQ(b.fabric.interrupts.size(), 1u) << i;
  }
  b.packet();
  EXPECT_EQ(b.fabric.interrupts.size(), 2u);
}

TEST(ConnectxEvents, CountEndsThePeriodInBothModes) {
  expect_event_at_count(false);
  expect_event_at_count(true);
}

TEST(ConnectxEvents, CompletionsWhilePollingCountTowardsTheNextEvent) {
  Warm b({.period_us = 100, .max_count = 8});
  first_event(b);
  for (int i = 0; i < 8; ++i) b.packet(), b.run_for(nanoseconds(10));  // unarmed
  b.arm_cq(produced(b));                                               // all consumed: nothing to report
  EXPECT_EQ(b.fabric.interrupts.size(), 1u);
  b.packet();
  EXPECT_EQ(b.fabric.interrupts.size(), 2u);
}

TEST(ConnectxEvents, ModerationCanBeChanged) {
  Warm b({.period_us = 1000, .max_count = 100});
  const Time event = first_event(b);
  b.arm_cq(produced(b));
  b.packet();
  b.setup.period_us = 50;
  EXPECT_EQ(b.command(b.cq_mailbox(kCmdModifyCq)).status, kCmdOk);
  b.timeline.run_until(event + microseconds(50) - picoseconds(1));
  EXPECT_EQ(b.fabric.interrupts.size(), 1u);
  b.timeline.run_until(event + microseconds(50));
  EXPECT_EQ(b.fabric.interrupts.size(), 2u);
  b.setup.period_us = 4096;  // 12 bits
  EXPECT_EQ(b.command(b.cq_mailbox(kCmdModifyCq)).status, kCmdBadParameter);
}

TEST(ConnectxEvents, DoorbellsOfUnknownQueuesAreIgnored) {
  Bench b;
  b.open();
  b.cqn = 77;
  b.arm_cq(0);
  b.eqn = 77;
  b.arm_eq(0);
  EXPECT_EQ(b.stat("device.mmio_ignored"), 2u);
}

}  // namespace
}  // namespace ringside::connectx
