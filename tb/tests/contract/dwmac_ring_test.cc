// The descriptor ring: prefetch, tail pointer, running dry and going on.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tb/tests/contract/dwmac_bench.h"

namespace ringside::dwmac {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

using Reads = std::vector<std::pair<std::uint64_t, std::uint32_t>>;

TEST(DwmacRing, PrefetchesInBurstsAndRefillsAtTheThreshold) {
  Bench b;
  b.open_armed({.entries = 64});
  // The cache holds 16; a bus burst of 16 beats of 16 bytes brings as many.
  EXPECT_EQ(b.fabric.memory.reads, (Reads{{Bench::kRing, 256}}));
  for (int i = 0; i < 7; ++i) b.receive(plain_frame(60));
  EXPECT_EQ(b.fabric.memory.reads.size(), 1u) << "9 are left";
  b.receive(plain_frame(60));
  EXPECT_EQ(b.fabric.memory.reads, (Reads{{Bench::kRing, 256}, {Bench::kRing + 256, 128}})) << "8 are left, 8 are free";
}

TEST(DwmacRing, BurstIsNoLongerThanTheBusAllows) {
  Bench b;
  for (std::uint32_t i = 0; i < 64; ++i) b.arm(i);
  b.open({.entries = 64});
  b.run_for(microseconds(2));
  b.write(b.map.sys_bus, 0x0303'0000 | 1u << kSysBusBlenShift);  // 4 beats
  EXPECT_EQ(b.fabric.limits.beats, 4u);
  EXPECT_EQ(b.fabric.limits.reads, 4u) << "OSR code 3";
  EXPECT_EQ(b.fabric.limits.writes, 4u);
  for (int i = 0; i < 8; ++i) b.receive(plain_frame(60));
  EXPECT_EQ(b.fabric.memory.reads[1], (std::pair<std::uint64_t, std::uint32_t>{Bench::kRing + 256, 64}));
}

TEST(DwmacRing, PrefetchStopsAtTheTailAndAtTheRingsEnd) {
  Bench b;
  for (std::uint32_t i = 0; i < 12; ++i) b.arm(i);
  b.open({.entries = 12});
  b.run_for(microseconds(2));
  for (int i = 0; i < 10; ++i) b.receive(plain_frame(60));
  for (std::uint32_t i = 0; i < 5; ++i) b.arm(i);
  b.tail(5);
  b.run_for(microseconds(2));
  EXPECT_EQ(b.fabric.memory.reads, (Reads{{Bench::kRing, 12 * 16}, {Bench::kRing, 5 * 16}}));
}

TEST(DwmacRing, BurstDoesNotRunPastTheRingsEnd) {
  Bench b;
  b.open_armed({.entries = 20});
  for (int i = 0; i < 4; ++i) b.receive(plain_frame(60));
  for (std::uint32_t i = 0; i < 4; ++i) b.arm(i);
  b.tail(4);
  for (int i = 0; i < 4; ++i) b.receive(plain_frame(60));
  EXPECT_EQ(b.fabric.memory.reads, (Reads{{Bench::kRing, 256}, {Bench::kRing + 256, 64}})) << "8 are free, 4 are left";
}

// The rule that lets a driver write tail = one past the last armed entry.
TEST(DwmacRing, IdleRingWithTailEqualToCurrentKeepsReceiving) {
  Bench b;
  b.open_armed({.entries = 8});
  for (std::uint32_t frame = 0; frame < 40; ++frame) {
    b.receive(plain_frame(60));
    ASSERT_TRUE(b.closed(frame % 8)) << frame;
    b.arm(frame % 8);
    b.tail((frame + 1) % 8);  // equal to current: all are the device's
    b.run_for(microseconds(1));
    EXPECT_EQ(b.read(b.channel(0, eqos::kChCurRxDesc)), Bench::kRing + 16 * ((frame + 1) % 8));
  }
  EXPECT_EQ(b.nic.packets_completed(), 40u);
  EXPECT_EQ(b.stat("device.rx_buffer_unavailable"), 0u);
}

TEST(DwmacRing, WithoutTailWritesTheChannelStopsAfterOneLap) {
  Bench b;
  b.open_armed({.entries = 8});
  for (std::uint32_t frame = 0; frame < 12; ++frame) {
    b.receive(plain_frame(60));
    b.arm(frame % 8);  // given back, but the tail is not written
  }
  EXPECT_EQ(b.nic.packets_completed(), 8u);
  EXPECT_EQ(b.nic.packets_inside(), 4u);
  EXPECT_EQ(b.stat("device.rx_buffer_unavailable"), 1u);
  EXPECT_THAT(b.nic.waiting_for(), HasSubstr("RX channel 0: suspended at the tail"));
  b.tail(4);
  b.run_for(microseconds(5));
  EXPECT_EQ(b.nic.packets_completed(), 12u) << "the tail resumes it";
}

TEST(DwmacRing, RbuIsRaisedOnTheTransitionOnly) {
  Bench b;
  b.open_armed({.entries = 4});
  for (int i = 0; i < 4; ++i) b.receive(plain_frame(60));
  EXPECT_NE(b.status() & kIntRbu, 0u);
  EXPECT_NE(b.status() & kIntAis, 0u);
  b.clear(~0u);
  // The driver has nothing to give but writes the tail, and more frames come: still the same dry spell.
  b.tail(0);
  b.run_for(microseconds(2));
  for (int i = 0; i < 3; ++i) b.receive(plain_frame(60));
  EXPECT_EQ(b.status() & kIntRbu, 0u);
  EXPECT_EQ(b.stat("device.rx_buffer_unavailable"), 1u);
  b.arm(0);
  b.tail(1);
  b.run_for(microseconds(5));
  EXPECT_EQ(b.nic.packets_completed(), 5u);
  EXPECT_EQ(b.stat("device.rx_buffer_unavailable"), 2u) << "a descriptor was used in between";
}

TEST(DwmacRing, NextFrameMakesASuspendedChannelLookAgain) {
  Bench b;
  b.arm(0);
  b.open({.entries = 8});  // the tail gives away eight, but only the first is armed
  b.run_for(microseconds(2));
  b.receive(plain_frame(60));
  EXPECT_EQ(b.stat("device.rx_buffer_unavailable"), 1u);
  b.arm(1);  // without a tail write
  b.run_for(microseconds(5));
  EXPECT_EQ(b.nic.packets_completed(), 1u);
  b.receive(plain_frame(60));
  EXPECT_EQ(b.nic.packets_completed(), 2u);
}

// What follows the first descriptor of the driver's in a burst is thrown away, though it may be the device's.
TEST(DwmacRing, BurstEndsAtTheFirstDescriptorOfTheDriver) {
  Bench b;
  for (const std::uint32_t i : {0u, 1u, 3u, 4u}) b.arm(i);
  b.open({.entries = 8});
  b.run_for(microseconds(2));
  EXPECT_EQ(b.fabric.memory.reads, (Reads{{Bench::kRing, 8 * 16}}));
  EXPECT_EQ(b.stat("device.descriptors_discarded"), 6u);
  b.arm(2);  // behind the prefetcher: a stale copy is never used, but costs another fetch
  for (int i = 0; i < 5; ++i) b.receive(plain_frame(60));
  EXPECT_EQ(b.nic.packets_completed(), 5u);
  EXPECT_EQ(b.fabric.memory.reads[1], (std::pair<std::uint64_t, std::uint32_t>{Bench::kRing + 32, 6 * 16}));
}

TEST(DwmacRing, TailWrittenWhileABurstIsInFlightIsNotMissed) {
  Bench b;
  b.open({.entries = 8});  // nothing armed: the burst in flight finds nothing
  b.run_for(nanoseconds(400));  // memory has been read, the answer is on its way
  b.arm(0);
  b.tail(1);
  b.run_for(microseconds(3));
  EXPECT_EQ(b.fabric.memory.reads.size(), 2u) << "it looks again by itself";
  EXPECT_EQ(b.stat("device.rx_buffer_unavailable"), 0u) << "all the device's when it looked";
  b.receive(plain_frame(60));
  EXPECT_EQ(b.nic.packets_completed(), 1u);
}

TEST(DwmacRing, FrameThatOutgrowsTheRingGoesOnWhenThereAreDescriptorsAgain) {
  Bench b;
  b.open_armed({.entries = 4, .buffer = 256});
  const auto frame = plain_frame(1500);
  b.receive(frame);
  EXPECT_EQ(b.nic.packets_completed(), 0u);
  EXPECT_TRUE(b.closed(3));
  for (std::uint32_t i = 0; i < 3; ++i) b.arm(i);
  b.tail(3);
  b.run_for(microseconds(5));
  EXPECT_EQ(b.nic.packets_completed(), 1u);
  EXPECT_TRUE(b.last(1));
  EXPECT_EQ(b.length(1), 1504u);
}

TEST(DwmacRing, EqosWithoutDescriptorCacheFetchesOneByOne) {
  Bench b(bench_config("eqos"));
  for (std::uint32_t i = 0; i < 8; ++i) b.arm(i);
  b.open({.entries = 8});
  b.run_for(microseconds(2));
  EXPECT_EQ(b.fabric.memory.reads, (Reads{{Bench::kRing, 128}})) << "descriptor cache on";
  Bench single(bench_config("eqos"));
  single.open_armed({.entries = 8, .descriptor_cache = false});
  EXPECT_EQ(single.fabric.memory.reads, (Reads{{Bench::kRing, 16}}));
  single.receive(plain_frame(60));
  EXPECT_EQ(single.fabric.memory.reads, (Reads{{Bench::kRing, 16}, {Bench::kRing + 16, 16}}));
  for (int i = 0; i < 5; ++i) single.receive(plain_frame(60));
  EXPECT_EQ(single.nic.packets_completed(), 6u);
}

TEST(DwmacRing, UnreadableRingIsAFatalBusError) {
  Bench b;
  b.open();
  b.run_for(microseconds(2));
  b.write(b.channel(0, eqos::kChRxControl), 0);
  b.write(b.channel(0, eqos::kChRxList), 0x1000);  // no memory there
  b.write(b.channel(0, eqos::kChRxControl), 8u << kChPblShift | 2048u << kChRxRbszShift | kChRxSr);
  b.run_for(microseconds(2));
  EXPECT_NE(b.status() & kIntFbe, 0u);
  EXPECT_NE(b.status() & kIntRps, 0u) << "from the stop";
  EXPECT_EQ(b.stat("device.fatal_bus_errors"), 1u);
}

TEST(DwmacRing, ResetForgetsEverything) {
  Bench b;
  b.open();
  b.run_for(microseconds(2));
  b.receive(plain_frame(60));
  EXPECT_EQ(b.nic.packets_inside(), 1u);
  b.write(b.map.dma_mode, kDmaModeSwr);
  EXPECT_EQ(b.read(b.map.dma_mode) & kDmaModeSwr, 0u) << "done";
  EXPECT_EQ(b.nic.packets_inside(), 0u);
  EXPECT_THAT(b.causes(), ElementsAre("device_reset"));
  EXPECT_EQ(b.status(), 0u);
  b.nic.check_conservation(b.now());
  b.open_armed();
  b.receive(plain_frame(60));
  EXPECT_EQ(b.nic.packets_completed(), 1u);
}

}  // namespace
}  // namespace ringside::dwmac
