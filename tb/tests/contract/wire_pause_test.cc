// PAUSE at the sender of the traffic, and frames that are announced before they are complete.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "model/wire/ethernet_wire.h"

namespace ringside {
namespace {

using testing::ElementsAre;
using testing::Pair;

struct BackToBack : TrafficSource {
  bool next(Offer& offer) override {
    if (left-- == 0) return false;
    offer = {earliest, bytes, static_cast<std::uint32_t>(bytes.size()) + kFcsBytes};
    return true;
  }
  std::vector<std::uint8_t> bytes = std::vector<std::uint8_t>(96);
  Time earliest{};
  int left = 3;
};

struct Listener : FrameSink {
  void on_frame(Time now, const Frame&) override { arrivals.push_back(now); }
  std::uint32_t head_bytes() const override { return head; }
  void on_head(Time now, const Frame& frame) override { heads.emplace_back(now, frame.arrival); }
  std::vector<Time> arrivals;
  std::vector<std::pair<Time, Time>> heads;
  std::uint32_t head = 0;
};

// At 8 Gb/s a byte takes 1 ns: a frame of 100 with preamble and gap 120.
struct WirePause : testing::Test {
  Timeline timeline;
  BackToBack source;
  Listener sink;
  EthernetWire wire{sc_core::sc_gen_unique_name("wire"), {gigabits_per_second(8)}, timeline, source, sink};
};

TEST_F(WirePause, FrameOnTheWireEndsAndTheNextWaitsForTheQuanta) {
  wire.start(Time{});
  timeline.run_until(nanoseconds(50));
  wire.pause(timeline.now(), 10);  // 10 x 64 ns
  timeline.run_until(microseconds(5));
  EXPECT_THAT(sink.arrivals, ElementsAre(nanoseconds(108), nanoseconds(50 + 640 + 108), nanoseconds(50 + 640 + 228)));
}

TEST_F(WirePause, FrameThatHasNotBegunIsHeldBack) {
  wire.start(Time{});
  timeline.run_until(nanoseconds(110));  // in the gap
  wire.pause(timeline.now(), 1);
  timeline.run_until(microseconds(5));
  EXPECT_THAT(sink.arrivals, ElementsAre(nanoseconds(108), nanoseconds(174 + 108), nanoseconds(174 + 228)));
}

TEST_F(WirePause, ZeroQuantaLetItGoOn) {
  wire.start(Time{});
  timeline.run_until(nanoseconds(50));
  wire.pause(timeline.now(), 0xffff);
  timeline.run_until(nanoseconds(500));
  wire.pause(timeline.now(), 0);
  timeline.run_until(microseconds(5));
  EXPECT_THAT(sink.arrivals, ElementsAre(nanoseconds(108), nanoseconds(608), nanoseconds(728)));
}

TEST_F(WirePause, ANewPauseReplacesTheOldOne) {
  wire.start(Time{});
  timeline.run_until(nanoseconds(50));
  wire.pause(timeline.now(), 100);
  wire.pause(timeline.now(), 10);
  timeline.run_until(microseconds(5));
  EXPECT_EQ(sink.arrivals[1], nanoseconds(50 + 640 + 108));
}

TEST_F(WirePause, CountsWhatItHeldBack) {
  Statistics statistics;
  wire.register_statistics(statistics);
  wire.start(Time{});
  timeline.run_until(nanoseconds(50));
  wire.pause(timeline.now(), 10);
  timeline.run_until(microseconds(5));
  std::map<std::string, std::uint64_t> values;
  for (const Statistic& s : statistics.all()) values[s.name] = *s.value;
  EXPECT_EQ(values["wire_pauses"], 1u);
  EXPECT_EQ(values["wire_paused"], nanoseconds(690 - 120).value);
  EXPECT_EQ(values["wire_busy"], nanoseconds(3 * 120).value);
}

TEST_F(WirePause, BeforeTheFirstFrameAndAfterTheLast) {
  wire.pause(Time{}, 10);
  wire.start(nanoseconds(100));
  timeline.run_until(microseconds(5));
  EXPECT_EQ(sink.arrivals[0], nanoseconds(640 + 108));
  wire.pause(timeline.now(), 10);
  EXPECT_TRUE(wire.exhausted());
  EXPECT_EQ(timeline.next(), Time::max());
}

TEST_F(WirePause, HeadIsAnnouncedToSinksThatWantIt) {
  sink.head = 64;
  source.left = 2;
  wire.start(Time{});
  timeline.run_until(microseconds(5));
  EXPECT_THAT(sink.heads, ElementsAre(Pair(nanoseconds(72), nanoseconds(108)), Pair(nanoseconds(192), nanoseconds(228))));
  EXPECT_THAT(sink.arrivals, ElementsAre(nanoseconds(108), nanoseconds(228)));
}

}  // namespace
}  // namespace ringside
