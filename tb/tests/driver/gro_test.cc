// GRO: which segments become one packet, which do not, and that no byte changes its place.
#include "driver/net/gro.h"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <ostream>
#include <string>

#include "driver/net/stack.h"
#include "tb/tests/driver/fake_connectx.h"
#include "tb/tests/driver/packets.h"

namespace ringside {
namespace {

// A packet as TCP got it.
struct Received {
  std::uint32_t seq;
  std::uint16_t segs;
  std::uint16_t source_port;
  std::uint32_t flags;
  Bytes payload;
  std::uint16_t ip_length;
  bool checksum_known;
};
std::vector<Received> received;

void tcp_handler(sk_buff* skb) {
  const auto* th = reinterpret_cast<const tcphdr*>(skb->data);
  Received r{};
  r.seq = ntohl(th->seq);
  r.segs = skb_shinfo(skb)->gso_segs;
  r.source_port = ntohs(th->source);
  r.flags = th->flags;
  r.payload.resize(skb->len - tcp_hdrlen_of(th));
  EXPECT_EQ(skb_copy_bits(skb, tcp_hdrlen_of(th), r.payload.data(), static_cast<u32>(r.payload.size())), 0);
  r.ip_length = ntohs(ip_hdr(skb)->tot_len);
  r.checksum_known = skb->ip_summed != CHECKSUM_NONE;
  received.push_back(std::move(r));
  napi_consume_skb(skb, NAPI_POLL_WEIGHT);
}

class Gro : public testing::Test {
 protected:
  Gro() { open({.program = "", .striding = true, .stack = "sink"}); }
  void open(const FakeConfig& config) {
    nic_.reset();
    nic_ = std::make_unique<FakeConnectx>(config);
    nic_->open();
    inet_add_protocol(IPPROTO_TCP, tcp_handler);
    received.clear();
  }
  void send(const TcpSegment& segment) {
    const Bytes frame = tcp_frame(segment);
    nic_->describe(completion_of(frame, segment.source_port));
    ASSERT_TRUE(nic_->deliver(frame));
  }
  // `count` segments in sequence, in one poll.
  void send_stream(int count, TcpSegment segment = {}) {
    for (int i = 0; i < count; ++i) {
      send(segment);
      segment.seq += segment.length;
    }
  }
  void poll() { nic_->interrupt(); }
  void expect_bytes(const Received& r) {
    for (std::size_t i = 0; i < r.payload.size(); ++i) {
      ASSERT_EQ(r.payload[i], tcp_payload_byte(r.seq + static_cast<std::uint32_t>(i))) << "at " << i;
    }
  }
  void expect_all_returned() {
    EXPECT_EQ(skb_heads_in_use(), 0u);
    nic_->close();
    EXPECT_EQ(page_pool_inflight(nic_->rq().page_pool), 0);
  }
  std::uint64_t merged() const { return nic_->stat("GRO_MERGED"); }

