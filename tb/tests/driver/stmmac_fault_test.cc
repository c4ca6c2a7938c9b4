// Mistakes that public versions of the driver made: each shows in the faulty variant, and not in the right one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "driver/xdp/programs.h"
#include "tb/tests/driver/fake_dwmac.h"

namespace ringside {
namespace {

// Runs `check` on the right variant, which must satisfy it, and on the faulty one, which must not.
template <class Check>
void shows(int fault, FakeDwmacConfig config, const Check& check) {
  config.fault = STMMAC_FAULT_NONE;
  EXPECT_TRUE(check(config)) << "the right variant";
  config.fault = fault;
  EXPECT_FALSE(check(config)) << "the faulty variant";
}

// True if `count` frames of the length arrive as they were sent.
bool delivers(FakeDwmac& nic, std::uint32_t count, std::size_t length, const FrameInfo& info = {}) {
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::size_t before = nic.received().size();
    nic.receive(udp_frame(length, i), info);
    if (nic.received().size() != before + 1 || nic.received().back().bytes != udp_frame(length, i)) return false;
  }
  return nic.complaints().empty();
}

// A core that takes a second buffer at address 0 for one writes the rest of a long frame there.
TEST(StmmacFault, SecondBufferWithoutMemory) {
  const auto check = [](const FakeDwmacConfig& config) {
    FakeDwmac nic(config);
    nic.open();
    return delivers(nic, 100, 1600) && nic.complaints().empty();
  };
  shows(STMMAC_FAULT_BUF2_UNALLOCATED, {.xgmac = true, .zero_buffer_used = true}, check);
  // One that skips it uses a second descriptor, as does EQOS, which is told that there is no buffer.
  for (const bool xgmac : {true, false}) {
    EXPECT_TRUE(check({.xgmac = xgmac}));
    EXPECT_TRUE(check({.xgmac = xgmac, .fault = STMMAC_FAULT_BUF2_UNALLOCATED}));
  }
}

TEST(StmmacFault, SecondBufferAlwaysValid) {
  shows(STMMAC_FAULT_BUF2_ALWAYS_VALID, {.xgmac = false}, [](const FakeDwmacConfig& config) {
    FakeDwmac nic(config);
    nic.open();
    return delivers(nic, 10, 1600);
  });
}

// The program is asked about the middle of a frame as if it were one, in which there may be nothing but a part of the FCS.
TEST(StmmacFault, ProgramSeesPiecesOfAFrame) {
  for (const bool zero_buffer_used : {false, true}) {
    for (const std::size_t length : {1534u, 1536u, 1700u, 4000u}) {
      shows(STMMAC_FAULT_XDP_MULTI_BUFFER, {.xgmac = true, .program = "drop", .zero_buffer_used = zero_buffer_used},
            [=](const FakeDwmacConfig& config) {
              FakeDwmac nic(config);
              nic.open();
              nic.receive(udp_frame(length));
              // One verdict on a frame, or none on one that is too long.
              return rx_cnt[0].processed + nic.stat("rx_errors") == 1 && nic.complaints().empty();
            });
    }
  }
}

// Readers hold all packets, and there are heads for more but no pages.
std::vector<page*> leave_only_heads(FakeDwmac& nic) {
  nic.hold_packets(true);
  for (std::uint32_t i = 0; i < 100; ++i) nic.receive(udp_frame(1514, i));
  nic.hold_packets(false);
  nic.forget_received();
  nic.exhaust_memory();
  std::vector<page*> taken;
  while (page* p = page_pool_alloc_pages(nic.rxq().page_pool)) taken.push_back(p);
  nic.hold_packets(true);
  return taken;
}

// Every page is with a reader. Entries that were consumed look like received ones.
bool survives_without_memory(const FakeDwmacConfig& config) {
  FakeDwmac nic(config);
  nic.open();
  leave_only_heads(nic);
  for (std::uint32_t i = 0; i < 200; ++i) nic.arrive(udp_frame(1514, i));
  for (int i = 0; i < 10; ++i) nic.poll();
  EXPECT_EQ(nic.received().size(), 63u);
  return true;
}

TEST(StmmacFault, CurrentLapsDirtyDeathTest) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const FakeDwmacConfig right{.ring = 64, .budget = 16};
  EXPECT_TRUE(survives_without_memory(right));
  FakeDwmacConfig faulty = right;
  faulty.fault = STMMAC_FAULT_CUR_LAPS_DIRTY;
  EXPECT_DEATH(survives_without_memory(faulty), "");
}

