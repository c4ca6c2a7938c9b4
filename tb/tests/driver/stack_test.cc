// A packet for the stack: the socket buffer around its page, the way up, its end, and the page's way back.
#include "driver/net/stack.h"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "driver/net/checksum.h"
#include "driver/xdp/programs.h"
#include "tb/tests/driver/fake_connectx.h"
#include "tb/tests/driver/packets.h"

namespace ringside {
namespace {

namespace cx = connectx;

std::vector<sk_buff*> held;  // by the handler that stands for a socket
void hold(sk_buff* skb) { held.push_back(skb); }

struct Queue {
  std::string name;
  bool striding;
  std::string program;
};

std::ostream& operator<<(std::ostream& out, const Queue& queue) { return out << queue.name; }

class Stack : public testing::TestWithParam<Queue> {
 protected:
  Stack() : nic_({.program = GetParam().program, .striding = GetParam().striding, .stack = "sink"}) {
    held.clear();
    nic_.open();
    inet_add_protocol(IPPROTO_UDP, hold);
  }

  void receive(const Bytes& frame) { receive(frame, completion_of(frame)); }
  void receive(const Bytes& frame, const cx::cqe64& completion) {
    nic_.describe(completion);
    ASSERT_TRUE(nic_.deliver(frame));
    nic_.interrupt();
  }
  // All packets' pages, and the driver's, are back in the allocator.
  void expect_all_pages_return() {
    nic_.close();
    EXPECT_EQ(page_pool_inflight(nic_.rq().page_pool), 0);
    EXPECT_EQ(skb_heads_in_use(), 0u);
  }
  bool program() const { return !GetParam().program.empty(); }
  std::uint32_t headroom() const { return program() ? 256 : 64; }

