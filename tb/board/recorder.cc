#include "tb/board/recorder.h"

#include <algorithm>

namespace ringside {

namespace {

// Leaves elements 0, 2, 4, ...
template <class T>
void keep_every_second(std::vector<T>& values) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < values.size(); i += 2) values[kept++] = values[i];
  values.resize(kept);
}

}  // namespace

void Recorder::start(Time now, const std::vector<Reading>& readings) {
  times_.clear();
  series_.clear();
  add_point(now, readings);
}

void Recorder::record(Time now, const std::vector<Reading>& readings) {
  if (times_.empty() || now <= times_.back()) return;
  add_point(now, readings);
  if (times_.size() > most_) merge_neighbours();
}

void Recorder::add_point(Time now, const std::vector<Reading>& readings) {
  times_.push_back(now);
  due_ = now + interval_;
  for (const Reading& reading : readings) {
    auto known = std::find_if(series_.begin(), series_.end(),
                              [&](const Series& s) { return s.name == reading.name && s.group == reading.group; });
    if (known == series_.end()) {
      series_.push_back({std::string(reading.group), std::string(reading.name), std::string(reading.unit), reading.kind,
                         std::vector<std::uint64_t>(times_.size() - 1)});
      known = series_.end() - 1;
    }
    known->totals.push_back(reading.total);
  }
}

// An even number of intervals, so that the latest end stays.
void Recorder::merge_neighbours() {
  keep_every_second(times_);
  for (Series& series : series_) keep_every_second(series.totals);
  interval_ = interval_ * 2;
  due_ = times_.back() + interval_;
}

History Recorder::history() const {
  History history;
  if (times_.size() < 2) return history;
  history.start = times_.front();
  history.ends.assign(times_.begin() + 1, times_.end());
  for (const Series& series : series_) {
    History::Series growth{series.group, series.name, series.unit, series.kind, {}};
    for (std::size_t i = 1; i < series.totals.size(); ++i) growth.growth.push_back(series.totals[i] - series.totals[i - 1]);
    history.series.push_back(std::move(growth));
  }
  return history;
}

}  // namespace ringside
