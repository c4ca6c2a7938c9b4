// One TCP connection, as the side that sends has it.
#pragma once

#include <algorithm>
#include <cstdint>

#include "model/base/units.h"

namespace ringside {

// Reno with NewReno's recovery: slow start from ten segments (RFC 6928), congestion avoidance (RFC 5681, by bytes as in RFC
// 3465 with L = 1), fast retransmit and partial acknowledgements (RFC 6582), retransmission timeout with back-off (RFC
// 6298, of at least 200 ms as in Linux). There is always more to send. Positions count bytes of the stream from 0.
class TcpConnection {
 public:
  explicit TcpConnection(std::uint32_t mss) : mss_(mss), window_(kInitialSegments * std::uint64_t{mss}) {}

  struct Segment {
    std::uint64_t position;
    std::uint32_t length;
  };

  // The next segment that windows allow before `end` of the stream, without sending it; length 0 if there is none.
  Segment next(std::uint64_t end) const {
    if (retransmit_) return {acknowledged_, segment_length(acknowledged_, end)};
    const std::uint64_t allowed = acknowledged_ + std::min(window_, peer_window_);
    const std::uint32_t length = segment_length(sent_, end);
    return {sent_, sent_ + length <= allowed ? length : 0};
  }
  void sent(Time now, Segment segment);

  // An acknowledgement of everything before `position`, with room for `window` bytes behind it.
  void acknowledge(Time now, std::uint64_t position, std::uint64_t window);

  // When something must be sent again unless it is acknowledged; Time::max() with nothing outstanding. A timeout probes a
  // closed window, too.
  Time deadline() const { return deadline_; }
  void time_out(Time now);

  std::uint64_t acknowledged() const { return acknowledged_; }
  std::uint64_t outstanding() const { return sent_ - acknowledged_; }
  std::uint64_t congestion_window() const { return window_; }
  std::uint64_t retransmissions() const { return retransmissions_; }
  std::uint64_t timeouts() const { return timeouts_; }

 private:
  static constexpr std::uint64_t kInitialSegments = 10;
  static constexpr std::uint64_t kDuplicates = 3;
  static constexpr Time kLeastTimeout = milliseconds(200);
  static constexpr Time kMostTimeout = milliseconds(120'000);

  std::uint32_t segment_length(std::uint64_t position, std::uint64_t end) const {
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(mss_, end - std::min(end, position)));
  }
  void advance(std::uint64_t position);
  void duplicate();
  void restart_timer(Time now) { deadline_ = now + timeout_; }

  std::uint32_t mss_;
  std::uint64_t acknowledged_ = 0;
  std::uint64_t sent_ = 0;
  std::uint64_t highest_ = 0;                 // end of what was ever sent
  std::uint64_t window_;                      // of congestion, bytes
  std::uint64_t threshold_ = ~0ULL;           // of slow start
  std::uint64_t peer_window_ = 65'535;        // until the peer has said more
  std::uint64_t grown_ = 0;                   // bytes acknowledged since the window last grew by a segment
  std::uint64_t duplicates_ = 0;
  bool recovering_ = false;
  std::uint64_t recover_ = 0;                 // recovery ends when everything before it is acknowledged
  bool retransmit_ = false;
  Time timeout_ = kLeastTimeout;
  Time deadline_ = Time::max();
  std::uint64_t retransmissions_ = 0, timeouts_ = 0;
};

}  // namespace ringside
