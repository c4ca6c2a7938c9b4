// Receive queue: WQE prefetch, the doorbell record, and running out of buffers.
#include <algorithm>

#include "tb/tests/contract/connectx_bench.h"

namespace ringside::connectx {
namespace {

std::size_t reads_of(const Bench& b, std::uint64_t address) {
  return static_cast<std::size_t>(
      std::count_if(b.fabric.reads.begin(), b.fabric.reads.end(), [&](const auto& r) { return r.first == address; }));
}

TEST(ConnectxQueue, IdleDeviceHasNoEvents) {
  Bench b;
  EXPECT_EQ(b.timeline.next(), Time::max());
  b.open();
  b.post(32);
  b.run_for(milliseconds(1));
  EXPECT_EQ(b.timeline.next(), Time::max());
  b.offer(plain_frame(60));
  b.run_for(milliseconds(1));
  EXPECT_EQ(b.timeline.next(), Time::max());
  EXPECT_EQ(b.nic.packets_inside(), 0u);
  // Also with nothing posted: the packet is dropped, then there is nothing to look for.
  for (int i = 0; i < 40; ++i) b.offer(plain_frame(60));
  b.run_for(milliseconds(1));
  EXPECT_EQ(b.stat("rx_out_of_buffer"), 9u);
  EXPECT_EQ(b.timeline.next(), Time::max());
}

TEST(ConnectxQueue, FirstPacketWaitsForRecordAndWqe) {
  Bench b;
  b.open();
  b.post(8);  // after the record was read at the start
  b.offer(plain_frame(60));
  const Time start = b.now();
  b.run_for(microseconds(10));
  ASSERT_EQ(b.seen.completions.size(), 1u);
  EXPECT_EQ(b.seen.completions[0].at - start, nanoseconds(600 + 600));
}

TEST(ConnectxQueue, FetchesAreLimitedInSizeNumberAndByTheCache) {
  ConnectxConfig config = bench_config();
  config.wqe_fetch = 8;
  config.wqe_reads = 2;
  config.wqe_cache = 24;
  Bench b(config);
  b.open();
  b.post(64);
  b.fabric.reads.clear();
  b.offer(plain_frame(60));
  b.run_for(nanoseconds(600));  // the record is back; two reads of 8 WQEs go out
  ASSERT_EQ(b.fabric.reads.size(), 3u);
  EXPECT_EQ(b.fabric.reads[1], std::make_pair(Bench::kRq, 128u));
  EXPECT_EQ(b.fabric.reads[2], std::make_pair(Bench::kRq + 128, 128u));
  b.run_for(microseconds(10));  // a third fills the cache of 24, of which one has been used
  EXPECT_EQ(b.stat("device.wqes_fetched"), 24u);
  for (int i = 0; i < 7; ++i) b.offer(plain_frame(60)), b.run_for(nanoseconds(10));
  b.run_for(microseconds(10));
  EXPECT_EQ(b.stat("device.wqes_consumed"), 8u);
  EXPECT_EQ(b.stat("device.wqes_fetched"), 32u);
}

TEST(ConnectxQueue, FetchStopsAtTheEndOfTheRing) {
  Bench b;
  b.open({.log_rq = 4, .log_cq = 6});
  b.post(10);
  for (int i = 0; i < 10; ++i) b.offer(plain_frame(60));
  b.run_for(microseconds(10));
  b.fabric.reads.clear();
  b.post(16);  // WQEs 10 to 25: six to the end of the ring, then ten from its start
  for (int i = 0; i < 16; ++i) b.offer(plain_frame(60));
  b.run_for(microseconds(20));
  EXPECT_EQ(b.stat("device.packets_completed"), 26u);
  EXPECT_EQ(reads_of(b, Bench::kRq + 10 * 16), 1u);
  EXPECT_EQ(reads_of(b, Bench::kRq), 1u);
  for (const auto& [address, length] : b.fabric.reads) {
    if (address >= Bench::kRq && address < Bench::kCq) {
      EXPECT_LE(address + length, Bench::kRq + 16 * 16);
    }
  }
  for (std::uint32_t i = 0; i < 26; ++i) EXPECT_EQ(b.cqe(i).wqe_counter, i);
}

TEST(ConnectxQueue, RecordIsNotReadWhileEnoughIsKnown) {
  ConnectxConfig config = bench_config();
  config.record_low_water = 16;
  Bench b(config);
  b.open();
  b.post(64);
  b.offer(plain_frame(60));
  b.run_for(microseconds(10));
  b.fabric.reads.clear();
  for (int i = 0; i < 47; ++i) b.offer(plain_frame(60)), b.run_for(microseconds(1));
  EXPECT_EQ(reads_of(b, Bench::kRqRecord), 0u);  // 48 used, 16 known
  b.offer(plain_frame(60));
  EXPECT_EQ(reads_of(b, Bench::kRqRecord), 1u);
}

TEST(ConnectxQueue, DropsOnlyAfterARecordReadThatTheFrameWaitedFor) {
  Bench b;
  b.open();
  b.run_for(microseconds(10));
  b.offer(plain_frame(60));  // starts a read of the record at once
  b.run_for(nanoseconds(599));
  b.offer(plain_frame(60));
  EXPECT_TRUE(b.seen.drops.empty());
  EXPECT_EQ(b.nic.packets_inside(), 2u);
  b.run_for(nanoseconds(1));
  ASSERT_EQ(b.seen.drops.size(), 1u);  // the second came after that read was issued
  EXPECT_EQ(b.seen.drops[0].sequence, 0u);
  EXPECT_EQ(b.seen.drops[0].cause, "rx_out_of_buffer");
  EXPECT_EQ(b.nic.packets_inside(), 1u);
  b.run_for(picoseconds(599'999));
  EXPECT_EQ(b.seen.drops.size(), 1u);
  b.run_for(picoseconds(1));
  EXPECT_EQ(b.seen.drops.size(), 2u);
}

TEST(ConnectxQueue, RecordIsPolledNoFasterThanItsInterval) {
  ConnectxConfig config = bench_config();
  config.record_poll_interval = microseconds(5);
  Bench b(config);
  b.open();
  b.run_for(microseconds(10));
  b.fabric.reads.clear();
  for (int i = 0; i < 1000; ++i) b.offer(plain_frame(60)), b.run_for(nanoseconds(20));
  b.run_for(microseconds(20));
  // 20 us of frames: reads at 0, 5, 10, 15 and 20 us.
  EXPECT_EQ(reads_of(b, Bench::kRqRecord), 5u);
  EXPECT_EQ(b.stat("rx_out_of_buffer"), 1000u);
}

TEST(ConnectxQueue, RecoversWhenBuffersArePosted) {
  Bench b;
  b.open();
  b.post(4);
  for (int i = 0; i < 10; ++i) b.offer(plain_frame(60));
  b.run_for(microseconds(10));
  EXPECT_EQ(b.stat("rx_out_of_buffer"), 6u);
  EXPECT_EQ(b.stat("device.packets_completed"), 4u);
  b.post(6);
  for (int i = 0; i < 6; ++i) b.offer(plain_frame(80 + static_cast<std::size_t>(i)));
  b.run_for(microseconds(10));
  EXPECT_EQ(b.stat("rx_out_of_buffer"), 6u);
  EXPECT_EQ(b.stat("device.packets_completed"), 10u);
  for (std::uint32_t i = 4; i < 10; ++i) {
    EXPECT_EQ(b.cqe(i).byte_cnt, 80 + i - 4);
    EXPECT_EQ(b.cqe(i).wqe_counter, i);
  }
}

TEST(ConnectxQueue, FrameThatWaitsGetsAWqePostedMeanwhile) {
  Bench b;
  b.open();
  b.run_for(microseconds(10));
  b.offer(plain_frame(60));
  b.run_for(nanoseconds(200));  // memory is read 300 ns after the request
  b.post(1);
  b.run_for(microseconds(10));
  EXPECT_TRUE(b.seen.drops.empty());
  EXPECT_EQ(b.stat("device.packets_completed"), 1u);
}

TEST(ConnectxQueue, CountersWrapAtSixteenBits) {
  Bench b;
  b.fabric.log = false;
  b.open({.log_rq = 6, .log_cq = 6});
  b.post(64);
  for (std::uint32_t i = 0; i < 70'000; ++i) {
    b.offer(plain_frame(60));
    b.run_for(microseconds(2));
    ASSERT_TRUE(b.cqe_valid(i));
    ASSERT_EQ(b.cqe(i).wqe_counter, i & 0xffff);
    b.set_consumer(i + 1);
    b.post(1);
  }
}

TEST(ConnectxQueue, ResetAndReadyStartOver) {
  Bench b;
  b.open();
  b.post(8);
  for (int i = 0; i < 3; ++i) b.offer(plain_frame(60));
  b.run_for(microseconds(10));
  b.set_rq_state(kRqReset);
  b.offer(plain_frame(60));
  EXPECT_EQ(b.stat("rx_steer_missed_packets"), 1u);
  b.posted = 0;
  b.post(2);
  b.set_rq_state(kRqReady);
  b.offer(plain_frame(60));
  b.run_for(microseconds(10));
  EXPECT_EQ(b.stat("device.packets_completed"), 4u);
  EXPECT_EQ(b.cqe(3).wqe_counter, 0);
}

TEST(ConnectxQueue, ReadsOfAFormerLifeAreIgnored) {
  Bench b;
  b.open();
  b.run_for(microseconds(10));
  b.fabric.read_latency = microseconds(50);
  b.offer(plain_frame(60));  // its record read reaches memory after 25 us
  b.fabric.read_latency = nanoseconds(600);
  b.set_rq_state(kRqReset);
  EXPECT_EQ(b.stat("rx_steer_missed_packets"), 1u);  // the packet that waited
  b.set_rq_state(kRqReady);
  b.post(8);  // too late for the new life's first look, in time for the old read
  b.run_for(microseconds(100));
  EXPECT_EQ(b.stat("device.wqes_fetched"), 0u);
}

}  // namespace
}  // namespace ringside::connectx
