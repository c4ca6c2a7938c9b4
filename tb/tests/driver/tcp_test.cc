// TCP of the guest: what is read, what is acknowledged and when, and what becomes of segments out of turn.
#include "driver/net/tcp.h"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "driver/net/reader.h"
#include "model/guest/stream.h"
#include "tb/tests/driver/fake_connectx.h"
#include "tb/tests/driver/packets.h"

namespace ringside {
namespace {

constexpr std::uint32_t kMss = 1448;

std::uint32_t get(const std::uint8_t* at, int size) {
  std::uint32_t value = 0;
  for (int i = 0; i < size; ++i) value = value << 8 | at[i];
  return value;
}

struct Ack {
  std::uint32_t number;
  std::uint32_t window;  // bytes
  bool operator==(const Ack&) const = default;
};

class Tcp : public testing::TestWithParam<bool> {  // striding or not
 protected:
  explicit Tcp(FakeConfig config = {}) : nic_(adjusted(config)) { nic_.open(); }
  static FakeConfig adjusted(FakeConfig config) {
    config.program = "";
    config.stack = "tcp";
    config.striding = GetParam();
    return config;
  }

  Bytes segment(std::uint32_t position, std::uint32_t length = kMss, std::uint32_t timestamp = 1) {
    return tcp_frame({.seq = guest::kFirstSequence + position,
                      .length = length,
                      .source_port = guest::kPeerPort,
                      .dest_port = guest::kServerPort,
                      .ack = guest::kFirstSequence,
                      .window = 512,
                      .id = id_++,
                      .options = 12,
                      .timestamp = timestamp,
                      .stream = true});
  }
  // Arrives without an interrupt.
  void put(const Bytes& frame) {
    nic_.describe(completion_of(frame));
    ASSERT_TRUE(nic_.deliver(frame));
  }
  void receive(const Bytes& frame) {
    put(frame);
    nic_.interrupt();
  }
  // `count` segments, found by one poll.
  void receive_batch(std::uint32_t position, std::uint32_t count) {
    for (std::uint32_t i = 0; i < count; ++i) put(segment(position + i * kMss));
    nic_.interrupt();
  }
  // After so many segments nothing is acknowledged just because the connection is young.
  std::uint32_t grow_up() {
    for (std::uint32_t i = 0; i < TCP_MAX_QUICKACKS; ++i) receive(segment(i * kMss));
    nic_.forget_sent();
    return TCP_MAX_QUICKACKS * kMss;
  }
  std::vector<Ack> acks() {
    std::vector<Ack> result;
    for (const FakeConnectx::Packet& f : nic_.transmitted()) {
      result.push_back({get(&f[42], 4) - guest::kFirstSequence, get(&f[48], 2) << guest::kWindowShift});
    }
    nic_.forget_sent();
    return result;
  }
  std::uint64_t read() const { return nic_.stat("tcp_read_bytes"); }
  void stop_reader() {
    reader_ = tp()->sk_wq;
    tp()->sk_wq = nullptr;
  }
  void start_reader() {
    wake_up_process(reader_);
    handle_interrupts(0);
    nic_.settle();
  }
  tcp_sock* tp() { return tcp_socket(0); }
  void expect_intact() const { EXPECT_EQ(nic_.stat("tcp_corrupt_bytes"), 0u); }
  void expect_all_pages_return() {
    nic_.close();
    EXPECT_EQ(page_pool_inflight(nic_.rq().page_pool), 0);
    EXPECT_EQ(skb_heads_in_use(), 0u);
  }

