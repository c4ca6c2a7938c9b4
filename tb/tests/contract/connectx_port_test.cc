// The port: length checks, packet buffer, back-pressure, steering.
#include "tb/tests/contract/connectx_bench.h"

namespace ringside::connectx {
namespace {

TEST(ConnectxPort, RuntsAreDropped) {
  Bench b;
  b.open();
  b.post(8);
  b.offer(plain_frame(59));
  b.offer({});
  b.offer(plain_frame(60));
  b.run_for(microseconds(10));
  EXPECT_EQ(b.stat("rx_undersize_pkts_phy"), 2u);
  EXPECT_EQ(b.stat("rx_packets_phy"), 1u);
  EXPECT_EQ(b.stat("rx_bytes_phy"), 64u);
  EXPECT_EQ(b.stat("device.packets_completed"), 1u);
  ASSERT_EQ(b.seen.drops.size(), 2u);
  EXPECT_EQ(b.seen.drops[0].cause, "rx_undersize_pkts_phy");
}

TEST(ConnectxPort, FramesOverTheMtuAreDropped) {
  Bench b;
  b.open();
  b.post(8);
  b.offer(plain_frame(1518));  // 1522 with FCS: a full VLAN frame of MTU 1500
  b.offer(plain_frame(1519));
  b.run_for(microseconds(10));
  EXPECT_EQ(b.stat("rx_oversize_pkts_phy"), 1u);
  EXPECT_EQ(b.stat("device.packets_completed"), 1u);
  command_mailbox m = Bench::mailbox(kCmdSetPortMtu);
  m.port.mtu = 2000;
  EXPECT_EQ(b.command(m).status, kCmdOk);
  b.offer(plain_frame(2018));
  b.offer(plain_frame(2019));
  b.run_for(microseconds(10));
  EXPECT_EQ(b.stat("rx_oversize_pkts_phy"), 2u);
  EXPECT_EQ(b.stat("device.packets_completed"), 2u);
  m.port.mtu = 67;
  EXPECT_EQ(b.command(m).status, kCmdBadParameter);
  m.port.mtu = 9979;
  EXPECT_EQ(b.command(m).status, kCmdBadParameter);
}

TEST(ConnectxPort, WithoutAReadyQueueSteeringMisses) {
  Bench b;
  b.offer(plain_frame(60));
  EXPECT_EQ(b.stat("rx_steer_missed_packets"), 1u);
  b.open();
  b.set_rq_state(kRqReset);
  b.offer(plain_frame(60));
  EXPECT_EQ(b.stat("rx_steer_missed_packets"), 2u);
  EXPECT_EQ(b.seen.drops.back().cause, "rx_steer_missed_packets");
  EXPECT_EQ(b.stat("rx_packets_phy"), 2u);
}

TEST(ConnectxPort, LatestTirTakesAllTraffic) {
  Bench b;
  b.open();
  b.post(4);
  command_mailbox m = Bench::mailbox(kCmdCreateRq);
  m.rq = {Bench::kRq + 0x8000, Bench::kRqRecord + 16, 4, 4, b.cqn, 0, kRqCyclic, 0, 0};
  const std::uint32_t second_rq = b.create(m);
  m = Bench::mailbox(kCmdCreateTir);
  m.tir.rqn = second_rq;
  const std::uint32_t second_tir = b.create(m);
  b.offer(plain_frame(60));
  EXPECT_EQ(b.stat("rx_steer_missed_packets"), 1u);  // the second queue is in reset
  EXPECT_EQ(b.command(Bench::mailbox(kCmdDestroyTir, second_tir)).status, kCmdOk);
  b.offer(plain_frame(60));
  b.run_for(microseconds(10));
  EXPECT_EQ(b.stat("device.packets_completed"), 1u);
}

TEST(ConnectxPort, FullBufferDiscards) {
  ConnectxConfig config = bench_config();
  config.packet_buffer = kibibytes(16);
  Bench b(config);
  b.open();
  b.run_for(microseconds(10));
  for (int i = 0; i < 20; ++i) b.offer(plain_frame(1000));  // nothing posted: they wait for the record
  EXPECT_EQ(b.nic.packets_inside(), 16u);                   // 16384 / 1000
  EXPECT_EQ(b.stat("rx_discards_phy"), 4u);
  EXPECT_EQ(b.stat("device.packet_buffer_peak"), 16'000u);
  EXPECT_EQ(b.seen.drops.back().cause, "rx_discards_phy");
  b.offer(plain_frame(384));  // fits exactly
  EXPECT_EQ(b.nic.packets_inside(), 17u);
  b.offer(plain_frame(60));
  EXPECT_EQ(b.stat("rx_discards_phy"), 5u);
  b.run_for(microseconds(10));
  EXPECT_EQ(b.stat("rx_out_of_buffer"), 17u);
  EXPECT_EQ(b.nic.packets_inside(), 0u);
}

TEST(ConnectxPort, SlowFabricPushesBackIntoTheBuffer) {
  ConnectxConfig config = bench_config();
  config.packet_buffer = kibibytes(16);
  Bench b(config);
  b.open();
  b.post(64);
  b.offer(plain_frame(60));
  b.run_for(microseconds(10));
  b.fabric.per_write = microseconds(1);
  for (int i = 0; i < 18; ++i) b.offer(plain_frame(1000));
  // One is leaving, and holds its space until the link has all of it and of its completion; 15 wait.
  EXPECT_EQ(b.nic.packets_inside(), 15u);
  EXPECT_EQ(b.stat("rx_discards_phy"), 2u);
  b.run_for(picoseconds(1'999'999));
  b.offer(plain_frame(1000));
  EXPECT_EQ(b.stat("rx_discards_phy"), 3u);
  b.run_for(picoseconds(1));  // the first has left, the second is leaving
  b.offer(plain_frame(1000));
  EXPECT_EQ(b.stat("rx_discards_phy"), 3u);
  b.offer(plain_frame(1000));
  EXPECT_EQ(b.stat("rx_discards_phy"), 4u);
  EXPECT_EQ(b.stat("rx_out_of_buffer"), 0u);
}

TEST(ConnectxPort, CompletionsInFlightAreThoseNotYetVisible) {
  Bench b;
  b.open();
  b.post(64);
  b.offer(plain_frame(60));
  b.run_for(microseconds(10));
  EXPECT_EQ(b.nic.completions_in_flight(b.now()), 0u);
  b.offer(plain_frame(60));
  b.run_for(nanoseconds(100));
  b.offer(plain_frame(60));
  EXPECT_EQ(b.nic.completions_in_flight(b.now()), 2u);
  b.run_for(nanoseconds(150));  // writes take 250 ns
  EXPECT_EQ(b.nic.completions_in_flight(b.now()), 1u);
  b.run_for(nanoseconds(100));
  EXPECT_EQ(b.nic.completions_in_flight(b.now()), 0u);
}

TEST(ConnectxPort, ManyCompletionsMayBeInFlight) {
  ConnectxConfig config = bench_config();
  config.wqe_cache = 512;
  Bench b(config);
  b.open({.log_rq = 9, .log_cq = 9});
  b.post(512);
  b.offer(plain_frame(60));
  b.run_for(microseconds(20));  // 511 WQEs are in the cache now
  b.fabric.write_latency = microseconds(10);
  const Time start = b.now();
  for (int i = 0; i < 400; ++i) b.offer(plain_frame(60));
  b.timeline.run_until(start + microseconds(10) - picoseconds(1));
  EXPECT_EQ(b.nic.completions_in_flight(b.now()), 400u);
  // The packets went 5 ns apart, at 200 Mpps.
  b.timeline.run_until(start + microseconds(10) + nanoseconds(5 * 99));
  EXPECT_EQ(b.nic.completions_in_flight(b.now()), 300u);
}

TEST(ConnectxPort, SaysWhatItWaitsFor) {
  Bench b;
  b.open();
  b.run_for(microseconds(10));
  EXPECT_NE(b.nic.waiting_for().find("idle"), std::string::npos);
  b.offer(plain_frame(60));
  EXPECT_NE(b.nic.waiting_for().find("a packet waits for a WQE"), std::string::npos);
  EXPECT_NE(b.nic.waiting_for().find("record read outstanding"), std::string::npos);
}

}  // namespace
}  // namespace ringside::connectx
