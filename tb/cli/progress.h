// The live line: simulated time, Mpps, packets per wall second, ETA.
#pragma once

#include <chrono>
#include <ostream>

#include "tb/board/simulate.h"

namespace ringside::cli {

// Counts host time, and draws one line that overwrites itself at most ten times per second, if `visible`.
class LiveLine final : public Progress {
 public:
  using Clock = std::chrono::steady_clock;

  LiveLine(std::ostream& stream, const RunConfig& run, bool visible);

  void update(Time simulated, std::uint64_t delivered_packets) override;

  // Removes the line.
  void finish();

  // Wall time since the construction, in microseconds.
  std::uint64_t elapsed_us() const;

 private:
  std::ostream& stream_;
  const RunConfig& run_;
  bool visible_;
  bool drawn_ = false;
  Clock::time_point started_ = Clock::now();
  Clock::time_point last_drawn_ = started_;
  Time last_simulated_;
  std::uint64_t last_packets_ = 0;
};

// The text of the line. `mpps` is of the recent past; `wall_s` since the start.
std::string live_text(const RunConfig& run, Time simulated, std::uint64_t packets, double mpps, double wall_s);

}  // namespace ringside::cli