  FakeConnectx nic_;
  std::uint16_t id_ = 0;
  task_struct* reader_ = nullptr;
};
INSTANTIATE_TEST_SUITE_P(RqTypes, Tcp, testing::Bool());

TEST_P(Tcp, ProcessReadsWhatArrivesInOrder) {
  for (std::uint32_t i = 0; i < 200; ++i) receive(segment(i * kMss));
  EXPECT_EQ(read(), 200u * kMss);
  EXPECT_EQ(nic_.stat("TcpExtTCPHPHits"), 200u);
  EXPECT_EQ(tp()->rcv_nxt, guest::kFirstSequence + 200 * kMss);
  expect_intact();
  expect_all_pages_return();
}

TEST_P(Tcp, MergedSegmentsAreReadWholeAndInOrder) {
  std::uint32_t position = 0;
  for (int i = 0; i < 8; ++i, position += 64 * kMss) receive_batch(position, 64);
  EXPECT_EQ(read(), position);
  EXPECT_EQ(tp()->segs_in, 8u * 64);
  EXPECT_EQ(nic_.stat("TcpInSegs"), 8u * 2);  // 45 segments are as much as fits 64 KiB
  expect_intact();
  expect_all_pages_return();
}

// The frame as RFC 9293 and RFC 7323 have it: no other options, and so no selective acknowledgements.
TEST_P(Tcp, AcknowledgementIsAFrameOfItsOwn) {
  receive(segment(0, kMss, 77));
  ASSERT_EQ(nic_.transmitted().size(), 1u);
  const FakeConnectx::Packet f = nic_.transmitted()[0];
  ASSERT_EQ(f.size(), 66u);
  EXPECT_EQ(get(&f[0], 4), 0x0200'0000u);  // to the sender of what came
  EXPECT_EQ(get(&f[4], 2), 0x0009u);
  EXPECT_EQ(std::memcmp(&f[6], guest::kNicMac, 6), 0);
  EXPECT_EQ(get(&f[12], 2), 0x0800u);
  EXPECT_EQ(get(&f[16], 2), 52u);
  EXPECT_EQ(sum_of(&f[14], 20), 0xffff);  // checksums included
  EXPECT_EQ(get(&f[26], 4), 0xc613'0001u);
  EXPECT_EQ(get(&f[30], 4), 0xc612'0001u);
  EXPECT_EQ(get(&f[34], 2), guest::kServerPort);
  EXPECT_EQ(get(&f[36], 2), guest::kPeerPort);
  EXPECT_EQ(get(&f[38], 4), guest::kFirstSequence);
  EXPECT_EQ(get(&f[42], 4), guest::kFirstSequence + kMss);
  EXPECT_EQ(get(&f[46], 2), 0x8010u);  // 32 bytes of header, ACK
  EXPECT_EQ(get(&f[54], 4), 0x0101'080au);
  EXPECT_EQ(get(&f[62], 4), 77u);  // echo
  Bytes pseudo(f.begin() + 26, f.begin() + 34);
  pseudo.insert(pseudo.end(), {0, 6, 0, 32});
  pseudo.insert(pseudo.end(), f.begin() + 34, f.end());
  EXPECT_EQ(sum_of(pseudo.data(), pseudo.size()), 0xffff);
}

TEST_P(Tcp, MergedSegmentsGetOneAcknowledgement) {
  const std::uint32_t position = grow_up();
  receive_batch(position, 40);
  const std::vector<Ack> sent = acks();
  ASSERT_EQ(sent.size(), 1u);
  EXPECT_EQ(sent[0].number, position + 40 * kMss);
  EXPECT_EQ(nic_.stat("TcpExtDelayedACKs"), 0u);
}

TEST_P(Tcp, YoungConnectionAcknowledgesEachSegment) {
  receive(segment(0));
  receive(segment(kMss));
  EXPECT_EQ(acks().size(), 2u);
  EXPECT_EQ(nic_.stat("TcpExtDelayedACKs"), 0u);
}

TEST_P(Tcp, SingleSegmentIsAcknowledgedWhenNothingElseIsToBeDone) {
  const std::uint32_t position = grow_up();
  receive(segment(position));
  const std::vector<Ack> sent = acks();
  ASSERT_EQ(sent.size(), 1u);
  EXPECT_EQ(sent[0].number, position + kMss);
  EXPECT_EQ(nic_.stat("TcpExtDelayedACKs"), 1u);
}

TEST_P(Tcp, EarlySegmentsWaitAndAreAskedFor) {
  const std::uint32_t position = grow_up();
  put(segment(position + 2 * kMss));
  put(segment(position + 1 * kMss));
  put(segment(position + 4 * kMss));
  nic_.interrupt();
  EXPECT_EQ(read(), position);
  const std::vector<Ack> duplicates = acks();
  ASSERT_EQ(duplicates.size(), 3u);  // each at once, within one poll
  for (const Ack& ack : duplicates) EXPECT_EQ(ack.number, position);
  EXPECT_EQ(duplicates[0].window, duplicates[2].window);  // or they would not count as duplicates
  EXPECT_EQ(nic_.stat("TcpExtTCPOFOQueue"), 3u);

  receive(segment(position));
  EXPECT_EQ(read(), position + 3 * kMss);
  EXPECT_EQ(acks().at(0).number, position + 3 * kMss);
  receive(segment(position + 3 * kMss));
  EXPECT_EQ(read(), position + 5 * kMss);
  EXPECT_EQ(acks().at(0).number, position + 5 * kMss);
  expect_intact();
  expect_all_pages_return();
}

TEST_P(Tcp, RepeatedSegmentsAreAcknowledgedAndNotReadTwice) {
  const std::uint32_t position = grow_up();
  receive(segment(position - kMss));
  EXPECT_EQ(acks(), (std::vector<Ack>{{position, tp()->rcv_wnd}}));
  receive(segment(position + kMss));
  receive(segment(position + kMss));
  EXPECT_EQ(nic_.stat("TcpExtTCPOFOMerge"), 1u);
  receive(segment(position));
  EXPECT_EQ(read(), position + 2 * kMss);
  expect_intact();
  expect_all_pages_return();
}

TEST_P(Tcp, OverlapsAreReadOnce) {
  receive(segment(0));
  receive(segment(700, 1000));
  EXPECT_EQ(read(), 1700u);
  receive(segment(2000, 500));
  receive(segment(1900, 800));  // holds all of the one before
  receive(segment(2600, 300));
  EXPECT_EQ(nic_.stat("TcpExtTCPOFOMerge"), 1u);
  receive(segment(1500, 600));
  EXPECT_EQ(read(), 2900u);
  receive(segment(3200, 100));
  receive(segment(2900, 1000));  // fills the hole, and more
  EXPECT_EQ(read(), 3900u);
  EXPECT_EQ(nic_.stat("kfree_skb:TCP_OLD_DATA"), 1u);
  expect_intact();
  expect_all_pages_return();
}

TEST_P(Tcp, OldTimestampsAreRefused) {
  receive(segment(0, kMss, 1000));
  receive(segment(kMss, kMss, 999));
  EXPECT_EQ(read(), kMss);
  EXPECT_EQ(nic_.stat("TcpExtPAWSEstab"), 1u);
  EXPECT_EQ(acks().back().number, kMss);
  receive(segment(kMss, kMss, 1000));
  EXPECT_EQ(read(), 2 * kMss);
  expect_all_pages_return();
}

TEST_P(Tcp, WrongChecksumIsDropped) {
  Bytes frame = segment(0);
  frame[500] ^= 1;
  receive(frame);
  EXPECT_EQ(nic_.stat("TcpInCsumErrors"), 1u);
  EXPECT_EQ(nic_.stat("kfree_skb:TCP_CSUM"), 1u);
  EXPECT_EQ(read(), 0u);
  EXPECT_TRUE(acks().empty());
  expect_all_pages_return();
}

TEST_P(Tcp, ChecksumOfTheDeviceIsBelieved) {
  Bytes frame = segment(0);
  const connectx::cqe64 completion = completion_of(frame);
  frame[500] ^= 1;  // after the device has seen it
  nic_.describe(completion);
  ASSERT_TRUE(nic_.deliver(frame));
  nic_.interrupt();
  EXPECT_EQ(read(), kMss);
  EXPECT_EQ(nic_.stat("tcp_corrupt_bytes"), 1u);
  EXPECT_EQ(nic_.stat("tcp_corrupt_first"), 434u);  // 66 bytes of headers
}

TEST_P(Tcp, SegmentsForNobodyAreDropped) {
  Bytes frame = tcp_frame({.dest_port = guest::kServerPort});
  receive(frame);
  EXPECT_EQ(nic_.stat("kfree_skb:NO_SOCKET"), 1u);
  EXPECT_TRUE(acks().empty());
  expect_all_pages_return();
}

TEST_P(Tcp, PacketsThatArriveDuringAReadWaitInTheBacklog) {
  const std::uint32_t position = grow_up();
  lock_sock(tp());
  receive(segment(position));
  EXPECT_EQ(tp()->rcv_nxt, guest::kFirstSequence + position);
  EXPECT_TRUE(acks().empty());
  release_sock(tp());
  EXPECT_EQ(tp()->rcv_nxt, guest::kFirstSequence + position + kMss);
  handle_interrupts(0);
  EXPECT_EQ(read(), position + kMss);
  expect_all_pages_return();
}

class SmallTcp : public Tcp {
 protected:
  SmallTcp() : Tcp({.tcp_rmem = 64 * 1024}) {}
};
INSTANTIATE_TEST_SUITE_P(RqTypes, SmallTcp, testing::Bool());

TEST_P(SmallTcp, WindowClosesWhileNobodyReadsAndOpensAgain) {
  std::uint32_t position = grow_up();
  const std::uint32_t whole = tp()->rcv_wnd;
  EXPECT_GT(whole, 20u * kMss);
  EXPECT_LT(whole, 64u * 1024);
  stop_reader();
  std::uint32_t right_edge = 0;
  std::uint32_t sent = 0;
  for (; sent < 100 && tcp_receive_window(tp()) >= kMss; ++sent, position += kMss) {
    receive(segment(position));
    for (const Ack& ack : acks()) {
      EXPECT_GE(ack.number + ack.window + (1u << guest::kWindowShift), right_edge) << "the window shrank";
      right_edge = ack.number + ack.window;
    }
  }
  EXPECT_LT(sent, 64u);
  EXPECT_LE(sk_rmem_alloc(tp()), 64u * 1024);
  EXPECT_EQ(__tcp_select_window(tp()), 0u);  // rather than a silly one
  const std::uint64_t before = read();
  start_reader();
  EXPECT_EQ(read(), before + sent * kMss);
  const std::vector<Ack> update = acks();
  ASSERT_FALSE(update.empty());
  EXPECT_EQ(update.back(), (Ack{position, whole}));
  expect_intact();
  expect_all_pages_return();
}

TEST_P(SmallTcp, WhatIsBeyondTheWindowIsDropped) {
  const std::uint32_t position = grow_up();
  receive(segment(position + tp()->rcv_wnd + kMss));
  EXPECT_EQ(nic_.stat("kfree_skb:TCP_INVALID_SEQUENCE"), 1u);
  EXPECT_EQ(acks().back().number, position);
  expect_all_pages_return();
}

// Memory ends before the window does: early segments make room for the one that is missing.
TEST_P(SmallTcp, EarlySegmentsMakeRoomForTheMissingOne) {
  const std::uint32_t position = grow_up();
  stop_reader();
  tp()->sk_rcvbuf = 10 * 4096;
  for (std::uint32_t i = 1; i < 40; ++i) receive(segment(position + i * kMss));
  EXPECT_LE(sk_rmem_alloc(tp()), tp()->sk_rcvbuf);
  EXPECT_GT(nic_.stat("TcpExtTCPOFODrop"), 0u);
  const std::uint64_t dropped = nic_.stat("kfree_skb:TCP_OFO_QUEUE_PRUNE");
  receive(segment(position));
  EXPECT_GT(nic_.stat("kfree_skb:TCP_OFO_QUEUE_PRUNE"), dropped);
  EXPECT_TRUE(after(tp()->rcv_nxt, guest::kFirstSequence + position));
  start_reader();
  expect_intact();
  expect_all_pages_return();
}

// Memory for more than the largest window: the window moves although nobody reads.
class LargeTcp : public Tcp {
 protected:
  LargeTcp() : Tcp({.tcp_rmem = 64 << 20}) {}
};
INSTANTIATE_TEST_SUITE_P(RqTypes, LargeTcp, testing::Bool());

TEST_P(LargeTcp, MergedSegmentsAreAcknowledgedBeforeTheyAreRead) {
  const std::uint32_t position = grow_up();
  stop_reader();
  receive_batch(position, 64);
  const std::uint32_t largest = 65535u << guest::kWindowShift;
  EXPECT_EQ(acks(), (std::vector<Ack>{{position + 45 * kMss, largest}, {position + 64 * kMss, largest}}));
  EXPECT_EQ(read(), position);
  start_reader();
  expect_intact();
  expect_all_pages_return();
}

// Else the acknowledgement waits for the process, and one is enough.
TEST_P(Tcp, MergedSegmentsThatFillTheWindowAreAcknowledgedWhenRead) {
  const std::uint32_t position = grow_up();
  receive_batch(position, 64);
  const std::vector<Ack> sent = acks();
  ASSERT_EQ(sent.size(), 1u);
  EXPECT_EQ(sent[0].number, position + 64 * kMss);
  EXPECT_EQ(nic_.stat("TcpExtDelayedACKs"), 0u);
}

TEST_P(Tcp, AFullTransmitQueueLosesAcknowledgementsOnly) {
  nic_.stall_transmit(true);
  std::uint32_t position = 0;
  for (int i = 0; i < 1500; ++i, position += kMss) receive(segment(position));
  EXPECT_EQ(nic_.stat("tx_queue_stopped"), 1u);
  EXPECT_GT(nic_.stat("tx_dropped"), 0u);
  EXPECT_EQ(nic_.stat("tx_dropped") + nic_.stat("tx_packets"), nic_.stat("TcpOutSegs"));
  EXPECT_EQ(read(), position);
  nic_.stall_transmit(false);
  nic_.settle();
  receive(segment(position));  // its poll finds the completions
  receive(segment(position + kMss));
  EXPECT_EQ(nic_.stat("tx_queue_wake"), 1u);
  EXPECT_EQ(acks().back().number, position + 2 * kMss);
  expect_intact();
  expect_all_pages_return();
}

TEST_P(Tcp, TransmittedPacketsAreNoEndsOfReceivedOnes) {
  for (std::uint32_t i = 0; i < 100; ++i) receive(segment(i * kMss));
  EXPECT_EQ(nic_.stat("consume_skb") + nic_.stat("GRO_MERGED"), 100u);
  EXPECT_GE(nic_.stat("tx_cqes"), 90u);
}

}  // namespace
}  // namespace ringside
