// Timelines: tracks of slices, counters and arrows, cut to a window.
#include <gmock/gmock.h>

#include <algorithm>

#include "tb/log/perfetto_view.h"
#include "tb/log/trace_builder.h"
#include "tb/log/track_set.h"
#include "tb/tests/support/trace_rules.h"
#include "tb/tests/unit/sample_log.h"

namespace ringside::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using Arrow = TrackSet::Arrow;

class Tracks : public testing::Test {
 protected:
  Tracks() : reader_(write_sample(folder_)) {}

  // "1000 begin poll", and so on.
  static std::vector<std::string> lines(const Trace& trace, std::size_t track) {
    std::vector<std::string> all;
    constexpr const char* kKinds[] = {"begin", "end", "instant", "value", "arrow"};
    for (const TraceEvent& e : trace.tracks[track].events) {
      const bool named = e.kind == TraceEvent::Kind::begin || e.kind == TraceEvent::Kind::instant;
      const std::string what = named ? " " + trace.names[e.name] : e.kind == TraceEvent::Kind::value ? fmt::format(" {}", e.number) : "";
      all.push_back(fmt::format("{} {}{}", e.time, kKinds[static_cast<std::size_t>(e.kind)], what));
    }
    return all;
  }
  static std::size_t track_of(const Trace& trace, const std::string& name) {
    const auto at = std::ranges::find(trace.tracks, name, &Track::name);
    EXPECT_NE(at, trace.tracks.end()) << name;
    return static_cast<std::size_t>(at - trace.tracks.begin());
  }

  TemporaryFolder folder_;
  LogReader reader_;
};

TEST_F(Tracks, SlicesAreCutToTheWindowAndDoNotOverlap) {
  TrackSet set(reader_, {Time{100}, Time{200}});
  const std::size_t track = set.add(Track::Kind::slices, "p", "t");
  set.slice(track, Time{10}, Time{50}, "before", kNoPacket);
  set.slice(track, Time{90}, Time{110}, "cut", kNoPacket);
  set.slice(track, Time{105}, Time{120}, "overlaps", kNoPacket);
  set.slice(track, Time{112}, Time{118}, "covered", kNoPacket);
  set.slice(track, Time{150}, Time{150}, "empty", kNoPacket);
  set.slice(track, Time{190}, Time{300}, "long", kNoPacket);
  set.slice(track, Time{250}, Time{300}, "after", kNoPacket);
  EXPECT_THAT(lines(set.finish(Time{200}), track), ElementsAre("100 begin cut", "110 end", "110 begin overlaps", "120 end", "150 begin empty",
                                                              "150 end", "190 begin long", "200 end"));
}

TEST_F(Tracks, NestedSlicesThatAreOpenAtTheEndsAreClosedThere) {
  TrackSet set(reader_, {Time{100}, Time{200}});
  const std::size_t track = set.add(Track::Kind::nested, "p", "t");
  set.enter(track, Time{10}, "main");
  set.enter(track, Time{50}, "gone");
  set.leave(track, Time{60});
  set.enter(track, Time{90}, "poll");
  set.enter(track, Time{120}, "inner");
  set.leave(track, Time{130});
  set.leave(track, Time{250});
  set.leave(track, Time{260});
  EXPECT_THAT(lines(set.finish(Time{200}), track),
              ElementsAre("100 begin main", "100 begin poll", "120 begin inner", "130 end", "200 end", "200 end"));
}

TEST_F(Tracks, CountersAddUpDifferencesInAnyOrder) {
  TrackSet set(reader_, {Time{100}, Time{200}});
  const std::size_t track = set.add(Track::Kind::counter, "p", "bytes", "bytes");
  set.change(track, Time{10}, 5);
  set.change(track, Time{150}, 0 - std::uint64_t{5});
  set.change(track, Time{120}, 3);
  set.change(track, Time{150}, 1);
  set.change(track, Time{500}, 7);
  EXPECT_THAT(lines(set.finish(Time{200}), track), ElementsAre("100 value 5", "120 value 8", "150 value 4"));
}

TEST_F(Tracks, ACursorGoesThroughAllTracksInOrderOfTime) {
  TrackSet set(reader_, {});
  for (int i = 0; i < 5; ++i) set.add(Track::Kind::slices, "p", fmt::format("t{}", i));
  for (std::uint64_t t = 0; t < 200; ++t) set.slice(t * 7 % 5, Time{t * 3}, Time{t * 3 + t % 4}, "x", kNoPacket);
  const Trace trace = set.finish(Time{1000});
  std::uint64_t last = 0, count = 0, expected = 0;
  for (const Track& track : trace.tracks) expected += track.events.size();
  for (TraceCursor cursor(trace); cursor.next(); ++count) {
    EXPECT_GE(cursor.event().time, last);
    last = cursor.event().time;
  }
  EXPECT_EQ(count, expected);
}

