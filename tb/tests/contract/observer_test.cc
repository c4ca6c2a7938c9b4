// What models tell their detail observers: times that agree with what they do, and sums that agree with their statistics.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "model/wire/ethernet_wire.h"
#include "tb/tests/contract/axi_bench.h"
#include "tb/tests/contract/connectx_bench.h"
#include "tb/tests/contract/dwmac_bench.h"
#include "tb/tests/contract/pcie_bench.h"

namespace ringside {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

struct Transfers : FabricObserver {
  void transfer(Time now, const Transfer& t) override {
    EXPECT_GE(t.begin, now);
    EXPECT_GE(t.end, t.begin);
    EXPECT_GE(t.arrival, t.end);
    EXPECT_LE(t.offered, t.begin);
    all.push_back(t);
  }
  void postponed(Time, std::uint64_t age, Time returned) override { late.emplace_back(age, returned); }
  std::vector<Transfer> of(std::initializer_list<Transfer::Kind> kinds) const {
    std::vector<Transfer> some;
    for (const Transfer& t : all) {
      if (std::find(kinds.begin(), kinds.end(), t.kind) != kinds.end()) some.push_back(t);
    }
    return some;
  }
  std::vector<Transfer> all;
  std::vector<std::pair<std::uint64_t, Time>> late;
};

// One after the other, with the sum of their lengths.
std::uint64_t busy(const std::vector<Transfer>& transfers) {
  std::uint64_t sum = 0;
  Time last{};
  for (const Transfer& t : transfers) {
    EXPECT_GE(t.begin, last);
    last = t.end;
    sum += (t.end - t.begin).value;
  }
  return sum;
}

TEST(PcieObserver, TransfersAreTheTimeThatTheLinkIsTaken) {
  test::PcieBench bench(test::nanosecond_pcie());
  Transfers seen;
  bench.link.set_transfer_observer(&seen);
  const auto posted = bench.link.write(nanoseconds(100), test::kRam, test::counting_bytes(600));
  bench.link.read(nanoseconds(100), PhysAddr{test::kRam.value + 4096}, 700, bench.device, 1);
  bench.link.mmio_write(nanoseconds(120), guest::kNicBar, 8, 1);
  bench.timeline.run_until(microseconds(20));
  bench.link.mmio_read(microseconds(20), guest::kNicBar, 4);
  EXPECT_EQ(seen.all.at(0).end, posted.accepted);
  EXPECT_EQ(seen.all.at(0).arrival, posted.visible);
  EXPECT_EQ(seen.all.at(0).headers, 3U) << "TLPs of 256 bytes";
  EXPECT_EQ(seen.all.at(0).data, 38U) << "of 16 bytes";
  using enum Transfer::Kind;
  EXPECT_EQ(busy(seen.of({write, read_request, load_data})), bench.statistic("pcie_upstream_busy"));
  EXPECT_EQ(busy(seen.of({read_data, store, load_request})), bench.statistic("pcie_downstream_busy"));
  EXPECT_EQ(seen.of({read_request}).size(), 2U);
}

TEST(PcieObserver, WaitsForCreditsAndTheirReturnAreTold) {
  PcieConfig config = test::nanosecond_pcie();
  config.posted_headers = 1;
  config.posted_data = 64;
  config.credit_latency = nanoseconds(40);
  test::PcieBench bench(config);
  bench.dma.write_latency = nanoseconds(500);
  Transfers seen;
  bench.link.set_transfer_observer(&seen);
  for (int i = 0; i < 3; ++i) bench.link.write(Time{}, test::kRam, test::counting_bytes(64));
  std::uint64_t waited = 0;
  for (const Transfer& t : seen.all) waited += t.credit_wait.value;
  EXPECT_EQ(waited, bench.statistic("pcie_posted_stall"));
  EXPECT_GT(waited, 0U);
  EXPECT_EQ(seen.all[1].begin, seen.all[0].returned);
  bench.timeline.run_until(microseconds(5));
  ASSERT_FALSE(seen.late.empty());
  EXPECT_EQ(seen.late[0].first, 2U) << "two have been offered since";
  EXPECT_EQ(seen.late[0].second, seen.all[0].arrival + nanoseconds(540));
}

TEST(AxiObserver, TransfersAreTheTimeThatTheChannelsAreTaken) {
  test::AxiBench bench(test::nanosecond_axi());
  Transfers seen;
  bench.port.set_transfer_observer(&seen);
  bench.port.write(nanoseconds(10), test::kRam, test::counting_bytes(5000));
  bench.port.write(nanoseconds(10), test::kRam, test::counting_bytes(16));
  bench.port.read(nanoseconds(10), test::kRam, 3000, bench.device, 1);
  bench.timeline.run_until(microseconds(20));
  using enum Transfer::Kind;
  EXPECT_EQ(busy(seen.of({write})), bench.statistic("axi_write_busy"));
  EXPECT_EQ(busy(seen.of({read_data})), bench.statistic("axi_read_busy"));
}

// Names the DMA by what it is for, and keeps the rest as lines.
struct Inside : DeviceObserver {
  void buffered(Time, std::uint64_t p, std::uint32_t b, std::uint32_t) override {
    bytes += b;
    lines.push_back("buffered " + std::to_string(p));
  }
  void freed(Time now, std::uint64_t, std::uint32_t b, Time at) override {
    EXPECT_GE(at, now);
    bytes -= b;
  }
  void waits(Time, std::uint64_t p, Resource r) override {
    const std::string line = "waits " + std::to_string(p) + " " + std::to_string(static_cast<int>(r));
    if (lines.empty() || lines.back() != line) lines.push_back(line);
  }
  void moves(Time now, std::uint64_t p) override {
    lines.push_back("moves " + std::to_string(p));
    moved = now;
  }
  void dma(DmaUse use, std::optional<std::uint64_t>) override { ++uses[use]; }
  void ring(Time, RingKind, std::uint32_t, std::uint64_t l, std::uint64_t) override { level = l; }
  std::vector<std::string> lines;
  std::map<DmaUse, int> uses;
  std::int64_t bytes = 0;
  std::uint64_t level = 0;
  Time moved{};
};

constexpr auto kDescriptorCode = "1", kRoomCode = "0";
static_assert(static_cast<int>(Resource::descriptor) == 1 && static_cast<int>(Resource::buffer_room) == 0);

TEST(ConnectxObserver, APacketWaitsForAWqeAndThenMoves) {
  connectx::Bench bench;
  Inside seen;
  bench.nic.set_detail_observer(&seen);
  bench.open();
  bench.post(1);
  bench.offer(connectx::plain_frame(60));
  bench.offer(connectx::plain_frame(60));
  bench.run_for(nanoseconds(700));
  bench.post(3);
  bench.run_for(microseconds(5));
  ASSERT_EQ(bench.seen.completions.size() + bench.seen.drops.size(), 2U);
  EXPECT_THAT(seen.lines, testing::Contains(std::string("waits 0 ") + kDescriptorCode));
  EXPECT_THAT(seen.lines, testing::Contains("moves 0"));
  EXPECT_EQ(seen.bytes, 0) << "all that came has left";
  EXPECT_EQ(seen.uses[DmaUse::payload], static_cast<int>(bench.seen.completions.size()));
  EXPECT_EQ(seen.uses[DmaUse::completion], static_cast<int>(bench.seen.completions.size()));
  EXPECT_EQ(seen.uses[DmaUse::receive_descriptor], static_cast<int>(bench.stat("device.wqe_fetches")));
  EXPECT_EQ(seen.uses[DmaUse::record], static_cast<int>(bench.stat("device.rq_record_reads")));
}

TEST(ConnectxObserver, APacketWithoutRoomSaysSoBeforeItIsDropped) {
  ConnectxConfig config = connectx::bench_config();
  config.packet_buffer = kibibytes(16);
  connectx::Bench bench(config);
  Inside seen;
  bench.nic.set_detail_observer(&seen);
  bench.open();
  for (int i = 0; i < 20; ++i) bench.offer(connectx::plain_frame(1000));
  const std::string first = std::to_string(bench.seen.drops.at(0).sequence);
  EXPECT_THAT(seen.lines, testing::Contains("waits " + first + " " + kRoomCode));
  bench.run_for(microseconds(20));
  EXPECT_EQ(seen.bytes, 0) << "dropped from the buffer for want of WQEs";
}

class DwmacObserver : public testing::TestWithParam<const char*> {};

TEST_P(DwmacObserver, AFrameWaitsForADescriptorAndThenMoves) {
  dwmac::Bench bench(dwmac::bench_config(GetParam()));
  Inside seen;
  bench.nic.set_detail_observer(&seen);
  bench.open();
  bench.offer(dwmac::plain_frame(60));
  bench.run_for(microseconds(2));
  EXPECT_THAT(seen.lines, ElementsAre("buffered 0", std::string("waits 0 ") + kDescriptorCode));
  EXPECT_EQ(seen.bytes, 64);
  for (std::uint32_t i = 0; i < 4; ++i) bench.arm(i);
  bench.tail(4);
  bench.run_for(microseconds(5));
  EXPECT_THAT(seen.lines, ElementsAre("buffered 0", std::string("waits 0 ") + kDescriptorCode, "moves 0"));
  EXPECT_EQ(seen.bytes, 0);
  EXPECT_EQ(seen.level, 3U) << "of four, one is used";
  EXPECT_EQ(seen.uses[DmaUse::payload], 1);
  EXPECT_EQ(seen.uses[DmaUse::completion], 1);
  EXPECT_EQ(seen.uses[DmaUse::receive_descriptor], static_cast<int>(bench.stat("device.descriptor_fetches")));
}

TEST_P(DwmacObserver, AResetEmptiesTheBuffer) {
  dwmac::Bench bench(dwmac::bench_config(GetParam()));
  Inside seen;
  bench.nic.set_detail_observer(&seen);
  bench.open();
  for (int i = 0; i < 3; ++i) bench.offer(dwmac::plain_frame(200));
  bench.run_for(microseconds(2));
  EXPECT_EQ(seen.bytes, 3 * 204);
  bench.write(bench.map.dma_mode, dwmac::kDmaModeSwr);
  EXPECT_EQ(seen.bytes, 0);
}

INSTANTIATE_TEST_SUITE_P(Cores, DwmacObserver, testing::Values("xgmac", "eqos"), [](const auto& info) { return std::string(info.param); });

struct Frames : WireObserver {
  void received(Time now, Time begin, std::uint64_t sequence, std::uint32_t size, std::span<const std::uint8_t> bytes) override {
    lines.push_back(std::to_string(begin.value / 1000) + "-" + std::to_string(now.value / 1000) + " " + std::to_string(sequence) + " " +
                    std::to_string(size) + " " + std::to_string(bytes.size()));
  }
  std::vector<std::string> lines;
};

struct Nobody : FrameSink {
  void on_frame(Time, const Frame&) override {}
};

TEST(WireObserver, AFrameTakesTheLinkFromItsPreambleOn) {
  Timeline timeline;
  TrafficConfig traffic;
  traffic.packets = 2;
  const auto source = make_traffic(traffic, 1, timeline);
  Nobody sink;
  EthernetWire wire(sc_core::sc_gen_unique_name("wire"), {gigabits_per_second(8)}, timeline, *source, sink);
  Frames seen;
  wire.set_frame_observer(&seen);
  wire.start(microseconds(1));
  timeline.run_until(microseconds(10));
  EXPECT_THAT(seen.lines, ElementsAre("1000-1072 0 64 60", "1084-1156 1 64 60"));
}

}  // namespace
}  // namespace ringside
