// Completions are found, counted and given back: owner phase, budget, doorbell records, arming.
#include <gtest/gtest.h>

#include "driver/xdp/programs.h"
#include "tb/tests/driver/fake_connectx.h"

namespace ringside {
namespace {

TEST(Open, PostsTheWholeRingAndArms) {
  FakeConnectx nic;
  nic.open();
  EXPECT_EQ(nic.posted(), 1024);
  EXPECT_EQ(nic.port_mtu(), 1500u);
  EXPECT_EQ(nic.rq_state(), connectx::kRqReady);
  EXPECT_EQ(nic.stat("ch_poll"), 1u);
  EXPECT_EQ(nic.stat("ch_arm"), 1u);
  EXPECT_EQ(nic.cq_arm_word(), 0u);
  EXPECT_EQ(nic.cq_doorbell(), 5u);        // {arm word 0, CQ 5}: that of redirected frames comes last
  EXPECT_EQ(nic.eq_doorbell(), 3u << 24);  // EQ 3, consumer 0
}

TEST(Open, DescriptorsLeaveTheXdpHeadroom) {
  FakeConnectx nic;
  nic.open();
  for (std::uint32_t i = 0; i < 1024; ++i) {
    ASSERT_EQ(nic.wqe(i).byte_count, 1522u);  // MTU, Ethernet header, VLAN tag, FCS
    ASSERT_EQ(nic.wqe(i).lkey, 0x4200u);
    ASSERT_EQ(nic.wqe(i).addr % PAGE_SIZE, 256u);
  }
}

TEST(Open, TwoBuffersShareAPageWithoutAProgram) {
  FakeConnectx nic({.program = ""});
  nic.open();
  for (std::uint32_t i = 0; i < 1024; i += 2) {
    ASSERT_EQ(nic.wqe(i).addr % PAGE_SIZE, 64u);
    ASSERT_EQ(nic.wqe(i + 1).addr, nic.wqe(i).addr + 2048);
  }
  EXPECT_EQ(page_pool_inflight(nic.rq().page_pool), 512);
}

TEST(Open, RefusesWhatItCannotDo) {
  EXPECT_THROW(FakeConnectx({.program = "no-such"}).open(), GuestPanic);
  EXPECT_THROW(FakeConnectx({.mtu = 4 * 4096}).open(), GuestPanic);
  EXPECT_THROW(FakeConnectx({.ring = 8}).open(), GuestPanic);
  EXPECT_THROW(FakeConnectx({.ring = 1024, .heap_pages = 32}).open(), GuestPanic);
  FakeConnectx largest({.mtu = 3498});  // 256 headroom + 3498 + 22 + 320 shared info = one page
  EXPECT_NO_THROW(largest.open());
}

TEST(OwnerBit, HoldsOverSeveralLaps) {
  FakeConnectx nic({.ring = 128});
  nic.open();
  std::uint64_t total = 0;
  for (std::uint32_t burst : {1u, 31u, 32u, 64u, 65u, 7u}) {
    for (int i = 0; i < 20; ++i) {
      nic.receive(burst);
      total += burst;
      ASSERT_EQ(nic.stat("rx_xdp_drop"), total);
      ASSERT_EQ(nic.cq_consumer(), total & 0xff'ffff);
    }
  }
  EXPECT_GT(total, 8u * 128u);
  nic.interrupt();  // finds nothing new
  EXPECT_EQ(nic.stat("rx_xdp_drop"), total);
}

TEST(Budget, OnePollTakesSixtyFour) {
  FakeConnectx nic;
  nic.open();
  for (int i = 0; i < 130; ++i) ASSERT_TRUE(nic.deliver());
  napi_struct* napi = &nic.priv().channel->napi;
  ASSERT_TRUE(napi_schedule_prep(napi));
  EXPECT_EQ(napi->poll(napi, 64), 64);
  EXPECT_EQ(nic.stat("rx_xdp_drop"), 64u);
  EXPECT_EQ(nic.cq_consumer(), 64u);
  EXPECT_EQ(nic.stat("ch_arm"), 1u);  // still the one of opening
  EXPECT_EQ(napi->poll(napi, 64), 64);
  EXPECT_EQ(napi->poll(napi, 64), 2);
  EXPECT_EQ(nic.stat("ch_arm"), 2u);
  EXPECT_EQ(nic.cq_consumer(), 130u);
}

TEST(Budget, PollsUntilTheQueueIsEmpty) {
  FakeConnectx nic;
  nic.open();
  nic.receive(1000);
  EXPECT_EQ(nic.stat("rx_xdp_drop"), 1000u);
  EXPECT_EQ(nic.stat("ch_poll"), 1u + 16u);  // 15 x 64 + 40
  EXPECT_EQ(nic.stat("softnet_processed"), 1000u);
  EXPECT_EQ(nic.stat("softnet_time_squeeze"), 0u);  // each pass has one device, polled once
}

TEST(Arm, SequenceFollowsEventsAndIndexFollowsTheConsumer) {
  FakeConnectx nic;
  nic.open();
  std::uint32_t consumer = 0;
  for (std::uint32_t event = 1; event <= 9; ++event) {
    nic.receive(10);
    consumer += 10;
    const std::uint32_t word = (event & 3) << 28 | consumer;
    ASSERT_EQ(nic.cq_arm_word(), word);
    ASSERT_EQ(nic.eq_doorbell(), 3u << 24 | event);
    ASSERT_EQ(nic.stat("ch_events"), event);
  }
}

TEST(EventQueue, OwnerBitHoldsOverSeveralLaps) {
  FakeConnectx nic;
  nic.open();
  for (std::uint32_t event = 1; event <= 2500; ++event) {
    nic.receive(1);
    ASSERT_EQ(nic.stat("ch_events"), event);
  }
}

}  // namespace
}  // namespace ringside
