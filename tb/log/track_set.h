// Tracks in the making: cut to a window, in order, and not too many.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "model/base/units.h"
#include "tb/log/log_reader.h"
#include "tb/log/trace.h"

namespace ringside {

class TrackSet {
 public:
  TrackSet(const LogReader& reader, LogWindow window) : reader_(reader), window_(window) {}

  // A new track; the result names it.
  std::size_t add(Track::Kind kind, std::string_view process, std::string_view name, std::string_view unit = "");

  // The first packet that is known.
  void start(std::uint64_t packet) { trace_.first_packet = packet; }

  // A slice that follows those before it on the track: what overlaps them is taken off its beginning. `arrow`: where the packet's
  // arrow touches it.
  enum class Arrow : std::uint8_t { none, at_begin, at_end };
  void slice(std::size_t track, Time begin, Time end, std::string_view name, std::uint64_t packet, Arrow arrow = Arrow::none,
             std::string_view note = "");
  void instant(std::size_t track, Time at, std::string_view name);
  // The packet's arrow touches whatever slice is open on a track of the same name that comes later.
  void arrow(std::size_t track, Time at, std::uint64_t packet);

  // A slice inside the one that is open.
  void enter(std::size_t track, Time at, std::string_view name);
  void leave(std::size_t track, Time at);
  bool inside(std::size_t track) const { return !states_[track].open.empty(); }

  // The counter has this value from now on; or changes by so much at any time.
  void set(std::size_t track, Time at, std::uint64_t value);
  void change(std::size_t track, Time at, std::uint64_t difference);

  // Ends what is open at `end`.
  Trace finish(Time end);

 private:
  struct Change {
    std::uint64_t time;
    std::uint64_t difference;
  };
  struct State {
    Time last{};
    std::vector<std::uint32_t> open;  // names
    bool shown = false;               // nested: what was open at the window's start has been told
    bool over = false;                // nested: the window's end has been passed
    std::uint64_t value = 0;          // counter: the latest
    std::vector<Change> changes;
  };

  std::uint32_t name_number(std::string_view name);
  void push(std::size_t track, Time at, TraceEvent::Kind kind, std::uint64_t number, std::uint32_t name = 0, std::uint16_t note = 0);
  void count();
  void push_arrow(std::size_t track, Time at, std::uint64_t packet);
  void show_open(std::size_t track);
  void integrate(std::size_t track);

  const LogReader& reader_;
  const LogWindow window_;
  Trace trace_;
  std::vector<State> states_;
  std::map<std::string, std::uint32_t, std::less<>> numbers_;
  std::uint64_t events_ = 0;
};

}  // namespace ringside
