// The board's events: a private heap of (time, sequence) ordered entries, several times cheaper than kernel events.
#pragma once

#include <cstdint>
#include <vector>

#include "model/base/units.h"

namespace ringside {

// Something that can be woken at a time. `argument` is whatever was given when the event was scheduled.
class EventTarget {
 public:
  virtual void fire(Time now, std::uint64_t argument) = 0;

 protected:
  ~EventTarget() = default;
};

// Orders events by time, ties by the order in which they were scheduled. A core that runs ahead calls run_until() with
// its local time before it looks at memory; model/base/kernel_bridge.h lets the SystemC kernel drive it when no core does.
class Timeline {
 public:
  // Time of the event being fired, or of the latest run_until().
  Time now() const { return now_; }

  // Time of the earliest event, Time::max() if there is none.
  Time next() const { return heap_.empty() ? Time::max() : heap_.front().at; }

  // Wakes `target` at `at`; a time in the past counts as now().
  void schedule(Time at, EventTarget& target, std::uint64_t argument = 0);

  // Fires every event due at or before `limit` in order, including those scheduled meanwhile, then sets now() to at
  // least `limit`.
  void run_until(Time limit);

  std::uint64_t fired() const { return fired_; }

 private:
  struct Entry {
    Time at;
    std::uint64_t sequence;
    EventTarget* target;
    std::uint64_t argument;
  };
  static bool later(const Entry& a, const Entry& b) {
    return a.at != b.at ? a.at > b.at : a.sequence > b.sequence;
  }

  std::vector<Entry> heap_;
  Time now_{};
  std::uint64_t sequence_ = 0;
  std::uint64_t fired_ = 0;
};

}  // namespace ringside
