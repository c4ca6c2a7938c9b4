// A DWXGMAC behind an AXI port, with a driver that gives descriptors back at once: the wire is the limit, or what the port
// allows.
#include <gtest/gtest.h>

#include "model/dwmac/hw/common_regs.h"
#include "model/dwmac/hw/xgmac_regs.h"
#include "model/wire/ethernet_wire.h"
#include "model/wire/traffic.h"
#include "tb/tests/contract/axi_bench.h"
#include "tb/tests/contract/dwmac_bench.h"

namespace ringside {
namespace {

using namespace dwmac;

constexpr std::uint64_t kRing = guest::kRamBase, kBuffers = guest::kRamBase + 0x10000;
constexpr std::uint32_t kEntries = 256;

// Re-arms what the device closes, and writes the tail for every 16.
struct Driver : PacketObserver {
  PhysicalMemory& memory;
  Dwmac* nic = nullptr;
  std::uint64_t received = 0;
  Time latest{};

  explicit Driver(PhysicalMemory& m) : memory(m) {}
  dma_desc* desc(std::uint64_t i) { return reinterpret_cast<dma_desc*>(memory.host(PhysAddr{kRing + i % kEntries * 16})); }
  void arm(std::uint64_t i) {
    *desc(i) = {static_cast<std::uint32_t>(kBuffers + i % kEntries * 2048), 0, 0, kDes3Own};
  }
  void completed(Time now, std::uint64_t, Time, PhysAddr, bool) override {
    latest = now;
    // Half a ring behind: its write-back has landed long ago.
    if (received >= kEntries / 2) arm(received - kEntries / 2);
    if (++received % 16 != 0) return;
    const std::uint64_t tail = received < kEntries / 2 ? 0 : received - kEntries / 2;
    nic->mmio_write(now, xgmac::kDmaChannel + xgmac::kChRxTail, 4, kRing + tail % kEntries * 16);
  }
};

TrafficConfig back_to_back(std::uint64_t frame) {
  TrafficConfig traffic;
  traffic.frame_size = frame;
  traffic.packets = 20'000;
  return traffic;
}

struct Rig {
  Rig(const AxiConfig& axi, const DwmacConfig& config, std::uint64_t frame, std::uint32_t outstanding)
      : bench(axi),
        driver(bench.memory),
        nic(sc_core::sc_gen_unique_name("nic"), config, bench.timeline, bench.port, wires),
        source(make_traffic(back_to_back(frame), 1, bench.timeline)),
        wire(sc_core::sc_gen_unique_name("wire"), {config.port_rate}, bench.timeline, *source, nic) {
    bench.dma.record = false;
    driver.nic = &nic;
    nic.set_observer(&driver);
    for (std::uint64_t i = 0; i < kEntries; ++i) driver.arm(i);
    const auto write = [this](std::uint32_t offset, std::uint32_t value) { nic.mmio_write(Time{}, offset, 4, value); };
    const std::uint32_t channel = xgmac::kDmaChannel;
    write(xgmac::kMacRxConfig, xgmac::kRxConfigRe);
    write(xgmac::kMacPacketFilter, kFilterPr);
    write(xgmac::kDmaSysBusMode, (outstanding - 1) << 16 | (outstanding - 1) << 24 | kSysBusBlenMask);
    write(xgmac::kMtlQueue + xgmac::kMtlRxOpMode, kRxOpRsf | 63u << xgmac::kRxOpRqsShift);
    write(channel, kChControlPblx8);
    write(channel + xgmac::kChRxList, kRing);
    write(channel + xgmac::kChRxRingLength, kEntries - 1);
    write(channel + xgmac::kChRxTail, kRing);
    write(channel + xgmac::kChRxControl, 8u << kChPblShift | 2048u << kChRxRbszShift | kChRxSr);
    bench.timeline.run_until(microseconds(5));
  }

  double mpps() {
    const Time start = bench.timeline.now();
    wire.start(start);
    bench.timeline.run_until(start + milliseconds(40));
    nic.check_conservation(bench.timeline.now());
    EXPECT_EQ(nic.packets_offered(), 20'000u);
    return static_cast<double>(driver.received) * 1e6 / static_cast<double>((driver.latest - start).value);
  }

  test::AxiBench bench;
  Driver driver;
  Wires wires;
  Dwmac nic;
  std::unique_ptr<TrafficSource> source;
  EthernetWire wire;
};

AxiConfig axi() {
  AxiConfig c = test::nanosecond_axi();
  c.bus_width = bytes(16);
  c.clock = megahertz(400);
  c.request_latency = nanoseconds(40);
  c.response_latency = nanoseconds(40);
  return c;
}

DwmacConfig core() {
  DwmacConfig c = bench_config("xgmac");
  c.port_rate = gigabits_per_second(10);
  return c;
}

TEST(DwmacRate, LineRateOfAllFrameSizes) {
  for (const std::uint64_t size : {64, 128, 512, 1518}) {
    Rig rig(axi(), core(), size, 16);
    const double line = 10e3 / (static_cast<double>(size + kWireOverheadBytes) * 8);
    EXPECT_NEAR(rig.mpps(), line, line * 1e-3) << size;
    EXPECT_EQ(rig.nic.packets_dropped(), 0u);
  }
}

// Frame and write-back each wait for the answer to the one before: 4 beats and 1, and two round trips of 80 ns.
TEST(DwmacRate, OneOutstandingWriteIsTheLimit) {
  Rig rig(axi(), core(), 64, 1);
  const double bound = 1e3 / (5 * 2.5 + 2 * 80);
  EXPECT_NEAR(rig.mpps(), bound, bound * 5e-3);
  EXPECT_GT(rig.nic.packets_dropped(), 0u);
}

// Without a limit from the port: a descriptor's own time and the beats of frame and write-back.
TEST(DwmacRate, DescriptorTimeIsTheLimit) {
  DwmacConfig config = core();
  config.rx_descriptor = nanoseconds(200);
  Rig rig(axi(), config, 64, 16);
  const double bound = 1e3 / (200 + 5 * 2.5);
  EXPECT_NEAR(rig.mpps(), bound, bound * 5e-3);
}

}  // namespace
}  // namespace ringside
