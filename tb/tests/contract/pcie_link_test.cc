#include "model/fabric/pcie_link.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tb/tests/contract/pcie_bench.h"

namespace ringside {
namespace {

using test::Access;
using test::counting_bytes;
using test::kRam;
using test::nanosecond_pcie;
using test::PcieBench;
using ::testing::ElementsAre;
using ::testing::ElementsAreArray;

// 1 ns for a byte; 24 bytes around a request's payload, 20 around a completion's.
PcieConfig slow_link() {
  PcieConfig config = nanosecond_pcie();
  config.upstream_latency = nanoseconds(100);
  config.downstream_latency = nanoseconds(200);
  config.root_latency = nanoseconds(30);
  config.device_latency = nanoseconds(50);
  config.credit_latency = nanoseconds(40);
  config.uncached_spacing = nanoseconds(60);
  return config;
}

PhysAddr ram(std::uint64_t offset) { return {kRam.value + offset}; }

TEST(PcieLinkWrite, BytesLandWhenTheyBecomeVisibleAndNotBefore) {
  PcieBench bench(slow_link());
  auto data = counting_bytes(64);
  const auto posted = bench.link.write(nanoseconds(1000), ram(64), data);
  data.assign(64, 0);  // copied at the call
  EXPECT_EQ(posted.accepted, nanoseconds(1088));
  EXPECT_EQ(posted.visible, nanoseconds(1218));
  bench.timeline.run_until(posted.visible - picoseconds(1));
  EXPECT_EQ(*bench.memory.host(ram(64)), 0);
  bench.timeline.run_until(posted.visible);
  EXPECT_THAT(std::vector<std::uint8_t>(bench.memory.host(ram(64)), bench.memory.host(ram(128))),
              ElementsAreArray(counting_bytes(64)));
  EXPECT_EQ(bench.timeline.fired(), 1u);
}

TEST(PcieLinkWrite, SplitsAtMaxPayloadAndAtFourKibibytes) {
  PcieBench bench(slow_link());
  bench.link.write(Time{}, ram(0), counting_bytes(600));  // 256 + 256 + 88
  EXPECT_EQ(bench.statistic("pcie_upstream_tlps"), 3u);
  EXPECT_EQ(bench.statistic("pcie_upstream_bytes"), 600u + 3 * 24);
  bench.link.write(Time{}, ram(4096 - 10), counting_bytes(20));
  EXPECT_EQ(bench.statistic("pcie_upstream_tlps"), 5u);
}

TEST(PcieLinkWrite, BecomesVisibleInTheOrderOfTheCalls) {
  PcieBench bench(slow_link());
  bench.link.write(Time{}, ram(0), counting_bytes(1024));
  bench.link.write(Time{}, ram(2048), counting_bytes(1));
  bench.link.write(Time{}, ram(4096), counting_bytes(64));
  bench.timeline.run_until(microseconds(10));
  EXPECT_THAT(bench.dma.writes,
              ElementsAre(Access{nanoseconds(1250), ram(0).value, 1024}, Access{nanoseconds(1275), ram(2048).value, 1},
                          Access{nanoseconds(1363), ram(4096).value, 64}));
}

TEST(PcieLinkWrite, OutsideRamIsDroppedAndCounted) {
  PcieBench bench(slow_link());
  bench.link.write(Time{}, PhysAddr{0x1000}, counting_bytes(64));
  bench.link.write(Time{}, ram(bench.memory.size().value - 32), counting_bytes(64));
  bench.link.write(Time{}, PhysAddr{guest::kMsiAddress}, counting_bytes(8));
  bench.timeline.run_until(microseconds(10));
  EXPECT_EQ(bench.statistic("pcie_unsupported_requests"), 3u);
  EXPECT_TRUE(bench.dma.writes.empty());
  EXPECT_TRUE(bench.interrupts.seen.empty());
}

TEST(PcieLinkWrite, MessageSignalledInterruptFollowsEarlierWrites) {
  PcieBench bench(slow_link());
  const std::uint8_t vector[4] = {5, 0, 0, 0};
  bench.link.write(Time{}, ram(0), counting_bytes(64));
  const auto posted = bench.link.write(Time{}, PhysAddr{guest::kMsiAddress}, vector);
  bench.timeline.run_until(posted.visible - picoseconds(1));
  EXPECT_EQ(bench.dma.writes.size(), 1u);
  EXPECT_TRUE(bench.interrupts.seen.empty());
  bench.timeline.run_until(posted.visible);
  EXPECT_THAT(bench.interrupts.seen, ElementsAre(Access{nanoseconds(88 + 28 + 130), 5, 0}));
}

TEST(PcieLinkRead, SamplesMemoryAtTheRootComplexAndReturnsTheBytes) {
  PcieBench bench(slow_link());
  bench.dma.read_latency = nanoseconds(70);
  *bench.memory.host(ram(0)) = 1;
  bench.link.read(Time{}, ram(0), 64, bench.device, 42);
  bench.timeline.run_until(nanoseconds(24 + 130) - picoseconds(1));
  *bench.memory.host(ram(0)) = 2;
  bench.timeline.run_until(nanoseconds(24 + 130));
  *bench.memory.host(ram(0)) = 3;
  const Time back = nanoseconds(24 + 130 + 70 + 84 + 200);
  bench.timeline.run_until(back - picoseconds(1));
  EXPECT_TRUE(bench.device.completions.empty());
  bench.timeline.run_until(back);
  EXPECT_THAT(bench.device.completions, ElementsAre(Access{back, 42, true}));
  EXPECT_EQ(bench.device.data.size(), 64u);
  EXPECT_EQ(bench.device.data[0], 2);
}

TEST(PcieLinkRead, DoesNotPassAnEarlierWrite) {
  PcieBench bench(slow_link());
  bench.link.write(Time{}, ram(0), counting_bytes(64));
  bench.link.read(Time{}, ram(0), 64, bench.device, 1);
  bench.timeline.run_until(microseconds(10));
  EXPECT_THAT(bench.device.data, ElementsAreArray(counting_bytes(64)));
}

TEST(PcieLinkRead, WithoutATagIsPassedByLaterWrites) {
  PcieConfig config = slow_link();
  config.tags = 1;
  PcieBench bench(config);
  bench.link.read(Time{}, ram(0), 64, bench.device, 1);
  bench.link.read(Time{}, ram(64), 64, bench.device, 2);
  const auto posted = bench.link.write(Time{}, ram(64), counting_bytes(64));
  EXPECT_EQ(posted.accepted, nanoseconds(24 + 88));
  bench.timeline.run_until(microseconds(10));
  EXPECT_EQ(bench.device.completions.back().address, 2u);
  EXPECT_THAT(bench.device.data, ElementsAreArray(counting_bytes(64)));
}

TEST(PcieLinkRead, SplitsRequestsAtMrrsAndCompletionsAtMaxPayload) {
  PcieBench bench(slow_link());
  bench.link.read(Time{}, ram(0), 1514, bench.device, 1);
  bench.timeline.run_until(microseconds(10));
  EXPECT_EQ(bench.statistic("pcie_upstream_tlps"), 3u);
  EXPECT_EQ(bench.statistic("pcie_downstream_tlps"), 6u);
  EXPECT_EQ(bench.statistic("pcie_downstream_bytes"), 1514u + 6 * 20);
  EXPECT_EQ(bench.device.completions.size(), 1u);
  EXPECT_EQ(bench.device.data.size(), 1514u);
}

TEST(PcieLinkRead, CompletionsEndOnTheReadCompletionBoundary) {
  PcieBench bench(slow_link());
  bench.link.read(Time{}, ram(16), 256, bench.device, 1);  // 240 to the boundary, then 16
  bench.timeline.run_until(microseconds(10));
  EXPECT_EQ(bench.statistic("pcie_downstream_tlps"), 2u);
}

TEST(PcieLinkRead, OutsideRamCompletesWithoutData) {
  PcieBench bench(slow_link());
  bench.link.read(Time{}, PhysAddr{0x100}, 64, bench.device, 9);
  bench.timeline.run_until(microseconds(10));
  EXPECT_THAT(bench.device.completions, ElementsAre(Access{nanoseconds(24 + 130 + 20 + 200), 9, false}));
  EXPECT_TRUE(bench.device.data.empty());
  EXPECT_EQ(bench.statistic("pcie_unsupported_requests"), 1u);
  // The tag is free again.
  bench.link.read(bench.timeline.now(), ram(0), 64, bench.device, 10);
  bench.timeline.run_until(microseconds(20));
  EXPECT_TRUE(bench.device.completions.back().length);
}

TEST(PcieLinkRead, DataThatIsReadyEarlierReturnsFirst) {
  PcieBench bench(slow_link());
  bench.dma.read_spread = 1000;                                                  // by address: line n takes n ns
  bench.link.read(Time{}, PhysAddr{0x40'0000 - 64}, 64, bench.device, 1);        // line 65535 of memory: 535 ns
  bench.link.read(Time{}, PhysAddr{0x40'0000 - 536 * 64}, 64, bench.device, 2);  // line 65000: 0 ns
  bench.timeline.run_until(microseconds(10));
  EXPECT_THAT(bench.device.completions, ElementsAre(Access{nanoseconds(48 + 130 + 84 + 200), 2, true},
                                                    Access{nanoseconds(24 + 130 + 535 + 84 + 200), 1, true}));
}

TEST(PcieLinkCredits, PostedHeaderCreditHoldsTheNextWriteBack) {
  PcieConfig config = slow_link();
  config.posted_headers = 1;
  PcieBench bench(config);
  const auto first = bench.link.write(Time{}, ram(0), counting_bytes(64));
  const auto second = bench.link.write(Time{}, ram(64), counting_bytes(64));
  EXPECT_EQ(second.accepted, first.visible + nanoseconds(40 + 88));
  EXPECT_EQ(bench.statistic("pcie_posted_stall"), nanoseconds(218 + 40 - 88).value);
}

TEST(PcieLinkCredits, SlowMemoryHoldsCreditsBack) {
  PcieConfig config = slow_link();
  config.posted_headers = 1;
  PcieBench bench(config);
  bench.dma.write_latency = nanoseconds(500);
  const auto first = bench.link.write(Time{}, ram(0), counting_bytes(64));
  bench.timeline.run_until(first.visible);
  const auto second = bench.link.write(first.visible, ram(64), counting_bytes(64));
  EXPECT_EQ(second.accepted, first.visible + nanoseconds(500 + 40 + 88));
}

TEST(PcieLinkCredits, NonPostedCreditReturnsWhenTheRequestIsServed) {
  PcieConfig config = slow_link();
  config.nonposted_headers = 1;
  PcieBench bench(config);
  bench.link.read(Time{}, ram(0), 64, bench.device, 1);
  bench.link.read(Time{}, ram(64), 64, bench.device, 2);
  bench.timeline.run_until(microseconds(10));
  EXPECT_EQ(bench.dma.reads[0].at, nanoseconds(154));
  EXPECT_EQ(bench.dma.reads[1].at, nanoseconds(154 + 40 + 154));
  EXPECT_EQ(bench.statistic("pcie_read_stall"), nanoseconds(194).value);
}

TEST(PcieLinkCredits, AReturningTagDoesNotMakeUpForAMissingCredit) {
  PcieConfig config = slow_link();
  config.nonposted_headers = 1;
  config.credit_latency = nanoseconds(5000);
  PcieBench bench(config);
  bench.link.read(Time{}, ram(0), 64, bench.device, 1);
  bench.link.read(Time{}, ram(64), 64, bench.device, 2);
  bench.timeline.run_until(microseconds(20));
  EXPECT_EQ(bench.dma.reads[1].at, nanoseconds(154 + 5000 + 154));
}

TEST(PcieLinkCredits, TagsLimitReadsInFlight) {
  PcieConfig config = slow_link();
  config.tags = 2;
  PcieBench bench(config);
  for (std::uint64_t i = 0; i < 3; ++i) bench.link.read(Time{}, ram(64 * i), 64, bench.device, i);
  const Time first_back = nanoseconds(24 + 130 + 84 + 200);
  bench.timeline.run_until(microseconds(10));
  EXPECT_EQ(bench.device.completions[0].at, first_back);
  EXPECT_EQ(bench.dma.reads[2].at, first_back + nanoseconds(154));
}

TEST(PcieLinkCredits, CompletionSpaceLimitsReadsInFlight) {
  PcieConfig config = slow_link();
  config.completion_data = 32;  // one request of 512 bytes
  PcieBench bench(config);
  bench.link.read(Time{}, ram(0), 512, bench.device, 1);
  bench.link.read(Time{}, ram(512), 16, bench.device, 2);
  bench.timeline.run_until(microseconds(10));
  EXPECT_EQ(bench.dma.reads[1].at, bench.device.completions[0].at + nanoseconds(154));
}

TEST(PcieLinkMmio, WriteReachesTheDeviceALatencyLaterInOrder) {
  PcieBench bench(slow_link());
  const Time free = bench.link.mmio_write(nanoseconds(1000), guest::kNicBar + 0x20, 8, 0xabcd);
  EXPECT_EQ(free, nanoseconds(1060)) << "spacing of uncached stores";
  bench.link.mmio_write(free, guest::kNicBar + 0x28, 4, 1);
  const Time arrival = nanoseconds(1000 + 32 + 230);
  bench.timeline.run_until(arrival - picoseconds(1));
  EXPECT_TRUE(bench.device.mmio_writes.empty());
  bench.timeline.run_until(microseconds(10));
  EXPECT_THAT(bench.device.mmio_writes, ElementsAre(Access{arrival, 0x20, 0xabcd}, Access{nanoseconds(1318), 0x28, 1}));
}

TEST(PcieLinkMmio, StoresOfACoreThatRunsAheadDoNotBlockTheLink) {
  PcieBench bench(slow_link());
  bench.link.read(Time{}, ram(0), 64, bench.device, 1);
  bench.link.mmio_write(microseconds(1), guest::kNicBar, 4, 0);
  bench.timeline.run_until(microseconds(10));
  EXPECT_EQ(bench.device.completions[0].at, nanoseconds(24 + 130 + 84 + 200));
}

TEST(PcieLinkMmio, ReadIsARoundTripAndPushesWritesBothWays) {
  PcieBench bench(slow_link());
  bench.link.mmio_write(Time{}, guest::kNicBar, 4, 7);
  const auto posted = bench.link.write(Time{}, ram(0), counting_bytes(1024));
  const auto result = bench.link.mmio_read(nanoseconds(10), guest::kNicBar + 8, 4);
  EXPECT_EQ(result.value, 0x1234u);
  ASSERT_EQ(bench.device.mmio_writes.size(), 1u) << "the write was pushed ahead";
  const Time arrival = nanoseconds(60 + 24 + 230);  // the store before it takes 60 ns
  EXPECT_THAT(bench.device.mmio_reads, ElementsAre(Access{arrival, 8, 0}));
  EXPECT_EQ(posted.accepted, nanoseconds(1024 + 4 * 24));
  EXPECT_EQ(result.done, posted.accepted + nanoseconds(24 + 50 + 130));
  EXPECT_GT(result.done, posted.visible);
}

TEST(PcieLinkMmio, OutsideTheBarIsUnsupported) {
  PcieBench bench(slow_link());
  bench.link.mmio_write(Time{}, guest::kNicBar + guest::kNicBarSize - 4, 8, 7);
  EXPECT_EQ(bench.link.mmio_read(nanoseconds(10), guest::kNicBar - 8, 4).value, 0xffff'ffffu);
  EXPECT_EQ(bench.link.mmio_read(microseconds(10), guest::kNicBar - 8, 8).value, ~0ULL);
  EXPECT_EQ(bench.statistic("pcie_unsupported_requests"), 3u);
  EXPECT_TRUE(bench.device.mmio_writes.empty());
}

TEST(PcieLinkMmio, DevicePostedCreditsHoldStoresBack) {
  PcieConfig config = slow_link();
  config.device_posted_headers = 1;
  PcieBench bench(config);
  bench.link.mmio_write(Time{}, guest::kNicBar, 4, 1);
  bench.link.mmio_write(Time{}, guest::kNicBar, 4, 2);
  bench.timeline.run_until(microseconds(10));
  EXPECT_EQ(bench.device.mmio_writes[1].at, bench.device.mmio_writes[0].at + nanoseconds(40 + 28 + 230));
}

struct MmioLog : PacketObserver {
  void mmio(Time at, std::uint64_t address, std::uint64_t value, bool write) override {
    seen.push_back({at, address, value});
    writes.push_back(write);
  }
  std::vector<Access> seen;
  std::vector<bool> writes;
};

TEST(PcieLinkMmio, ObserverHearsOfItAtTheDevice) {
  PcieBench bench(slow_link());
  MmioLog log;
  bench.link.set_observer(&log);
  bench.link.mmio_write(Time{}, guest::kNicBar, 4, 7);
  bench.link.mmio_read(nanoseconds(100), guest::kNicBar + 8, 4);
  EXPECT_THAT(log.seen, ElementsAre(Access{nanoseconds(258), guest::kNicBar, 7},
                                    Access{nanoseconds(354), guest::kNicBar + 8, 0x1234}));
  EXPECT_THAT(log.writes, ElementsAre(true, false));
}

}  // namespace
}  // namespace ringside