  FakeConnectx nic_;
};

void free_held() {
  for (sk_buff* skb : held) napi_consume_skb(skb, 0);
  held.clear();
}

INSTANTIATE_TEST_SUITE_P(Queues, Stack,
                         testing::Values(Queue{"LegacyNone", false, ""}, Queue{"LegacyPass", false, "pass"},
                                         Queue{"StridingNone", true, ""}, Queue{"StridingPass", true, "pass"}),
                         [](const auto& info) { return info.param.name; });

TEST_P(Stack, LinearPacketLiesInItsPage) {
  const Bytes frame = udp_frame(1000);
  receive(frame);
  ASSERT_EQ(held.size(), 1u);
  const sk_buff* skb = held[0];
  const auto head = reinterpret_cast<std::uint64_t>(skb->head);
  EXPECT_EQ(head % 2048, 0u);
  EXPECT_EQ(skb->data - skb->head, headroom() + 14 + 20);  // at the UDP header
  EXPECT_EQ(skb->len, 1008u);
  EXPECT_EQ(skb->data_len, 0u);
  EXPECT_EQ(skb_shinfo(skb)->nr_frags, 0);
  EXPECT_EQ(std::memcmp(skb_mac_header(skb), frame.data(), frame.size()), 0);
  // The buffer ends with its shared info, right behind the packet, in whole cache lines.
  const std::uint32_t used = SKB_DATA_ALIGN(headroom() + frame.size());
  EXPECT_EQ(skb->end, used);
  EXPECT_EQ(skb->truesize, used + 256 + 320);
  EXPECT_EQ(skb->head_frag, 1);
  EXPECT_EQ(skb->pp_recycle, 1);
  free_held();
}

TEST_P(Stack, PacketKnowsWhatTheCompletionSays) {
  const Bytes frame = udp_frame(1000);
  cx::cqe64 completion = completion_of(frame, 0xabcd'0123);
  completion.timestamp = 123'456'789;
  completion.sop_drop_qpn = 0xff00'0042;
  receive(frame, completion);
  const sk_buff* skb = held.at(0);
  EXPECT_EQ(skb->dev, nic_.priv().netdev);
  EXPECT_EQ(skb->hash, 0xabcd'0123u);
  EXPECT_EQ(skb->l4_hash, 1);
  EXPECT_EQ(skb->mark, 0x42u);
  EXPECT_EQ(skb->queue_mapping, 1);
  EXPECT_EQ(skb_shinfo(skb)->hwtstamps, 123'456'789u);
  EXPECT_EQ(std::uint16_t{skb->protocol}, ETH_P_IP);
  EXPECT_EQ(skb->pkt_type, PACKET_HOST);
  EXPECT_EQ(skb->napi_id, nic_.priv().channel->napi.napi_id);
  free_held();
}

// A program may change the packet, and short frames are padded: the sum of all bytes is of no use then.
TEST_P(Stack, ChecksumIsCompleteOnlyWithoutAProgram) {
  const Bytes frame = udp_frame(1000);
  receive(frame);
  EXPECT_EQ(held.at(0)->ip_summed, program() ? CHECKSUM_UNNECESSARY : CHECKSUM_COMPLETE);
  EXPECT_EQ(nic_.stat("rx_csum_complete"), program() ? 0u : 1u);
  EXPECT_EQ(nic_.stat("rx_csum_unnecessary"), program() ? 1u : 0u);
  receive(udp_frame(18));  // 60 bytes
  EXPECT_EQ(held.at(1)->ip_summed, CHECKSUM_UNNECESSARY);
  cx::cqe64 unverified = completion_of(udp_frame(18));
  unverified.hds_ip_ext = cx::kL2Ok | cx::kL3Ok;
  receive(udp_frame(18), unverified);
  EXPECT_EQ(held.at(2)->ip_summed, CHECKSUM_NONE);
  EXPECT_EQ(nic_.stat("rx_csum_none"), 1u);
  free_held();
}

TEST_P(Stack, PagesGoStraightBackToThePool) {
  inet_add_protocol(IPPROTO_UDP, sink_rcv);
  const Bytes frame = udp_frame(18);
  nic_.describe(completion_of(frame));
  std::int32_t pages = 0;
  for (int burst = 0; burst < 100; ++burst) {
    for (int i = 0; i < 40; ++i) ASSERT_TRUE(nic_.deliver(frame));
    nic_.interrupt();
    // A striding queue's spare WQE gets its pages in the first lap.
    if (burst == 30) pages = page_pool_inflight(nic_.rq().page_pool);
  }
  EXPECT_EQ(nic_.stat("rx_packets"), 4000u);
  EXPECT_EQ(nic_.stat("rx_bytes"), 4000u * 60);
  EXPECT_EQ(nic_.stat("consume_skb"), 4000u);
  EXPECT_EQ(nic_.stat("sink_packets"), 4000u);
  EXPECT_EQ(nic_.stat("sink_bytes"), 4000u * 26);
  EXPECT_GT(nic_.stat("rx_pp_recycle_cached"), 1000u);
  EXPECT_EQ(nic_.stat("rx_pp_recycle_ring"), 0u);
  EXPECT_EQ(page_pool_inflight(nic_.rq().page_pool), pages);
  expect_all_pages_return();
}

// Whoever frees a packet outside the softirq must not touch the array that the softirq uses.
TEST_P(Stack, PagesFreedElsewhereComeBackThroughTheRing) {
  const Bytes frame = udp_frame(18);
  nic_.describe(completion_of(frame));
  for (int burst = 0; burst < 40; ++burst) {
    for (int i = 0; i < 40; ++i) ASSERT_TRUE(nic_.deliver(frame));
    nic_.interrupt();
  }
  ASSERT_EQ(held.size(), 1600u);
  const std::uint64_t cached = nic_.stat("rx_pp_recycle_cached");
  free_held();
  EXPECT_EQ(nic_.stat("rx_pp_recycle_cached"), cached);
  EXPECT_GT(nic_.stat("rx_pp_recycle_ring"), 100u);
  expect_all_pages_return();
}

// The driver has long refilled when the last holder lets go.
TEST_P(Stack, HeldPacketKeepsItsBytes) {
  const Bytes frame = udp_frame(1000);
  receive(frame);
  sk_buff* kept = held.at(0);
  held.clear();
  inet_add_protocol(IPPROTO_UDP, sink_rcv);
  const Bytes others(1042, 0xee);
  for (int i = 0; i < 3000; ++i) {
    ASSERT_TRUE(nic_.deliver(others));
    if (i % 50 == 49) nic_.interrupt();
  }
  nic_.interrupt();
  EXPECT_EQ(std::memcmp(skb_mac_header(kept), frame.data(), frame.size()), 0);
  napi_consume_skb(kept, 0);
  expect_all_pages_return();
}

TEST_P(Stack, WithoutMemoryForHeadsPacketsAreCounted) {
  inet_add_protocol(IPPROTO_UDP, hold);
  const Bytes frame = udp_frame(18);
  nic_.describe(completion_of(frame));
  nic_.exhaust_memory();
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(nic_.deliver(frame));
  nic_.interrupt();
  EXPECT_EQ(nic_.stat("rx_buff_alloc_err"), 10u);
  EXPECT_EQ(nic_.stat("rx_packets"), 0u);
  nic_.return_memory();
  receive(frame);
  EXPECT_EQ(held.size(), 1u);
  free_held();
  expect_all_pages_return();
}

// Puts a header in front of the packet's own and cuts its end off, as a tunnel would; the packet must stay valid IPv4.
std::uint32_t moving_program(const void* ctx, const bpf_insn*) {
  auto* xdp = const_cast<xdp_buff*>(static_cast<const xdp_buff*>(ctx));
  auto* data = static_cast<std::uint8_t*>(xdp->data);
  const auto length = static_cast<std::size_t>(static_cast<std::uint8_t*>(xdp->data_end) - data);
  std::memmove(data - 40, data, length);
  xdp->data = xdp->data_meta = data - 40;
  xdp->data_end = data - 40 + length - 6;
  return XDP_PASS;
}
const bpf_prog mover = {.pages = 1,
                        .jited = 1,
                        .type = 6,
                        .len = 1,
                        .tag = {},
                        .stats = nullptr,
                        .bpf_func = moving_program,
                        .name = "mover",
                        .xdp_has_frags = true,
                        .insnsi = {}};

class StackBehindAProgram : public Stack {};
INSTANTIATE_TEST_SUITE_P(Queues, StackBehindAProgram,
                         testing::Values(Queue{"Legacy", false, "pass"}, Queue{"Striding", true, "pass"}),
                         [](const auto& info) { return info.param.name; });

TEST_P(StackBehindAProgram, MovesOfHeadAndTailCount) {
  nic_.rq().xdp_prog = &mover;
  Bytes frame = udp_frame(1000);
  const Bytes wanted = frame;
  frame.insert(frame.end(), 6, 0xcc);  // what the program cuts off
  receive(frame, completion_of(wanted));
  const sk_buff* skb = held.at(0);
  EXPECT_EQ(skb_mac_header(skb) - skb->head, 256 - 40);
  EXPECT_EQ(skb->len, 1008u);
  EXPECT_EQ(skb->end, SKB_DATA_ALIGN(256 - 40 + wanted.size()));
  EXPECT_EQ(std::memcmp(skb_mac_header(skb), wanted.data(), wanted.size()), 0);
  free_held();
  expect_all_pages_return();
}

class StackEnd : public testing::Test {
 protected:
  void open(const std::string& stack, bool gro = true) {
    nic_.reset();
    nic_ = std::make_unique<FakeConnectx>(FakeConfig{.program = "", .stack = stack, .gro = gro});
    nic_->open();
  }
  void receive(const Bytes& frame) { receive(frame, completion_of(frame)); }
  void receive(const Bytes& frame, const cx::cqe64& completion) {
    nic_->describe(completion);
    ASSERT_TRUE(nic_->deliver(frame));
    nic_->interrupt();
    EXPECT_EQ(skb_heads_in_use(), 0u) << "a packet has not ended";
  }
  std::uint64_t stat(const std::string& name) const { return nic_->stat(name); }

  std::unique_ptr<FakeConnectx> nic_;
};

TEST_F(StackEnd, RawTableDropsEveryIpv4Packet) {
  for (const bool gro : {true, false}) {
    open("raw-drop", gro);
    receive(udp_frame(18));
    receive(tcp_frame({}));
    receive(arp_frame());
    EXPECT_EQ(stat("kfree_skb:NETFILTER_DROP"), 2u);
    EXPECT_EQ(stat("kfree_skb:UNHANDLED_PROTO"), 1u);
    EXPECT_EQ(stat("IpInReceives"), 2u);
    EXPECT_EQ(stat("IpInDelivers"), 0u);
    EXPECT_EQ(stat("rx_packets"), 3u);
  }
}

TEST_F(StackEnd, UdpWithoutASocket) {
  open("udp-no-port");
  for (int i = 0; i < 60; ++i) receive(udp_frame(18));
  EXPECT_EQ(stat("UdpNoPorts"), 60u);
  EXPECT_EQ(stat("kfree_skb:NO_SOCKET"), 60u);
  EXPECT_EQ(stat("IpInDelivers"), 60u);
  // Answers: a burst of 50 is allowed, and none finds a way.
  EXPECT_EQ(stat("IpOutNoRoutes"), 50u);
  EXPECT_EQ(stat("IcmpOutRateLimitGlobal"), 10u);
  receive(tcp_frame({}));
  EXPECT_EQ(stat("kfree_skb:IP_NOPROTO"), 1u);
}

TEST_F(StackEnd, DamagedDatagramsAreNotAnswered) {
  open("udp-no-port");
  Bytes frame = udp_frame(1000);
  frame[100] ^= 1;
  cx::cqe64 completion = completion_of(frame);
  completion.hds_ip_ext = cx::kL2Ok | cx::kL3Ok;
  receive(frame, completion);
  EXPECT_EQ(stat("kfree_skb:UDP_CSUM"), 1u);
  EXPECT_EQ(stat("UdpInErrors"), 1u);
  // Without any help of the device the same is found out.
  Bytes intact = udp_frame(1001);
  cx::cqe64 wrong_sum = completion_of(intact);
  wrong_sum.check_sum.raw ^= 0x10;
  receive(intact, wrong_sum);
  EXPECT_EQ(stat("kfree_skb:NO_SOCKET"), 1u);
  receive(udp_frame(1000, false));
  EXPECT_EQ(stat("kfree_skb:NO_SOCKET"), 2u);
}

bool sum_is_right;
void check_sum(sk_buff* skb) {
  const iphdr* iph = ip_hdr(skb);
  EXPECT_EQ(skb->ip_summed, CHECKSUM_COMPLETE);
  sum_is_right =
      csum_fold(csum_add(skb->csum, csum_tcpudp_nofold(iph->saddr, iph->daddr, skb->len, IPPROTO_UDP, 0))) == 0;
  napi_consume_skb(skb, NAPI_POLL_WEIGHT);
}

// A datagram may be shorter than the IP packet says.
TEST_F(StackEnd, DatagramEndsWhereItsHeaderSays) {
  open("udp-no-port");
  Bytes frame = udp_frame(101);
  const std::uint16_t check = udp_frame(98)[40] | udp_frame(98)[41] << 8;
  const std::uint16_t length = htons(8 + 98);
  std::memcpy(&frame[38], &length, sizeof length);
  std::memcpy(&frame[40], &check, sizeof check);
  receive(frame);
  EXPECT_EQ(stat("kfree_skb:NO_SOCKET"), 1u);
  EXPECT_EQ(stat("kfree_skb:UDP_CSUM"), 0u);
}

// Frames of more than 60 bytes may be padded too; the device sums all of them.
TEST_F(StackEnd, PaddingIsCutOffAndOutOfTheSum) {
  open("sink");
  inet_add_protocol(IPPROTO_UDP, check_sum);
  for (const std::uint32_t length : {30u, 31u, 32u, 33u}) {
    for (const std::size_t padding : {0u, 1u, 2u, 5u}) {
      Bytes frame = udp_frame(length);
      for (std::size_t i = 0; i < padding; ++i) frame.push_back(static_cast<std::uint8_t>(0x35 * (i + 1)));
      sum_is_right = false;
      receive(frame);
      EXPECT_TRUE(sum_is_right) << length << " and " << padding;
    }
  }
}

TEST_F(StackEnd, WrongHeadersEndWithTheirCause) {
  open("sink");
  Bytes bad_sum = udp_frame(18);
  bad_sum[14 + 10] ^= 1;
  receive(bad_sum);
  EXPECT_EQ(stat("kfree_skb:IP_CSUM"), 1u);
  Bytes version = udp_frame(18);
  version[14] = 0x65;
  receive(version);
  EXPECT_EQ(stat("kfree_skb:IP_INHDR"), 1u);
  Bytes cut = udp_frame(100);
  cut.resize(cut.size() - 1);
  receive(cut);
  EXPECT_EQ(stat("kfree_skb:PKT_TOO_SMALL"), 1u);
  Bytes header = udp_frame(18);
  header.resize(14 + 19);
  receive(header);
  EXPECT_EQ(stat("kfree_skb:PKT_TOO_SMALL"), 2u);
  EXPECT_EQ(stat("IpInHdrErrors"), 3u);
  EXPECT_EQ(stat("IpInTruncatedPkts"), 1u);
  EXPECT_EQ(stat("sink_packets"), 0u);
}

TEST_F(StackEnd, PacketsForOthersAreNotOurs) {
  open("sink");
  Bytes other = udp_frame(18);
  other[5] ^= 1;
  receive(other);
  EXPECT_EQ(stat("kfree_skb:OTHERHOST"), 1u);
  Bytes multicast = udp_frame(18);
  multicast[0] |= 1;
  receive(multicast);
  EXPECT_EQ(stat("rx_mcast_packets"), 1u);
  EXPECT_EQ(stat("sink_packets"), 1u);
  cx::cqe64 tagged = completion_of(udp_frame(18));
  tagged.l4_l3_hdr_type = cx::kVlanPresent;
  tagged.vlan_info = 100;
  receive(udp_frame(18), tagged);
  EXPECT_EQ(stat("rx_removed_vlan_packets"), 1u);
  EXPECT_EQ(stat("kfree_skb:OTHERHOST"), 2u);
  tagged.vlan_info = 0;  // priority only
  receive(udp_frame(18), tagged);
  EXPECT_EQ(stat("sink_packets"), 2u);
}

TEST_F(StackEnd, UnknownEndsAreRefused) { EXPECT_THROW(open("no-such"), GuestPanic); }

TEST(NapiHeads, AreTakenAgainInsteadOfAllocated) {
  FakeConnectx nic({.program = ""});
  nic.open();
  std::vector<std::uint8_t> buffer(4096);
  auto* aligned = reinterpret_cast<std::uint8_t*>(ALIGN(reinterpret_cast<std::uint64_t>(buffer.data()), 64));
  sk_buff* first = napi_build_skb(aligned, 1024);
  first->head = nullptr;  // its buffer is not a page
  napi_consume_skb(first, 64);
  EXPECT_EQ(napi_build_skb(aligned, 1024), first);
}

TEST(NapiAllocSkb, LeavesHeadroomAndHasItsOwnBuffer) {
  FakeConnectx nic({.program = ""});
  nic.open();
  sk_buff* skb = napi_alloc_skb(&nic.priv().channel->napi, 256);
  ASSERT_NE(skb, nullptr);
  EXPECT_EQ(skb_headroom(skb), 64u);
  EXPECT_GE(skb_tailroom(skb), 256u);
  EXPECT_EQ(skb->head_frag, 0);
  EXPECT_THROW(skb_put(skb, skb_tailroom(skb) + 1), GuestPanic);
  skb->len = 0;
  kfree_skb(skb);
  EXPECT_EQ(skb_heads_in_use(), 0u);
}

// Header copied, payload in a fragment: as receive queues with scattered packets build them.
TEST(Fragments, ArePulledTrimmedAndReleased) {
  FakeConnectx nic({.program = ""});
  nic.open();
  page_pool* pool = nic.rq().page_pool;
  sk_buff* skb = napi_alloc_skb(&nic.priv().channel->napi, 256);
  for (int i = 0; i < 3; ++i) {
    page* p = page_pool_alloc_pages(pool);
    for (int b = 0; b < 100; ++b) page_address(p)[b] = static_cast<std::uint8_t>(i * 100 + b);
    skb_add_rx_frag(skb, i, p, 0, 100, 2048);
  }
  skb_mark_for_recycle(skb);
  EXPECT_EQ(skb->len, 300u);
  EXPECT_EQ(skb->data_len, 300u);
  EXPECT_EQ(skb->truesize, 704u + 256 + 3 * 2048);
  ASSERT_TRUE(pskb_may_pull(skb, 130));  // all of the first fragment, and some of the second
  EXPECT_EQ(skb_headlen(skb), 130u);
  EXPECT_EQ(skb_shinfo(skb)->nr_frags, 2);
  for (int b = 0; b < 130; ++b) ASSERT_EQ(skb->data[b], b);
  std::uint8_t copy[300];
  ASSERT_EQ(skb_copy_bits(skb, 0, copy, 300), 0);
  for (int b = 0; b < 300; ++b) ASSERT_EQ(copy[b], static_cast<std::uint8_t>(b));
  EXPECT_EQ(skb_copy_bits(skb, 200, copy, 101), -EINVAL);
  EXPECT_FALSE(pskb_may_pull(skb, 301));
  pskb_trim(skb, 150);
  EXPECT_EQ(skb->len, 150u);
  EXPECT_EQ(skb->data_len, 20u);
  EXPECT_EQ(skb_shinfo(skb)->nr_frags, 1);
  napi_consume_skb(skb, 64);
  nic.close();
  EXPECT_EQ(page_pool_inflight(pool), 0);
}

}  // namespace
}  // namespace ringside
