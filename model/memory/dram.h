// DRAM as one server: every line takes its share of the bandwidth, whoever asks.
#pragma once

#include <algorithm>
#include <cstdint>

#include "model/base/units.h"

namespace ringside {

// Keeps the work that is queued rather than the time at which the queue is empty: an out-of-order core asks for a later
// time first, and the earlier request must not wait for the gap between the two.
class Dram {
 public:
  explicit Dram(Bandwidth bandwidth) : line_time_(transfer_time(bytes(kCacheLine), bandwidth)) {}

  // Works off the queue until `at`; nothing happens if that is in the past.
  void advance(Time at) {
    if (at <= latest_) return;
    backlog_ -= std::min(backlog_, at - latest_);
    latest_ = at;
  }

  // Reads a line at `at`; returns how long it waits for those before it.
  Time read(Time at) {
    advance(at);
    const Time wait = backlog_;
    backlog_ += line_time_;
    read_bytes_ += kCacheLine;
    return wait;
  }

  // Writes a line behind whatever was asked for last; nobody waits for it, but it takes its turn.
  void write() {
    backlog_ += line_time_;
    write_bytes_ += kCacheLine;
  }

  Time line_time() const { return line_time_; }
  const std::uint64_t& read_bytes() const { return read_bytes_; }
  const std::uint64_t& write_bytes() const { return write_bytes_; }

 private:
  Time line_time_;
  Time latest_{};
  Time backlog_{};
  std::uint64_t read_bytes_ = 0;
  std::uint64_t write_bytes_ = 0;
};

}  // namespace ringside
