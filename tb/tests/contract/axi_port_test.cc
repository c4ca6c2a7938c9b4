// One AXI port: when data moves, what it waits for, and in which order.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/base/errors.h"
#include "tb/tests/contract/axi_bench.h"

namespace ringside {
namespace {

using test::Access;
using test::AxiBench;
using test::counting_bytes;
using test::kRam;
using test::nanosecond_axi;
using testing::ElementsAre;

TEST(AxiPort, WriteTakesABeatEachCycleAndIsVisibleAfterTheRequestLatency) {
  AxiConfig config = nanosecond_axi();
  config.request_latency = nanoseconds(100);
  config.response_latency = nanoseconds(30);
  AxiBench bench(config);
  const auto data = counting_bytes(64);
  const DmaFabric::Posted posted = bench.port.write(nanoseconds(10), kRam, data);
  EXPECT_EQ(posted.accepted, nanoseconds(10 + 8));
  EXPECT_EQ(posted.visible, nanoseconds(118));
  EXPECT_EQ(bench.port.response(posted), nanoseconds(148));
  bench.timeline.run_until(nanoseconds(118) - picoseconds(1));
  EXPECT_EQ(*bench.memory.host(kRam), 0);
  bench.timeline.run_until(nanoseconds(118));
  EXPECT_EQ(*bench.memory.host(kRam), 1);
  EXPECT_EQ(bench.timeline.fired(), 1u) << "one event for a write";
}

TEST(AxiPort, PartialBeatsTakeWholeCycles) {
  AxiBench bench(nanosecond_axi());
  const auto data = counting_bytes(64);
  EXPECT_EQ(bench.port.write(Time{}, PhysAddr{kRam.value + 3}, {data.data(), 6}).accepted, nanoseconds(2));
  EXPECT_EQ(bench.port.write(Time{}, PhysAddr{kRam.value}, {data.data(), 4}).accepted, nanoseconds(3));
  EXPECT_EQ(bench.statistic("axi_write_bus_bytes"), 24u);
  EXPECT_EQ(bench.statistic("axi_dma_write_bytes"), 10u);
}

TEST(AxiPort, BurstsEndAtTheLimitOfPortOrDeviceAndAtFourKibibytes) {
  AxiConfig config = nanosecond_axi();
  config.max_burst = 16;
  AxiBench bench(config);
  const auto data = counting_bytes(512);
  bench.port.write(Time{}, kRam, {data.data(), 256});
  EXPECT_EQ(bench.statistic("axi_write_bursts"), 2u) << "16 beats of 8 bytes each";
  bench.port.set_limits({.beats = 4, .reads = 1024, .writes = 1024});
  bench.port.write(Time{}, kRam, {data.data(), 256});
  EXPECT_EQ(bench.statistic("axi_write_bursts"), 2u + 8);
  bench.port.set_limits({.beats = 256, .reads = 1024, .writes = 1024});
  bench.port.write(Time{}, PhysAddr{kRam.value + 4096 - 32}, {data.data(), 64});
  EXPECT_EQ(bench.statistic("axi_write_bursts"), 10u + 2);
}

TEST(AxiPort, WriteBurstWaitsForTheAnswerToAnEarlierOne) {
  AxiConfig config = nanosecond_axi();
  config.max_burst = 8;
  config.writes = 2;
  config.request_latency = nanoseconds(100);
  config.response_latency = nanoseconds(50);
  AxiBench bench(config);
  const auto data = counting_bytes(256);
  // Bursts of 8 ns: the third starts when the first is answered, at 8 + 150.
  const DmaFabric::Posted posted = bench.port.write(Time{}, kRam, {data.data(), 192});
  EXPECT_EQ(posted.accepted, nanoseconds(158 + 8));
  EXPECT_EQ(bench.statistic("axi_write_stall"), nanoseconds(158 - 16).value);
}

TEST(AxiPort, SlowMemoryDelaysTheAnswers) {
  AxiConfig config = nanosecond_axi();
  config.writes = 1;
  config.request_latency = nanoseconds(10);
  AxiBench bench(config);
  bench.dma.write_latency = nanoseconds(500);
  const auto data = counting_bytes(8);
  bench.port.write(Time{}, kRam, data);
  bench.timeline.run_until(nanoseconds(20));
  EXPECT_EQ(bench.port.write(nanoseconds(20), kRam, data).accepted, nanoseconds(1 + 10 + 500 + 1));
}

TEST(AxiPort, ReadTakesBothLatenciesTheMemoryAndItsBeats) {
  AxiConfig config = nanosecond_axi();
  config.request_latency = nanoseconds(100);
  config.response_latency = nanoseconds(30);
  AxiBench bench(config);
  bench.dma.read_latency = nanoseconds(60);
  bench.port.read(nanoseconds(5), kRam, 64, bench.device, 7);
  bench.timeline.run_until(microseconds(1));
  EXPECT_THAT(bench.dma.reads, ElementsAre(Access{nanoseconds(105), kRam.value, 64}));
  EXPECT_THAT(bench.device.completions, ElementsAre(Access{nanoseconds(105 + 60 + 8 + 30), 7, 1}));
  EXPECT_EQ(bench.timeline.fired(), 2u) << "two events for a burst";
}

TEST(AxiPort, ReadBurstWaitsWhenTooManyAreOutstanding) {
  AxiConfig config = nanosecond_axi();
  config.max_burst = 8;
  config.reads = 1;
  config.request_latency = nanoseconds(100);
  AxiBench bench(config);
  bench.port.read(Time{}, kRam, 128, bench.device, 1);
  bench.timeline.run_until(microseconds(1));
  EXPECT_THAT(bench.device.completions, ElementsAre(Access{nanoseconds(2 * 108), 1, 1}));
  EXPECT_EQ(bench.statistic("axi_read_stall"), nanoseconds(108).value);
}

// One ID: the second read's data is there first, and waits.
TEST(AxiPort, ReadDataComesBackInOrder) {
  AxiBench bench(nanosecond_axi());
  bench.dma.read_spread = 1000;
  const std::uint64_t slow = kRam.value / 64 * 64 + 64 * ((999 + 1000 - kRam.value / 64 % 1000) % 1000);
  const std::uint64_t fast = slow + 64;  // 999 ns less
  bench.port.read(Time{}, PhysAddr{slow}, 8, bench.device, 1);
  bench.port.read(Time{}, PhysAddr{fast}, 8, bench.device, 2);
  bench.timeline.run_until(microseconds(3));
  EXPECT_THAT(bench.device.completions,
              ElementsAre(Access{nanoseconds(1000), 1, 1}, Access{nanoseconds(1001), 2, 1}));
}

TEST(AxiPort, ReadDoesNotPassAnEarlierWrite) {
  AxiBench bench(nanosecond_axi());
  const auto data = counting_bytes(4096);
  const DmaFabric::Posted posted = bench.port.write(Time{}, kRam, data);
  EXPECT_EQ(posted.visible, nanoseconds(512));
  bench.port.read(Time{}, PhysAddr{kRam.value + 4088}, 8, bench.device, 1);
  bench.timeline.run_until(microseconds(1));
  EXPECT_EQ(bench.device.data.front(), data[4088]);
  EXPECT_THAT(bench.device.completions, ElementsAre(Access{nanoseconds(513), 1, 1}));
}

TEST(AxiPort, AddressesWithoutMemoryAreDecodeErrors) {
  AxiBench bench(nanosecond_axi());
  const auto data = counting_bytes(8);
  bench.port.write(Time{}, PhysAddr{0}, data);
  bench.port.read(Time{}, PhysAddr{0}, 8, bench.device, 1);
  bench.timeline.run_until(microseconds(1));
  EXPECT_EQ(bench.statistic("axi_decode_errors"), 2u);
  ASSERT_EQ(bench.device.completions.size(), 1u);
  EXPECT_EQ(bench.device.completions[0].length, 0u) << "not ok";
}

TEST(AxiPort, RegistersAreALatencyAway) {
  AxiConfig config = nanosecond_axi();
  config.mmio_latency = nanoseconds(70);
  config.store_spacing = nanoseconds(20);
  AxiBench bench(config);
  EXPECT_EQ(bench.port.mmio_write(nanoseconds(5), guest::kNicBar + 8, 4, 1), nanoseconds(25));
  EXPECT_EQ(bench.port.mmio_write(nanoseconds(6), guest::kNicBar + 12, 4, 2), nanoseconds(45)) << "a spacing later";
  const MmioFabric::ReadResult read = bench.port.mmio_read(nanoseconds(45), guest::kNicBar, 4);
  EXPECT_THAT(bench.device.mmio_writes,
              ElementsAre(Access{nanoseconds(75), 8, 1}, Access{nanoseconds(95), 12, 2}));
  EXPECT_EQ(read.value, 0x1234u);
  EXPECT_EQ(read.done, nanoseconds(45 + 140));
  EXPECT_EQ(bench.port.mmio_read(nanoseconds(200), guest::kNicBar + guest::kNicBarSize, 4).value, 0xffff'ffffu);
}

TEST(AxiPort, RefusesABusThatIsNoPowerOfTwo) {
  AxiConfig config = nanosecond_axi();
  config.bus_width = bytes(12);
  EXPECT_THROW(AxiBench bench(config), InputError);
}

}  // namespace
}  // namespace ringside
