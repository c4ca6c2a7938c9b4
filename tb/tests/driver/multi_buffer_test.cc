// Packets in several buffers: what programs and the network see, who gives pages back.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "driver/kernel/filter.h"
#include "driver/kernel/digest.h"
#include "driver/mlx5e/en_xdp.h"
#include "driver/net/netfilter.h"
#include "tb/tests/driver/fake_connectx.h"
#include "tb/tests/support/captured_packets.h"

namespace ringside {
namespace {

using test::adjusted;
using test::digest_of;
using test::Packet;

constexpr std::uint32_t kJumbo = 9000;
constexpr std::size_t kLargest = kJumbo + 18;

Packet numbered(std::uint32_t seed, std::size_t length) {
  Packet packet(length);
  for (std::size_t i = 0; i < length; ++i) packet[i] = static_cast<std::uint8_t>(seed * 31 + i * 7 + i / 251);
  return packet;
}

Packet answered(Packet packet) {
  std::swap_ranges(packet.begin(), packet.begin() + 6, packet.begin() + 6);
  return packet;
}

// Lengths around every border: header copy, first fragment, pages, the largest.
const std::vector<std::size_t> kLengths{60,   200,  255,  256,  257,  511,  1514, 1663, 1664, 1665, 3519, 3520,
                                        3521, 4095, 4096, 4097, 5000, 7615, 7616, 7617, 8191, 8192, 8193, kLargest};

// Delivers `count` packets of all lengths, in bursts, and returns them.
std::vector<Packet> deliver_all_lengths(FakeConnectx& nic, std::uint32_t count) {
  std::vector<Packet> packets;
  for (std::uint32_t i = 0; i < count; ++i) {
    packets.push_back(numbered(i, kLengths[i * 5 % kLengths.size()]));
    if (!nic.deliver(packets.back())) throw std::runtime_error("no WQE posted");
    if (i % 48 == 47) nic.interrupt();
  }
  nic.interrupt();
  return packets;
}

void expect_balanced(FakeConnectx& nic) {
  nic.run_send_queues();
  nic.interrupt();  // completions of what was sent
  nic.close();
  EXPECT_EQ(page_pool_inflight(nic.rq().page_pool), 0);
  EXPECT_EQ(nic.stat("pp_negative_refs"), 0u);
}

class MultiBuffer : public testing::TestWithParam<bool> {  // striding or not
 protected:
  FakeConfig config(const std::string& program) const {
    return {.ring = 256, .mtu = kJumbo, .program = program, .heap_pages = 16384, .striding = GetParam()};
  }
};
INSTANTIATE_TEST_SUITE_P(RqTypes, MultiBuffer, testing::Bool(),
                         [](const auto& info) { return info.param ? "Striding" : "Legacy"; });

TEST_P(MultiBuffer, ProgramSeesEveryByte) {
  FakeConnectx nic(config("checksum"));
  nic.open();
  const std::vector<Packet> packets = deliver_all_lengths(nic, 2000);
  EXPECT_EQ(nic.stat("digest_packets"), 2000u);
  EXPECT_EQ(nic.stat("digest"), digest_of(packets));
  EXPECT_EQ(nic.stat("rx_xdp_drop"), 2000u);
  expect_balanced(nic);
}

TEST_P(MultiBuffer, ProgramMovesHeadAndTail) {
  FakeConnectx nic(config("adjust-checksum"));
  nic.open();
  std::vector<Packet> packets = deliver_all_lengths(nic, 2000);
  packets = adjusted(packets);
  EXPECT_EQ(nic.stat("digest"), digest_of(packets));
  EXPECT_EQ(nic.stat("xdp_exception"), 0u);
  expect_balanced(nic);
}

TEST_P(MultiBuffer, OnePieceIsTheSameToThePrograms) {
  for (const auto& [program, change] : {std::pair{"checksum", false}, std::pair{"adjust-checksum", true}}) {
    FakeConfig small = config(program);
    small.mtu = 1500;
    FakeConnectx nic(small);
    nic.open();
    std::vector<Packet> packets;
    for (std::uint32_t i = 0; i < 1000; ++i) {
      packets.push_back(numbered(i, 60 + i));
      ASSERT_TRUE(nic.deliver(packets.back()));
      if (i % 50 == 49) nic.interrupt();
    }
    if (change) packets = adjusted(packets);
    EXPECT_EQ(nic.stat("digest"), digest_of(packets)) << program;
    expect_balanced(nic);
  }
}

// Without a program, with one that passes packets on, and with one that changes them first.
TEST_P(MultiBuffer, StackGetsEveryByte) {
  for (const std::string program : {"", "pass", "adjust"}) {
    FakeConfig c = config(program);
    c.stack = "digest";
    c.gro = false;
    FakeConnectx nic(c);
    nic.open();
    std::vector<Packet> packets = deliver_all_lengths(nic, 2000);
    if (program == "adjust") packets = adjusted(packets);
    EXPECT_EQ(nic.stat("digest_packets"), 2000u) << program;
    EXPECT_EQ(nic.stat("digest"), digest_of(packets)) << program;
    EXPECT_EQ(nic.stat("rx_packets"), 2000u) << program;
    expect_balanced(nic);
  }
}

// A real capture, and frames of many lengths made of its bytes: every layout delivers the same, also when the program
// moves head and tail, and gives every page back.
TEST_P(MultiBuffer, RealTrafficIsTheSameInEveryLayout) {
  const test::Packets real = test::captured_packets(RINGSIDE_SOURCE_DIR "/traces/captures/web-browsing-2010.pcap");
  const test::Packets jumbo = test::jumbo_frames(real, kLargest);
  ASSERT_EQ(real.size(), 179u);
  for (const std::uint32_t mtu : {1500u, kJumbo}) {
    std::vector<test::Packets> sent{real};
    if (mtu == kJumbo) sent.push_back(jumbo);
    for (const test::Packets& packets : sent) {
      for (const std::string program : {"", "pass", "checksum", "adjust", "adjust-checksum"}) {
        FakeConfig c = config(program);
        c.mtu = mtu;
        c.stack = "digest";
        c.gro = false;
        FakeConnectx nic(c);
        nic.open();
        for (const Packet& packet : packets) {
          ASSERT_TRUE(nic.deliver(packet));
          nic.interrupt();
        }
        const bool changed = program.starts_with("adjust");
        EXPECT_EQ(nic.stat("digest_packets"), packets.size());
        EXPECT_EQ(nic.stat("digest"), digest_of(changed ? adjusted(packets) : packets)) << program << ", MTU " << mtu;
        expect_balanced(nic);
      }
    }
  }
}

// Three fragments to a WQE, so that every second one starts in the middle of a page.
TEST(MultiBufferSharedPages, StackGetsEveryByte) {
  FakeConnectx nic({.ring = 128, .mtu = 4000, .program = "", .stack = "digest", .gro = false});
  nic.open();
  std::vector<Packet> packets;
  for (std::uint32_t i = 0; i < 3000; ++i) {
    packets.push_back(numbered(i, 60 + i * 37 % 3950));
    ASSERT_TRUE(nic.deliver(packets.back()));
    if (i % 31 == 30) nic.interrupt();
  }
  nic.interrupt();
  EXPECT_EQ(nic.stat("digest"), digest_of(packets));
  expect_balanced(nic);
}

TEST_P(MultiBuffer, TransmitsAllPieces) {
  for (const bool mpwqe : {true, false}) {
    FakeConfig c = config("tx-frags");
    c.mpwqe = mpwqe;
    FakeConnectx nic(c);
    nic.open();
    std::vector<Packet> packets = deliver_all_lengths(nic, 500);
    std::transform(packets.begin(), packets.end(), packets.begin(), answered);
    EXPECT_EQ(nic.transmitted(), packets);
    EXPECT_EQ(nic.stat("rx_xdp_tx_xmit"), 500u);
    expect_balanced(nic);
  }
}

TEST_P(MultiBuffer, TransmitsWhatTheProgramHasLeft) {
  FakeConnectx nic(config("adjust-tx"));
  nic.open();
  std::vector<Packet> packets = deliver_all_lengths(nic, 500);
  packets = adjusted(packets);
  EXPECT_EQ(nic.transmitted(), packets);
  expect_balanced(nic);
}

// A multi-packet WQE that is open is closed first, so that packets leave in order.
TEST_P(MultiBuffer, PacketsInPiecesTakeWqesOfTheirOwn) {
  FakeConnectx nic(config("tx-frags"));
  nic.open();
  nic.forget_sent();
  for (const std::size_t length : {100u, 100u, 9000u, 100u}) ASSERT_TRUE(nic.deliver(numbered(1, length)));
  nic.interrupt();
  std::vector<std::pair<int, std::uint32_t>> sent;
  for (const SentWqe& wqe : nic.sent()) {
    if (wqe.packets != 0) sent.emplace_back(wqe.opcode, wqe.packets);
  }
  using P = std::pair<int, std::uint32_t>;
  EXPECT_EQ(sent, (std::vector<P>{P{0x29, 2}, P{0x0a, 1}, P{0x29, 1}}));
  expect_balanced(nic);
}

// Transmission is slower than the refill of the ring: pages must not be written again before they have been sent.
TEST_P(MultiBuffer, PagesStayUntilTheyHaveBeenSent) {
  FakeConnectx nic(config("tx-frags"));
  nic.open();
  nic.stall_transmit(true);
  std::vector<Packet> packets = deliver_all_lengths(nic, 96);
  for (Packet& packet : packets) packet = answered(packet);
  for (int i = 0; i < 800; ++i) {  // of which most find the send queue full
    ASSERT_TRUE(nic.deliver(numbered(77, 9000)));
    if (i % 40 == 39) nic.interrupt();
  }
  nic.stall_transmit(false);
  nic.run_send_queues();
  ASSERT_GE(nic.transmitted().size(), packets.size());
  for (std::size_t i = 0; i < packets.size(); ++i) ASSERT_EQ(nic.transmitted()[i], packets[i]) << i;
  EXPECT_GT(nic.stat("rx_xdp_tx_full"), 0u);
  expect_balanced(nic);
}

// Programs of the test: what they do with the buffer, and what they saw.
struct Seen {
  std::uint32_t linear, frags, frags_size, length, flags;
  int result;
};
Seen seen;
int head_offset, tail_offset;
std::uint32_t verdict;

std::uint32_t move(const void* ctx, const bpf_insn*) {
  auto* xdp = const_cast<xdp_buff*>(static_cast<const xdp_buff*>(ctx));
  seen = {};
  if (head_offset != 0) seen.result |= bpf_xdp_adjust_head(xdp, head_offset);
  if (tail_offset != 0) seen.result |= bpf_xdp_adjust_tail(xdp, tail_offset);
  seen.linear = static_cast<std::uint32_t>(static_cast<std::uint8_t*>(xdp->data_end) - static_cast<std::uint8_t*>(xdp->data));
  seen.flags = xdp->flags;
  seen.length = xdp_get_buff_len(xdp);
  if (xdp_buff_has_frags(xdp)) {
    seen.frags = xdp_get_shared_info_from_buff(xdp)->nr_frags;
    seen.frags_size = xdp_get_shared_info_from_buff(xdp)->xdp_frags_size;
  }
  digest_xdp(&rx_digest, xdp);
  return verdict;
}
const bpf_prog mover = {1, 1, 6, 1, {}, nullptr, move, "mover", true, {}};

// One packet of `length` bytes through a program that moves its ends.
void pass_one(FakeConnectx& nic, std::size_t length, int head, int tail, std::uint32_t what = XDP_DROP) {
  nic.rq().xdp_prog = &mover;
  head_offset = head;
  tail_offset = tail;
  verdict = what;
  ASSERT_TRUE(nic.deliver(numbered(9, length)));
  nic.interrupt();
}

TEST_P(MultiBuffer, WhatAProgramIsShown) {
  FakeConnectx nic(config("checksum"));
  nic.open();
  pass_one(nic, 100, 0, 0);
  EXPECT_EQ(seen.linear, GetParam() ? 0u : 100u);
  EXPECT_EQ(seen.frags, GetParam() ? 1u : 0u);
  EXPECT_EQ(seen.length, 100u);
  pass_one(nic, 9000, 0, 0);
  EXPECT_EQ(seen.linear, GetParam() ? 0u : 3520u);
  EXPECT_EQ(seen.frags, GetParam() ? 3u : 2u);
  EXPECT_EQ(seen.frags_size, 9000 - seen.linear);
  expect_balanced(nic);
}

TEST_P(MultiBuffer, ShrinkingDropsWholeFragments) {
  FakeConnectx nic(config("checksum"));
  nic.open();
  const std::uint32_t linear = GetParam() ? 0 : 3520;
  const std::uint32_t last = GetParam() ? 9000 - 8192 : 9000 - 3520 - 4096;
  const std::uint32_t all = GetParam() ? 3 : 2;
  pass_one(nic, 9000, 0, -static_cast<int>(last - 1));
  EXPECT_EQ(seen.frags, all);
  pass_one(nic, 9000, 0, -static_cast<int>(last));
  EXPECT_EQ(seen.frags, all - 1);
  EXPECT_EQ(seen.frags_size, 9000 - last - linear);
  pass_one(nic, 9000, 0, -8900);
  EXPECT_EQ(seen.frags, GetParam() ? 1u : 0u);
  EXPECT_EQ(seen.flags, GetParam() ? XDP_FLAGS_HAS_FRAGS : 0u);
  EXPECT_EQ(seen.length, 100u);
  EXPECT_EQ(seen.result, 0);
  pass_one(nic, 9000, 0, -8987);  // 13 bytes are no header
  EXPECT_EQ(seen.result, -EINVAL);
  EXPECT_EQ(seen.length, 9000u);
  expect_balanced(nic);
}

TEST_P(MultiBuffer, GrowingFillsTheLastFragmentWithZeros) {
  FakeConnectx nic(config("checksum"));
  nic.open();
  pass_one(nic, 9000, 0, 40);
  if (GetParam()) {  // Linux does not say how large those fragments may become
    EXPECT_EQ(seen.result, -EOPNOTSUPP);
    return;
  }
  EXPECT_EQ(seen.result, 0);
  Packet grown = numbered(9, 9000);
  grown.resize(9040, 0);
  EXPECT_EQ(nic.stat("digest"), digest_of({grown}));
  const int room = 4096 - (9000 - 7616);
  pass_one(nic, 9000, 0, room);
  EXPECT_EQ(seen.result, 0);
  pass_one(nic, 9000, 0, room + 1);
  EXPECT_EQ(seen.result, -EINVAL);
  pass_one(nic, 100, 0, 3420);
  EXPECT_EQ(seen.result, 0);
  pass_one(nic, 100, 0, 3421);  // skb_shared_info is there
  EXPECT_EQ(seen.result, -EINVAL);
  expect_balanced(nic);
}

TEST_P(MultiBuffer, HeadMovesWithinTheHeadroom) {
  FakeConnectx nic(config("checksum"));
  nic.open();
  pass_one(nic, 9000, -(256 - 40), 0);  // an xdp_frame keeps its place
  EXPECT_EQ(seen.result, 0);
  EXPECT_EQ(seen.length, 9000u + 216u);
  pass_one(nic, 9000, -(256 - 39), 0);
  EXPECT_EQ(seen.result, -EINVAL);
  pass_one(nic, 9000, 100, 0);
  EXPECT_EQ(seen.result, GetParam() ? -EINVAL : 0);  // nothing there to take away
  expect_balanced(nic);
}

TEST_P(MultiBuffer, DroppedFragmentsAreCountedWhateverTheVerdict) {
  for (const std::uint32_t what : {XDP_DROP, XDP_PASS, XDP_TX, XDP_ABORTED}) {
    FakeConnectx nic(config("checksum"));
    nic.open();
    for (int i = 0; i < 300; ++i) pass_one(nic, 9000, -16, -8000 - i, what);
    for (int i = 0; i < 300; ++i) pass_one(nic, 14 + 28 + 3600, 0, -256, what);  // as in the advisory on this bug
    EXPECT_EQ(nic.stat("pp_negative_refs"), 0u);
    EXPECT_EQ(nic.stat("rx_packets"), what == XDP_PASS ? 600u : 0u);
    expect_balanced(nic);
  }
}

// What the stack gets, seen by a rule of netfilter.
struct Received {
  std::uint32_t headlen, length, frags, truesize;
  bool recycled;
};
Received received;

std::uint32_t look(void*, sk_buff* skb, const nf_hook_state*) {
  received = {skb_headlen(skb), skb->len, skb_shinfo(skb)->nr_frags, skb->truesize, skb->pp_recycle != 0};
  return NF_DROP;
}

// One IPv4 packet through a program that moves its ends and passes it on.
void receive_one(FakeConnectx& nic, std::size_t length, int head, int tail) {
  static nf_hook_entries hooks = {1, {{look, nullptr}}};
  nf_hooks_ipv4[NF_INET_PRE_ROUTING] = &hooks;
  nic.rq().xdp_prog = &mover;
  head_offset = head;
  tail_offset = tail;
  verdict = XDP_PASS;
  received = {};
  Packet packet(length);
  const std::uint8_t headers[] = {2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 8, 0, 0x45, 0};
  std::copy(std::begin(headers), std::end(headers), packet.begin());
  const std::size_t total = length - 14 + static_cast<std::size_t>(tail);
  packet[16] = static_cast<std::uint8_t>(total >> 8), packet[17] = static_cast<std::uint8_t>(total);
  packet[22] = 64, packet[23] = 17;
  std::uint32_t sum = 0;
  for (int i = 14; i < 34; i += 2) sum += static_cast<std::uint32_t>(packet[i] << 8 | packet[i + 1]);
  sum = ~((sum & 0xffff) + (sum >> 16));
  packet[24] = static_cast<std::uint8_t>(sum >> 8), packet[25] = static_cast<std::uint8_t>(sum);
  ASSERT_TRUE(nic.deliver(packet));
  nic.interrupt();
}

TEST_P(MultiBuffer, StackIsChargedForWhatIsLeft) {
  FakeConfig c = config("pass");
  c.gro = false;
  FakeConnectx nic(c);
  nic.open();
  const std::uint32_t head = 256;  // sk_buff, in whole cache lines
  receive_one(nic, 9000, 0, 0);
  if (GetParam()) {
    EXPECT_EQ(received.frags, 3u);
    EXPECT_EQ(received.headlen, 256u - 14u);
    EXPECT_EQ(received.truesize, head + 832 + 3 * 4096);
  } else {
    EXPECT_EQ(received.frags, 2u);
    EXPECT_EQ(received.headlen, 3520u - 14u);
    EXPECT_EQ(received.truesize, head + 4096 + 2 * 4096);
  }
  EXPECT_EQ(received.length, 9000u - 14u);
  EXPECT_TRUE(received.recycled);
  receive_one(nic, 9000, 0, -4000);  // in both layouts, the last fragment goes
  EXPECT_EQ(received.frags, GetParam() ? 2u : 1u);
  EXPECT_EQ(received.truesize, head + (GetParam() ? 832 + 2 * 4096 : 2 * 4096));
  EXPECT_EQ(received.length, 5000u - 14u);
  receive_one(nic, 9000, 0, -8900);
  EXPECT_EQ(received.frags, 0u);
  EXPECT_EQ(received.headlen, 100u - 14u);
  EXPECT_EQ(received.truesize, head + (GetParam() ? 832 + 4096 : 4096));
  expect_balanced(nic);
}

TEST_P(MultiBuffer, NoPageForTheLinearPartLosesTheCountedPacket) {
  if (!GetParam()) return;
  FakeConnectx nic(config("checksum"));
  nic.open();
  nic.exhaust_memory();
  std::vector<page*> taken;
  while (page* p = page_pool_alloc_pages(nic.rq().page_pool)) taken.push_back(p);
  nic.receive(3, 9000);
  EXPECT_EQ(nic.stat("rx_buff_alloc_err"), 3u);
  EXPECT_EQ(nic.stat("rx_xdp_drop"), 0u);
  nic.return_memory();
  nic.receive(3, 9000);
  EXPECT_EQ(nic.stat("rx_xdp_drop"), 3u);
  for (page* p : taken) page_pool_put_unrefed_page(nic.rq().page_pool, p, 0, false);
  expect_balanced(nic);
}

}  // namespace
}  // namespace ringside
