// Packets that XDP leaves alone end in the stack, each once, whatever compiler and queue.
#include <fmt/format.h>

#include <tuple>

#include "tb/tests/regress/ringside_run.h"

namespace ringside::test {
namespace {

struct StackCase {
  const char* name;
  const char* stack;
  const char* end;  // of every packet
};
void PrintTo(const StackCase& c, std::ostream* out) { *out << c.stack << " -> " << c.end; }

class EndInTheStack : public testing::TestWithParam<std::tuple<StackCase, std::string, std::string, bool>> {};

INSTANTIATE_TEST_SUITE_P(
    Ends, EndInTheStack,
    testing::Combine(testing::Values(StackCase{"RawDrop", "raw-drop", "kfree_skb:NETFILTER_DROP"},
                                     StackCase{"UdpNoPort", "udp-no-port", "kfree_skb:NO_SOCKET"},
                                     StackCase{"Sink", "sink", "consume_skb"}),
                     testing::Values("pass", "none"), testing::Values("gcc", "clang"), testing::Bool()),
    [](const auto& info) {
      return fmt::format("{}_{}_{}_{}", std::get<0>(info.param).name, std::get<1>(info.param), std::get<2>(info.param),
                         std::get<3>(info.param) ? "striding" : "legacy");
    });

// At overload and with one end for all: what the driver took has ended there, and the pages went round.
TEST_P(EndInTheStack, EveryPacketEndsWhereItShould) {
  const auto& [end, xdp, compiler, striding] = GetParam();
  const Outcome outcome = finite_scenario(scaled(6000))
                              .set(fmt::format("driver.stack={}", end.stack))
                              .set(fmt::format("driver.xdp={}", xdp))
                              .set(fmt::format("driver.compiler={}", compiler))
                              .set(fmt::format("driver.rx_striding_rq={}", striding))
                              .run();
  ASSERT_EQ(outcome.status, 0) << outcome.error;
  expect_conserved(outcome);
  const Report report = outcome.json();
  const Report& packets = report["result"]["packets"];
  EXPECT_EQ(packets["ended"].size(), 1U) << packets["ended"];
  EXPECT_EQ(packets["ended"][end.end], packets["delivered"]);
  const auto delivered = packets["delivered"].get<std::uint64_t>();
  EXPECT_EQ(counter(report, "driver", "rx_packets"), delivered);
  EXPECT_EQ(counter(report, "driver", "rx_bytes"), delivered * 60);
  EXPECT_EQ(counter(report, "driver", "rx_csum_unnecessary"), delivered);
  EXPECT_EQ(counter(report, "driver", "IpInReceives"), delivered);
  EXPECT_EQ(counter(report, "driver", "rx_pp_recycle_ring"), 0U);
  EXPECT_EQ(counter(report, "driver", "rx_pp_recycle_released_ref"), 0U);
}

TEST(Stack, OnAnInOrderCoreOfAnotherArchitecture) {
  const Outcome outcome =
      finite_scenario(scaled(3000)).set("cpu.model=cortex-a53").set("driver.stack=udp-no-port").set("driver.xdp=none").run();
  ASSERT_EQ(outcome.status, 0) << outcome.error;
  expect_conserved(outcome);
  const Report packets = outcome.json()["result"]["packets"];
  EXPECT_EQ(packets["ended"]["kfree_skb:NO_SOCKET"], packets["delivered"]);
}

TEST(Stack, WithoutGroNothingIsMergedNorLost) {
  const Outcome outcome = finite_scenario(scaled(3000)).set("driver.gro=false").set("driver.xdp=none").run();
  expect_conserved(outcome);
  const Report report = outcome.json();
  EXPECT_EQ(report["result"]["packets"]["ended"]["kfree_skb:NETFILTER_DROP"], report["result"]["packets"]["delivered"]);
  for (const auto& function : report["guest"]["functions"]) EXPECT_NE(function["name"], "inet_gro_receive");
}

// Full frames leave the sum over all bytes to the stack, which finds them intact without reading them.
TEST(Stack, TheSinkGetsEveryByte) {
  const Outcome outcome = finite_scenario(scaled(3000))
                              .set("driver.stack=sink")
                              .set("driver.xdp=none")
                              .set("traffic.frame_size=1518")
                              .set("traffic.rate=1 Mpps")
                              .run();
  expect_conserved(outcome);
  const Report report = outcome.json();
  EXPECT_EQ(counter(report, "driver", "rx_csum_complete"), scaled(3000));
  EXPECT_EQ(counter(report, "driver", "sink_packets"), scaled(3000));
  EXPECT_EQ(counter(report, "driver", "sink_bytes"), scaled(3000) * 1480);
}

// Counted in the capture: 146 IPv4 frames to other stations, 29 that are not IPv4, and four multicasts without a taker here
// (IGMP and EIGRP), one of which has a wrong header checksum.
TEST(Stack, CapturedPacketsEndByCause) {
  const Outcome outcome = RingsideRun({"mlx5e-xdp-drop", "--quiet"})
                              .set("traffic.pcap=captures/web-browsing-2010.pcap")
                              .set("driver.stack=sink")
                              .set("driver.xdp=none")
                              .set("run.warmup=0")
                              .run();
  expect_conserved(outcome);
  const Report packets = outcome.json()["result"]["packets"];
  EXPECT_EQ(packets["delivered"], 179);
  EXPECT_EQ(packets["ended"]["kfree_skb:OTHERHOST"], 146);
  EXPECT_EQ(packets["ended"]["kfree_skb:UNHANDLED_PROTO"], 29);
  EXPECT_EQ(packets["ended"]["kfree_skb:IP_NOPROTO"], 3);
  EXPECT_EQ(packets["ended"]["kfree_skb:IP_CSUM"], 1);
}

}  // namespace
}  // namespace ringside::test
