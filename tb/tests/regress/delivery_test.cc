// Whatever the layout of its buffers, a receive queue delivers the bytes that came over the wire.
#include "tb/tests/regress/ringside_run.h"
#include "tb/tests/support/captured_packets.h"

namespace ringside::test {
namespace {

constexpr std::size_t kJumbo = 9000 + 14;
constexpr const char* kCapture = RINGSIDE_SOURCE_DIR "/traces/captures/web-browsing-2010.pcap";

struct Case {
  const char* name;
  bool striding;
  const char* program;  // for the consumer: the program itself, or a tap on what the stack receives
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.program << (c.striding ? ", striding" : ", legacy"); }

class Delivery : public testing::TestWithParam<Case> {};

// Packets 20 us apart, so that nothing is lost but the first ones, which a striding queue's buffers are mapped too late for.
void expect_delivered(const Case& c, const Packets& packets, int mtu) {
  SCOPED_TRACE(mtu);
  const Outcome outcome = finite_scenario(0)
                              .file("sent.pcap", pcap_file(packets))
                              .set("traffic.pcap=sent.pcap")
                              .set("traffic.pcap_timing=rate")
                              .set("traffic.rate=0.05 Mpps")
                              .set("driver.mtu=" + std::to_string(mtu))
                              .set(std::string("driver.rx_striding_rq=") + (c.striding ? "true" : "false"))
                              .set(std::string("driver.xdp=") + c.program)
                              .set("driver.stack=digest")
                              .set("driver.gro=false")
                              .run();
  ASSERT_EQ(outcome.status, 0) << outcome.error;
  expect_conserved(outcome);
  const Report report = outcome.json();
  EXPECT_EQ(report["result"]["stop_reason"], "exhausted");
  const auto lost = counter(report, "nic", "rx_out_of_buffer");
  ASSERT_LE(lost, c.striding ? 4u : 0u);
  const Packets delivered(packets.begin() + static_cast<std::ptrdiff_t>(lost), packets.end());
  const bool changed = std::string(c.program).starts_with("adjust");
  EXPECT_EQ(counter(report, "driver", "digest_packets"), delivered.size());
  EXPECT_EQ(counter(report, "driver", "digest"), digest_of(changed ? adjusted(delivered) : delivered));
}

TEST_P(Delivery, RealTraffic) {
  const Packets packets = captured_packets(kCapture);
  expect_delivered(GetParam(), packets, 1500);
  expect_delivered(GetParam(), packets, 9000);
}

TEST_P(Delivery, JumboFramesOfRealTraffic) {
  Packets packets = jumbo_frames(captured_packets(kCapture), kJumbo);
  expect_delivered(GetParam(), packets, 9000);
}

INSTANTIATE_TEST_SUITE_P(
    Layouts, Delivery,
    testing::Values(Case{"Legacy", false, "none"}, Case{"LegacyProgram", false, "checksum"},
                    Case{"LegacyPass", false, "pass"}, Case{"LegacyAdjust", false, "adjust"},
                    Case{"LegacyAdjustProgram", false, "adjust-checksum"}, Case{"Striding", true, "none"},
                    Case{"StridingProgram", true, "checksum"}, Case{"StridingPass", true, "pass"},
                    Case{"StridingAdjust", true, "adjust"}, Case{"StridingAdjustProgram", true, "adjust-checksum"}),
    [](const auto& info) { return info.param.name; });

// What is sent back is what came, or what the program made of it.
TEST(Transmission, OfJumboFrames) {
  for (const bool striding : {false, true}) {
    for (const std::string program : {"tx-frags", "adjust-tx"}) {
      const Outcome outcome = finite_scenario(scaled(1500))
                                  .set("driver.mtu=9000")
                                  .set("traffic.frame_size=9018")
                                  .set("traffic.rate=1 Mpps")
                                  .set(std::string("driver.rx_striding_rq=") + (striding ? "true" : "false"))
                                  .set("driver.xdp=" + program)
                                  .run();
      ASSERT_EQ(outcome.status, 0) << outcome.error;
      expect_conserved(outcome);
      const Report report = outcome.json();
      const auto sent = counter(report, "driver", "rx_xdp_tx_xmit");
      const std::uint64_t length = program == "tx-frags" ? 9014 : 9014 / 2 + 16;
      EXPECT_EQ(sent, report["result"]["packets"]["delivered"].get<std::uint64_t>());
      // The run ends with the last packet received; what the last polls sent may still be on its way out.
      const auto left = counter(report, "nic", "tx_packets_phy");
      EXPECT_LE(left, sent);
      EXPECT_GE(left + 64, sent);
      EXPECT_EQ(counter(report, "nic", "tx_bytes_phy"), left * (length + 4));
    }
  }
}

// Redirected packets leave by the other port, or by the one they came by. Each of two interfaces has its interrupt.
TEST(Redirection, LeavesByThePortThatTheMapNames) {
  for (const bool striding : {false, true}) {
    for (const std::string program : {"redirect", "redirect-same"}) {
      const Outcome outcome = finite_scenario(scaled(6000))
                                  .set("traffic.frame_size=128")
                                  .set("traffic.rate=20 Mpps")
                                  .set(std::string("driver.rx_striding_rq=") + (striding ? "true" : "false"))
                                  .set("driver.xdp=" + program)
                                  .run();
      ASSERT_EQ(outcome.status, 0) << outcome.error;
      expect_conserved(outcome);
      const Report report = outcome.json();
      const auto sent = counter(report, "driver", "xdp_devmap_xmit");
      EXPECT_EQ(sent + counter(report, "driver", "xdp_devmap_drop"), counter(report, "driver", "rx_xdp_redirect"));
      EXPECT_GT(sent, 0u);
      const bool other = program == "redirect";
      EXPECT_EQ(counter(report, "driver", other ? "eth1:tx_xdp_xmit" : "tx_xdp_xmit"), sent);
      const auto left = counter(report, "nic", other ? "eth1:tx_packets_phy" : "tx_packets_phy");
      EXPECT_LE(left, sent);
      EXPECT_GE(left + 64, sent);
      EXPECT_EQ(counter(report, "nic", other ? "eth1:tx_bytes_phy" : "tx_bytes_phy"), left * 128);
      EXPECT_EQ(counter(report, "nic", other ? "tx_packets_phy" : "eth1:tx_packets_phy"), 0u);
    }
  }
}

}  // namespace
}  // namespace ringside::test
