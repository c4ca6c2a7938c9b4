// Where the AXI port is the limit, the measured rate equals width times clock, or what outstanding bursts allow (Little).
#include <gtest/gtest.h>

#include <algorithm>

#include "tb/tests/contract/axi_bench.h"

namespace ringside {
namespace {

using test::AxiBench;
using test::kRam;
using test::nanosecond_axi;

constexpr std::uint32_t kSize = 4096;
constexpr int kTransfers = 2000;

AxiConfig port(std::uint64_t width, std::uint64_t mhz) {
  AxiConfig c = nanosecond_axi();
  c.bus_width = bytes(width);
  c.clock = megahertz(mhz);
  c.request_latency = nanoseconds(100);
  c.response_latency = nanoseconds(100);
  return c;
}

double gbps(std::uint64_t bytes, Time time) { return static_cast<double>(bytes) * 8e3 / static_cast<double>(time.value); }

// Payload rate of back-to-back writes of `size` bytes.
double write_rate(AxiBench& bench, std::uint32_t size) {
  const auto data = test::counting_bytes(size);
  bench.dma.record = false;
  Time accepted{};
  for (int i = 0; i < kTransfers; ++i) {
    accepted = bench.port.write(accepted, kRam, data).accepted;
    bench.timeline.run_until(accepted);
  }
  return gbps(std::uint64_t{size} * kTransfers, accepted);
}

// Keeps eight reads of `size` bytes waiting at the port.
class Reader : public DmaReader {
 public:
  Reader(AxiBench& bench, std::uint32_t size) : bench_(bench), size_(size) { bench.dma.record = false; }
  double rate() {
    for (int i = 0; i < 8; ++i) bench_.port.read(Time{}, kRam, size_, *this, 0);
    while (done_ < kTransfers) bench_.timeline.run_until(bench_.timeline.next());
    return gbps(std::uint64_t{size_} * done_, bench_.timeline.now());
  }
  void on_read(Time now, std::uint64_t, std::span<const std::uint8_t>, bool) override {
    ++done_;
    bench_.port.read(now, kRam, size_, *this, 0);
  }

 private:
  AxiBench& bench_;
  std::uint32_t size_;
  std::uint64_t done_ = 0;
};

TEST(AxiBandwidth, ChannelsCarryWidthTimesClock) {
  for (const auto& [width, mhz] : {std::pair{8, 250}, std::pair{16, 400}, std::pair{16, 333}, std::pair{32, 500}}) {
    const double bound = width * 8 * mhz / 1e3;
    AxiBench writes(port(static_cast<std::uint64_t>(width), static_cast<std::uint64_t>(mhz)));
    EXPECT_NEAR(write_rate(writes, kSize), bound, bound * 1e-3);
    AxiBench reads(port(static_cast<std::uint64_t>(width), static_cast<std::uint64_t>(mhz)));
    EXPECT_NEAR(Reader(reads, kSize).rate(), bound, bound * 2e-3);
  }
}

// Read and write channels are apart.
TEST(AxiBandwidth, ShortTransfersPayForWholeBeats) {
  AxiBench bench(port(16, 400));
  EXPECT_NEAR(write_rate(bench, 20), 51.2 * 20 / 32, 0.05);
}

// A burst is outstanding for its beats and both latencies.
TEST(AxiBandwidth, OutstandingBurstsAreTheLimitByLittlesLaw) {
  for (const std::uint64_t outstanding : {1, 2, 4, 8}) {
    for (const std::uint64_t beats : {4, 16, 64}) {
      AxiConfig config = port(16, 400);
      config.reads = config.writes = outstanding;
      config.max_burst = beats;
      const double burst = static_cast<double>(beats) * 16;
      const double round_trip = static_cast<double>(beats) * 2.5 + 200;  // ns
      const double bound = std::min(51.2, static_cast<double>(outstanding) * burst * 8 / round_trip);
      AxiBench writes(config);
      EXPECT_NEAR(write_rate(writes, kSize), bound, bound * 5e-3) << outstanding << " x " << beats;
      AxiBench reads(config);
      EXPECT_NEAR(Reader(reads, kSize).rate(), bound, bound * 5e-3) << outstanding << " x " << beats;
    }
  }
}

TEST(AxiBandwidth, MemoryLatencyCountsAsOutstandingToo) {
  AxiConfig config = port(16, 400);
  config.reads = 2;
  config.max_burst = 16;
  AxiBench bench(config);
  bench.dma.read_latency = nanoseconds(160);
  const double bound = 2 * 256 * 8 / (40.0 + 200 + 160);
  EXPECT_NEAR(Reader(bench, kSize).rate(), bound, bound * 5e-3);
}

}  // namespace
}  // namespace ringside
