// The MAC and the receive FIFO: what gets in, what is dropped under which name, and PAUSE.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/wire/ethernet_wire.h"
#include "tb/tests/contract/dwmac_bench.h"

namespace ringside::dwmac {
namespace {

using testing::ElementsAre;
using testing::Each;
using testing::IsEmpty;
using testing::Pair;
using testing::SizeIs;

class DwmacMac : public testing::TestWithParam<const char*> {
 protected:
  DwmacConfig config() const { return bench_config(GetParam()); }
};
INSTANTIATE_TEST_SUITE_P(Cores, DwmacMac, testing::Values("xgmac", "eqos"));

std::vector<std::uint8_t> to(std::initializer_list<std::uint8_t> address, std::size_t length = 60) {
  auto frame = plain_frame(length);
  std::copy(address.begin(), address.end(), frame.begin());
  return frame;
}

const std::initializer_list<std::uint8_t> kOwn{0x02, 0x11, 0x22, 0x33, 0x44, 0x55}, kOther{0x02, 0x11, 0x22, 0x33, 0x44, 0x56},
    kGroup{0x01, 0x00, 0x5e, 0, 0, 1}, kAll{0xff, 0xff, 0xff, 0xff, 0xff, 0xff};

// Which of own, other, multicast and broadcast frames get through.
std::vector<bool> passed(Bench& b, std::uint32_t filter) {
  b.open_armed({.filter = filter});
  b.write(kMacAddress0Low, 0x3322'1102);
  b.write(kMacAddress0High, kAddressEnable | 0x5544);
  std::vector<bool> result;
  for (const auto& address : {kOwn, kOther, kGroup, kAll}) {
    const auto before = b.nic.packets_completed();
    b.receive(to(address));
    result.push_back(b.nic.packets_completed() != before);
  }
  EXPECT_THAT(b.causes(), Each(std::string("da_rx_filter_fail")));
  b.nic.check_conservation(b.now());
  return result;
}

TEST_P(DwmacMac, AddressFilter) {
  {
    Bench b(config());
    EXPECT_THAT(passed(b, 0), ElementsAre(true, false, false, true));
    EXPECT_EQ(b.stat("device.rx_filtered"), 2u);
    EXPECT_EQ(b.stat("mmc_rx_unicast_g"), 1u);
    EXPECT_EQ(b.stat("mmc_rx_broadcastframe_g"), 1u);
  }
  {
    Bench b(config());
    EXPECT_THAT(passed(b, kFilterPm), ElementsAre(true, false, true, true));
  }
  {
    Bench b(config());
    EXPECT_THAT(passed(b, kFilterDbf), ElementsAre(true, false, false, false));
  }
  {
    Bench b(config());
    EXPECT_THAT(passed(b, kFilterPr), ElementsAre(true, true, true, true));
  }
}

TEST(DwmacFilter, ReceiveAllTellsTheDriverWhatTheFilterThinks) {
  Bench b(bench_config("eqos"));
  b.open_armed({.filter = kFilterRa});
  b.receive(to(kOther));
  EXPECT_NE(b.desc(0)->des3 & eqos::kRdes3Rs2v, 0u);
  EXPECT_NE(b.desc(0)->des2 & eqos::kRdes2DaFilterFail, 0u);
  EXPECT_THAT(b.causes(), ElementsAre("da_rx_filter_fail")) << "the driver discards it";
  b.nic.check_conservation(b.now());
}

TEST_P(DwmacMac, RuntsAreDroppedUnlessTheQueueWantsThem) {
  Bench b(config());
  b.open_armed();
  b.receive(plain_frame(40));
  EXPECT_THAT(b.causes(), ElementsAre("mmc_rx_undersize_g"));
  b.write(b.map.queue + b.map.rx_op, b.setup.op | kRxOpFup | 63u << b.map.rqs_shift);
  b.receive(plain_frame(40));
  EXPECT_EQ(b.length(0), 44u);
  EXPECT_EQ(b.stat("mmc_rx_undersize_g"), 2u);
}

TEST_P(DwmacMac, JumboFramesAreNoGiantsWhenTheyAreOn) {
  Bench b(config());
  b.open_armed({.buffer = 8192, .jumbo = true});
  b.receive(plain_frame(4000));
  EXPECT_TRUE(b.last(0));
  EXPECT_EQ(b.length(0), 4004u);
  EXPECT_EQ(b.desc(0)->des3 & eqos::kRdes3ErrorSummary, 0u);
  EXPECT_EQ(b.nic.packets_completed(), 1u);

  Bench off(config());
  off.open_armed({.buffer = 8192, .jumbo = false});
  off.receive(plain_frame(1514));
  off.receive(plain_frame(1515));
  EXPECT_EQ(off.desc(0)->des3 & eqos::kRdes3ErrorSummary, 0u);
  EXPECT_NE(off.desc(1)->des3 & eqos::kRdes3ErrorSummary, 0u);
  EXPECT_THAT(off.causes(), ElementsAre("rx_length"));
  EXPECT_EQ(off.stat("mmc_rx_oversize_g"), 1u);
}

TEST_P(DwmacMac, WatchdogCutsFramesThatAreTooLong) {
  Bench b(config());
  b.open_armed({.buffer = 8192, .jumbo = false});
  b.receive(plain_frame(2044));
  EXPECT_EQ(b.length(0), 2048u) << "at the limit: a giant, but whole";
  b.receive(plain_frame(2045));
  EXPECT_THAT(b.causes(), ElementsAre("rx_length", "mmc_rx_watchdog_error"));
  b.write(b.map.queue + b.map.rx_op, b.setup.op | kRxOpFep | 63u << b.map.rqs_shift);
  b.receive(plain_frame(3000));
  EXPECT_EQ(b.length(1), 2048u) << "the rest is cut off";
  EXPECT_NE(b.desc(1)->des3 & eqos::kRdes3ErrorSummary, 0u);
  EXPECT_EQ(b.causes().back(), "rx_watchdog");
  b.nic.check_conservation(b.now());
}

TEST_P(DwmacMac, FramesWithWrongChecksumsStayOutUnlessTheQueueIsTold) {
  Bench b(config());
  b.open_armed({.op = kRxOpRsf});
  auto bad = tcp_frame(100);
  bad[60] ^= 1;
  b.receive(bad);
  auto header = tcp_frame(100);
  header[14 + 8] ^= 1;  // time to live
  b.receive(header);
  EXPECT_THAT(b.causes(), ElementsAre("mmc_rx_tcp_err", "mmc_rx_ipv4_hderr"));
  EXPECT_FALSE(b.closed(0));
}

TEST_P(DwmacMac, NothingIsReceivedWhileTheReceiverIsOff) {
  Bench b(config());
  b.open_armed();
  b.write(b.map.mac_config, 0);
  b.receive(plain_frame(60));
  EXPECT_THAT(b.causes(), ElementsAre("rx_disabled"));
}

TEST_P(DwmacMac, FullFifoDropsWholeFrames) {
  Bench b(config());
  b.open({.queue_bytes = 4096});  // nothing armed
  for (int i = 0; i < 4; ++i) b.offer(plain_frame(1020));
  EXPECT_EQ(b.nic.packets_inside(), 4u) << "4 x 1024 bytes fill it";
  b.offer(plain_frame(60));
  EXPECT_THAT(b.causes(), ElementsAre("mmc_rx_fifo_overflow"));
  EXPECT_EQ(b.stat("mmc_rx_fifo_overflow"), 1u);
  EXPECT_EQ(b.stat("device.rx_fifo_peak"), 4096u);
  const std::uint32_t debug = b.read(b.map.queue + b.map.rx_debug);
  EXPECT_EQ(debug >> kRxDebugCountShift, 4u);
  EXPECT_EQ(debug >> kRxDebugLevelShift & 3, 3u) << "full";
  b.nic.check_conservation(b.now());
}

// RFA 1 and RFD 3 of a 4 KiB queue, as Linux sets them: full less 1.5 KiB and less 2.5 KiB.
class DwmacPause : public testing::TestWithParam<const char*> {
 protected:
  void open(Bench& b, std::uint32_t quanta) {
    RxSetup s{.entries = 8, .queue_bytes = 4096};
    s.op |= eqos::kRxOpEhfc;
    if (!b.xgmac) s.op |= 1u << eqos::kRxOpRfaShift | 3u << eqos::kRxOpRfdShift;
    b.open(s);
    if (b.xgmac) b.write(b.map.queue + b.map.flow, 1u << xgmac::kRxFlowRfaShift | 3u << xgmac::kRxFlowRfdShift);
    b.write(b.map.tx_flow_ctrl(0), kTxFlowTfe | quanta << kTxFlowPtShift);
    b.run_for(microseconds(2));
  }
};
INSTANTIATE_TEST_SUITE_P(Cores, DwmacPause, testing::Values("xgmac", "eqos"));

// Preamble and 64 bytes.
constexpr Time kPauseFrame = nanoseconds(72);

TEST_P(DwmacPause, IsSentAboveRfaAndTakenBackBelowRfd) {
  Bench b(bench_config(GetParam()));
  open(b, 0xffff);
  for (const std::size_t length : {1020, 1020, 508}) b.offer(plain_frame(length));
  b.run_for(microseconds(1));
  EXPECT_THAT(b.partner.pauses, IsEmpty()) << "2560 bytes are not above full - 1.5 KiB";
  b.offer(plain_frame(60));
  const Time start = b.now();
  b.run_for(microseconds(1));
  EXPECT_THAT(b.partner.pauses, ElementsAre(Pair(start + kPauseFrame, 0xffffu)));
  EXPECT_EQ(b.stat("mmc_tx_pause_frame"), 1u);
  b.arm(0);
  b.tail(1);
  b.run_for(microseconds(5));
  EXPECT_THAT(b.partner.pauses, SizeIs(1)) << "1600 bytes are not below full - 2.5 KiB";
  b.arm(1);
  b.tail(2);
  b.run_for(microseconds(5));
  ASSERT_THAT(b.partner.pauses, SizeIs(2)) << "576 bytes are";
  EXPECT_EQ(b.partner.pauses[1].second, 0u);
}

TEST_P(DwmacPause, IsRepeatedBeforeItRunsOut) {
  Bench b(bench_config(GetParam()));
  open(b, 100);
  const Time start = b.now();
  for (int i = 0; i < 3; ++i) b.offer(plain_frame(1276));
  b.run_for(microseconds(15));
  // 100 quanta of 64 ns, less 4.
  EXPECT_THAT(b.partner.pauses, ElementsAre(Pair(start + kPauseFrame, 100u), Pair(start + kPauseFrame + nanoseconds(96 * 64), 100u),
                                            Pair(start + kPauseFrame + nanoseconds(2 * 96 * 64), 100u)));
}

TEST_P(DwmacPause, IsNotSentWhileFlowControlIsOff) {
  Bench b(bench_config(GetParam()));
  open(b, 100);
  b.write(b.map.tx_flow_ctrl(0), 100u << kTxFlowPtShift);
  for (int i = 0; i < 3; ++i) b.offer(plain_frame(1276));
  b.run_for(microseconds(15));
  EXPECT_THAT(b.partner.pauses, IsEmpty());
}

// The whole loop: a sender at line rate, a ring that is refilled slowly, and no loss.
class Endless : public TrafficSource {
 public:
  bool next(Offer& offer) override {
    if (left == 0) return false;
    --left;
    offer = {Time{}, bytes, static_cast<std::uint32_t>(bytes.size()) + kFcsBytes};
    return true;
  }
  std::vector<std::uint8_t> bytes = plain_frame(1020);
  int left = 100;
};

TEST_P(DwmacPause, KeepsASlowReceiverFromLosingFrames) {
  for (const bool on : {true, false}) {
    Bench b(bench_config(GetParam()));
    open(b, 0xffff);
    if (!on) b.write(b.map.tx_flow_ctrl(0), 0);
    Endless source;
    EthernetWire wire(sc_core::sc_gen_unique_name("wire"), {gigabits_per_second(8)}, b.timeline, source, b.nic);
    b.nic.set_link_partner(&wire);
    wire.start(b.now());
    for (std::uint32_t i = 0; i < 400; ++i) {
      b.arm(i % 8);
      b.tail((i + 1) % 8);
      b.run_for(microseconds(3));  // a frame takes 1 us
    }
    EXPECT_EQ(wire.offered_packets(), 100u);
    if (on) {
      EXPECT_EQ(b.nic.packets_completed(), 100u);
      EXPECT_EQ(b.nic.packets_dropped(), 0u);
    } else {
      EXPECT_GT(b.nic.packets_dropped(), 50u);
    }
    b.nic.check_conservation(b.now());
  }
}

std::vector<std::uint8_t> pause_frame(std::uint16_t quanta) {
  auto frame = to({0x01, 0x80, 0xc2, 0, 0, 1});
  frame[12] = 0x88, frame[13] = 0x08, frame[14] = 0, frame[15] = 1;
  frame[16] = static_cast<std::uint8_t>(quanta >> 8), frame[17] = static_cast<std::uint8_t>(quanta);
  return frame;
}

TEST_P(DwmacMac, ReceivedPauseEndsAtTheMacAndHoldsTheTransmitter) {
  Bench b(config());
  b.open_armed();
  b.write(eqos::kMacRxFlowCtrl, kRxFlowRfe);
  b.receive(pause_frame(1000));
  EXPECT_THAT(b.causes(), ElementsAre("mmc_rx_pause_frames"));
  EXPECT_FALSE(b.closed(0));
}

// Threshold mode: frames are moved while they arrive.
class DwmacThreshold : public testing::TestWithParam<const char*> {
 protected:
  static RxSetup setup(std::uint32_t queue_bytes = 16384) {
    return {.entries = 8, .buffer = 2048, .queue_bytes = queue_bytes, .op = kRxOpDisTcpEf};
  }
  // A frame whose head is there now; returns when its last bit is.
  Time begin(Bench& b, const std::vector<std::uint8_t>& bytes) {
    EXPECT_EQ(b.nic.head_bytes(), 64u);
    const Time arrival = b.now() + nanoseconds(bytes.size() + kFcsBytes - 64);
    b.nic.on_head(b.now(), {b.offered, arrival, bytes});
    return arrival;
  }
  void end(Bench& b, const std::vector<std::uint8_t>& bytes, Time arrival) {
    b.timeline.run_until(arrival);
    b.offer(bytes);
  }
};
INSTANTIATE_TEST_SUITE_P(Cores, DwmacThreshold, testing::Values("xgmac", "eqos"));

TEST_P(DwmacThreshold, DataMovesInBurstsBeforeTheFrameHasArrived) {
  Bench b(bench_config(GetParam()));
  b.open_armed(setup());
  const auto frame = plain_frame(1500, 9);
  const Time start = b.now();
  const Time arrival = begin(b, frame);
  end(b, frame, arrival);
  b.run_for(microseconds(2));
  // A burst is 16 beats of 16 bytes; byte n is there at n - 64 ns.
  ASSERT_GE(b.fabric.memory.writes.size(), 7u);
  EXPECT_EQ(b.fabric.memory.writes[0].data.size(), 256u);
  EXPECT_EQ(b.fabric.memory.writes[0].at, start + nanoseconds(256 - 64));
  EXPECT_EQ(b.fabric.memory.writes[4].at, start + nanoseconds(5 * 256 - 64));
  EXPECT_TRUE(b.last(0));
  EXPECT_EQ(b.length(0), 1504u);
  EXPECT_EQ(b.memory(Bench::buffer(0), 1500), frame);
  EXPECT_EQ(b.nic.packets_completed(), 1u);
  b.nic.check_conservation(b.now());
}

TEST_P(DwmacThreshold, FrameLongerThanTheFifoPassesThrough) {
  Bench b(bench_config(GetParam()));
  b.open_armed(setup(1024));
  const auto frame = plain_frame(1900, 9);
  const Time arrival = begin(b, frame);
  end(b, frame, arrival);
  b.run_for(microseconds(2));
  EXPECT_EQ(b.nic.packets_completed(), 1u);
  EXPECT_EQ(b.memory(Bench::buffer(0), 1900), frame);
  EXPECT_LE(b.stat("device.rx_fifo_peak"), 1024u);
}

TEST_P(DwmacThreshold, OverflowCutsTheFrameThatArrives) {
  Bench b(bench_config(GetParam()));
  b.arm(0);  // 256 bytes of room in memory, 1024 in the FIFO
  RxSetup s = setup(1024);
  s.buffer = 256;
  b.open(s);
  b.run_for(microseconds(2));
  const auto frame = plain_frame(1900, 9);
  const Time arrival = begin(b, frame);
  end(b, frame, arrival);
  b.run_for(microseconds(2));
  EXPECT_EQ(b.nic.packets_inside(), 1u) << "part of it is in memory, it must be ended there";
  EXPECT_EQ(b.stat("mmc_rx_fifo_overflow"), 1u);
  for (std::uint32_t i = 1; i < 8; ++i) b.arm(i);
  b.tail(0);
  b.run_for(microseconds(5));
  EXPECT_TRUE(b.last(4));
  EXPECT_EQ(b.length(4), 256u + 1024u);
  EXPECT_NE(b.desc(4)->des3 & eqos::kRdes3ErrorSummary, 0u);
  EXPECT_THAT(b.causes(), ElementsAre("rx_gmac_overflow"));
  ASSERT_THAT(b.seen.completions, SizeIs(1));
  EXPECT_TRUE(b.seen.completions[0].error);
  b.nic.check_conservation(b.now());
}

TEST_P(DwmacThreshold, OverflowFlushesAFrameThatNobodyHasTouched) {
  Bench b(bench_config(GetParam()));
  b.open(setup(1024));  // nothing armed
  b.run_for(microseconds(2));
  const auto frame = plain_frame(1900);
  end(b, frame, begin(b, frame));
  EXPECT_THAT(b.causes(), ElementsAre("mmc_rx_fifo_overflow"));
  EXPECT_EQ(b.nic.packets_inside(), 0u);
  b.offer(plain_frame(600));
  EXPECT_EQ(b.nic.packets_inside(), 1u) << "its room is free again";
  b.nic.check_conservation(b.now());
}

}  // namespace
}  // namespace ringside::dwmac
