// Where one resource of the device limits, the measured rate is the bound of that resource.
#include "tb/tests/contract/connectx_bench.h"

namespace ringside::connectx {
namespace {

// Look-ahead that covers the round trips, so that only what a test narrows can limit.
ConnectxConfig ample_config() {
  ConnectxConfig config = bench_config();
  config.wqe_fetch = 64;
  config.wqe_cache = 256;
  config.record_low_water = 512;
  config.cq_low_water = 256;
  return config;
}

// Offers 60-byte frames every `gap` to a queue that a perfect driver refills, and returns the mean time between
// completions over 4096 packets in steady state.
Time time_per_packet(Bench& b, Time gap, std::uint32_t packets) {
  b.fabric.log = false;
  b.open({.log_rq = 10, .log_cq = 10});
  b.post(1024);
  b.run_for(microseconds(10));
  const std::vector<std::uint8_t> frame = plain_frame(60);
  for (std::uint32_t i = 0; i < packets; ++i) {
    b.run_for(gap);
    b.offer(frame);
    const auto done = static_cast<std::uint32_t>(b.nic.packets_completed());
    b.set_consumer(done);
    b.posted = done + 1024;
    if (done > 0) b.write_wqe(done - 1);
    b.publish();
  }
  const auto& c = b.seen.completions;
  EXPECT_GE(c.size(), 5000u);
  return (c[4800].at - c[704].at) / 4096;
}

TEST(ConnectxRate, EngineLimitsToItsPacketRate) {
  ConnectxConfig config = ample_config();
  config.rx_packet_rate = PacketRate{215'000'000};
  Bench b(config);
  EXPECT_EQ(time_per_packet(b, nanoseconds(4), 20'000), picoseconds(4652));
}

TEST(ConnectxRate, BelowEveryLimitItIsTheOfferedRate) {
  Bench b(ample_config());
  EXPECT_EQ(time_per_packet(b, nanoseconds(50), 6'000), nanoseconds(50));
  EXPECT_TRUE(b.seen.drops.empty());
}

TEST(ConnectxRate, LinkLimitsToTwoWritesPerPacket) {
  Bench b(ample_config());
  b.fabric.per_write = nanoseconds(10);
  EXPECT_EQ(time_per_packet(b, nanoseconds(8), 20'000), nanoseconds(20));
  EXPECT_GT(b.stat("rx_discards_phy"), 0u);
  EXPECT_EQ(b.stat("rx_out_of_buffer"), 0u);
}

// Little's law: reads * WQEs per read, once in a round trip.
TEST(ConnectxRate, WqeFetchesLimitByTheirRoundTrip) {
  ConnectxConfig config = ample_config();
  config.wqe_fetch = 4;
  config.wqe_reads = 2;
  Bench b(config);
  // 8 WQEs in 600 ns.
  EXPECT_EQ(time_per_packet(b, nanoseconds(50), 10'000), nanoseconds(75));
}

}  // namespace
}  // namespace ringside::connectx