// Nothing is received any more, so that no interrupt comes, so that nobody refills the ring.
TEST(StmmacFault, RefillIsNotRetried) {
  shows(STMMAC_FAULT_REFILL_NOT_RETRIED, {.ring = 64}, [](const FakeDwmacConfig& config) {
    FakeDwmac nic(config);
    nic.open();
    const std::vector<page*> taken = leave_only_heads(nic);
    for (std::uint32_t i = 0; i < 64; ++i) nic.arrive(udp_frame(1514, i));
    const int work = nic.poll();
    EXPECT_EQ(nic.received().size(), 63u);
    nic.hold_packets(false);
    nic.return_memory();
    for (page* p : taken) page_pool_put_full_page(nic.rxq().page_pool, p, false);
    nic.arrive(udp_frame(1514, 99));
    nic.run();
    return work == 64 && nic.waiting() == 0;
  });
}

// The first 64 bytes of the payload are what the page's last owner left there; no checksum tells.
bool split_payload_is_intact(const FakeDwmacConfig& config) {
  FakeDwmac nic(config);
  nic.open();
  nic.receive(udp_frame(1514, 1), {.header = 42, .l34t = 2});
  const FakeDwmac::Packet sent = udp_frame(1514, 1);
  const FakeDwmac::Packet& got = nic.received().at(0).bytes;
  EXPECT_EQ(got.size(), sent.size());
  EXPECT_EQ(nic.received().at(0).ip_summed, CHECKSUM_UNNECESSARY);
  EXPECT_TRUE(std::equal(sent.begin(), sent.begin() + 42, got.begin()));
  EXPECT_TRUE(std::equal(sent.begin() + 42 + 64, sent.end(), got.begin() + 42 + 64));
  return got == sent;
}

TEST(StmmacFault, SplitHeaderSyncWindow) {
  for (const bool xgmac : {false, true}) {
    for (const int rx : {STMMAC_RX_ZERO_COPY, STMMAC_RX_ZERO_COPY_MAX_LEN, STMMAC_RX_NET_PREFETCH}) {
      shows(STMMAC_FAULT_SPH_SYNC_WINDOW, {.xgmac = xgmac, .coherent = false, .split = true, .rx = rx},
            split_payload_is_intact);
      // A coherent device hides it.
      EXPECT_TRUE(split_payload_is_intact(
          {.xgmac = xgmac, .coherent = true, .split = true, .rx = rx, .fault = STMMAC_FAULT_SPH_SYNC_WINDOW}));
    }
  }
}

// The second part of the window: frames that cannot be split lie behind the headroom, up to byte 1600 of the page.
TEST(StmmacFault, WholeFramesWithSplitHeaderAreInTheWindow) {
  FakeDwmac nic({.coherent = false, .split = true});
  nic.open();
  for (std::uint32_t i = 0; i < 600; ++i) {
    nic.receive(other_frame(1514, i));
    ASSERT_EQ(nic.received().back().bytes, other_frame(1514, i));
  }
}

// The DMA takes the descriptor between the two stores, and the second one falls on what it wrote back.
TEST(StmmacFault, OwnerWrittenTwice) {
  for (const bool xgmac : {false, true}) {
    shows(STMMAC_FAULT_OWNER_WRITTEN_TWICE, {.xgmac = xgmac, .ring = 64, .rx_frames = 1, .retry_by_owner = true},
          [](const FakeDwmacConfig& config) {
            FakeDwmac nic(config);
            nic.open();
            for (std::uint32_t i = 0; i < 500; ++i) nic.arrive(udp_frame(100, i));
            nic.run();
            return nic.received().size() == 500 && nic.stat("rx_errors") == 0;
          });
  }
}

// Nothing to be refilled and everything look alike.
TEST(StmmacFault, OnePollConsumesTheRing) {
  shows(STMMAC_FAULT_LIMIT_IS_RING, {.ring = 64}, [](const FakeDwmacConfig& config) {
    FakeDwmac nic(config);
    nic.open();
    for (std::uint32_t i = 0; i < 64; ++i) nic.arrive(udp_frame(100, i));
    nic.poll();
    std::uint32_t armed = 0;
    for (std::uint32_t i = 0; i < 64; ++i) armed += nic.rxq().dma_rx[i].des3 >> 31;
    return armed == 63;
  });
}

TEST(StmmacFault, PiecesWithoutMemoryExceedTheBudget) {
  shows(STMMAC_FAULT_BUDGET_PER_PIECE, {}, [](const FakeDwmacConfig& config) {
    FakeDwmac nic(config);
    nic.open();
    // No heads: whatever arrives is dropped.
    nic.exhaust_memory();
    for (std::uint32_t i = 0; i < 63; ++i) nic.arrive(udp_frame(100, i));
    nic.arrive(udp_frame(9000));
    const int work = nic.poll();
    return work == 64 && nic.stat("rx_dropped") == 64;
  });
}

