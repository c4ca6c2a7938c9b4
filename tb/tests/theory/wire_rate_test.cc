// Ethernet's packet rates: frame, 8 bytes of preamble and 12 of gap.
#include <gtest/gtest.h>

#include "model/wire/ethernet_wire.h"

namespace ringside {
namespace {

struct Counter : FrameSink {
  void on_frame(Time now, const Frame&) override {
    if (count++ == 0) first = now;
    if (count > 1) shortest = std::min(shortest, now - last);
    last = now;
  }
  double mpps() const { return static_cast<double>(count - 1) / to_us(last - first); }
  std::uint64_t count = 0;
  Time first{}, last{};
  Time shortest = Time::max();
};

Counter run(TrafficConfig traffic, std::uint64_t gbps = 100, std::uint64_t frames = 100'000) {
  traffic.packets = frames;
  Timeline timeline;
  Counter counter;
  const auto source = make_traffic(traffic, 1, timeline);
  EthernetWire wire("wire", {gigabits_per_second(gbps)}, timeline, *source, counter);
  wire.start(Time{});
  timeline.run_until(seconds(10));
  EXPECT_EQ(counter.count, frames);
  return counter;
}

TEST(WireRate, LineRateOfEverySize) {
  struct Row {
    std::uint64_t gbps, size;
    double mpps;
  };
  for (const Row& row : {Row{100, 64, 148.8095}, Row{100, 128, 84.4595}, Row{100, 256, 45.2899}, Row{100, 512, 23.4962},
                         Row{100, 1024, 11.9732}, Row{100, 1518, 8.1274}, Row{25, 64, 37.2024}, Row{10, 64, 14.8810},
                         Row{200, 64, 297.619}}) {
    TrafficConfig traffic;
    traffic.frame_size = row.size;
    EXPECT_NEAR(run(traffic, row.gbps, 10'000).mpps(), row.mpps, row.mpps * 1e-5);
  }
}

TEST(WireRate, NeverExceededByAnyPattern) {
  for (const char* pattern : {"constant", "poisson", "burst"}) {
    TrafficConfig traffic;
    traffic.pattern = pattern;
    traffic.rate = PacketRate{140'000'000};
    EXPECT_GE(run(traffic).shortest, picoseconds(6720)) << pattern;
    traffic.rate = PacketRate{400'000'000};
    const Counter overloaded = run(traffic);
    EXPECT_GE(overloaded.shortest, picoseconds(6720)) << pattern;
    EXPECT_NEAR(overloaded.mpps(), 148.81, 0.01) << pattern;
  }
}

TEST(WireRate, ARateThatTheWireCarriesArrivesExactly) {
  TrafficConfig traffic;
  traffic.rate = PacketRate{32'270'000};
  const Counter counter = run(traffic, 100, 100'001);
  EXPECT_EQ((counter.last - counter.first).value, 100'000ULL * 1'000'000'000'000 / 32'270'000);
}

TEST(WireRate, BurstsArriveAtLineRate) {
  TrafficConfig traffic;
  traffic.pattern = "burst";
  traffic.burst_length = 16;
  traffic.rate = PacketRate{10'000'000};
  const Counter counter = run(traffic, 100, 160'000);
  EXPECT_EQ(counter.shortest, picoseconds(6720));
  EXPECT_NEAR(counter.mpps(), 10.0, 0.01);
}

TEST(WireRate, MixAtLineRate) {
  TrafficConfig traffic;
  traffic.pattern = "imix";
  // 12 frames are 7 * 84 + 4 * 614 + 1538 = 4582 bytes.
  EXPECT_NEAR(run(traffic, 100, 120'000).mpps(), 12 / (4582 * 0.08e-3), 0.01);
}

}  // namespace
}  // namespace ringside
