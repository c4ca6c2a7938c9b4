// Buffers come back: bulks, page recycling, references, and what happens without memory.
#include <gtest/gtest.h>

#include "tb/tests/driver/fake_connectx.h"

namespace ringside {
namespace {

TEST(Refill, WaitsForSixtyFourWithAProgram) {
  FakeConnectx nic;
  nic.open();
  nic.receive(63);
  EXPECT_EQ(nic.posted(), 1024);
  nic.receive(1);
  EXPECT_EQ(nic.posted(), 1024 + 64);
  nic.receive(100);  // polls of 64 and 36
  EXPECT_EQ(nic.posted(), 1024 + 128);
  nic.receive(28);
  EXPECT_EQ(nic.posted(), 1024 + 192);
}

TEST(Refill, WaitsForTwoHundredFiftySixWithoutAProgram) {
  FakeConnectx nic({.program = ""});
  nic.open();
  nic.receive(255);
  EXPECT_EQ(nic.posted(), 1024);
  nic.receive(1);
  EXPECT_EQ(nic.posted(), 1024 + 256);
}

TEST(Refill, BulkIsAQuarterOfASmallRing) {
  FakeConnectx nic({.ring = 128});
  nic.open();
  nic.receive(31);
  EXPECT_EQ(nic.posted(), 128);
  nic.receive(1);
  EXPECT_EQ(nic.posted(), 128 + 32);
}

TEST(Refill, NeverSplitsASharedPage) {
  FakeConnectx nic({.program = ""});
  nic.open();
  nic.receive(255);
  nic.receive(2);  // 257 are missing, and the last one's page is shared with a WQE in use
  EXPECT_EQ(nic.posted(), 1024 + 256);
}

TEST(PagePool, DroppedPagesGoRoundInTheCache) {
  FakeConnectx nic;
  nic.open();
  EXPECT_EQ(nic.stat("rx_pp_alloc_slow"), 16u);  // 1024 pages, 64 at a time
  EXPECT_EQ(nic.stat("rx_pp_alloc_empty"), 16u);
  EXPECT_EQ(nic.stat("rx_pp_alloc_fast"), 1024u - 16u);
  for (int i = 0; i < 64; ++i) nic.receive(64);
  EXPECT_EQ(nic.stat("rx_pp_recycle_cached"), 4096u);
  EXPECT_EQ(nic.stat("rx_pp_alloc_fast"), 1024u - 16u + 4096u);
  EXPECT_EQ(nic.stat("rx_pp_alloc_slow"), 16u);
  EXPECT_EQ(nic.stat("rx_pp_recycle_ring"), 0u);
  EXPECT_EQ(page_pool_inflight(nic.rq().page_pool), 1024);
}

TEST(PagePool, PagesReleasedElsewhereComeBackThroughTheRing) {
  FakeConnectx nic;
  nic.open();
  page_pool* pool = nic.rq().page_pool;
  std::vector<page*> pages;
  for (int i = 0; i < 200; ++i) pages.push_back(page_pool_alloc_pages(pool));
  // All that the cache holds goes out, so that only the ring can serve.
  while (pool->alloc.count > 0) pages.push_back(page_pool_alloc_pages(pool));
  const std::uint64_t slow = nic.stat("rx_pp_alloc_slow");
  for (page* p : pages) page_pool_put_unrefed_page(pool, p, 0, false);
  EXPECT_EQ(nic.stat("rx_pp_recycle_ring"), pages.size());
  EXPECT_EQ(page_pool_alloc_pages(pool), pages.at(63));  // the last of 64 that a refill moves
  EXPECT_EQ(nic.stat("rx_pp_alloc_refill"), 1u);
  EXPECT_EQ(pool->alloc.count, 63u);
  EXPECT_EQ(nic.stat("rx_pp_alloc_slow"), slow);
}

TEST(PagePool, CacheTakes128AndTheRingTheRest) {
  FakeConnectx nic;
  nic.open();
  page_pool* pool = nic.rq().page_pool;
  std::vector<page*> pages;
  for (int i = 0; i < 192; ++i) pages.push_back(page_pool_alloc_pages(pool));
  ASSERT_EQ(pool->alloc.count, 0u);
  for (page* p : pages) page_pool_put_unrefed_page(pool, p, 0, true);
  EXPECT_EQ(pool->alloc.count, 128u);
  EXPECT_EQ(nic.stat("rx_pp_recycle_cached"), 128u);
  EXPECT_EQ(nic.stat("rx_pp_recycle_cache_full"), 64u);
  EXPECT_EQ(nic.stat("rx_pp_recycle_ring"), 64u);
}

TEST(PagePool, FullRingReleasesToTheAllocator) {
  FakeConnectx nic({.ring = 64});
  nic.open();
  page_pool* pool = nic.rq().page_pool;
  std::vector<page*> pages;
  for (int i = 0; i < 128; ++i) pages.push_back(page_pool_alloc_pages(pool));
  const int inflight = page_pool_inflight(pool);
  for (page* p : pages) page_pool_put_unrefed_page(pool, p, 0, false);
  EXPECT_EQ(nic.stat("rx_pp_recycle_ring"), 64u);
  EXPECT_EQ(nic.stat("rx_pp_recycle_ring_full"), 64u);
  EXPECT_EQ(page_pool_inflight(pool), inflight - 64);
}

TEST(PagePool, RingServesLapAfterLap) {
  FakeConnectx nic({.ring = 64});
  nic.open();
  page_pool* pool = nic.rq().page_pool;
  std::vector<page*> pages;
  for (int i = 0; i < 48; ++i) pages.push_back(page_pool_alloc_pages(pool));
  while (pool->alloc.count > 0) page_pool_alloc_pages(pool);
  const std::uint64_t slow = nic.stat("rx_pp_alloc_slow");
  for (int lap = 1; lap <= 20; ++lap) {
    for (page* p : pages) page_pool_put_unrefed_page(pool, p, 0, false);
    for (page*& p : pages) p = page_pool_alloc_pages(pool);
    ASSERT_EQ(nic.stat("rx_pp_recycle_ring"), 48u * static_cast<unsigned>(lap));
    ASSERT_EQ(nic.stat("rx_pp_alloc_slow"), slow);
  }
}

TEST(PagePool, PageWithAnotherOwnerIsNotRecycled) {
  FakeConnectx nic;
  nic.open();
  page_pool* pool = nic.rq().page_pool;
  page* p = page_pool_alloc_pages(pool);
  atomic_set(&p->_refcount, 2);
  const int inflight = page_pool_inflight(pool);
  page_pool_put_unrefed_page(pool, p, 0, true);
  EXPECT_EQ(nic.stat("rx_pp_recycle_released_ref"), 1u);
  EXPECT_EQ(page_pool_inflight(pool), inflight - 1);
  EXPECT_EQ(page_ref_count(p), 1);
}

TEST(Fragments, BiasCountsWhatIsHandedOut) {
  FakeConnectx nic;
  nic.open();
  mlx5e_frag_page* frag_page = nic.rq().wqe.frags[0].frag_page;
  EXPECT_EQ(atomic_long_read(&frag_page->page->pp_ref_count), 65535);
  // Two references handed out, one of them returned: the release leaves one.
  page* p = frag_page->page;
  frag_page->frags = 2;
  EXPECT_EQ(page_pool_unref_page(p, 1), 65534);
  nic.receive(64);
  EXPECT_EQ(atomic_long_read(&p->pp_ref_count), 1);
  EXPECT_EQ(nic.stat("rx_pp_recycle_cached"), 63u);
  // The last reference gives the page back, with the count that the pool expects.
  EXPECT_EQ(page_pool_unref_page(p, 1), 0);
  EXPECT_EQ(atomic_long_read(&p->pp_ref_count), 1);
}

TEST(Close, AllPagesGoBackToTheAllocator) {
  for (const char* program : {"drop", ""}) {
    for (std::uint32_t packets : {0u, 1u, 63u, 64u, 200u, 3001u}) {
      FakeConnectx nic({.program = program});
      nic.open();
      for (std::uint32_t i = 0; i < packets; ++i) nic.receive(1);
      nic.close();
      ASSERT_EQ(page_pool_inflight(nic.rq().page_pool), 0) << program << " after " << packets;
    }
  }
}

// Every page has to come from the allocator again: none is in the pool's cache.
void take_cached_pages(FakeConnectx& nic, std::vector<page*>& taken) {
  page_pool* pool = nic.rq().page_pool;
  while (pool->alloc.count > 0) taken.push_back(page_pool_alloc_pages(pool));
}

TEST(OutOfMemory, RefillKeepsTryingUntilItSucceeds) {
  FakeConnectx nic;
  nic.open();
  nic.receive(1024 - 64);
  // A reader that keeps its page: each release falls short of the pool, as with packets held by a socket.
  for (std::uint32_t i = 0; i < 1024; ++i) nic.rq().wqe.frag_pages[i].frags = 1;
  std::vector<page*> taken;
  take_cached_pages(nic, taken);
  nic.exhaust_memory();
  for (int i = 0; i < 64; ++i) ASSERT_TRUE(nic.deliver());
  napi_struct* napi = &nic.priv().channel->napi;
  ASSERT_TRUE(napi_schedule_prep(napi));
  const std::uint16_t posted = nic.posted();
  EXPECT_EQ(napi->poll(napi, 64), 64);
  EXPECT_EQ(nic.stat("rx_buff_alloc_err"), 1u);
  EXPECT_EQ(nic.posted(), posted);
  EXPECT_EQ(napi->poll(napi, 64), 64);  // nothing received, but a refill is owed: stays scheduled
  EXPECT_EQ(nic.stat("rx_buff_alloc_err"), 2u);
  EXPECT_EQ(nic.stat("rx_xdp_drop"), 1024u);

  nic.return_memory();
  EXPECT_EQ(napi->poll(napi, 64), 0);
  EXPECT_EQ(nic.posted(), static_cast<std::uint16_t>(posted + 64));
  nic.receive(512);
  EXPECT_EQ(nic.stat("rx_xdp_drop"), 1024u + 512u);
}

TEST(OutOfMemory, FailedRefillReleasesNoPageTwice) {
  FakeConnectx nic({.ring = 128});
  nic.open();
  page_pool* pool = nic.rq().page_pool;
  std::vector<page*> held;
  for (std::uint32_t i = 0; i < 32; ++i) {
    nic.rq().wqe.frag_pages[i].frags = 1;
    held.push_back(nic.rq().wqe.frag_pages[i].page);
  }
  std::vector<page*> taken;
  take_cached_pages(nic, taken);
  nic.exhaust_memory();
  for (int i = 0; i < 32; ++i) ASSERT_TRUE(nic.deliver());
  napi_struct* napi = &nic.priv().channel->napi;
  ASSERT_TRUE(napi_schedule_prep(napi));
  for (int i = 0; i < 5; ++i) napi->poll(napi, 64);
  EXPECT_EQ(nic.stat("rx_buff_alloc_err"), 5u);
  for (page* p : held) EXPECT_EQ(atomic_long_read(&p->pp_ref_count), 1);

  nic.return_memory();
  napi->poll(napi, 64);
  for (page* p : held) {
    EXPECT_EQ(page_pool_unref_page(p, 1), 0);
    page_pool_put_unrefed_page(pool, p, 0, false);
  }
  for (page* p : taken) page_pool_put_unrefed_page(pool, p, 0, false);
  nic.close();
  EXPECT_EQ(page_pool_inflight(pool), 0);
}

}  // namespace
}  // namespace ringside
