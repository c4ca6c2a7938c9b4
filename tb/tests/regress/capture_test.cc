// Captures: none, one, many packets; as recorded, at a rate, looped.
#include <cstring>

#include "tb/tests/regress/capture_file.h"
#include "tb/tests/regress/ringside_run.h"

namespace ringside::test {
namespace {

constexpr auto kBrowsing = "traffic.pcap=captures/web-browsing-2010.pcap";
constexpr std::uint64_t kBrowsingPackets = 179;

RingsideRun capture_run() { return finite_scenario(0); }

void expect_exhausted(const Outcome& outcome, std::uint64_t packets) {
  EXPECT_EQ(outcome.status, 0) << outcome.error;
  const Report result = outcome.json()["result"];
  EXPECT_EQ(result["stop_reason"], "exhausted");
  EXPECT_EQ(result["packets"]["offered"], packets);
  EXPECT_EQ(result["packets"]["delivered"], packets);
  expect_conserved(outcome);
}

TEST(Capture, Empty) {
  expect_exhausted(capture_run().file("empty.pcap", capture(0)).set("traffic.pcap=empty.pcap").run(), 0);
}

TEST(Capture, OfOnePacket) {
  const Outcome outcome = capture_run().file("one.pcap", capture(1)).set("traffic.pcap=one.pcap").run();
  expect_exhausted(outcome, 1);
  EXPECT_EQ(outcome.json()["latency"]["packets"], 1);
}

TEST(Capture, EmptyAndLoopedEnds) {
  expect_exhausted(capture_run().file("empty.pcap", capture(0)).set("traffic.pcap=empty.pcap").set("traffic.loop=true").run(), 0);
}

TEST(Capture, OfOnePacketLooped) {
  const Outcome outcome =
      main_scenario(200).file("one.pcap", capture(1)).set("traffic.pcap=one.pcap").set("traffic.loop=true").run();
  EXPECT_EQ(outcome.status, 0) << outcome.error;
  expect_conserved(outcome);
}

// Long silence is no reason for the watchdog, and costs no host time.
TEST(Capture, AtRecordedTimes) {
  const Outcome outcome = capture_run().set(kBrowsing).run();
  expect_exhausted(outcome, kBrowsingPackets);
  EXPECT_GT(outcome.json()["result"]["simulated_ps"], 1'000'000'000'000) << "the recording is some seconds long";
}

// A core that sleeps for milliseconds between packets works at its usual pace once it is woken. The first packets may find
// a striding queue whose buffers are still being mapped.
TEST(Capture, AtRecordedTimesThroughAStridingQueue) {
  const Outcome outcome = capture_run().set(kBrowsing).set("driver.rx_striding_rq=true").run();
  EXPECT_EQ(outcome.status, 0) << outcome.error;
  EXPECT_EQ(outcome.json()["result"]["stop_reason"], "exhausted");
  EXPECT_GE(outcome.json()["result"]["packets"]["delivered"], kBrowsingPackets - 2);
  EXPECT_LT(outcome.json()["latency"]["max_ps"], 20'000'000) << "no packet waits for longer than moderation and a poll";
  expect_conserved(outcome);
}

TEST(Capture, AtARate) {
  const Outcome outcome = capture_run().set(kBrowsing).set("traffic.pcap_timing=rate").set("traffic.rate=1 Mpps").run();
  expect_exhausted(outcome, kBrowsingPackets);
  const Report window = outcome.json()["result"]["window"];
  const double us = (window["end_ps"].get<double>() - window["start_ps"].get<double>()) / 1e6;
  EXPECT_NEAR(us, kBrowsingPackets, 8) << "a microsecond each, and the last interrupt";
}

TEST(Capture, ScaledAndLooped) {
  const Outcome outcome = main_scenario(scaled(1000))
                              .set(kBrowsing).set("traffic.pcap_timing=scaled").set("traffic.pcap_scale=1000000").set("traffic.loop=true").run();
  EXPECT_EQ(outcome.status, 0) << outcome.error;
  EXPECT_EQ(outcome.json()["result"]["stop_reason"], "packets");
  expect_conserved(outcome);
}

}  // namespace
}  // namespace ringside::test