  std::unique_ptr<FakeConnectx> nic_;
};

TEST_F(Gro, ConsecutiveSegmentsBecomeOnePacket) {
  send_stream(10);
  poll();
  ASSERT_EQ(received.size(), 1u);
  EXPECT_EQ(received[0].segs, 10);
  EXPECT_EQ(received[0].payload.size(), 14480u);
  EXPECT_EQ(received[0].ip_length, 20u + 20 + 14480);
  EXPECT_EQ(merged(), 9u);
  expect_bytes(received[0]);
  expect_all_returned();
}

// More than fits the fragments of one head: others are chained, and each gets fragments again.
TEST_F(Gro, LongStreamsAreChained) {
  for (const std::uint32_t length : {1448u, 1u, 100u}) {
    received.clear();
    send_stream(44, {.length = length});
    poll();
    ASSERT_EQ(received.size(), 1u) << length;
    EXPECT_EQ(received[0].segs, 44);
    EXPECT_EQ(received[0].payload.size(), 44 * length);
    expect_bytes(received[0]);
  }
  expect_all_returned();
}

TEST_F(Gro, SixtyFourKibibytesAreTheMost) {
  send_stream(60);  // 86,880 bytes
  poll();
  ASSERT_EQ(received.size(), 2u);
  EXPECT_EQ(received[0].segs, 45);  // 40 + 45 * 1448 = 65,200
  EXPECT_EQ(received[1].segs, 15);
  expect_bytes(received[0]);
  expect_bytes(received[1]);
  expect_all_returned();
}

TEST_F(Gro, NothingWaitsForTheNextPoll) {
  send_stream(3);
  poll();
  send_stream(3, {.seq = 1000 + 3 * 1448});
  poll();
  ASSERT_EQ(received.size(), 2u);
  EXPECT_EQ(received[0].segs, 3);
  EXPECT_EQ(received[1].segs, 3);
  EXPECT_EQ(nic_->priv().channel->napi.gro_bitmask, 0u);
}

// 64 packets are one poll, and others follow without a pause.
TEST_F(Gro, NothingWaitsBeyondTheBudget) {
  send_stream(70, {.length = 100});
  poll();
  ASSERT_EQ(received.size(), 2u);
  EXPECT_EQ(received[0].segs, 64);
  EXPECT_EQ(received[1].segs, 6);
}

TEST_F(Gro, PushEndsAPacket) {
  send_stream(3);
  send({.seq = 1000 + 3 * 1448, .flags = TCP_FLAG_ACK | TCP_FLAG_PSH});
  send_stream(2, {.seq = 1000 + 4 * 1448});
  poll();
  ASSERT_EQ(received.size(), 2u);
  EXPECT_EQ(received[0].segs, 4);
  EXPECT_NE(received[0].flags & TCP_FLAG_PSH, 0u);
  EXPECT_EQ(received[1].segs, 2);
  EXPECT_EQ(received[1].flags & TCP_FLAG_PSH, 0u);
}

TEST_F(Gro, ShortSegmentEndsAPacket) {
  send_stream(2);
  send({.seq = 1000 + 2 * 1448, .length = 100});
  send({.seq = 1000 + 2 * 1448 + 100});
  poll();
  ASSERT_EQ(received.size(), 2u);
  EXPECT_EQ(received[0].segs, 3);
  EXPECT_EQ(received[0].payload.size(), 2996u);
  EXPECT_EQ(received[1].payload.size(), 1448u);
  expect_bytes(received[0]);
}

struct Different {
  std::string name;
  TcpSegment segment;
};
std::ostream& operator<<(std::ostream& out, const Different& different) { return out << different.name; }
class GroDifferent : public Gro, public testing::WithParamInterface<Different> {};

INSTANTIATE_TEST_SUITE_P(
    Fields, GroDifferent,
    testing::Values(Different{"Gap", {.seq = 1000 + 1448 + 1}}, Different{"Repeated", {.seq = 1000}},
                    Different{"Longer", {.seq = 1000 + 1448, .length = 1460}},
                    Different{"Ack", {.seq = 1000 + 1448, .ack = 78}},
                    Different{"Window", {.seq = 1000 + 1448, .window = 501}},
                    Different{"Ttl", {.seq = 1000 + 1448, .ttl = 63}},
                    Different{"MayFragment", {.seq = 1000 + 1448, .frag_off = 0}},
                    Different{"Identification", {.seq = 1000 + 1448, .id = 7}},
                    Different{"Options", {.seq = 1000 + 1448, .options = 12}},
                    Different{"Port", {.seq = 1000 + 1448, .source_port = 40008}},
                    Different{"CongestionWindowReduced", {.seq = 1000 + 1448, .flags = TCP_FLAG_ACK | TCP_FLAG_CWR}}),
    [](const auto& info) { return info.param.name; });

TEST_P(GroDifferent, SegmentsStaySingle) {
  send({});
  send(GetParam().segment);
  poll();
  ASSERT_EQ(received.size(), 2u);
  EXPECT_EQ(received[0].seq, 1000u) << "the order stays";
  EXPECT_EQ(received[1].seq, GetParam().segment.seq);
  EXPECT_EQ(merged(), 0u);
  for (const Received& r : received) expect_bytes(r);
  expect_all_returned();
}

TEST_F(Gro, CountingIdentificationsMerge) {
  for (std::uint16_t i = 0; i < 5; ++i)
    send({.seq = 1000 + 1448u * i, .id = static_cast<std::uint16_t>(500 + i), .frag_off = 0});
  poll();
  ASSERT_EQ(received.size(), 1u);
  EXPECT_EQ(received[0].segs, 5);
}

TEST_F(Gro, EqualOptionsMerge) {
  send_stream(4, {.options = 12});
  poll();
  ASSERT_EQ(received.size(), 1u);
  expect_bytes(received[0]);
}

TEST_F(Gro, FlowsDoNotMix) {
  for (std::uint32_t i = 0; i < 6; ++i) {
    for (const std::uint16_t port : {40000, 40001, 40008}) send({.seq = 1000 + 1448 * i, .source_port = port});
  }
  poll();
  ASSERT_EQ(received.size(), 3u);
  for (const Received& r : received) {
    EXPECT_EQ(r.segs, 6);
    expect_bytes(r);
  }
}

// A bucket holds eight; the oldest makes room.
TEST_F(Gro, NinthFlowOfABucketSendsTheOldestOn) {
  for (std::uint16_t i = 0; i < 9; ++i) send({.source_port = static_cast<std::uint16_t>(40000 + 8 * i)});
  send({.seq = 1000 + 1448, .source_port = 40000});  // too late for the first
  send({.seq = 1000 + 1448, .source_port = 40064});  // in time for the ninth
  poll();
  ASSERT_EQ(received.size(), 10u);
  EXPECT_EQ(merged(), 1u);
  EXPECT_EQ(received[0].source_port, 40000);
  expect_all_returned();
}

TEST_F(Gro, DamagedSegmentsAreLeftToTcp) {
  Bytes frame = tcp_frame({.seq = 1000 + 1448});
  frame[200] ^= 4;
  connectx::cqe64 completion = completion_of(frame, 40000);
  completion.hds_ip_ext = connectx::kL2Ok | connectx::kL3Ok;
  send({});
  nic_->describe(completion);
  ASSERT_TRUE(nic_->deliver(frame));
  send({.seq = 1000 + 1448});
  poll();
  EXPECT_EQ(merged(), 1u);  // the intact ones
  ASSERT_EQ(received.size(), 2u);
}

TEST_F(Gro, AcknowledgementsAloneAreNotMerged) {
  for (int i = 0; i < 3; ++i) send({.length = 0});
  poll();
  EXPECT_EQ(received.size(), 3u);
  EXPECT_EQ(merged(), 0u);
}

TEST_F(Gro, DatagramsPass) {
  const Bytes frame = udp_frame(100);
  nic_->describe(completion_of(frame));
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(nic_->deliver(frame));
  poll();
  EXPECT_EQ(nic_->stat("sink_packets"), 20u);
  EXPECT_EQ(nic_->stat("consume_skb"), 20u);
  EXPECT_EQ(merged(), 0u);
}

TEST_F(Gro, SinkCountsWhatWasMerged) {
  inet_add_protocol(IPPROTO_TCP, sink_rcv);
  send_stream(10);
  poll();
  EXPECT_EQ(nic_->stat("sink_packets"), 10u);
  EXPECT_EQ(nic_->stat("sink_bytes"), 20u + 14480);
  EXPECT_EQ(nic_->stat("rx_packets"), nic_->stat("consume_skb") + merged());
}

TEST_F(Gro, SwitchedOffEachSegmentIsAPacket) {
  open({.program = "", .stack = "sink", .gro = false});
  send_stream(10);
  poll();
  EXPECT_EQ(received.size(), 10u);
  EXPECT_EQ(merged(), 0u);
  expect_all_returned();
}

// A program sees to it that the device's sum is not used; its verdict is.
TEST_F(Gro, MergesBehindAProgramAndInLegacyQueues) {
  for (const char* program : {"", "pass"}) {
    open({.program = program, .stack = "sink"});
    send_stream(5);
    poll();
    ASSERT_EQ(received.size(), 1u);
    EXPECT_TRUE(received[0].checksum_known);
    expect_bytes(received[0]);
    expect_all_returned();
  }
}

// The same note for each pair of packets.
std::uint32_t notes;
std::uint32_t noting_program(const void* ctx, const bpf_insn*) {
  auto* xdp = const_cast<xdp_buff*>(static_cast<const xdp_buff*>(ctx));
  auto* meta = static_cast<std::uint8_t*>(xdp->data) - 4;
  std::memset(meta, static_cast<int>(notes++ / 2), 4);
  xdp->data_meta = meta;
  return XDP_PASS;
}
const bpf_prog noter = {.pages = 1,
                        .jited = 1,
                        .type = 6,
                        .len = 1,
                        .tag = {},
                        .stats = nullptr,
                        .bpf_func = noting_program,
                        .name = "noter",
                        .xdp_has_frags = true,
                        .insnsi = {}};

TEST_F(Gro, WhatAProgramNotesMustBeTheSame) {
  for (const bool striding : {false, true}) {
    open({.program = "pass", .striding = striding, .stack = "sink"});
    nic_->rq().xdp_prog = &noter;
    notes = 0;
    send_stream(6);
    poll();
    ASSERT_EQ(received.size(), 3u);
    for (const Received& r : received) {
      EXPECT_EQ(r.segs, 2);
      expect_bytes(r);
    }
    expect_all_returned();
  }
}

// Scattered packets: so many bytes in a buffer of their own, the rest in fragments.
class GroScattered : public Gro, public testing::WithParamInterface<std::uint32_t> {};
INSTANTIATE_TEST_SUITE_P(LinearBytes, GroScattered, testing::Values(14, 54, 100));

TEST_P(GroScattered, SegmentsMerge) {
  const std::uint32_t linear = GetParam();
  page_pool* pool = nic_->rq().page_pool;
  napi_struct* napi = &nic_->priv().channel->napi;
  for (std::uint32_t i = 0; i < 20; ++i) {
    const Bytes frame = tcp_frame({.seq = 1000 + 1448 * i});
    sk_buff* skb = napi_alloc_skb(napi, 256);
    std::memcpy(skb_put(skb, linear), frame.data(), linear);
    // Two fragments, the second one of 200 bytes.
    const auto first = static_cast<u32>(frame.size()) - linear - 200;
    for (int f = 0; f < 2; ++f) {
      page* p = page_pool_alloc_pages(pool);
      std::memcpy(page_address(p), frame.data() + linear + (f == 0 ? 0 : first), f == 0 ? first : 200);
      skb_add_rx_frag(skb, f, p, 0, f == 0 ? first : 200, 2048);
    }
    skb_mark_for_recycle(skb);
    skb->hash = 40000;
    skb->ip_summed = CHECKSUM_COMPLETE;
    skb->csum = completion_of(frame).check_sum.raw;
    skb->protocol = eth_type_trans(skb, nic_->priv().netdev);
    napi_gro_receive(napi, skb);
  }
  napi_gro_flush(napi);
  gro_normal_list(napi);
  ASSERT_EQ(received.size(), 1u);
  EXPECT_EQ(received[0].segs, 20);
  EXPECT_EQ(received[0].payload.size(), 20u * 1448);
  expect_bytes(received[0]);
  expect_all_returned();
}

}  // namespace
}  // namespace ringside
