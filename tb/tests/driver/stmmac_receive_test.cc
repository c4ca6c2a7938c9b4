// Frames become packets of the stack, whatever their length, the ring's and the variant; nothing is lost, kept or changed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tb/tests/driver/fake_dwmac.h"

namespace ringside {
namespace {

using Packets = std::vector<FakeDwmac::Packet>;

// Lengths around every boundary that there is: of buffers, of pairs of buffers, and where the FCS is cut in two.
std::vector<std::size_t> lengths(std::size_t longest) {
  std::vector<std::size_t> result{60, 61, 64, 127, 500, 1513, 1514};
  for (const std::size_t edge : {1536u, 2048u, 3072u, 4096u, 4608u, 6144u, 8188u}) {
    for (std::size_t length = edge - 6; length <= edge + 3; ++length) {
      if (length <= longest) result.push_back(length);
    }
  }
  result.push_back(longest);
  return result;
}

Packets bytes_of(const std::vector<FakeDwmac::Received>& received) {
  Packets packets;
  for (const auto& packet : received) packets.push_back(packet.bytes);
  return packets;
}

// All pages and heads are back when the interface is closed.
void expect_nothing_kept(FakeDwmac& nic) {
  nic.close();
  EXPECT_EQ(page_pool_inflight(nic.rxq().page_pool), 0);
  EXPECT_EQ(skb_heads_in_use(), 0u);
  EXPECT_THAT(nic.complaints(), testing::IsEmpty());
}

struct BoardSetup {
  bool xgmac;
  bool coherent;
  bool split;
  int rx;
  std::uint32_t ring;
};
void PrintTo(const BoardSetup& setup, std::ostream* out) {
  *out << (setup.xgmac ? "XGMAC" : "EQOS") << (setup.coherent ? ", coherent" : "") << (setup.split ? ", split headers" : "")
       << ", STMMAC_RX " << setup.rx << ", ring of " << setup.ring;
}

class Bytes : public testing::TestWithParam<BoardSetup> {};

TEST_P(Bytes, AreDeliveredAsSent) {
  const BoardSetup& setup = GetParam();
  FakeDwmac nic({.xgmac = setup.xgmac, .ring = setup.ring, .coherent = setup.coherent, .split = setup.split, .rx = setup.rx});
  nic.open();
  Packets sent;
  std::uint32_t seed = 0;
  // Two laps and more; bursts leave frames unfinished when the descriptors run out.
  for (std::uint32_t lap = 0; lap * lengths(9014).size() < 3 * setup.ring; ++lap) {
    for (const std::size_t length : lengths(9014)) {
      const bool udp = length >= 128 && seed % 5 != 0;
      sent.push_back(udp ? udp_frame(length, seed) : other_frame(length, seed));
      nic.arrive(sent.back(), {.header = udp ? 42u : 0u, .l34t = udp ? 2u : 0u});
      if (++seed % 37 == 0) nic.run();
    }
  }
  nic.run();
  ASSERT_EQ(nic.received().size(), sent.size());
  for (std::size_t i = 0; i < sent.size(); ++i) ASSERT_EQ(nic.received()[i].bytes, sent[i]) << i << ": " << sent[i].size();
  EXPECT_EQ(nic.stat("q0_rx_pkt_n"), sent.size());
  EXPECT_EQ(nic.stat("rx_errors"), 0u);
  EXPECT_EQ(nic.stat("rx_dropped"), 0u);
  EXPECT_EQ(nic.waiting(), 0u);
  EXPECT_GE(nic.stat("rx_desc"), 2 * setup.ring);
  nic.forget_received();
  expect_nothing_kept(nic);
}

std::vector<BoardSetup> setups() {
  std::vector<BoardSetup> all;
  for (const bool xgmac : {false, true}) {
    for (const bool split : {false, true}) {
      for (int rx = STMMAC_RX_COPY; rx <= STMMAC_RX_NET_PREFETCH; ++rx) all.push_back({xgmac, false, split, rx, 64});
      for (const std::uint32_t ring : {128u, 256u, 512u, 1024u}) {
        all.push_back({xgmac, true, split, STMMAC_RX_NET_PREFETCH, ring});
      }
    }
  }
  return all;
}

std::string name_of(const testing::TestParamInfo<BoardSetup>& info) {
  const char* const steps[] = {"copy", "zero_copy", "max_len", "prefetch", "net_prefetch"};
  const BoardSetup& setup = info.param;
  return std::string(setup.xgmac ? "xgmac" : "eqos") + (setup.coherent ? "_coherent" : "_noncoherent") +
         (setup.split ? "_split_" : "_") + steps[setup.rx] + "_" + std::to_string(setup.ring);
}

INSTANTIATE_TEST_SUITE_P(Stmmac, Bytes, testing::ValuesIn(setups()), name_of);

// The table of the reference series: 1514 bytes, MTU 1500, one descriptor.
struct Step {
  int rx;
  std::uint64_t cvac;
  std::uint32_t truesize;
};
void PrintTo(const Step& step, std::ostream* out) {
  *out << "STMMAC_RX " << step.rx << ": " << step.cvac << " DC CVAC, truesize " << step.truesize;
}

class LineOperations : public testing::TestWithParam<Step> {};

TEST_P(LineOperations, PerFrameAsPublished) {
  const Step& step = GetParam();
  FakeDwmac nic({.xgmac = true, .coherent = false, .rx = step.rx});
  nic.open();
  const auto burst = [&] {
    for (std::uint32_t i = 0; i < 64; ++i) nic.arrive(udp_frame(1514, i));
    nic.run();
  };
  for (int i = 0; i < 20; ++i) burst();
  const auto before = nic.line_operations();
  for (int i = 0; i < 16; ++i) burst();
  const auto after = nic.line_operations();
  constexpr std::uint64_t frames = 16 * 64;
  EXPECT_EQ(after.ivac - before.ivac, 23 * frames);
  EXPECT_EQ(after.civac - before.civac, 1 * frames);
  EXPECT_EQ(after.cvac - before.cvac, step.cvac * frames);
  EXPECT_EQ(after.dsb - before.dsb, 2 * frames);
  EXPECT_EQ(nic.received().back().truesize, step.truesize);
  EXPECT_EQ(nic.received().back().frags, 0);
}

INSTANTIATE_TEST_SUITE_P(Stmmac, LineOperations,
                         testing::Values(Step{STMMAC_RX_COPY, 60, 2176}, Step{STMMAC_RX_ZERO_COPY, 60, 4352},
                                         Step{STMMAC_RX_ZERO_COPY_MAX_LEN, 24, 4352}, Step{STMMAC_RX_PREFETCH, 24, 4352},
                                         Step{STMMAC_RX_NET_PREFETCH, 24, 4352}));

TEST(StmmacLines, CopiedPagesGoStraightBackAndOthersThroughTheRing) {
  for (const int rx : {STMMAC_RX_COPY, STMMAC_RX_ZERO_COPY}) {
    FakeDwmac nic({.rx = rx});
    nic.open();
    for (int i = 0; i < 200; ++i) nic.receive(udp_frame(1514));
    EXPECT_EQ(nic.stat("rx_pp_recycle_cached"), rx == STMMAC_RX_COPY ? 200u : 0u);
    EXPECT_EQ(nic.stat("rx_pp_recycle_ring"), rx == STMMAC_RX_COPY ? 0u : 200u);
  }
}

TEST(StmmacLines, NewPagesAreCleanedAsFarAsTheDeviceWrites) {
  FakeDwmac nic({.ring = 64, .coherent = false});
  nic.open();
  // Two buffers for each descriptor, from pages taken 64 at a time: no more than 24 lines each.
  EXPECT_EQ(nic.line_operations().cvac, 24u * nic.stat("rx_pp_alloc_slow") * 64);
  EXPECT_EQ(nic.line_operations().ivac + nic.line_operations().civac, 0u);
}

TEST(StmmacLines, ACoherentDeviceNeedsNone) {
  FakeDwmac nic({.coherent = true});
  nic.open();
  for (int i = 0; i < 600; ++i) nic.receive(udp_frame(1514));
  EXPECT_EQ(nic.line_operations().lines() + nic.line_operations().dsb, 0u);
}

TEST(StmmacDescriptors, AccessesPerFrame) {
  for (const bool xgmac : {false, true}) {
    FakeDwmac nic({.xgmac = xgmac});
    nic.open();
    for (int i = 0; i < 64; ++i) nic.arrive(udp_frame(1514), {.l34t = 2});
    const std::uint64_t loads = nic.descriptor_loads();
    const std::uint64_t stores = nic.descriptor_stores();
    const std::uint64_t tails = nic.tail_writes();
    ASSERT_EQ(nic.poll(), 64);
    // Status, header length, frame length, [L34T twice, hash,] second buffer, owner.
    EXPECT_EQ(nic.descriptor_loads() - loads, 64u * (xgmac ? 6 : 7));
    EXPECT_EQ(nic.descriptor_stores() - stores, 64u * (xgmac ? 5 : 6));
    EXPECT_EQ(nic.tail_writes() - tails, 1u);
  }
}

TEST(StmmacDescriptors, InterruptOnCompletionIsAllOrNothing) {
  for (const std::uint32_t frames : {0u, 1u, 5u, 32u}) {
    FakeDwmac nic({.ring = 64, .rx_frames = frames});
    nic.open();
    for (std::uint32_t i = 0; i < 100; ++i) nic.receive(udp_frame(100));
    for (std::uint32_t i = 0; i < 64; ++i) {
      // The entries of the first lap were armed at the start, for the watchdog.
      EXPECT_EQ((nic.rxq().dma_rx[i].des3 & dwmac::eqos::kRdes3Ioc) != 0, frames != 0) << i;
    }
    EXPECT_EQ(nic.reg(dwmac::eqos::kDmaChannel + dwmac::eqos::kChRxWatchdog), 160u);
  }
}

TEST(StmmacBudget, OnePollTakesSixtyFourFrames) {
  FakeDwmac nic;
  nic.open();
  for (std::uint32_t i = 0; i < 130; ++i) nic.arrive(udp_frame(100, i));
  EXPECT_EQ(nic.poll(), 64);
  EXPECT_EQ(nic.poll(), 64);
  EXPECT_EQ(nic.poll(), 2);
  EXPECT_EQ(nic.received().size(), 130u);
}

TEST(StmmacBudget, FramesOfSeveralDescriptorsCountOnce) {
  FakeDwmac nic;
  nic.open();
  for (std::uint32_t i = 0; i < 100; ++i) nic.arrive(udp_frame(9000, i));  // 3 descriptors each
  EXPECT_EQ(nic.poll(), 64);
  EXPECT_EQ(nic.stat("rx_desc"), 192u);
  EXPECT_EQ(nic.poll(), 36);
  EXPECT_EQ(nic.received().size(), 100u);
}

TEST(StmmacBudget, AFrameIsCarriedFromPollToPoll) {
  FakeDwmac nic({.ring = 64});
  nic.open();
  Packets sent;
  for (std::uint32_t i = 0; i < 50; ++i) {
    sent.push_back(udp_frame(9000, i));
    nic.arrive(sent.back());
  }
  // 63 of 64 entries can be consumed: 21 frames; the device has filled one more, with the beginning of a frame.
  EXPECT_EQ(nic.poll(), 21);
  EXPECT_FALSE(nic.rxq().state_saved);
  EXPECT_EQ(nic.poll(), 21);
  EXPECT_EQ(nic.poll(), 8);
  EXPECT_EQ(bytes_of(nic.received()), sent);

  // The device stops within a frame, for want of memory.
  nic.hold_packets(true);
  nic.exhaust_memory();
  std::vector<page*> taken;
  while (page* p = page_pool_alloc_pages(nic.rxq().page_pool)) taken.push_back(p);
  for (std::uint32_t i = 0; nic.waiting() == 0; ++i) {
    ASSERT_LT(i, 30u);
    sent.push_back(udp_frame(16000, i));  // 6 descriptors
    nic.arrive(sent.back());
    nic.poll();
  }
  for (int i = 0; i < 5; ++i) nic.poll();
  EXPECT_TRUE(nic.rxq().state_saved);
  nic.return_memory();
  for (page* p : taken) page_pool_put_full_page(nic.rxq().page_pool, p, false);
  nic.run();
  EXPECT_FALSE(nic.rxq().state_saved);
  EXPECT_EQ(bytes_of(nic.received()), sent);
  nic.hold_packets(false);
  expect_nothing_kept(nic);
}

TEST(StmmacErrors, DamagedFramesAreCountedAndTheirPagesKeptClean) {
  for (const bool xgmac : {false, true}) {
    FakeDwmac nic({.xgmac = xgmac, .coherent = false});
    nic.open();
    for (int i = 0; i < 64; ++i) nic.receive(udp_frame(1514));
    const auto before = nic.line_operations();
    for (int i = 0; i < 10; ++i) nic.receive(udp_frame(1514), {.bad_crc = true});
    EXPECT_EQ(nic.line_operations().lines(), before.lines());  // no processor has touched them
    EXPECT_EQ(nic.stat("rx_crc_errors"), 10u);
    EXPECT_EQ(nic.stat("rx_errors"), 10u);
    EXPECT_EQ(nic.received().size(), 64u);
    // Of a long frame the end says that all of it is void.
    nic.receive(udp_frame(9000), {.bad_crc = true});
    EXPECT_EQ(nic.stat("rx_errors"), 11u);
    nic.receive(udp_frame(9000));
    EXPECT_EQ(nic.received().size(), 65u);
    EXPECT_EQ(nic.received().back().bytes, udp_frame(9000));
    expect_nothing_kept(nic);
  }
}

TEST(StmmacErrors, FramesForOthersAreDiscarded) {
  FakeDwmac nic;
  nic.open();
  nic.receive(udp_frame(100), {.other_address = true});
  EXPECT_EQ(nic.stat("da_rx_filter_fail"), 1u);
  EXPECT_EQ(nic.received().size(), 0u);
}

TEST(StmmacErrors, FramesOfNothingButAnFcsAreErrors) {
  for (const std::uint32_t length : {0u, 1u, 3u, 4u}) {
    FakeDwmac nic;
    nic.open();
    nic.receive(udp_frame(60), {.claimed_length = length});
    EXPECT_EQ(nic.stat("rx_errors"), 1u);
    EXPECT_EQ(nic.stat("q0_rx_bytes"), 0u);
    nic.receive(udp_frame(60));
    EXPECT_EQ(nic.received().size(), 1u);
  }
}

TEST(StmmacErrors, WithoutHeadsPacketsAreDroppedWhole) {
  FakeDwmac nic({.ring = 64});
  nic.open();
  nic.hold_packets(true);
  nic.exhaust_memory();
  // Heads run out first: they come 32 at a time from the first page, and there is no second one.
  for (std::uint32_t i = 0; i < 40; ++i) {
    nic.arrive(udp_frame(4000, i));
    nic.poll();
  }
  const std::uint64_t dropped = nic.stat("rx_dropped");
  EXPECT_GT(dropped, 0u);
  EXPECT_EQ(nic.received().size() + dropped + nic.waiting() + (nic.rxq().state_saved ? 1 : 0), 40u);
  for (std::size_t i = 0; i < nic.received().size(); ++i) EXPECT_EQ(nic.received()[i].bytes.size(), 4000u);
  nic.return_memory();
  nic.poll();
  nic.run();
  nic.hold_packets(false);
  nic.receive(udp_frame(1514, 7));
  EXPECT_EQ(nic.received().back().bytes, udp_frame(1514, 7));
  expect_nothing_kept(nic);
}

TEST(StmmacStack, LearnsWhatTheDescriptorSays) {
  FakeDwmac eqos;
  eqos.open();
  eqos.receive(udp_frame(100));
  EXPECT_EQ(eqos.received().back().ip_summed, CHECKSUM_UNNECESSARY);
  eqos.receive(udp_frame(100), {.bad_checksum = true});
  EXPECT_EQ(eqos.received().back().ip_summed, CHECKSUM_NONE);
  EXPECT_EQ(eqos.stat("ip_payload_err"), 1u);
  eqos.receive(other_frame(100));
  EXPECT_EQ(eqos.received().back().ip_summed, CHECKSUM_NONE);
  EXPECT_EQ(eqos.received().back().hash, 0u);

  FakeDwmac xgmac({.xgmac = true});
  xgmac.open();
  xgmac.receive(udp_frame(100), {.l34t = 2, .hash = 0xdecade});
  EXPECT_EQ(xgmac.received().back().hash, 0xdecadeu);
  EXPECT_EQ(xgmac.received().back().l4_hash, 1);
  xgmac.receive(udp_frame(100), {.bad_checksum = true});  // an error like others
  EXPECT_EQ(xgmac.stat("ip_payload_err"), 1u);
  EXPECT_EQ(xgmac.received().size(), 1u);
}

TEST(StmmacStack, GetsVlanTagsThatTheDeviceRemoved) {
  for (const bool xgmac : {false, true}) {
    FakeDwmac nic({.xgmac = xgmac});
    nic.open();
    nic.receive(udp_frame(100), {.vlan = 0x2005});
    EXPECT_EQ(nic.received().back().vlan, 0);
    nic.priv().hw->hw_vlan_en = true;
    nic.receive(udp_frame(100), {.vlan = 0x2000});
    EXPECT_EQ(nic.received().back().vlan, 0x2000);
    nic.receive(udp_frame(100));
    EXPECT_EQ(nic.received().back().vlan, 0);
    EXPECT_EQ(nic.stat("rx_vlan"), 1u);
  }
}

TEST(StmmacStack, GetsTimestampsThatFollowTheirFrames) {
  for (const bool xgmac : {false, true}) {
    FakeDwmac nic({.xgmac = xgmac, .ring = 64});
    nic.open();
    nic.priv().hwts_rx_en = true;
    for (std::uint64_t i = 1; i <= 100; ++i) {
      nic.receive(udp_frame(100), {.timestamp = 5'000'000'000 + i});
      ASSERT_EQ(nic.received().back().timestamp, 5'000'000'000 + i);
    }
    EXPECT_EQ(nic.received().size(), 100u);
    EXPECT_EQ(nic.stat("rx_desc"), 200u);
    EXPECT_EQ(nic.stat("rx_errors"), 0u);
    expect_nothing_kept(nic);
  }
}

TEST(StmmacMtu, ChoosesBuffersAndPages) {
  struct Case {
    std::uint32_t mtu, size;
    std::uint32_t order;
  };
  for (const Case& c : {Case{1500, 1536, 0}, Case{1536, 1536, 0}, Case{1537, 2048, 0}, Case{2047, 2048, 0},
                        Case{2048, 4096, 1}, Case{4095, 4096, 1}, Case{4096, 8188, 2}, Case{8187, 8188, 2},
                        Case{8188, 16368, 3}, Case{9000, 16368, 3}}) {
    FakeDwmac nic({.ring = 64, .mtu = c.mtu});
    nic.open();
    EXPECT_EQ(nic.priv().dma_conf.dma_buf_sz, c.size);
    EXPECT_EQ(nic.rxq().page_pool->p.order, c.order);
    for (std::uint32_t i = 0; i < 200; ++i) nic.receive(udp_frame(c.mtu + ETH_HLEN, i));
    ASSERT_EQ(nic.received().size(), 200u) << c.mtu;
    for (std::uint32_t i = 0; i < 200; ++i) ASSERT_EQ(nic.received()[i].bytes, udp_frame(c.mtu + ETH_HLEN, i));
    expect_nothing_kept(nic);
  }
}

TEST(StmmacOpen, RefusesWhatItCannotDo) {
  EXPECT_THROW(FakeDwmac({.program = "no-such"}).open(), GuestPanic);
  EXPECT_THROW(FakeDwmac({.mtu = 9001}).open(), GuestPanic);
  EXPECT_THROW(FakeDwmac({.mtu = 1501, .program = "drop"}).open(), GuestPanic);
  EXPECT_THROW(FakeDwmac({.ring = 32}).open(), GuestPanic);
  EXPECT_THROW(FakeDwmac({.ring = 96}).open(), GuestPanic);
  EXPECT_THROW(FakeDwmac({.ring = 2048}).open(), GuestPanic);
  EXPECT_THROW(FakeDwmac({.rx_usecs = 3}).open(), GuestPanic);
  EXPECT_THROW(FakeDwmac({.ring = 512, .heap_pages = 256}).open(), GuestPanic);
}

TEST(StmmacOpen, KnowsItsCore) {
  FakeDwmac old({.version = 0x40});
  old.open();
  old.receive(udp_frame(100));  // the summary bits are elsewhere: without them there would be no interrupt
  EXPECT_EQ(old.received().size(), 1u);
  EXPECT_THROW(FakeDwmac({.version = 0x37}).open(), GuestPanic);
}

TEST(StmmacOpen, ProgramsTheDevice) {
  namespace eqos = dwmac::eqos;
  FakeDwmac nic({.pause = true, .rx_usecs = 164});
  nic.open();
  const std::uint32_t channel = eqos::kDmaChannel;
  EXPECT_EQ(nic.reg(channel + eqos::kChRxRingLength), 511u);
  EXPECT_EQ((nic.reg(channel + eqos::kChRxControl) & dwmac::kChRxRbszMask) >> 1, 1536u);
  EXPECT_EQ(nic.reg(channel + eqos::kChRxControl) & dwmac::kChPblMask, 8u << 16);
  EXPECT_EQ(nic.reg(channel + eqos::kChControl), dwmac::kChControlPblx8);
  EXPECT_EQ(nic.reg(channel + eqos::kChRxWatchdog), 164u * 250 / 256);
  // One past the last entry of a ring of which nothing was consumed.
  EXPECT_EQ(nic.reg(channel + eqos::kChRxTail), static_cast<std::uint32_t>(nic.rxq().dma_rx_phy + 512 * 16));
  // 16 KiB: stops the sender at 3 KiB from full, lets it go on at 4.5 KiB.
  EXPECT_EQ(nic.reg(eqos::kMtlQueue + eqos::kMtlRxOpMode),
            dwmac::kRxOpRsf | dwmac::kRxOpDisTcpEf | eqos::kRxOpEhfc | 4u << 8 | 7u << 14 | 63u << 20);
  EXPECT_EQ(nic.reg(eqos::mac_tx_flow_ctrl(0)) >> 16, 0xffffu);
  EXPECT_EQ(nic.reg(dwmac::kMacAddress0Low), 0x0000'0002u);
  EXPECT_EQ(nic.reg(dwmac::kMacAddress0High), 0x8000'0100u);
}

TEST(StmmacOpen, CanBeRepeated) {
  for (const bool xgmac : {false, true}) {
    FakeDwmac nic({.xgmac = xgmac, .ring = 64});
    nic.open();
    for (int lap = 0; lap < 3; ++lap) {
      for (std::uint32_t i = 0; i < 100; ++i) nic.receive(udp_frame(100, i));
      nic.reopen();
    }
    EXPECT_EQ(nic.received().size(), 300u);
    expect_nothing_kept(nic);
  }
}

}  // namespace
}  // namespace ringside