// A storm of broadcasts fills the ring while the interface comes up. Its interrupt finds NAPI disabled; there is no other.
TEST(StmmacFault, InterruptBeforeNapi) {
  shows(STMMAC_FAULT_IRQ_BEFORE_NAPI, {.preempt = true}, [](const FakeDwmacConfig& config) {
    FakeDwmac nic(config);
    for (std::uint32_t i = 0; i < 600; ++i) nic.arrive(udp_frame(100, i));
    nic.open();
    nic.receive(udp_frame(100));
    return nic.stat("q0_rx_pkt_n") == 601;
  });
}

TEST(StmmacFault, ShortFrame) {
  for (const std::uint32_t length : {1u, 2u, 3u}) {
    shows(STMMAC_FAULT_SHORT_FRAME, {.ring = 64}, [=](const FakeDwmacConfig& config) {
      FakeDwmac nic(config);
      nic.open();
      nic.receive(other_frame(60), {.claimed_length = length});
      return nic.stat("q0_rx_bytes") == 0 && nic.stat("rx_errors") == 1;
    });
  }
}

TEST(StmmacFault, FcsCutFromEveryPiece) {
  shows(STMMAC_FAULT_FCS_PER_PIECE, {}, [](const FakeDwmacConfig& config) {
    FakeDwmac nic(config);
    nic.open();
    nic.receive(udp_frame(9000));
    return nic.received().size() == 1 && nic.received()[0].bytes == udp_frame(9000);
  });
}

// Only TCP and UDP headers are split off; for other frames the field says nothing.
TEST(StmmacFault, HeaderLengthOfFramesWithoutOne) {
  shows(STMMAC_FAULT_HEADER_LEN_UNCHECKED, {.xgmac = true, .split = true}, [](const FakeDwmacConfig& config) {
    FakeDwmac nic(config);
    nic.open();
    nic.receive(other_frame(1000));
    return nic.received().size() == 1 && nic.received()[0].bytes == other_frame(1000);
  });
}

TEST(StmmacFault, BudgetCountsDescriptors) {
  shows(STMMAC_FAULT_BUDGET_PER_DESC, {}, [](const FakeDwmacConfig& config) {
    FakeDwmac nic(config);
    nic.open();
    for (std::uint32_t i = 0; i < 40; ++i) nic.arrive(udp_frame(9000, i));
    return nic.poll() == 40;
  });
}

// The DMA finds buffers that the last status of the descriptor seems to announce.
TEST(StmmacFault, DescriptorsAreNotCleared) {
  for (const bool xgmac : {false, true}) {
    shows(STMMAC_FAULT_DESC_NOT_CLEARED, {.xgmac = xgmac, .ring = 64, .rx_frames = 0},
          [](const FakeDwmacConfig& config) {
            FakeDwmac nic(config);
            nic.open();
            for (std::uint32_t i = 0; i < 30; ++i) nic.arrive(udp_frame(100, i), {.vlan = 5});
            nic.reopen();
            for (std::uint32_t i = 0; i < 200; ++i) nic.receive(udp_frame(1600, i), {.vlan = 5});
            return nic.complaints().empty();
          });
  }
}

TEST(StmmacFault, TailIsNotWritten) {
  for (const bool xgmac : {false, true}) {
    shows(STMMAC_FAULT_TAIL_NOT_WRITTEN, {.xgmac = xgmac}, [](const FakeDwmacConfig& config) {
      FakeDwmac nic(config);
      nic.open();
      for (std::uint32_t i = 0; i < 2000; ++i) nic.receive(udp_frame(100, i));
      const std::uint64_t expected = config.fault == STMMAC_FAULT_NONE ? 2000 : 512;
      EXPECT_EQ(nic.received().size(), expected);
      return nic.received().size() == 2000;
    });
  }
}

// New pages go to the device with whatever the processor last wrote there.
TEST(StmmacFault, OldBufferIsSynchronised) {
  shows(STMMAC_FAULT_SYNC_OLD_BUFFER, {.coherent = false, .rx = STMMAC_RX_COPY}, [](const FakeDwmacConfig& config) {
    FakeDwmac nic(config);
    nic.open();
    return delivers(nic, 100, 1514);
  });
}

TEST(StmmacFault, PagesAreSynchronisedWithXdpOnly) {
  for (const int rx : {STMMAC_RX_COPY, STMMAC_RX_NET_PREFETCH}) {
    shows(STMMAC_FAULT_SYNC_ONLY_XDP, {.coherent = false, .rx = rx}, [](const FakeDwmacConfig& config) {
      FakeDwmac nic(config);
      nic.open();
      return delivers(nic, 100, 1514);
    });
    // With a program it does not show.
    FakeDwmac nic({.program = "pass", .coherent = false, .rx = rx, .fault = STMMAC_FAULT_SYNC_ONLY_XDP});
    nic.open();
    EXPECT_TRUE(delivers(nic, 100, 1514));
  }
}

}  // namespace
}  // namespace ringside
