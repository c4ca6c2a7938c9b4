// A run as tracks of slices, counters and arrows: what timelines show.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "model/base/units.h"

namespace ringside {

inline constexpr std::uint64_t kNoPacket = ~0ULL;
inline constexpr std::string_view kPacketName = "packet";  // of slices that are about a packet as a whole

struct TraceEvent {
  enum class Kind : std::uint8_t { begin, end, instant, value, arrow };
  std::uint64_t time = 0;           // ps
  std::uint64_t number = kNoPacket;  // of the packet; or the value of a counter
  std::uint32_t name = 0;           // of the trace, for begin and instant
  std::uint16_t note = 0;           // another name, 0 for none: what the packet waited for
  Kind kind = Kind::begin;
};

// Slices and instants of a track follow each other, or lie inside each other; their order is that of their times. Tracks of the
// same process and name are one to whoever looks.
struct Track {
  enum class Kind : std::uint8_t { slices, nested, counter };
  Kind kind = Kind::slices;
  std::string process;
  std::string name;
  std::string unit;  // of a counter
  std::vector<TraceEvent> events;
};

struct Trace {
  std::vector<Track> tracks;
  std::vector<std::string> names{""};
  // By packet, from first_packet on: through how many slices its arrow goes. One makes no arrow.
  std::uint64_t first_packet = 0;
  std::vector<std::uint32_t> arrows;
};

// Goes through the events of all tracks in order of time, those of one time in order of the tracks.
class TraceCursor {
 public:
  explicit TraceCursor(const Trace& trace);

  // False after the last one.
  bool next();
  std::size_t track() const { return heads_.front().track; }
  const TraceEvent& event() const { return trace_.tracks[track()].events[heads_.front().index]; }

 private:
  struct Head {
    std::uint64_t time;
    std::size_t track;
    std::size_t index;
  };
  static bool later(const Head& a, const Head& b) { return a.time != b.time ? a.time > b.time : a.track > b.track; }

  const Trace& trace_;
  std::vector<Head> heads_;  // a heap
  bool started_ = false;
};

}  // namespace ringside
