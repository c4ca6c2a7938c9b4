// How a run went: running totals of the board, read at the ends of intervals that grow with the run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/base/units.h"
#include "tb/report/run_result.h"

namespace ringside {

// Keeps a bounded number of intervals. When they are used up, neighbours become one and later intervals are twice as long:
// totals make that exact. It is asked when something happens anyway, and schedules nothing: an event of its own would let
// the core look at memory at other times than it does without.
class Recorder {
 public:
  // What a series says now. Totals never fall.
  struct Reading {
    std::string_view group, name, unit;
    SeriesKind kind;
    std::uint64_t total;
  };

  // `most` is even. The first intervals are `shortest` long, or longer where nothing happens.
  explicit Recorder(std::size_t most = 256, Time shortest = microseconds(1)) : most_(most), interval_(shortest) {}

  // True when an interval is over. False before start().
  bool due(Time now) const { return now >= due_; }

  // The first interval begins. Totals count from these.
  void start(Time now, const std::vector<Reading>& readings);

  // Ends the interval. Series may be added later: they were 0 until then. A time that is not after the last one adds
  // nothing.
  void record(Time now, const std::vector<Reading>& readings);

  History history() const;

 private:
  struct Series {
    std::string group, name, unit;
    SeriesKind kind;
    std::vector<std::uint64_t> totals;  // at each of times_
  };

  void add_point(Time now, const std::vector<Reading>& readings);
  void merge_neighbours();

  std::size_t most_;
  Time interval_;
  Time due_ = Time::max();
  std::vector<Time> times_;  // ends of intervals; the first one is the start
  std::vector<Series> series_;
};

}  // namespace ringside
