#include "model/wire/tcp_connection.h"

namespace ringside {

void TcpConnection::sent(Time now, Segment segment) {
  retransmit_ = false;
  if (segment.position < highest_) ++retransmissions_;
  sent_ = std::max(sent_, segment.position + segment.length);
  highest_ = std::max(highest_, sent_);
  if (deadline_ == Time::max()) restart_timer(now);
}

void TcpConnection::acknowledge(Time now, std::uint64_t position, std::uint64_t window) {
  if (position < acknowledged_ || position > highest_) return;
  sent_ = std::max(sent_, position);  // after a timeout, what was thought lost may turn out to be there
  const bool moved = position != acknowledged_;
  const bool opened = window != peer_window_;
  peer_window_ = window;
  if (moved) {
    advance(position);
    timeout_ = kLeastTimeout;
    restart_timer(now);
  } else if (!opened && outstanding() != 0) {
    duplicate();
  }
  if (outstanding() == 0 && peer_window_ >= mss_) deadline_ = Time::max();
  if (outstanding() == 0 && peer_window_ < mss_ && deadline_ == Time::max()) restart_timer(now);
}

void TcpConnection::advance(std::uint64_t position) {
  const std::uint64_t newly = position - acknowledged_;
  acknowledged_ = position;
  duplicates_ = 0;
  if (recovering_ && position >= recover_) {
    recovering_ = false;
    window_ = std::max<std::uint64_t>(threshold_, mss_);
    grown_ = 0;
    return;
  }
  if (recovering_) {
    // A partial acknowledgement: the next hole is lost as well.
    retransmit_ = true;
    window_ = std::max<std::uint64_t>(window_ - std::min(window_, newly) + mss_, mss_);
    return;
  }
  if (window_ < threshold_) {
    window_ += newly;
    return;
  }
  grown_ += newly;
  if (grown_ < window_) return;
  grown_ -= window_;
  window_ += mss_;
}

void TcpConnection::duplicate() {
  ++duplicates_;
  if (recovering_) {
    window_ += mss_;
    return;
  }
  if (duplicates_ != kDuplicates) return;
  recovering_ = retransmit_ = true;
  recover_ = sent_;
  threshold_ = std::max<std::uint64_t>(outstanding() / 2, 2 * std::uint64_t{mss_});
  window_ = threshold_ + kDuplicates * mss_;
}

void TcpConnection::time_out(Time now) {
  ++timeouts_;
  timeout_ = std::min(timeout_ + timeout_, kMostTimeout);
  restart_timer(now);
  if (outstanding() == 0) {
    peer_window_ = mss_;  // a probe of a closed window
    return;
  }
  threshold_ = std::max<std::uint64_t>(outstanding() / 2, 2 * std::uint64_t{mss_});
  window_ = mss_;
  grown_ = duplicates_ = 0;
  recovering_ = retransmit_ = false;
  sent_ = acknowledged_;  // everything outstanding is sent again, as acknowledgements allow
}

}  // namespace ringside
