// stmmac on the board: whatever core, ring, budget and memory, what came over the wire is delivered byte by byte, packets
// and pages are accounted for, and what is lost is counted.
#include <fmt/format.h>

#include "model/dwmac/frame_parser.h"
#include "tb/tests/regress/ringside_run.h"
#include "tb/tests/support/captured_packets.h"

namespace ringside::test {
namespace {

constexpr const char* kCapture = RINGSIDE_SOURCE_DIR "/traces/captures/web-browsing-2010.pcap";
constexpr const char* kXgmac = "dwxgmac-3.20a";
constexpr const char* kEqos = "dwmac-eqos-5.20";

// A capture has packets whose checksums the sender's adapter had yet to fill in, and frames made of it may end before the
// packet in them: XGMAC takes both for errors, and EQOS leaves the verdict to the driver.
bool is_wrong(Packet packet) {
  const bool ipv4 = packet[12] == 0x08 && packet[13] == 0x00, ipv6 = packet[12] == 0x86 && packet[13] == 0xdd;
  if (ipv4 && (packet[16] << 8 | packet[17]) + 14u > packet.size()) return true;
  if (ipv6 && (packet[18] << 8 | packet[19]) + 40u + 14u > packet.size()) return true;
  const Packet before = packet;
  dwmac::insert_checksums(packet);
  return packet != before;
}

struct Case {
  const char* name;
  std::vector<std::string> settings;
  bool jumbo = false;   // frames for an MTU of up to 9000, made of the capture's
  bool wrong = false;   // frames with wrong checksums come through
};
void PrintTo(const Case& c, std::ostream* out) { *out << testing::PrintToString(c.settings); }

RingsideRun capture_run(const Packets& packets) {
  RingsideRun run({"stmmac-capture", "--quiet"});
  run.file("sent.pcap", pcap_file(packets)).set("traffic.pcap=sent.pcap").set("traffic.pcap_timing=rate");
  return run;
}

// Offered = delivered + dropped + in flight; and of the pages that the pool gave out, those that did not come back are in
// the ring, two for each descriptor.
void expect_conserved_and_no_leak(const Report& report) {
  const Report& packets = report["result"]["packets"];
  EXPECT_EQ(report["result"]["stop_reason"], "exhausted");
  EXPECT_EQ(packets["offered"].get<std::uint64_t>(), packets["delivered"].get<std::uint64_t>() + total(packets["dropped"]));
  EXPECT_EQ(packets["in_flight"], 0);
  const auto of = [&](const char* name) { return counter(report, "driver", name); };
  const std::uint64_t given = of("rx_pp_alloc_fast") + of("rx_pp_alloc_slow") + of("rx_pp_alloc_refill");
  const std::uint64_t back = of("rx_pp_recycle_cached") + of("rx_pp_recycle_ring") + of("rx_pp_recycle_ring_full") +
                             of("rx_pp_recycle_released_ref");
  EXPECT_EQ(given - back, 2 * report["config"]["driver.rx_ring"]["value"].get<std::uint64_t>());
}

class StmmacDelivery : public testing::TestWithParam<Case> {};

// 20 us apart, so that nothing is lost.
TEST_P(StmmacDelivery, IsByteIdentical) {
  Packets packets = captured_packets(kCapture);
  if (GetParam().jumbo) packets = jumbo_frames(packets, 9000 + 14);
  const std::size_t sent = packets.size();
  RingsideRun run = capture_run(packets);
  run.set("traffic.rate=0.05 Mpps");
  for (const std::string& setting : GetParam().settings) run.set(setting);
  const Outcome outcome = run.run();
  ASSERT_EQ(outcome.status, 0) << outcome.error;
  const Report report = outcome.json();
  expect_conserved_and_no_leak(report);
  if (!GetParam().wrong) std::erase_if(packets, is_wrong);
  EXPECT_EQ(total(report["result"]["packets"]["dropped"]), sent - packets.size()) << report["result"]["packets"]["dropped"];
  EXPECT_EQ(counter(report, "driver", "digest_packets"), packets.size());
  EXPECT_EQ(counter(report, "driver", "digest"), digest_of(packets));
  EXPECT_EQ(counter(report, "memory", "stale_loads"), 0u);
  EXPECT_EQ(counter(report, "memory", "dma_overwritten_lines"), 0u);
}

std::string core(const char* model) { return fmt::format("dwmac.model={}", model); }

INSTANTIATE_TEST_SUITE_P(
    Layouts, StmmacDelivery,
    testing::Values(
        Case{"Xgmac", {core(kXgmac)}}, Case{"Eqos", {core(kEqos)}, false, true},
        Case{"Copy", {core(kXgmac), "driver.rx=copy"}}, Case{"Program", {core(kXgmac), "driver.xdp=checksum"}},
        Case{"Pass", {core(kEqos), "driver.xdp=pass"}, false, true},
        Case{"SplitHeader", {core(kXgmac), "driver.rx_split_header=true"}},
        Case{"SplitHeaderEqos", {core(kEqos), "driver.rx_split_header=true"}, false, true},
        Case{"SmallestRing", {core(kXgmac), "driver.rx_ring=64", "driver.rx_frames=1"}},
        Case{"Ring128", {core(kEqos), "driver.rx_ring=128", "driver.rx_split_header=true"}, false, true},
        Case{"Ring256", {core(kXgmac), "driver.rx_ring=256", "driver.rx=zero-copy"}},
        Case{"LargestRing", {core(kXgmac), "driver.rx_ring=1024"}}, Case{"BudgetOfOne", {core(kXgmac), "driver.napi_budget=1"}},
        Case{"Coherent", {core(kXgmac), "memory.dma_snoops=true", "driver.dma_coherent=true"}},
        Case{"X86", {core(kXgmac), "memory.dma_snoops=true", "driver.dma_coherent=true", "cpu.model=xeon-8380"}},
        // Frames of up to six buffers, two for a descriptor.
        Case{"Oversized", {core(kXgmac), "driver.napi_budget=3", "driver.rx_frames=1"}, true},
        Case{"OversizedEqos", {core(kEqos), "driver.napi_budget=3", "driver.rx_frames=1"}, true, true},
        Case{"OversizedSplitHeader", {core(kXgmac), "driver.rx_split_header=true"}, true},
        // A device so slow that polls end within a frame: they find its first descriptors only.
        Case{"WithinAFrame", {core(kXgmac), "dwmac.rx_descriptor=5 us", "driver.rx_frames=1"}, true},
        Case{"WithinAFrameEqos", {core(kEqos), "dwmac.rx_descriptor=6 us", "driver.rx_frames=1"}, true, true},
        Case{"WithinAFrameBudgetOfOne", {core(kXgmac), "dwmac.rx_descriptor=5 us", "driver.rx_frames=1", "driver.napi_budget=1"}, true},
        Case{"WithinAFrameSplitHeader", {core(kXgmac), "dwmac.rx_descriptor=5 us", "driver.rx_frames=1", "driver.rx_split_header=true"}, true},
        Case{"Mtu9000", {core(kXgmac), "driver.mtu=9000"}, true},
        Case{"Mtu9000Copy", {core(kXgmac), "driver.mtu=9000", "driver.rx=copy"}, true}),
    [](const auto& info) { return info.param.name; });

// As fast as the wire allows, into a small ring: PAUSE keeps what would else be lost.
TEST(StmmacOverload, PauseLosesNothing) {
  const Packets once = captured_packets(kCapture);
  Packets packets;
  for (int i = 0; i < 10; ++i) packets.insert(packets.end(), once.begin(), once.end());
  for (const bool pause : {true, false}) {
    const Outcome outcome = capture_run(packets)
                                .set("driver.rx_ring=64")
                                .set(fmt::format("driver.pause={}", pause))
                                .set("traffic.rate=5 Mpps")
                                .run();
    ASSERT_EQ(outcome.status, 0) << outcome.error;
    const Report report = outcome.json();
    expect_conserved_and_no_leak(report);
    if (pause) {
      Packets right = packets;
      std::erase_if(right, is_wrong);
      EXPECT_EQ(counter(report, "driver", "digest"), digest_of(right));
      EXPECT_GT(counter(report, "nic", "mmc_tx_pause_frame"), 0u);
    } else {
      EXPECT_GT(report["result"]["packets"]["dropped"]["mmc_rx_fifo_overflow"].get<std::uint64_t>(), 0u);
    }
  }
}

// PAUSE is asked for when 3 KiB of the FIFO are left, which must do for what the sender is just sending and for the next frame.
constexpr std::size_t kLongestPaused = 1800;

// The pool fails for a while. Packets wait in the FIFO meanwhile; with PAUSE they wait at the sender, too, and none is lost.
TEST(StmmacOverload, AShortageOfMemoryLosesOnlyCountedPackets) {
  const Packets once = captured_packets(kCapture);
  Packets packets;
  for (int i = 0; i < 8; ++i) packets.insert(packets.end(), once.begin(), once.end());
  for (const bool pause : {true, false}) {
    for (const bool oversized : {false, true}) {
      Packets sent = oversized ? jumbo_frames(packets, kLongestPaused) : packets;
      const Outcome outcome =
          capture_run(sent)
              .set("driver.rx_ring=64")
              .set("traffic.rate=0.5 Mpps")
              .set(fmt::format("driver.pause={}", pause))
              .set("driver.flags=[\"-DCONFIG_FAIL_PAGE_POOL\", \"-DFAIL_PAGE_POOL_AFTER=400\", \"-DFAIL_PAGE_POOL_TIMES=300\"]")
              .run();
      ASSERT_EQ(outcome.status, 0) << outcome.error;
      const Report report = outcome.json();
      expect_conserved_and_no_leak(report);
      EXPECT_GT(report["result"]["packets"]["delivered"].get<std::uint64_t>(), 400u);
      if (!pause) continue;
      std::erase_if(sent, is_wrong);
      EXPECT_EQ(counter(report, "driver", "digest_packets"), sent.size()) << report["result"]["packets"]["dropped"];
      EXPECT_EQ(counter(report, "driver", "digest"), digest_of(sent));
    }
  }
}

// What a program sends back or redirects leaves, and every page comes home.
TEST(StmmacTransmission, OfProgramsLosesNothing) {
  for (const char* model : {kXgmac, kEqos}) {
    for (const std::string program : {"tx", "redirect-same"}) {
      const Outcome outcome = RingsideRun({"stmmac-xdp-drop", "--quiet"})
                                  .set(core(model))
                                  .set("driver.xdp=" + program)
                                  .set("traffic.rate=0.3 Mpps")
                                  .set("traffic.packets=1500")
                                  .set("run.warmup=0")
                                  .set("run.packets=0")
                                  .set("run.converge=0")
                                  .run();
      ASSERT_EQ(outcome.status, 0) << outcome.error;
      const Report report = outcome.json();
      EXPECT_EQ(report["result"]["packets"]["delivered"], 1500);
      if (program == "redirect-same") {
        EXPECT_EQ(counter(report, "driver", "xdp_devmap_xmit"), 1500u);
      }
      EXPECT_EQ(counter(report, "driver", "rx_dropped"), 0u);
      // The run ends with the last packet received; what the last polls sent may still be on its way out.
      EXPECT_GE(counter(report, "nic", "mmc_tx_framecount_gb") + 64, 1500u);
    }
  }
}

// Each VLAN priority has its queue, each queue its ring, and none is stuck behind another.
TEST(StmmacQueues, PrioritiesGoToTheirQueues) {
  Packets packets = captured_packets(kCapture);
  std::erase_if(packets, is_wrong);
  std::uint64_t of_queue[4] = {}, bytes = 0;
  for (std::size_t i = 0; i < packets.size(); ++i) {
    const auto priority = static_cast<std::uint8_t>(i % 8);
    const std::uint8_t tag[4] = {0x81, 0x00, static_cast<std::uint8_t>(priority << 5), 0};
    packets[i].insert(packets[i].begin() + 12, std::begin(tag), std::end(tag));
    ++of_queue[priority % 4];
    bytes += packets[i].size();
  }
  for (const char* model : {kXgmac, kEqos}) {
    const Outcome outcome =
        capture_run(packets).set(core(model)).set("driver.rx_queues=4").set("driver.rx_ring=64").set("traffic.rate=0.05 Mpps").run();
    ASSERT_EQ(outcome.status, 0) << outcome.error;
    const Report report = outcome.json();
    EXPECT_EQ(report["result"]["packets"]["delivered"], packets.size());
    EXPECT_EQ(counter(report, "driver", "digest_packets"), packets.size());
    EXPECT_EQ(counter(report, "driver", "digest_bytes"), bytes);
    for (int queue = 0; queue < 4; ++queue) {
      EXPECT_EQ(counter(report, "driver", fmt::format("q{}_rx_pkt_n", queue)), of_queue[queue]) << model << ' ' << queue;
    }
  }
}

}  // namespace
}  // namespace ringside::test
