// XDP_REDIRECT: frames collect per device and leave by ndo_xdp_xmit; every page comes back to the pool it is from.
#include <gtest/gtest.h>

#include <algorithm>

#include "driver/kernel/devmap.h"
#include "driver/xdp/programs.h"
#include "tb/tests/driver/fake_connectx.h"

namespace ringside {
namespace {

using Packet = FakeConnectx::Packet;

Packet numbered(std::uint8_t first, std::size_t length) {
  Packet packet(length);
  for (std::size_t i = 0; i < length; ++i) packet[i] = static_cast<std::uint8_t>(first + i);
  return packet;
}

Packet answered(Packet packet) {
  std::swap_ranges(packet.begin(), packet.begin() + 6, packet.begin() + 6);
  return packet;
}

class Redirect : public testing::TestWithParam<bool> {  // striding or not
 protected:
  FakeConfig config(bool mpwqe = true) const { return {.program = "redirect-same", .striding = GetParam(), .mpwqe = mpwqe}; }
  void SetUp() override { redirect_stats = {}; }
};
INSTANTIATE_TEST_SUITE_P(RqTypes, Redirect, testing::Bool());

TEST_P(Redirect, SendsEveryByteInOrder) {
  for (const bool mpwqe : {true, false}) {
    FakeConnectx nic(config(mpwqe));
    nic.open();
    std::vector<Packet> expected;
    for (std::uint8_t i = 0; i < 200; ++i) {
      const Packet packet = numbered(i, 14u + 7u * i);
      ASSERT_TRUE(nic.deliver(packet));
      expected.push_back(answered(packet));
    }
    nic.interrupt();
    EXPECT_EQ(nic.transmitted(), expected);
    EXPECT_EQ(nic.stat("rx_xdp_redirect"), 200u);
    EXPECT_EQ(nic.stat("tx_xdp_xmit"), 200u);
    EXPECT_EQ(nic.stat("rx_xdp_tx_xmit"), 0u);
    EXPECT_EQ(nic.stat("tx_xdp_mpwqe") > 0, mpwqe);
  }
}

// A frame is in the pool's hands again only when it has been sent, and then all of it is.
TEST_P(Redirect, PagesComeBackWhenBothSidesAreDone) {
  FakeConnectx nic(config());
  nic.open();
  const std::int32_t pages = page_pool_inflight(nic.rq().page_pool);
  for (int i = 0; i < 300; ++i) nic.receive(64);
  EXPECT_EQ(nic.stat("tx_xdp_xmit"), 19200u);
  EXPECT_LE(page_pool_inflight(nic.rq().page_pool), pages + 64);
  EXPECT_EQ(nic.stat("rx_pp_recycle_released_ref"), 0u);
  EXPECT_EQ(nic.stat("pp_negative_refs"), 0u);
  nic.close();
  EXPECT_EQ(page_pool_inflight(nic.rq().page_pool), 0);
}

TEST_P(Redirect, BytesStayUntilTheyHaveBeenSent) {
  FakeConnectx nic(config());
  nic.open();
  nic.stall_transmit(true);
  std::vector<Packet> expected;
  for (std::uint8_t i = 0; i < 96; ++i) {
    const Packet packet = numbered(i, 1000);
    ASSERT_TRUE(nic.deliver(packet));
    expected.push_back(answered(packet));
    if (i % 32 == 31) nic.interrupt();
  }
  nic.stall_transmit(false);
  nic.run_send_queues();
  EXPECT_EQ(nic.transmitted(), expected);
}

// What the queue cannot take is dropped by the kernel, which counts it and gives the pages back.
TEST_P(Redirect, FullQueueDropsAndRecovers) {
  FakeConnectx nic(config());
  nic.open();
  nic.stall_transmit(true);
  for (int i = 0; i < 30; ++i) nic.receive(64);
  const std::uint64_t sent = nic.stat("tx_xdp_xmit");
  EXPECT_GT(nic.stat("tx_xdp_full"), 0u);
  EXPECT_EQ(nic.stat("rx_xdp_redirect"), 30u * 64u);
  EXPECT_EQ(nic.stat("xdp_devmap_xmit"), sent);
  EXPECT_EQ(nic.stat("xdp_devmap_drop"), 30u * 64u - sent);
  nic.stall_transmit(false);
  nic.settle();
  EXPECT_EQ(nic.transmitted().size(), sent);
  nic.receive(64);
  EXPECT_EQ(nic.stat("tx_xdp_xmit"), sent + 64);
  nic.close();
  EXPECT_EQ(page_pool_inflight(nic.rq().page_pool), 0);
}

TEST_P(Redirect, CloseGivesUpWhatIsOnItsWay) {
  FakeConnectx nic(config());
  nic.open();
  nic.stall_transmit(true);
  for (int i = 0; i < 6; ++i) nic.receive(64);
  nic.close();
  EXPECT_EQ(nic.stat("pp_negative_refs"), 0u);
  EXPECT_EQ(page_pool_inflight(nic.rq().page_pool), 0);
}

// Sixteen frames at most wait for the device, and what waits at the end of a poll is sent with it: one doorbell then.
TEST_P(Redirect, FramesGoToTheDeviceBySixteens) {
  FakeConnectx nic(config());
  nic.open();
  nic.forget_sent();
  nic.receive(40);
  std::uint32_t packets = 0;
  std::size_t wqes = 0;
  for (const SentWqe& wqe : nic.sent()) {
    packets += wqe.packets;
    wqes += wqe.packets != 0;
  }
  EXPECT_EQ(packets, 40u);
  EXPECT_EQ(wqes, 1u);  // the multi-packet WQE stays open from bulk to bulk
}

TEST_P(Redirect, NoDeviceNoFrame) {
  FakeConnectx nic(config());
  nic.open();
  net_device* same = tx_port.netdev_map[TX_PORT_SAME];
  tx_port.netdev_map[TX_PORT_SAME] = nullptr;
  nic.receive(10);
  tx_port.netdev_map[TX_PORT_SAME] = same;
  EXPECT_EQ(nic.stat("rx_xdp_redirect"), 0u);
  EXPECT_EQ(nic.stat("rx_xdp_drop"), 10u);
  EXPECT_EQ(nic.stat("xdp_exception"), 10u);
  nic.receive(10);
  EXPECT_EQ(nic.stat("rx_xdp_redirect"), 10u);
}

TEST(RedirectJumbo, AllPiecesLeaveInOneFrame) {
  for (const bool mpwqe : {true, false}) {
    FakeConnectx nic({.mtu = 9000, .program = "redirect-same", .mpwqe = mpwqe});
    nic.open();
    std::vector<Packet> expected;
    for (std::uint8_t i = 0; i < 90; ++i) {
      const Packet packet = numbered(i, 100u + 98u * i);
      ASSERT_TRUE(nic.deliver(packet));
      expected.push_back(answered(packet));
    }
    nic.interrupt();
    EXPECT_EQ(nic.transmitted(), expected);
    nic.close();
    EXPECT_EQ(nic.stat("pp_negative_refs"), 0u);
    EXPECT_EQ(page_pool_inflight(nic.rq().page_pool), 0);
  }
}

}  // namespace
}  // namespace ringside
