// The striding RQ: placement, consumption, refill through UMR, release of pages, recovery.
#include <gtest/gtest.h>

#include "driver/xdp/programs.h"
#include "tb/tests/driver/fake_connectx.h"

namespace ringside {
namespace {

constexpr std::uint32_t kMttsPerWqe = 72;

std::size_t umrs(const FakeConnectx& nic) {
  std::size_t count = 0;
  for (const SentWqe& wqe : nic.sent()) count += wqe.opcode == connectx::kWqeUmr;
  return count;
}

TEST(StridingOpen, PostsAllWqesButOneAfterTheirUmrs) {
  FakeConnectx nic({.striding = true});
  nic.open();
  EXPECT_EQ(nic.rq().mpwqe.num_strides, 64);  // 256 KiB in packets of one page each
  EXPECT_EQ(mlx5_wq_ll_get_size(&nic.rq().mpwqe.wq), 16u);
  EXPECT_EQ(nic.posted(), 15);
  EXPECT_EQ(umrs(nic), 15u);
  EXPECT_EQ(nic.translations().size(), 16u * kMttsPerWqe);
  EXPECT_EQ(page_pool_inflight(nic.rq().page_pool), 15 * 64);
  EXPECT_EQ(nic.stat("ch_events"), 1u);  // the one of the UMRs
  EXPECT_EQ(nic.rq().cq.wq.fbc.sz_m1 + 1, 1024u);
  for (std::uint32_t i = 0; i < 16; ++i) {
    ASSERT_EQ(nic.mpwqe(i).data.addr, i * std::uint64_t{kMttsPerWqe} * 4096 + 256);
    ASSERT_EQ(nic.mpwqe(i).data.byte_count, 256u * 1024);
    ASSERT_EQ(nic.mpwqe(i).data.lkey, 0x5100u);
  }
}

TEST(StridingOpen, TwoPacketsPerPageWithoutAProgram) {
  FakeConnectx nic({.program = "", .striding = true});
  nic.open();
  EXPECT_EQ(nic.rq().mpwqe.num_strides, 128);
  EXPECT_EQ(nic.posted(), 7);
  EXPECT_EQ(nic.mpwqe(1).data.addr, std::uint64_t{kMttsPerWqe} * 4096 + 64);
  EXPECT_EQ(nic.rq().cq.wq.fbc.sz_m1 + 1, 1024u);
}

TEST(StridingOpen, AtLeastFourWqes) {
  FakeConnectx nic({.ring = 64, .striding = true});
  nic.open();
  EXPECT_EQ(nic.posted(), 3);
  EXPECT_EQ(nic.rq().mpwqe.min_wqe_bulk, 1);
}

TEST(StridingUmr, MapsTheWqesPagesForWriting) {
  FakeConnectx nic({.striding = true});
  nic.open();
  for (std::uint32_t ix = 0; ix < 15; ++ix) {
    for (std::uint32_t page = 0; page < 64; ++page) {
      const mlx5e_frag_page& frag_page = nic.rq().mpwqe.info[ix].alloc_units.frag_pages[page];
      ASSERT_EQ(nic.translations()[ix * kMttsPerWqe + page], frag_page.page->dma_addr | 1);
    }
    // What is written beyond the WQE ends in a page of no use.
    for (std::uint32_t page = 64; page < kMttsPerWqe; ++page) {
      ASSERT_EQ(nic.translations()[ix * kMttsPerWqe + page], virt_to_phys(nic.rq().wqe_overflow) | 1);
    }
  }
}

// 6 WQEs of 10 blocks in a page of 64, and then 4 NOPs.
TEST(StridingUmr, NopsFillWhatAPageHasLeft) {
  FakeConnectx nic({.striding = true});
  nic.open();
  ASSERT_EQ(nic.rq().icosq->wq.fbc.sz_m1 + 1, 256u);
  ASSERT_EQ(nic.sent().size(), 15u + 8u);
  std::uint32_t block = 0;
  for (const SentWqe& wqe : nic.sent()) {
    const bool edge = block % 64 >= 60;
    ASSERT_EQ(wqe.opcode, edge ? connectx::kWqeNop : connectx::kWqeUmr);
    ASSERT_EQ(wqe.wqebbs, edge ? 1u : 10u);
    block += wqe.wqebbs;
    ASSERT_EQ(wqe.completion, block == 128 + 30);  // one doorbell for all
  }
  EXPECT_EQ(nic.rq().icosq->cc, nic.rq().icosq->pc);
}

TEST(StridingRefill, TwoWqesAtATimeUsableOnePollLater) {
  FakeConnectx nic({.striding = true});
  nic.open();
  nic.forget_sent();
  napi_struct* napi = &nic.priv().channel->napi;
  ASSERT_TRUE(napi_schedule_prep(napi));
  const auto poll = [&](std::uint32_t packets) {
    for (std::uint32_t i = 0; i < packets; ++i) ASSERT_TRUE(nic.deliver());
    ASSERT_EQ(napi->poll(napi, 64), static_cast<int>(packets));
  };
  poll(64);
  EXPECT_EQ(nic.run_send_queues(), 0u);  // one WQE is missing
  poll(64);
  EXPECT_EQ(nic.posted(), 15);
  EXPECT_EQ(nic.run_send_queues(), 2u);  // the UMRs of two
  EXPECT_TRUE(nic.sent().back().completion);
  EXPECT_FALSE(nic.sent().front().completion);
  EXPECT_EQ(nic.posted(), 15);
  poll(64);
  EXPECT_EQ(nic.posted(), 17);
  EXPECT_EQ(nic.stat("rx_congst_umr"), 0u);
}

TEST(StridingRefill, CountsPollsThatWaitForTheDevice) {
  FakeConnectx nic({.striding = true});
  nic.open();
  napi_struct* napi = &nic.priv().channel->napi;
  ASSERT_TRUE(napi_schedule_prep(napi));
  for (int poll = 0; poll < 8; ++poll) {  // no UMR is executed, and from the 4th poll on two bulks are under way
    for (int i = 0; i < 64; ++i) ASSERT_TRUE(nic.deliver());
    ASSERT_EQ(napi->poll(napi, 64), 64);
  }
  EXPECT_EQ(nic.posted(), 15);
  EXPECT_EQ(nic.stat("rx_congst_umr"), 4u);  // polls 5 to 8
}

TEST(StridingReceive, PlacesAndCountsOverSeveralLaps) {
  for (const char* program : {"drop", "pass", ""}) {
    FakeConnectx nic({.program = program, .striding = true});
    nic.open();
    std::uint64_t total = 0;
    for (std::uint32_t burst : {1u, 31u, 32u, 64u, 65u, 7u, 500u}) {
      for (int i = 0; i < 20; ++i) {
        nic.receive(burst, 1000);
        total += burst;
        ASSERT_EQ(nic.stat("rx_xdp_drop") + nic.stat("rx_packets"), total) << program;
        ASSERT_EQ(nic.cq_consumer(), total & 0xff'ffff);
      }
    }
    EXPECT_GT(total, 10u * 1024u);
    EXPECT_EQ(nic.stat("rx_bytes"), nic.stat("rx_packets") * 1000);
    EXPECT_EQ(nic.stat("rx_pp_alloc_slow"), nic.rq().mpwqe.wq.fbc.sz_m1 + 1u);  // 64 pages for each WQE, and no more
    nic.close();
    EXPECT_EQ(page_pool_inflight(nic.rq().page_pool), 0) << program;
  }
}

TEST(StridingReceive, FillerCompletionsConsumeStridesAndNothingElse) {
  FakeConnectx nic({.program = "", .striding = true});
  nic.open();
  nic.receive(127, 60);
  // Two strides where one is left: the rest of the WQE is filled up.
  ASSERT_TRUE(nic.deliver(2100));
  nic.interrupt();
  EXPECT_EQ(nic.stat("rx_mpwqe_filler_cqes"), 1u);
  EXPECT_EQ(nic.stat("rx_mpwqe_filler_strides"), 1u);
  EXPECT_EQ(nic.wqe_id(), 1u);
  EXPECT_EQ(nic.stride(), 2u);
  EXPECT_EQ(nic.stat("rx_oversize_pkts_sw_drop"), 1u);  // longer than the MTU allows
  EXPECT_EQ(nic.stat("rx_packets"), 127u);
}

TEST(StridingClose, AllPagesGoBackToTheAllocator) {
  for (const char* program : {"drop", ""}) {
    for (std::uint32_t packets : {0u, 1u, 63u, 64u, 128u, 200u, 3001u}) {
      FakeConnectx nic({.program = program, .striding = true});
      nic.open();
      for (std::uint32_t i = 0; i < packets; ++i) nic.receive(1);
      nic.close();
      ASSERT_EQ(page_pool_inflight(nic.rq().page_pool), 0) << program << " after " << packets;
      EXPECT_EQ(nic.commands().back(), connectx::kCmdDestroyCq);
    }
  }
}

TEST(StridingClose, AlsoOfWqesWhoseUmrIsUnderWay) {
  FakeConnectx nic({.striding = true});
  nic.open();
  for (int i = 0; i < 200; ++i) ASSERT_TRUE(nic.deliver());
  napi_struct* napi = &nic.priv().channel->napi;
  ASSERT_TRUE(napi_schedule_prep(napi));
  for (int i = 0; i < 4; ++i) napi->poll(napi, 64);
  ASSERT_GT(nic.rq().mpwqe.umr_in_progress, 0);
  nic.close();
  EXPECT_EQ(page_pool_inflight(nic.rq().page_pool), 0);
}

TEST(StridingOutOfMemory, RefillKeepsTryingAndReleasesNoPageTwice) {
  FakeConnectx nic({.striding = true});
  nic.open();
  page_pool* pool = nic.rq().page_pool;
  nic.receive(128);  // refills the list's free entry and WQE 0; 1 and 2 are next
  // A reader keeps every page of those, so that their refill has to allocate.
  std::vector<page*> held;
  for (std::uint32_t ix = 1; ix < 3; ++ix) {
    for (mlx5e_frag_page& frag_page : nic.rq().mpwqe.info[ix].alloc_units.frag_pages) {
      frag_page.frags = 1;
      held.push_back(frag_page.page);
    }
  }
  std::vector<page*> taken;
  for (int i = 0; i < 10; ++i) taken.push_back(page_pool_alloc_pages(pool));
  while (pool->alloc.count > 20) taken.push_back(page_pool_alloc_pages(pool));
  nic.exhaust_memory();
  for (int i = 0; i < 128; ++i) ASSERT_TRUE(nic.deliver());
  napi_struct* napi = &nic.priv().channel->napi;
  ASSERT_TRUE(napi_schedule_prep(napi));
  for (int i = 0; i < 2; ++i) EXPECT_EQ(napi->poll(napi, 64), 64);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(napi->poll(napi, 64), 64);  // nothing received, but a refill is owed
  EXPECT_EQ(nic.stat("rx_buff_alloc_err"), 5u);  // the first refill tries again with what the second WQE has
  EXPECT_EQ(nic.run_send_queues(), 0u);
  for (page* p : held) ASSERT_EQ(atomic_long_read(&p->pp_ref_count), 1);

  nic.return_memory();
  EXPECT_EQ(napi->poll(napi, 64), 0);
  nic.settle();
  EXPECT_EQ(nic.posted(), 19);
  for (page* p : held) {
    ASSERT_EQ(page_pool_unref_page(p, 1), 0);
    page_pool_put_unrefed_page(pool, p, 0, false);
  }
  for (page* p : taken) page_pool_put_unrefed_page(pool, p, 0, false);
  nic.receive(900);
  EXPECT_EQ(nic.stat("rx_xdp_drop"), 1156u);
  nic.close();
  EXPECT_EQ(page_pool_inflight(pool), 0);
}

// Somebody keeps one page for good, and there is no other. Consumed WQEs have enough of them.
TEST(StridingOutOfMemory, OnePageThatIsKeptDoesNotStopTheQueue) {
  FakeConnectx nic({.striding = true});
  nic.open();
  page_pool* pool = nic.rq().page_pool;
  nic.receive(128);
  mlx5e_frag_page& kept = nic.rq().mpwqe.info[1].alloc_units.frag_pages[7];
  page* page_kept = kept.page;
  kept.frags = 1;
  std::vector<page*> taken;
  while (pool->alloc.count > 0) taken.push_back(page_pool_alloc_pages(pool));
  nic.exhaust_memory();
  std::uint32_t received = 0;
  napi_struct* napi = &nic.priv().channel->napi;
  ASSERT_TRUE(napi_schedule_prep(napi));
  while (received < 5000 && nic.deliver()) {
    if (++received % 50 != 0) continue;
    napi->poll(napi, 64);
    nic.run_send_queues();
  }
  EXPECT_EQ(received, 5000u);
  EXPECT_EQ(nic.stat("rx_xdp_drop"), 128u + received);
  EXPECT_GT(nic.stat("rx_buff_alloc_err"), 0u);

  nic.return_memory();
  EXPECT_EQ(page_pool_unref_page(page_kept, 1), 0);
  taken.push_back(page_kept);
  for (page* p : taken) page_pool_put_unrefed_page(pool, p, 0, false);
  nic.close();
  EXPECT_EQ(page_pool_inflight(pool), 0);
  EXPECT_EQ(nic.stat("pp_negative_refs"), 0u);
}

TEST(StridingError, RestartsTheQueueAndForgetsUmrsUnderWay) {
  FakeConnectx nic({.striding = true});
  nic.open();
  for (int i = 0; i < 128; ++i) ASSERT_TRUE(nic.deliver());
  nic.fail(connectx::kSyndromeLocalProtection);
  nic.interrupt();
  EXPECT_EQ(nic.stat("rx_recover"), 1u);
  EXPECT_EQ(nic.stat("rx_wqe_err"), 1u);
  EXPECT_EQ(nic.posted(), 15);
  EXPECT_EQ(page_pool_inflight(nic.rq().page_pool), 16 * 64);  // 64 are in the pool
  nic.receive(900);
  EXPECT_EQ(nic.stat("rx_xdp_drop"), 1028u);
  nic.close();
  EXPECT_EQ(page_pool_inflight(nic.rq().page_pool), 0);
}

TEST(StridingArm, BothCompletionQueues) {
  FakeConnectx nic({.program = "", .striding = true});
  nic.open();
  EXPECT_EQ(nic.cq_doorbell(), std::uint64_t{1u << 28 | 1} << 32 | 4);  // the UMR queue's: one event, one completion
  nic.receive(10);
  EXPECT_EQ(nic.cq_arm_word(), 1u << 28 | 10);
}

}  // namespace
}  // namespace ringside
