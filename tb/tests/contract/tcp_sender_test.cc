// The TCP peer on a wire, with a receiver that acknowledges what comes in order.
#include "model/wire/tcp_sender.h"

#include <gtest/gtest.h>

#include <cstring>
#include <set>
#include <vector>

#include "model/guest/stream.h"
#include "model/wire/ethernet_wire.h"

namespace ringside {
namespace {

std::uint32_t get(const std::uint8_t* at, int size) {
  std::uint32_t value = 0;
  for (int i = 0; i < size; ++i) value = value << 8 | at[i];
  return value;
}

// RFC 1071, byte by byte.
std::uint16_t ones_complement(const std::vector<std::uint8_t>& bytes) {
  std::uint32_t sum = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) sum += i % 2 == 0 ? std::uint32_t{bytes[i]} << 8 : bytes[i];
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >> 16);
  return static_cast<std::uint16_t>(sum);
}

// Acknowledges each segment at once, out of order ones with a duplicate.
struct Receiver : FrameSink {
  explicit Receiver(TcpSender& sender_in) : sender(sender_in) {}

  void on_frame(Time now, const Frame& frame) override {
    const std::vector<std::uint8_t> f(frame.bytes.begin(), frame.bytes.end());
    ++segments;
    last = f;
    if (lose.contains(segments)) return;
    const std::uint32_t position = get(&f[38], 4) - guest::kFirstSequence;
    if (position == expected) {
      for (std::size_t i = 66; i < f.size(); ++i) intact = intact && f[i] == guest::stream_byte(expected++);
      while (later.contains(expected)) later.erase(expected), expected += 1448;
    } else if (position > expected) {
      later.insert(position);
    }
    acknowledge(now);
  }

  void acknowledge(Time now) {
    std::vector<std::uint8_t> ack(60);
    ack[12] = 0x08;
    ack[14] = 0x45;
    ack[23] = 6;
    put(&ack[34], guest::kServerPort, 2);
    put(&ack[36], guest::kPeerPort, 2);
    put(&ack[42], static_cast<std::uint32_t>(expected + guest::kFirstSequence), 4);
    ack[46] = 0x50;
    ack[47] = 0x10;
    put(&ack[48], window >> guest::kWindowShift, 2);
    sender.on_frame(now, {acks++, now, ack});
  }
  static void put(std::uint8_t* at, std::uint32_t value, int size) {
    for (int i = size - 1; i >= 0; --i, value >>= 8) at[i] = static_cast<std::uint8_t>(value);
  }

  TcpSender& sender;
  std::uint32_t window = 1 << 20;
  std::uint64_t expected = 0, segments = 0, acks = 0;
  bool intact = true;
  std::set<std::uint64_t> lose;  // segments by number, from 1
  std::set<std::uint64_t> later;
  std::vector<std::uint8_t> last;
};

// 10 Gb/s, and a peer that acts on acknowledgements after 5 us.
TrafficConfig endless() {
  TrafficConfig config;
  config.pattern = "tcp";
  config.tcp_delay = microseconds(5);
  return config;
}

struct Link {
  void run(Time until) {
    wire.start(Time{});
    timeline.run_until(until);
  }

  Timeline timeline;
  TcpSender sender{endless(), timeline};
  Receiver receiver{sender};
  EthernetWire wire{"wire", {gigabits_per_second(10)}, timeline, sender, receiver};
};

TEST(TcpSender, FramesAreValid) {
  Link link;
  link.run(microseconds(2));
  ASSERT_GE(link.receiver.segments, 1u);
  const std::vector<std::uint8_t>& f = link.receiver.last;
  ASSERT_EQ(f.size(), 1514u);
  EXPECT_EQ(ones_complement({f.begin() + 14, f.begin() + 34}), 0xffff);
  std::vector<std::uint8_t> checked(f.begin() + 26, f.begin() + 34);  // addresses
  checked.insert(checked.end(), {0, 6, 0x05, 0xc8});                  // protocol, 1480 bytes
  checked.insert(checked.end(), f.begin() + 34, f.end());
  EXPECT_EQ(ones_complement(checked), 0xffff);
  EXPECT_TRUE(link.receiver.intact);
}

