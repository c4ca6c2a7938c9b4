// A bulk transfer from the peer on the wire into a process of the guest: nothing is lost unnoticed, and nothing is changed.
#include <fmt/format.h>

#include <tuple>

#include "tb/tests/regress/ringside_run.h"

namespace ringside::test {
namespace {

constexpr std::uint64_t kMss = 1448;

// Sends `segments` of each flow, which a process reads and compares.
RingsideRun transfer(std::uint64_t segments) {
  RingsideRun run({"mlx5e-tcp", "--quiet"});
  run.set("run.warmup=0").set("run.packets=0").set("driver.reader=verify");
  run.set(fmt::format("traffic.packets={}", segments));
  return run;
}

void expect_intact(const Report& report, std::uint64_t bytes) {
  EXPECT_EQ(counter(report, "driver", "tcp_read_bytes"), bytes);
  EXPECT_EQ(counter(report, "driver", "tcp_corrupt_bytes"), 0U);
  EXPECT_EQ(report["result"]["window"]["read_bytes"], bytes);
  EXPECT_GT(report["result"]["goodput_gbps"].get<double>(), 0.0);
  EXPECT_EQ(report["result"]["stop_reason"], "exhausted");
}

class Transfer : public testing::TestWithParam<std::tuple<std::string, bool>> {};
INSTANTIATE_TEST_SUITE_P(Queues, Transfer, testing::Combine(testing::Values("gcc", "clang"), testing::Bool()),
                         [](const auto& info) {
                           return fmt::format("{}_{}", std::get<0>(info.param), std::get<1>(info.param) ? "striding" : "legacy");
                         });

TEST_P(Transfer, ArrivesWholeWithoutLossesWhenTheRingIsLargeEnough) {
  const auto& [compiler, striding] = GetParam();
  const std::uint64_t segments = scaled(3000);
  const Outcome outcome = transfer(segments)
                              .set(fmt::format("driver.compiler={}", compiler))
                              .set(fmt::format("driver.rx_striding_rq={}", striding))
                              .run();
  ASSERT_EQ(outcome.status, 0) << outcome.error;
  expect_conserved(outcome);
  const Report report = outcome.json();
  expect_intact(report, segments * kMss);
  EXPECT_EQ(report["result"]["packets"]["delivered"], segments);
  EXPECT_EQ(counter(report, "peer", "peer_segments"), segments);
  EXPECT_EQ(counter(report, "peer", "peer_retransmissions"), 0U);
  EXPECT_EQ(counter(report, "peer", "peer_ignored_frames"), 0U);
  EXPECT_EQ(counter(report, "driver", "TcpOutSegs"), counter(report, "driver", "tx_packets"));
  EXPECT_EQ(counter(report, "nic", "tx_packets_phy"), counter(report, "driver", "tx_packets"));
  EXPECT_LT(counter(report, "driver", "TcpOutSegs"), segments);
}

TEST_P(Transfer, ArrivesWholeThroughARingThatOverruns) {
  const auto& [compiler, striding] = GetParam();
  const std::uint64_t segments = 1500;  // fewer do not fill the ring
  const Outcome outcome = transfer(segments)
                              .set("wire.rate=100 Gbps")
                              .set("driver.rx_ring=64")
                              .set("traffic.flows=2")
                              .set(fmt::format("driver.compiler={}", compiler))
                              .set(fmt::format("driver.rx_striding_rq={}", striding))
                              .run();
  ASSERT_EQ(outcome.status, 0) << outcome.error;
  expect_conserved(outcome);
  const Report report = outcome.json();
  expect_intact(report, 2 * segments * kMss);
  EXPECT_GT(report["result"]["packets"]["dropped"]["rx_out_of_buffer"].get<std::uint64_t>(), 0U);
  EXPECT_GE(counter(report, "peer", "peer_retransmissions"),
            report["result"]["packets"]["dropped"]["rx_out_of_buffer"].get<std::uint64_t>());
}

TEST(WholeTransfer, ToAnInOrderCoreOfAnotherArchitecture) {
  const std::uint64_t segments = scaled(2000);
  const Outcome outcome = transfer(segments).set("cpu.model=cortex-a65").set("wire.rate=10 Gbps").run();
  ASSERT_EQ(outcome.status, 0) << outcome.error;
  expect_conserved(outcome);
  expect_intact(outcome.json(), segments * kMss);
}

// A full segment of 1448 B takes 1538 B of the wire: 941.48 Mbit/s at most.
TEST(WholeTransfer, FillsASlowWire) {
  const Outcome outcome = RingsideRun({"mlx5e-tcp"})
                              .set("wire.rate=1 Gbps")
                              .set("run.warmup=300")
                              .set(fmt::format("run.packets={}", scaled(2000)))
                              .run();
  ASSERT_EQ(outcome.status, 0) << outcome.error;
  expect_conserved(outcome);
  EXPECT_NEAR(outcome.json()["result"]["goodput_gbps"].get<double>(), 0.94148, 0.0094);
  EXPECT_NE(outcome.output.find("TCP goodput 94"), std::string::npos) << outcome.output;
}

// A window of so many bytes per round trip is all that goes through; the round trip is at least the peer's delay.
TEST(WholeTransfer, TheReceiversMemoryLimitsTheRate) {
  const Outcome outcome = transfer(scaled(2000)).set("driver.tcp_rmem=64 KiB").set("traffic.tcp_delay=100 us").run();
  ASSERT_EQ(outcome.status, 0) << outcome.error;
  expect_conserved(outcome);
  const Report report = outcome.json();
  EXPECT_LT(report["result"]["goodput_gbps"].get<double>(), 64 * 1024 * 8 / 100e3);
  EXPECT_GT(report["result"]["goodput_gbps"].get<double>(), 1.0);
  EXPECT_EQ(counter(report, "peer", "peer_retransmissions"), 0U);
}

}  // namespace
}  // namespace ringside::test
