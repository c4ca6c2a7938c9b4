// Frames of the stack and of XDP_TX leave, once each, and what they held comes back.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "driver/xdp/programs.h"
#include "tb/tests/driver/fake_dwmac.h"

namespace ringside {
namespace {

sk_buff* packet_of(FakeDwmac& nic, const FakeDwmac::Packet& bytes) {
  sk_buff* skb = napi_alloc_skb(&nic.priv().channel[0].rx_napi, static_cast<std::uint32_t>(bytes.size()));
  std::copy(bytes.begin(), bytes.end(), static_cast<std::uint8_t*>(skb_put(skb, static_cast<std::uint32_t>(bytes.size()))));
  return skb;
}

netdev_tx send(FakeDwmac& nic, sk_buff* skb) { return nic.priv().dev->netdev_ops->ndo_start_xmit(skb, nic.priv().dev); }

FakeDwmac::Packet swapped(FakeDwmac::Packet frame) {
  std::swap_ranges(frame.begin(), frame.begin() + 6, frame.begin() + 6);
  return frame;
}

TEST(StmmacTransmit, SendsWhatTheStackGives) {
  for (const bool xgmac : {false, true}) {
    FakeDwmac nic({.xgmac = xgmac, .coherent = false, .tx_ring = 64});
    nic.open();
    std::vector<FakeDwmac::Packet> sent;
    for (std::uint32_t i = 0; i < 300; ++i) {
      sent.push_back(udp_frame(60 + i, i));
      ASSERT_EQ(send(nic, packet_of(nic, sent.back())), NETDEV_TX_OK);
      nic.run();
    }
    EXPECT_EQ(nic.transmitted(), sent);
    // One in 25 interrupts; the others are found with those.
    EXPECT_EQ(nic.stat("tx_set_ic_bit"), 12u);
    EXPECT_EQ(nic.stat("q0_tx_irq_n"), 12u);
    EXPECT_EQ(nic.stat("q0_tx_pkt_n"), 300u);
    EXPECT_EQ(skb_heads_in_use(), 0u);
    nic.close();
  }
}

TEST(StmmacTransmit, PacketsOfSeveralPiecesTakeSeveralDescriptors) {
  FakeDwmac nic({.tx_ring = 64});
  nic.open();
  nic.hold_packets(true);
  nic.receive(udp_frame(5000, 3));  // comes in three pieces
  ASSERT_EQ(nic.received().back().frags, 3);
  sk_buff* skb = packet_of(nic, udp_frame(60, 1));
  page* p = alloc_pages(0);
  const FakeDwmac::Packet more = other_frame(700, 5);
  std::copy(more.begin(), more.end(), page_address(p) + 100);
  skb_add_rx_frag(skb, 0, p, 100, 700, PAGE_SIZE);
  ASSERT_EQ(send(nic, skb), NETDEV_TX_OK);
  FakeDwmac::Packet whole = udp_frame(60, 1);
  whole.insert(whole.end(), more.begin(), more.end());
  EXPECT_EQ(nic.transmitted().back(), whole);
  EXPECT_EQ(nic.txq().cur_tx, 2u);
  nic.hold_packets(false);
  nic.receive(udp_frame(60));  // its poll does what the timer would
  EXPECT_EQ(nic.txq().dirty_tx, 2u);
  EXPECT_EQ(skb_heads_in_use(), 0u);
  EXPECT_EQ(page_ref_count(p), 0);
}

TEST(StmmacTransmit, AFullRingStopsTheQueueUntilThereIsRoom) {
  FakeDwmac nic({.tx_ring = 64});
  nic.open();
  nic.stall_transmit(true);
  int accepted = 0;
  sk_buff* skb = nullptr;
  for (;;) {
    skb = packet_of(nic, udp_frame(60));
    if (send(nic, skb) != NETDEV_TX_OK) break;
    ++accepted;
  }
  EXPECT_EQ(accepted, 63);
  EXPECT_TRUE(netif_tx_queue_stopped(&nic.txq().nq));
  nic.stall_transmit(false);
  nic.run();
  EXPECT_FALSE(netif_tx_queue_stopped(&nic.txq().nq));
  EXPECT_EQ(send(nic, skb), NETDEV_TX_OK);
  EXPECT_EQ(nic.transmitted().size(), 64u);
  nic.close();
  EXPECT_EQ(skb_heads_in_use(), 0u);
}

TEST(StmmacTransmit, CleansMappedDataForTheDevice) {
  FakeDwmac nic({.coherent = false});
  nic.open();
  const auto before = nic.line_operations();
  send(nic, packet_of(nic, udp_frame(60)));
  EXPECT_EQ(nic.line_operations().cvac - before.cvac, 1u);
  EXPECT_EQ(nic.line_operations().ivac, before.ivac);
}

TEST(StmmacXdp, DropTakesEveryFrameAndItsPageStays) {
  for (const bool coherent : {true, false}) {
    FakeDwmac nic({.program = "drop", .coherent = coherent});
    nic.open();
    const std::uint64_t slow = nic.stat("rx_pp_alloc_slow");
    for (std::uint32_t i = 0; i < 1000; ++i) nic.receive(udp_frame(60 + i, i));
    EXPECT_EQ(nic.stat("rx_dropped"), 1000u);
    EXPECT_EQ(nic.stat("q0_rx_pkt_n"), 0u);
    EXPECT_EQ(rx_cnt[0].dropped, 1000u);
    EXPECT_EQ(nic.stat("rx_pp_recycle_cached"), 1000u);
    EXPECT_EQ(nic.stat("rx_pp_alloc_slow"), slow);
    EXPECT_EQ(nic.rxq().buf_pool[0].page_offset, 256u);
    nic.close();
    EXPECT_EQ(page_pool_inflight(nic.rxq().page_pool), 0);
  }
}

// Only what the program could see is cleaned: 60 bytes are one line, in part, and so invalidated with care.
TEST(StmmacXdp, DropCleansWhatTheProgramSaw) {
  FakeDwmac nic({.program = "drop", .coherent = false});
  nic.open();
  nic.receive(udp_frame(60));
  const auto before = nic.line_operations();
  nic.receive(udp_frame(60));
  EXPECT_EQ(nic.line_operations().civac - before.civac, 1u);
  EXPECT_EQ(nic.line_operations().ivac - before.ivac, 0u);
  EXPECT_EQ(nic.line_operations().cvac - before.cvac, 1u);
}

TEST(StmmacXdp, PassLeavesFramesToTheStack) {
  for (const int rx : {STMMAC_RX_COPY, STMMAC_RX_NET_PREFETCH}) {
    FakeDwmac nic({.program = "pass", .coherent = false, .rx = rx});
    nic.open();
    for (std::uint32_t i = 0; i < 700; ++i) {
      nic.receive(udp_frame(60 + i, i));
      ASSERT_EQ(nic.received().back().bytes, udp_frame(60 + i, i));
    }
    EXPECT_EQ(rx_cnt[0].processed, 700u);
    nic.close();
    EXPECT_EQ(page_pool_inflight(nic.rxq().page_pool), 0);
  }
}

TEST(StmmacXdp, TxSendsFramesBack) {
  for (const bool xgmac : {false, true}) {
    FakeDwmac nic({.xgmac = xgmac, .program = "tx", .coherent = false});
    nic.open();
    for (std::uint32_t i = 0; i < 1000; ++i) {
      nic.receive(udp_frame(60 + i, i));
      ASSERT_EQ(nic.transmitted().back(), swapped(udp_frame(60 + i, i)));
    }
    EXPECT_EQ(nic.transmitted().size(), 1000u);
    EXPECT_EQ(nic.stat("rx_dropped"), 0u);
    nic.close();
    EXPECT_EQ(page_pool_inflight(nic.rxq().page_pool), 0);
  }
}

// Collected per interface, sent in bulk, and mapped anew because the page may be anybody's.
TEST(StmmacXdp, RedirectSendsFramesOut) {
  for (const bool xgmac : {false, true}) {
    FakeDwmac nic({.xgmac = xgmac, .program = "redirect-same", .coherent = false});
    nic.open();
    for (std::uint32_t i = 0; i < 1000; ++i) {
      nic.receive(udp_frame(60 + i, i));
      ASSERT_EQ(nic.transmitted().back(), swapped(udp_frame(60 + i, i)));
    }
    for (std::uint32_t i = 0; i < 40; ++i) nic.arrive(udp_frame(60, i));
    nic.run();
    EXPECT_EQ(nic.transmitted().size(), 1040u);
    EXPECT_EQ(nic.stat("xdp_devmap_xmit"), 1040u);
    EXPECT_EQ(nic.stat("rx_dropped"), 0u);
    nic.close();
    EXPECT_EQ(page_pool_inflight(nic.rxq().page_pool), 0);
  }
}

TEST(StmmacXdp, RedirectDropsWhatTheRingHasNoRoomFor) {
  FakeDwmac nic({.program = "redirect-same", .tx_ring = 64});
  nic.open();
  nic.stall_transmit(true);
  for (std::uint32_t i = 0; i < 100; ++i) nic.receive(udp_frame(60, i));
  EXPECT_EQ(nic.stat("xdp_devmap_xmit"), 48u);
  EXPECT_EQ(nic.stat("xdp_devmap_drop"), 52u);
  nic.stall_transmit(false);
  EXPECT_EQ(nic.transmitted().size(), 48u);
  nic.receive(udp_frame(60));
  nic.close();
  EXPECT_EQ(page_pool_inflight(nic.rxq().page_pool), 0);
}

TEST(StmmacXdp, RedirectToAnInterfaceThatDoesNotExistDrops) {
  FakeDwmac nic({.program = "redirect-same"});
  nic.open();
  tx_port.netdev_map[TX_PORT_SAME] = nullptr;
  nic.receive(udp_frame(60));
  EXPECT_EQ(nic.stat("xdp_exception"), 1u);
  EXPECT_EQ(nic.stat("rx_dropped"), 1u);
  nic.close();
  EXPECT_EQ(page_pool_inflight(nic.rxq().page_pool), 0);
}

TEST(StmmacXdp, TxDropsWhatTheRingHasNoRoomFor) {
  FakeDwmac nic({.program = "tx", .tx_ring = 64});
  nic.open();
  nic.stall_transmit(true);
  for (std::uint32_t i = 0; i < 100; ++i) nic.receive(udp_frame(60, i));
  // A quarter of the ring is the stack's.
  EXPECT_EQ(nic.stat("rx_dropped"), 100u - 48u);
  nic.stall_transmit(false);
  EXPECT_EQ(nic.transmitted().size(), 48u);
  nic.receive(udp_frame(60));
  nic.close();
  EXPECT_EQ(page_pool_inflight(nic.rxq().page_pool), 0);
}

TEST(StmmacXdp, SplitHeadersAreOffWithAProgram) {
  FakeDwmac nic({.program = "pass", .split = true});
  nic.open();
  EXPECT_EQ(nic.reg(dwmac::eqos::kDmaChannel) & dwmac::kChControlSph, 0u);
  nic.receive(udp_frame(1514), {.header = 42});
  EXPECT_EQ(nic.received().back().bytes, udp_frame(1514));
}

TEST(StmmacSplitHeader, PutsHeadersAndPayloadApart) {
  for (const bool xgmac : {false, true}) {
    FakeDwmac nic({.xgmac = xgmac, .coherent = false, .split = true});
    nic.open();
    nic.receive(udp_frame(1514), {.header = 42, .l34t = 2});
    EXPECT_EQ(nic.received().back().frags, 1);
    EXPECT_EQ(nic.stat("rx_split_hdr_pkt_n"), 1u);
    nic.receive(other_frame(1514));
    EXPECT_EQ(nic.received().back().frags, 0);
    EXPECT_EQ(nic.rxq().page_pool->p.offset, 0u);
    EXPECT_EQ(nic.rxq().page_pool->p.max_len, 1600u);
  }
}

}  // namespace
}  // namespace ringside
