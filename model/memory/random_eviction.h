// When lines leave the caches for no reason that the guest knows: other cores, hypervisors and speculation need room, too.
#pragma once

#include <algorithm>
#include <cstdint>

#include "model/base/random.h"
#include "model/base/units.h"

namespace ringside {

// Evictions at exponentially distributed distances.
class RandomEviction {
 public:
  // No eviction ever for an interval of zero.
  RandomEviction(Time interval, std::uint64_t seed) : interval_(interval), random_(seed), next_(interval) {}

  bool due(Time now) const { return interval_.value != 0 && next_ <= now; }

  // Calls evict(n) for each eviction that is due, with a number n below `lines`. Of a long pause, the time counts after which
  // hardly any line is left.
  template <class Evict>
  void run(Time now, std::uint64_t lines, Evict evict) {
    constexpr std::uint64_t kLong = 16;  // evictions for each line
    const Time most{interval_.value * lines * kLong};
    if (now > most) next_ = std::max(next_, now - most);
    while (due(now)) {
      next_.value += 1 + static_cast<std::uint64_t>(static_cast<unsigned __int128>(random_.exponential()) * interval_.value >> 32);
      evict(random_.below(lines));
    }
  }

 private:
  Time interval_;
  Random random_;
  Time next_;
};

}  // namespace ringside
