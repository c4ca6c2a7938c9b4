#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "model/wire/ethernet_wire.h"

namespace ringside {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

struct Listed : TrafficSource {
  explicit Listed(std::vector<std::pair<Time, std::uint32_t>> list) : frames(std::move(list)) {}
  bool next(Offer& offer) override {
    if (sent == frames.size()) return false;
    bytes.assign(frames[sent].second - kFcsBytes, static_cast<std::uint8_t>(sent));
    offer = {frames[sent].first, bytes, frames[sent].second};
    ++sent;
    return true;
  }
  std::vector<std::pair<Time, std::uint32_t>> frames;
  std::vector<std::uint8_t> bytes;
  std::size_t sent = 0;
};

struct Sink : FrameSink {
  void on_frame(Time now, const Frame& frame) override {
    EXPECT_EQ(now, frame.arrival);
    EXPECT_EQ(frame.sequence, arrivals.size());
    arrivals.push_back(now);
    first_bytes.push_back(frame.bytes.empty() ? 0 : frame.bytes[0]);
    if (wire != nullptr && arrivals.size() == stop_after) wire->stop();
  }
  std::vector<Time> arrivals;
  std::vector<int> first_bytes;
  EthernetWire* wire = nullptr;
  std::size_t stop_after = 0;
};

// At 8 Gb/s a byte takes 1 ns.
constexpr WireConfig kNanosecondBytes{gigabits_per_second(8)};

TEST(Wire, FrameArrivesWithItsLastBitAndTheNextKeepsTheGap) {
  Timeline timeline;
  Listed source({{Time{}, 64}, {Time{}, 100}, {nanoseconds(500), 64}});
  Sink sink;
  EthernetWire wire("wire", kNanosecondBytes, timeline, source, sink);
  timeline.run_until(nanoseconds(50));
  EXPECT_EQ(source.sent, 0u) << "silent before start()";
  wire.start(nanoseconds(1000));
  timeline.run_until(nanoseconds(1072) - picoseconds(1));
  EXPECT_THAT(sink.arrivals, IsEmpty());
  timeline.run_until(nanoseconds(1072));
  EXPECT_THAT(sink.arrivals, ElementsAre(nanoseconds(1072)));
  timeline.run_until(microseconds(10));
  EXPECT_THAT(sink.arrivals, ElementsAre(nanoseconds(1072), nanoseconds(1072 + 12 + 108), nanoseconds(1500 + 72)));
  EXPECT_THAT(sink.first_bytes, ElementsAre(0, 1, 2));
  EXPECT_EQ(timeline.fired(), 3u) << "one event for a frame";
}

TEST(Wire, CountsAndEnds) {
  Timeline timeline;
  Listed source({{Time{}, 64}, {Time{}, 100}});
  Sink sink;
  EthernetWire wire("wire", kNanosecondBytes, timeline, source, sink);
  Statistics statistics;
  wire.register_statistics(statistics);
  wire.start(Time{});
  timeline.run_until(nanoseconds(100));
  EXPECT_FALSE(wire.exhausted()) << "the second is under way";
  timeline.run_until(microseconds(1));
  EXPECT_TRUE(wire.exhausted());
  EXPECT_EQ(wire.offered_packets(), 2u);
  EXPECT_EQ(wire.offered_bytes(), 164u);
  EXPECT_EQ(statistics.all()[0].name, "wire_frames");
  EXPECT_EQ(*statistics.all()[0].value, 2u);
  EXPECT_EQ(*statistics.all()[1].value, 164u);
  EXPECT_EQ(*statistics.all()[2].value, nanoseconds(164 + 40).value);
}

TEST(Wire, NothingArrivesAfterStop) {
  Timeline timeline;
  Listed source({{Time{}, 64}, {Time{}, 64}, {Time{}, 64}});
  Sink sink;
  EthernetWire wire("wire", kNanosecondBytes, timeline, source, sink);
  sink.wire = &wire;
  sink.stop_after = 2;
  wire.start(Time{});
  timeline.run_until(microseconds(10));
  EXPECT_EQ(sink.arrivals.size(), 2u);
  EXPECT_EQ(wire.offered_packets(), 2u);
  EXPECT_TRUE(wire.exhausted());
}

TEST(Wire, AnEmptySourceIsExhaustedAtOnce) {
  Timeline timeline;
  Listed source({});
  Sink sink;
  EthernetWire wire("wire", kNanosecondBytes, timeline, source, sink);
  EXPECT_FALSE(wire.exhausted());
  wire.start(Time{});
  EXPECT_TRUE(wire.exhausted());
  EXPECT_EQ(timeline.next(), Time::max());
}

struct OfferLog : PacketObserver {
  void offered(Time at, std::uint64_t sequence, std::uint32_t bytes) override {
    seen.emplace_back(at, sequence * 10'000 + bytes);
  }
  std::vector<std::pair<Time, std::uint64_t>> seen;
};

TEST(Wire, ObserverHearsOfEveryFrame) {
  Timeline timeline;
  Listed source({{Time{}, 64}, {Time{}, 1518}});
  Sink sink;
  EthernetWire wire("wire", kNanosecondBytes, timeline, source, sink);
  OfferLog log;
  wire.set_observer(&log);
  wire.start(Time{});
  timeline.run_until(microseconds(10));
  EXPECT_THAT(log.seen, ElementsAre(std::pair{nanoseconds(72), 64}, std::pair{nanoseconds(84 + 1526), 11'518}));
}

}  // namespace
}  // namespace ringside
