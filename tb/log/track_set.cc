#include "tb/log/track_set.h"

#include <fmt/format.h>

#include <algorithm>

namespace ringside {
namespace {

constexpr std::uint64_t kMostEvents = 16'000'000;  // of 24 bytes
constexpr std::size_t kMostNames = 1 << 16;

}  // namespace

std::size_t TrackSet::add(Track::Kind kind, std::string_view process, std::string_view name, std::string_view unit) {
  trace_.tracks.push_back({kind, std::string(process), std::string(name), std::string(unit), {}});
  states_.emplace_back();
  return trace_.tracks.size() - 1;
}

std::uint32_t TrackSet::name_number(std::string_view name) {
  if (name.empty()) return 0;
  const auto known = numbers_.find(name);
  if (known != numbers_.end()) return known->second;
  if (trace_.names.size() == kMostNames) return 0;
  trace_.names.emplace_back(name);
  return numbers_.emplace(name, static_cast<std::uint32_t>(trace_.names.size() - 1)).first->second;
}

void TrackSet::count() {
  if (++events_ <= kMostEvents) return;
  reader_.fail(fmt::format("more than {} million events; with --from and --to a part of the run can be shown", kMostEvents / 1'000'000));
}

void TrackSet::push(std::size_t track, Time at, TraceEvent::Kind kind, std::uint64_t number, std::uint32_t name, std::uint16_t note) {
  count();
  trace_.tracks[track].events.push_back({at.value, number, name, note, kind});
}

void TrackSet::slice(std::size_t track, Time begin, Time end, std::string_view name, std::uint64_t packet,
                     Arrow arrow, std::string_view note) {
  State& state = states_[track];
  const bool whole = begin >= state.last && begin >= window_.from;
  begin = std::max({begin, state.last, window_.from});
  const Time cut = std::min(end, window_.to);
  if (begin > cut || (begin == cut && !(whole && begin == end))) return;
  state.last = cut;
  push(track, begin, TraceEvent::Kind::begin, packet, name_number(name), static_cast<std::uint16_t>(name_number(note)));
  if (arrow != Arrow::none) push_arrow(track, arrow == Arrow::at_begin ? begin : cut, packet);
  push(track, cut, TraceEvent::Kind::end, packet);
}

void TrackSet::instant(std::size_t track, Time at, std::string_view name) {
  State& state = states_[track];
  if (at < window_.from || at > window_.to) return;
  state.last = std::max(at, state.last);
  push(track, state.last, TraceEvent::Kind::instant, kNoPacket, name_number(name));
}

// Packets are known from trace_.first_packet on, and the reader has seen to it that there are not too many at once.
void TrackSet::push_arrow(std::size_t track, Time at, std::uint64_t packet) {
  if (packet < trace_.first_packet) return;
  const std::uint64_t index = packet - trace_.first_packet;
  if (trace_.arrows.size() <= index) trace_.arrows.resize(index + 1);
  ++trace_.arrows[index];
  push(track, at, TraceEvent::Kind::arrow, packet);
}

void TrackSet::arrow(std::size_t track, Time at, std::uint64_t packet) {
  State& state = states_[track];
  if (at <= window_.from || at > window_.to) return;
  state.last = std::max(at, state.last);
  push_arrow(track, state.last, packet);
}

void TrackSet::show_open(std::size_t track) {
  State& state = states_[track];
  if (state.shown) return;
  state.shown = true;
  state.last = std::max(state.last, window_.from);
  for (const std::uint32_t name : state.open) push(track, state.last, TraceEvent::Kind::begin, kNoPacket, name);
}

void TrackSet::enter(std::size_t track, Time at, std::string_view name) {
  State& state = states_[track];
  if (state.over || at > window_.to) {
    state.over = true;
    return;
  }
  const std::uint32_t number = name_number(name);
  if (at >= window_.from) {
    show_open(track);
    state.last = std::max(state.last, at);
    push(track, state.last, TraceEvent::Kind::begin, kNoPacket, number);
  }
  state.open.push_back(number);
}

void TrackSet::leave(std::size_t track, Time at) {
  State& state = states_[track];
  if (state.over || at > window_.to || state.open.empty()) {
    state.over = state.over || at > window_.to;
    return;
  }
  if (at >= window_.from) {
    show_open(track);
    state.last = std::max(state.last, at);
    push(track, state.last, TraceEvent::Kind::end, kNoPacket);
  }
  state.open.pop_back();
}

void TrackSet::set(std::size_t track, Time at, std::uint64_t value) {
  State& state = states_[track];
  change(track, at, value - state.value);
  state.value = value;
}

void TrackSet::change(std::size_t track, Time at, std::uint64_t difference) {
  if (difference == 0 || at > window_.to) return;
  count();
  states_[track].changes.push_back({at.value, difference});
}

// Differences become values, one for each time.
void TrackSet::integrate(std::size_t track) {
  auto& changes = states_[track].changes;
  std::ranges::stable_sort(changes, {}, &Change::time);
  auto& events = trace_.tracks[track].events;
  std::uint64_t value = 0;
  for (const Change& change : changes) {
    value += change.difference;
    const std::uint64_t shown = value > ~0ULL / 2 ? 0 : value;  // what was there before the log's first record is not known
    const std::uint64_t time = std::max(change.time, window_.from.value);
    if (!events.empty() && events.back().time == time) {
      events.back().number = shown;
    } else {
      events.push_back({time, shown, 0, 0, TraceEvent::Kind::value});
    }
  }
  changes = {};
}

Trace TrackSet::finish(Time end) {
  for (std::size_t i = 0; i < trace_.tracks.size(); ++i) {
    State& state = states_[i];
    if (trace_.tracks[i].kind == Track::Kind::counter) integrate(i);
    if (state.open.empty()) continue;
    show_open(i);
    for (; !state.open.empty(); state.open.pop_back()) push(i, std::max(state.last, end), TraceEvent::Kind::end, kNoPacket);
  }
  return std::move(trace_);
}

}  // namespace ringside