TEST_F(Tracks, ALogBecomesTracksOfEachPart) {
  const Trace trace = build_trace(reader_, {});
  EXPECT_THAT(lines(trace, track_of(trace, "received")),
              ElementsAre("1000000 begin packet", "1000000 arrow", "1005000 end", "1020000 begin packet", "1020000 arrow", "1025000 end",
                          "1040000 begin packet", "1040000 arrow", "1045000 end", "1060000 begin packet", "1060000 arrow", "1065000 end"));
  EXPECT_THAT(lines(trace, track_of(trace, "buffer: oldest packet")),
              ElementsAre("1005000 begin packet", "1010000 arrow", "1010000 end", "1025000 begin packet", "1030000 arrow", "1030000 end",
                          "1045000 begin packet", "1046000 end", "1046000 begin waits for descriptor", "1056000 arrow", "1056000 end"));
  EXPECT_THAT(lines(trace, track_of(trace, "drops")), ElementsAre("1056000 begin rx_out_of_buffer", "1056000 arrow", "1056000 end"));
  EXPECT_THAT(lines(trace, track_of(trace, "completions: oldest unread")),
              ElementsAre("1213000 begin packet", "2000000 arrow", "2000000 end", "2000000 begin packet", "3000000 arrow", "3000000 end"));
  EXPECT_THAT(lines(trace, track_of(trace, "to memory")),
              ElementsAre("1010000 begin payload", "1013000 arrow", "1013000 end", "1013000 begin completion", "1016000 end",
                          "1030000 begin payload", "1033000 arrow", "1033000 end", "1033000 begin completion", "1036000 end"));
  EXPECT_THAT(lines(trace, track_of(trace, "core0")), ElementsAre("2000000 arrow", "3000000 arrow"));
  EXPECT_THAT(lines(trace, track_of(trace, "core0") + 1),
              ElementsAre("1999000 begin poll", "2001000 end", "2999000 begin poll", "3001000 end"));
  EXPECT_THAT(lines(trace, track_of(trace, "interrupts")), ElementsAre("1046000 instant vector 3"));
  EXPECT_THAT(lines(trace, track_of(trace, "buffer")),
              ElementsAre("1005000 value 60", "1016000 value 0", "1025000 value 60", "1036000 value 0", "1045000 value 60", "1056000 value 0",
                          "1065000 value 60"));
  EXPECT_THAT(lines(trace, track_of(trace, "posted header credits in use")),
              ElementsAre("1010000 value 1", "1013000 value 2", "1030000 value 3", "1033000 value 4", "1310000 value 3", "1313000 value 2",
                          "1330000 value 1", "1333000 value 0"));
  EXPECT_THAT(lines(trace, track_of(trace, "completions unread")),
              ElementsAre("1213000 value 1", "1233000 value 2", "2000000 value 1", "3000000 value 0"));
  EXPECT_THAT(lines(trace, track_of(trace, "receive ring 5")), ElementsAre("1000000 value 62"));
  EXPECT_THAT(trace.arrows, ElementsAre(5, 5, 3, 1)) << "wire, buffer, payload, completion, core; wire, buffer, drop; wire";
}

TEST_F(Tracks, PerfettoGetsWhatItsImporterInsistsOn) {
  const auto file = folder_.path() / "trace.json";
  for (const LogWindow window : {LogWindow{}, LogWindow{nanoseconds(1030), nanoseconds(2000)}, LogWindow{seconds(1), seconds(2)}}) {
    write_perfetto(reader_, build_trace(reader_, window), file);
    const auto trace = nlohmann::json::parse(folder_.read("trace.json"));
    EXPECT_THAT(broken_rules(trace), IsEmpty());
    EXPECT_EQ(trace["otherData"]["offered"], 4);
    EXPECT_EQ(trace["otherData"]["dropped"]["rx_out_of_buffer"], 1);
  }
}

TEST(TraceRules, FindWhatIsWrong) {
  const auto broken = [](const std::string& events) {
    return broken_rules(nlohmann::json::parse(R"({"traceEvents":[{"ph":"M","pid":1,"tid":1,"name":"thread_name","args":{"name":"t"}},)" + events + "]}"));
  };
  EXPECT_THAT(broken(R"({"ph":"B","pid":1,"tid":1,"ts":1,"name":"a"},{"ph":"E","pid":1,"tid":1,"ts":2})"), IsEmpty());
  EXPECT_THAT(broken(R"({"ph":"B","pid":1,"tid":1,"ts":2,"name":"a"},{"ph":"E","pid":1,"tid":1,"ts":1})"), testing::Not(IsEmpty()));
  EXPECT_THAT(broken(R"({"ph":"B","pid":1,"tid":1,"ts":2,"name":"a"})"), testing::Not(IsEmpty()));
  EXPECT_THAT(broken(R"({"ph":"E","pid":1,"tid":1,"ts":2})"), testing::Not(IsEmpty()));
  EXPECT_THAT(broken(R"({"ph":"s","pid":1,"tid":1,"ts":2,"id":1,"cat":"c","name":"n"})"), testing::Not(IsEmpty()));
  EXPECT_THAT(broken(R"({"ph":"C","pid":1,"ts":2,"name":"n","args":{"v":-1}})"), testing::Not(IsEmpty()));
}

}  // namespace
}  // namespace ringside::test
