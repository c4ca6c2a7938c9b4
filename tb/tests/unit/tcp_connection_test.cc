// Congestion control of the peer, step by step, against the RFCs.
#include "model/wire/tcp_connection.h"

#include <gtest/gtest.h>

namespace ringside {
namespace {

constexpr std::uint32_t kMss = 1000;
constexpr std::uint64_t kWide = 1'000'000;

struct Peer {
  TcpConnection c{kMss};
  Time now{};

  // Sends all that is allowed; the number of segments.
  int send(std::uint64_t end = ~0ULL) {
    int segments = 0;
    for (TcpConnection::Segment s = c.next(end); s.length != 0; s = c.next(end), ++segments) {
      latest = s.position;
      c.sent(now, s);
    }
    return segments;
  }
  void ack(std::uint64_t segments, std::uint64_t window = kWide) { c.acknowledge(now, segments * kMss, window); }
  std::uint64_t latest = 0;  // position of the segment sent last
};

TEST(TcpConnection, StartsWithTenSegmentsAndDoublesPerRoundTrip) {
  Peer p;
  EXPECT_EQ(p.send(), 10);
  p.ack(10);
  EXPECT_EQ(p.c.congestion_window(), 20u * kMss);
  EXPECT_EQ(p.send(), 20);
}

TEST(TcpConnection, ThePeersWindowLimits) {
  Peer p;
  p.send();
  p.ack(10, 3 * kMss + 999);
  EXPECT_EQ(p.send(), 3);
}

TEST(TcpConnection, ThreeDuplicatesRetransmitOneSegmentAndHalveTheWindow) {
  Peer p;
  p.send();
  p.ack(10);
  p.send();  // 10 to 29 outstanding
  for (int i = 0; i < 2; ++i) p.ack(10);
  EXPECT_EQ(p.c.retransmissions(), 0u);
  EXPECT_EQ(p.send(), 0);
  p.ack(10);
  EXPECT_EQ(p.send(), 1);
  EXPECT_EQ(p.latest, 10u * kMss);
  EXPECT_EQ(p.c.retransmissions(), 1u);
  p.ack(30);  // the hole was the only one
  EXPECT_EQ(p.c.congestion_window(), 10u * kMss);
}

TEST(TcpConnection, APartialAcknowledgementRetransmitsTheNextHole) {
  Peer p;
  p.send();
  p.ack(10);
  p.send();
  for (int i = 0; i < 3; ++i) p.ack(10);
  p.send();
  p.ack(15);
  p.send();
  EXPECT_EQ(p.c.retransmissions(), 2u);
}

TEST(TcpConnection, AWindowUpdateIsNoDuplicate) {
  Peer p;
  p.send();
  for (std::uint64_t i = 1; i < 6; ++i) p.c.acknowledge(p.now, 0, kWide + i);
  p.send();
  EXPECT_EQ(p.c.retransmissions(), 0u);
}

TEST(TcpConnection, GrowsByOneSegmentPerRoundTripAboveTheThreshold) {
  Peer p;
  p.send();
  p.ack(10);
  p.send();
  for (int i = 0; i < 3; ++i) p.ack(10);
  p.send();
  p.ack(30);
  EXPECT_EQ(p.send(), 10);
  for (std::uint64_t n = 31; n <= 40; ++n) p.ack(n);
  EXPECT_EQ(p.c.congestion_window(), 11u * kMss);
}

TEST(TcpConnection, ATimeoutStartsAgainFromTheFirstUnacknowledgedSegment) {
  Peer p;
  p.send();
  EXPECT_EQ(p.c.deadline(), milliseconds(200));
  p.now = milliseconds(200);
  p.c.time_out(p.now);
  EXPECT_EQ(p.c.deadline(), milliseconds(600));  // backed off
  EXPECT_EQ(p.send(), 1);
  EXPECT_EQ(p.latest, 0u);
  p.ack(1);
  EXPECT_EQ(p.send(), 2);  // slow start again
  EXPECT_EQ(p.c.timeouts(), 1u);
}

// Segments that were thought lost may have arrived: the acknowledgement of one sent again can cover those behind it.
TEST(TcpConnection, AfterATimeoutAnAcknowledgementMayCoverWhatIsNotSentAgain) {
  Peer p;
  p.send();
  p.now = milliseconds(200);
  p.c.time_out(p.now);
  EXPECT_EQ(p.send(), 1);
  EXPECT_EQ(p.c.retransmissions(), 1u);
  p.ack(7);
  EXPECT_EQ(p.c.acknowledged(), 7u * kMss);
  EXPECT_GT(p.send(), 0);
  EXPECT_GE(p.latest, 7u * kMss);
  EXPECT_EQ(p.c.retransmissions(), 4u);  // 0 and 7 to 9, which had been sent before
}

TEST(TcpConnection, AClosedWindowIsProbed) {
  Peer p;
  p.send();
  p.ack(10, 0);
  EXPECT_EQ(p.send(), 0);
  p.now = p.c.deadline();
  ASSERT_NE(p.now, Time::max());
  p.c.time_out(p.now);
  EXPECT_EQ(p.send(), 1);
}

TEST(TcpConnection, EndsAtTheEnd) {
  Peer p;
  EXPECT_EQ(p.send(2 * kMss + 10), 3);
  p.c.acknowledge(p.now, 2 * kMss + 10, kWide);
  EXPECT_EQ(p.c.outstanding(), 0u);
  EXPECT_EQ(p.c.deadline(), Time::max());
}

TEST(TcpConnection, IgnoresWhatWasNeverSent) {
  Peer p;
  p.send();
  p.ack(11);
  EXPECT_EQ(p.c.acknowledged(), 0u);
}

}  // namespace
}  // namespace ringside
