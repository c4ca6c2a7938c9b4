#include "tb/log/trace.h"

#include <algorithm>

namespace ringside {

TraceCursor::TraceCursor(const Trace& trace) : trace_(trace) {
  for (std::size_t i = 0; i < trace.tracks.size(); ++i) {
    if (!trace.tracks[i].events.empty()) heads_.push_back({trace.tracks[i].events.front().time, i, 0});
  }
  std::ranges::make_heap(heads_, later);
}

bool TraceCursor::next() {
  if (!started_) {
    started_ = true;
    return !heads_.empty();
  }
  Head head = heads_.front();
  const auto& events = trace_.tracks[head.track].events;
  if (++head.index == events.size()) {
    std::ranges::pop_heap(heads_, later);
    heads_.pop_back();
    return !heads_.empty();
  }
  head.time = events[head.index].time;
  // The next event of a track often comes before those of all others.
  if (heads_.size() == 1 || !std::any_of(heads_.begin() + 1, heads_.begin() + std::min<std::ptrdiff_t>(3, std::ssize(heads_)),
                                         [&](const Head& other) { return later(head, other); })) {
    heads_.front() = head;
    return true;
  }
  std::ranges::pop_heap(heads_, later);
  heads_.back() = head;
  std::ranges::push_heap(heads_, later);
  return true;
}

}  // namespace ringside
