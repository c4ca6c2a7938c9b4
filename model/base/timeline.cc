#include "model/base/timeline.h"

#include <algorithm>

namespace ringside {

void Timeline::schedule(Time at, EventTarget& target, std::uint64_t argument) {
  heap_.push_back({std::max(at, now_), sequence_++, &target, argument});
  std::push_heap(heap_.begin(), heap_.end(), later);
}

void Timeline::run_until(Time limit) {
  while (!heap_.empty() && heap_.front().at <= limit) {
    std::pop_heap(heap_.begin(), heap_.end(), later);
    const Entry entry = heap_.back();
    heap_.pop_back();
    now_ = entry.at;
    ++fired_;
    entry.target->fire(entry.at, entry.argument);
  }
  now_ = std::max(now_, limit);
}

}  // namespace ringside
