// stmmac on a SoC without coherent DMA: what the driver's steps cost, and what a line too few does to the data.
#include <string>
#include <vector>

#include "tb/tests/regress/ringside_run.h"

namespace ringside::test {
namespace {

RingsideRun transfer() { return RingsideRun({"stmmac-tcp", "--quiet"}); }

double ns_per_packet(const std::string& step, const std::string& residual = "0 ns") {
  const Outcome outcome = transfer()
                              .set("driver.rx=" + step)
                              .set("residual.tcp=" + residual)
                              .set("run.warmup=2000")
                              .set("run.packets=3000")
                              .run();
  EXPECT_EQ(outcome.status, 0) << outcome.error;
  const Report report = outcome.json();
  const Report& packets = report["result"]["packets"];
  EXPECT_EQ(packets["offered"].get<std::uint64_t>(),
            packets["delivered"].get<std::uint64_t>() + total(packets["dropped"]) + packets["in_flight"].get<std::uint64_t>());
  return report["result"]["ns_per_packet"];
}

// The published series (netdev, January 2025), without what a whole kernel adds. The exact sync length spares 36 lines of cache
// maintenance per packet at 13.2 ns each; a prefetch behind the sync hides at least a part of a load from DRAM, 130 ns.
TEST(ReceiveSteps, EachIsAGain) {
  const double copy = ns_per_packet("copy");
  const double zero_copy = ns_per_packet("zero-copy");
  const double max_len = ns_per_packet("zero-copy-max-len");
  const double net_prefetch = ns_per_packet("net-prefetch");
  EXPECT_LT(zero_copy, copy - 200);
  EXPECT_NEAR(zero_copy - max_len, 36 * 13.2, 0.15 * 36 * 13.2);
  EXPECT_LT(net_prefetch, max_len - 65);
}

// Work of the kernel that the port lacks stands before each packet. Between finding it and reading its header, it would hide
// what the prefetch hides.
TEST(ReceiveSteps, AResidualTakesNothingFromAPrefetch) {
  EXPECT_LT(ns_per_packet("prefetch", "1700 ns"), ns_per_packet("zero-copy-max-len", "1700 ns") - 65);
}

// 600 segments of a known stream, headers split off, in pages that were cleared when they were allocated. The link pauses, so
// that nothing is lost.
Report split(const std::string& more_flags, const std::vector<std::string>& settings = {}) {
  RingsideRun run = transfer();
  run.set("driver.reader=verify").set("driver.rx_split_header=true").set("traffic.packets=600");
  run.set("run.warmup=0").set("run.packets=0").set("driver.flags=[\"-DCONFIG_INIT_ON_ALLOC_DEFAULT_ON\"" + more_flags + "]");
  for (const std::string& setting : settings) run.set(setting);
  const Outcome outcome = run.run();
  EXPECT_EQ(outcome.status, 0) << outcome.error;
  const Report report = outcome.json();
  EXPECT_EQ(report["result"]["stop_reason"], "exhausted");
  EXPECT_EQ(counter(report, "driver", "tcp_read_bytes"), 600u * 1448);
  EXPECT_EQ(total(report["result"]["packets"]["dropped"]), 0u);
  return report;
}

constexpr const char* kShortWindow = ", \"-DSTMMAC_FAULT=STMMAC_FAULT_SPH_SYNC_WINDOW\"";

// Linux, cb6cc8ed7717: the sync window of payload pages began at byte 64, where DMA writes from byte 0.
TEST(SplitHeader, AShortSyncWindowCorruptsWithoutADrop) {
  const Report report = split(kShortWindow);
  const std::uint64_t corrupt = counter(report, "driver", "tcp_corrupt_bytes");
  const std::uint64_t lines = counter(report, "memory", "dma_overwritten_lines");
  EXPECT_GT(corrupt, 0u);
  // At most the first line of a payload; a byte of the stream may be 0 like what replaced it.
  EXPECT_LE(corrupt, lines * 64);
  ASSERT_TRUE(report["result"].contains("overwritten_lines"));
  for (const auto& address : report["result"]["overwritten_lines"]) {
    EXPECT_EQ(address.get<std::uint64_t>() % 4096, 0u) << "the first line of a page";
  }
}

TEST(SplitHeader, TheRightWindowDeliversIntact) {
  const Report report = split("");
  EXPECT_EQ(counter(report, "driver", "tcp_corrupt_bytes"), 0u);
  EXPECT_EQ(counter(report, "memory", "dma_overwritten_lines"), 0u);
  EXPECT_EQ(counter(report, "memory", "stale_loads"), 0u);
}

// A core that discards what it invalidates corrupts only where the line was evicted before.
TEST(SplitHeader, ADiscardingCoreCorruptsLess) {
  const std::uint64_t cleaning = counter(split(kShortWindow), "driver", "tcp_corrupt_bytes");
  EXPECT_LT(counter(split(kShortWindow, {"memory.invalidate=discard"}), "driver", "tcp_corrupt_bytes"), cleaning);
}

// ... and as much as a cleaning one if every line is evicted as soon as DMA has written to it. The right window is immune to
// evictions, whenever they come.
TEST(SplitHeader, EvictionsBringTheCorruptionBack) {
  const std::uint64_t cleaning = counter(split(kShortWindow), "memory", "dma_overwritten_lines");
  const std::vector<std::string> forced{"memory.invalidate=discard", "memory.evict_dma_lines=true"};
  const std::vector<std::string> random{"memory.invalidate=discard", "memory.eviction_interval=20 ns"};
  EXPECT_GE(counter(split(kShortWindow, forced), "memory", "dma_overwritten_lines"), cleaning);
  for (const auto& eviction : {forced, random}) {
    const Report report = split("", eviction);
    EXPECT_EQ(counter(report, "driver", "tcp_corrupt_bytes"), 0u);
    EXPECT_EQ(counter(report, "memory", "dma_overwritten_lines"), 0u);
  }
}

// Lines that are evicted before DMA writes do no harm: the more often they are, the fewer are still dirty when it does.
TEST(SplitHeader, EarlyEvictionsHideTheShortWindow) {
  const std::uint64_t seldom = counter(split(kShortWindow, {"memory.eviction_interval=100 us"}), "memory", "dma_overwritten_lines");
  const std::uint64_t often = counter(split(kShortWindow, {"memory.eviction_interval=20 ns"}), "memory", "dma_overwritten_lines");
  EXPECT_LT(often, seldom / 2);
}

TEST(SplitHeader, ACoherentDeviceHidesTheShortWindow) {
  const Report report = split(kShortWindow, {"memory.dma_snoops=true", "driver.dma_coherent=true"});
  EXPECT_EQ(counter(report, "driver", "tcp_corrupt_bytes"), 0u);
}

// 600 segments of a known stream into pages that were cleared when they were allocated, whole frames.
Report whole(const std::string& fault, const std::vector<std::string>& settings) {
  RingsideRun run = transfer();
  run.set("driver.reader=verify").set("traffic.packets=600").set("run.warmup=0").set("run.packets=0");
  run.set("driver.flags=[\"-DCONFIG_INIT_ON_ALLOC_DEFAULT_ON\"" + fault + "]");
  for (const std::string& setting : settings) run.set(setting);
  const Outcome outcome = run.run();
  EXPECT_EQ(outcome.status, 0) << outcome.error;
  return outcome.json();
}

// Nothing is lost on the wire. Whole packets were covered with the zeros that the page had been cleared with, headers and all,
// so that the stack knows them as no protocol, and the peer has to send them again. The report names lines.
void expect_corrupted(const Report& report) {
  const std::uint64_t unknown = report["result"]["packets"]["ended"].value("kfree_skb:UNHANDLED_PROTO", std::uint64_t{0});
  EXPECT_EQ(total(report["result"]["packets"]["dropped"]), 0u);
  EXPECT_GT(unknown, 0u);
  EXPECT_EQ(counter(report, "peer", "peer_retransmissions"), unknown);
  EXPECT_EQ(counter(report, "memory", "dma_overwritten_lines"), unknown * 24) << "the lines of 1514 bytes";
  EXPECT_TRUE(report["result"].contains("overwritten_lines"));
}
void expect_whole(const Report& report) {
  EXPECT_EQ(counter(report, "memory", "dma_overwritten_lines"), 0u);
  EXPECT_EQ(counter(report, "memory", "stale_loads"), 0u);
  EXPECT_EQ(counter(report, "driver", "tcp_corrupt_bytes"), 0u);
  EXPECT_EQ(counter(report, "driver", "tcp_read_bytes"), 600u * 1448);
  EXPECT_EQ(counter(report, "peer", "peer_retransmissions"), 0u);
}

// Linux of July 2019 (2af6106ae949, Tegra186): the page that was copied from is cleaned, and the new one goes to the device
// with whatever the processor last wrote there.
TEST(TegraRegressions, CleaningTheOldBufferInsteadOfTheNewOne) {
  // A ring that the caches hold, so that its pages are dirty when the device gets them.
  const std::vector<std::string> copy{"driver.rx=copy", "dwmac.model=dwmac-eqos-5.20", "driver.rx_ring=64"};
  expect_corrupted(whole(", \"-DSTMMAC_FAULT=STMMAC_FAULT_SYNC_OLD_BUFFER\"", copy));
  expect_whole(whole("", copy));
}

// Linux of September 2024 (b514c47ebf41, Tegra234): without a program, pages are not cleaned at all.
TEST(TegraRegressions, CleaningOnlyForPrograms) {
  const std::string fault = ", \"-DSTMMAC_FAULT=STMMAC_FAULT_SYNC_ONLY_XDP\"";
  expect_corrupted(whole(fault, {}));
  expect_whole(whole(fault, {"driver.xdp=pass"}));
  expect_whole(whole("", {}));
  // A device tree that says dma-coherent, and a device that is, cure it.
  expect_whole(whole(fault, {"memory.dma_snoops=true", "driver.dma_coherent=true"}));
}

TEST(NonCoherent, IsRefusedWhereTheGuestCannotMaintainCaches) {
  const Outcome outcome = RingsideRun({"mlx5e-xdp-drop", "--quiet"}).set("memory.dma_snoops=false").run();
  EXPECT_EQ(outcome.status, 2);
  EXPECT_NE(outcome.error.find("memory.dma_snoops"), std::string::npos) << outcome.error;
}

TEST(NonCoherent, SettingsOfTheOtherDriverAreRefused) {
  const Outcome striding = transfer().set("driver.rx_striding_rq=true").run();
  EXPECT_EQ(striding.status, 2);
  EXPECT_NE(striding.error.find("--set driver.rx_striding_rq=true"), std::string::npos) << striding.error;
  EXPECT_EQ(RingsideRun({"mlx5e-xdp-drop", "--quiet"}).set("driver.rx=copy").run().status, 2);
  const Outcome watchdog = transfer().set("driver.rx_usecs=3").run();
  EXPECT_EQ(watchdog.status, 2);
  EXPECT_NE(watchdog.error.find("17 to 262 us"), std::string::npos) << watchdog.error;  // 256 periods of 250 MHz, 16 to 255 times
}

// Linux of 2019 never wrote the tail pointer (1558679169-26752-2): the receiver stops after a ring of frames. That is an
// error with what each unit waits for, not a low rate.
TEST(StuckReceiver, IsReportedAsSuch) {
  const Outcome outcome = transfer()
                              .set("traffic.packets=2000")
                              .set("run.warmup=0")
                              .set("run.packets=0")
                              .set("driver.flags=[\"-DSTMMAC_FAULT=STMMAC_FAULT_TAIL_NOT_WRITTEN\"]")
                              .run();
  EXPECT_EQ(outcome.status, 3) << outcome.output;
  EXPECT_NE(outcome.error.find("run.watchdog"), std::string::npos) << outcome.error;
  EXPECT_NE(outcome.error.find("the guest waits for an interrupt; RX channel 0: suspended at the tail"), std::string::npos) << outcome.error;
}

}  // namespace
}  // namespace ringside::test