// 1448 of every 1538 bytes on the wire: 9.4148 Gbit/s of 10, once slow start is over.
TEST(TcpSender, FillsTheWireWhenAcknowledgementsKeepUp) {
  Link link;
  link.run(milliseconds(2));
  const std::uint64_t before = link.receiver.expected;
  link.timeline.run_until(milliseconds(12));
  EXPECT_NEAR(static_cast<double>(link.receiver.expected - before) * 8 / 10e6, 9.4148, 0.002);
  EXPECT_TRUE(link.receiver.intact);
}

// A window per round trip: the acknowledgement's delay, a segment on the wire and nothing else.
TEST(TcpSender, AWindowLimitsToItselfPerRoundTrip) {
  Link link;
  link.receiver.window = 4 * 1536;  // in units of the window field; four segments fit
  link.run(milliseconds(1));
  const std::uint64_t before = link.receiver.expected;
  link.timeline.run_until(milliseconds(11));
  const double round_trip = 5.0 + 1538 * 0.0008;  // us
  EXPECT_NEAR(static_cast<double>(link.receiver.expected - before) / 10e3, 4 * 1448 / round_trip, 10);
}

TEST(TcpSender, RepairsLosses) {
  Link link;
  link.receiver.lose = {40, 41, 300, 1000};
  link.run(milliseconds(20));
  EXPECT_TRUE(link.receiver.intact);
  EXPECT_GT(link.receiver.expected, 5'000'000u);
  Statistics statistics;
  link.sender.register_statistics(statistics);
  for (const Statistic& s : statistics.all()) {
    if (s.name == "peer_retransmissions") { EXPECT_GE(*s.value, 4u); EXPECT_LE(*s.value, 40u); }
    if (s.name == "peer_timeouts") { EXPECT_EQ(*s.value, 0u); }
  }
}

TEST(TcpSender, ATransferEndsWhenAllIsAcknowledged) {
  TrafficConfig config;
  config.pattern = "tcp";
  config.packets = 100;
  Timeline timeline;
  TcpSender sender(config, timeline);
  Receiver receiver(sender);
  EthernetWire wire("wire", {gigabits_per_second(10)}, timeline, sender, receiver);
  wire.start(Time{});
  timeline.run_until(milliseconds(5));
  EXPECT_TRUE(wire.exhausted());
  EXPECT_EQ(receiver.expected, 100u * 1448);
  EXPECT_EQ(sender.acknowledged(), 100u * 1448);
}

TEST(TcpSender, FlowsTakeTurns) {
  TrafficConfig config;
  config.pattern = "tcp";
  config.flows = 3;
  Timeline timeline;
  TcpSender sender(config, timeline);
  std::vector<std::uint32_t> ports;
  for (int i = 0; i < 6; ++i) {
    TrafficSource::Offer offer{};
    ASSERT_TRUE(sender.next(offer));
    ports.push_back(get(&offer.bytes[34], 2));
  }
  EXPECT_EQ(ports, (std::vector<std::uint32_t>{1024, 1025, 1026, 1024, 1025, 1026}));
}

TEST(TcpSender, IgnoresOtherFrames) {
  Link link;
  std::vector<std::uint8_t> other(60, 0xff);
  link.sender.on_frame(Time{}, {0, Time{}, other});
  link.sender.on_frame(Time{}, {0, Time{}, std::vector<std::uint8_t>(10)});
  Statistics statistics;
  link.sender.register_statistics(statistics);
  for (const Statistic& s : statistics.all()) {
    if (s.name == "peer_ignored_frames") { EXPECT_EQ(*s.value, 2u); }
  }
}

}  // namespace
}  // namespace ringside
