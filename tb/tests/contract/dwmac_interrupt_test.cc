// When the device interrupts, and what its status registers say.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tb/tests/contract/dwmac_bench.h"

namespace ringside::dwmac {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;
using testing::SizeIs;

// 50 ns to the bus, 10 ns for the descriptor: the write-back is taken then.
constexpr Time kAccepted = nanoseconds(60);
constexpr Time kResponse = kAccepted + nanoseconds(250 + 100);

class DwmacInterrupt : public testing::TestWithParam<const char*> {
 protected:
  DwmacConfig config() const { return bench_config(GetParam()); }
};
INSTANTIATE_TEST_SUITE_P(Cores, DwmacInterrupt, testing::Values("xgmac", "eqos"));

TEST_P(DwmacInterrupt, IocRaisesAtTheResponseToTheWriteBack) {
  Bench b(config());
  b.open_armed();
  const Time start = b.now();
  b.offer(plain_frame(60));
  b.timeline.run_until(start + kResponse - picoseconds(1));
  EXPECT_THAT(b.wires.seen, IsEmpty());
  EXPECT_EQ(b.status() & kIntRi, 0u);
  b.timeline.run_until(start + kResponse);
  EXPECT_THAT(b.wires.seen, ElementsAre(Pair(start + kResponse, kCommonVector)));
  EXPECT_EQ(b.status(), kIntRi | kIntNis);
  EXPECT_EQ(b.read(b.map.int_status), 1u);
  EXPECT_TRUE(b.closed(0)) << "the driver finds the frame";
}

// 256 x RWT / f: RWT units of 1 us at 256 MHz.
TEST_P(DwmacInterrupt, WatchdogFiresWithoutIoc) {
  Bench b(config());
  b.open_armed({.riwt = 160}, false);
  const Time expiry = b.now() + kAccepted + microseconds(160);
  b.offer(plain_frame(60));
  b.timeline.run_until(expiry - picoseconds(1));
  EXPECT_THAT(b.wires.seen, IsEmpty());
  b.timeline.run_until(expiry);
  EXPECT_THAT(b.wires.seen, ElementsAre(Pair(expiry, kCommonVector)));
  EXPECT_EQ(b.stat("device.rx_watchdog_interrupts"), 1u);
}

TEST_P(DwmacInterrupt, WatchdogTimeIsThatOfTheClock) {
  DwmacConfig c = config();
  c.csr_clock = megahertz(400);
  Bench b(c);
  b.open_armed({.riwt = 160}, false);
  const Time start = b.now() + kAccepted;
  b.offer(plain_frame(60));
  b.run_for(milliseconds(1));
  ASSERT_THAT(b.wires.seen, SizeIs(1));
  EXPECT_EQ(b.wires.seen[0].first - start, nanoseconds(102'400)) << "102.4 us at 400 MHz";
}

TEST(DwmacWatchdog, EqosCountsInCoarserUnitsIfTold) {
  Bench b(bench_config("eqos"));
  b.open_armed({.riwt = 16 | 3u << eqos::kRwtUnitShift}, false);
  const Time start = b.now() + kAccepted;
  b.offer(plain_frame(60));
  b.run_for(milliseconds(1));
  ASSERT_THAT(b.wires.seen, SizeIs(1));
  EXPECT_EQ(b.wires.seen[0].first - start, microseconds(16 * 8));
}

TEST_P(DwmacInterrupt, WatchdogGoesOnOrStartsAnewWithEachFrame) {
  for (const bool reload : {false, true}) {
    DwmacConfig c = config();
    c.riwt_reload = reload;
    Bench b(c);
    b.open_armed({.riwt = 20}, false);
    const Time first = b.now();
    b.offer(plain_frame(60));
    b.run_for(microseconds(15));
    const Time second = b.now();
    b.offer(plain_frame(60));
    b.run_for(microseconds(100));
    EXPECT_THAT(b.wires.seen, ElementsAre(Pair((reload ? second : first) + kAccepted + microseconds(20), kCommonVector)));
  }
}

TEST_P(DwmacInterrupt, FrameWithIocCancelsTheWatchdog) {
  Bench b(config());
  for (std::uint32_t i = 0; i < 8; ++i) b.arm(i, i == 1);
  b.open({.riwt = 20});
  b.run_for(microseconds(2));
  b.receive(plain_frame(60));
  EXPECT_EQ(b.status() & kIntRi, 0u);
  b.receive(plain_frame(60));
  EXPECT_NE(b.status() & kIntRi, 0u);
  b.run_for(microseconds(100));
  EXPECT_EQ(b.stat("device.rx_watchdog_interrupts"), 0u);
}

TEST_P(DwmacInterrupt, ZeroTurnsTheWatchdogOff) {
  Bench b(config());
  b.open_armed({.riwt = 0}, false);
  b.offer(plain_frame(60));
  b.run_for(milliseconds(2));
  EXPECT_EQ(b.nic.packets_completed(), 1u);
  EXPECT_THAT(b.wires.seen, IsEmpty());
}

TEST_P(DwmacInterrupt, StatusBitsAreSetWhetherOrNotTheyAreEnabled) {
  Bench b(config());
  b.open_armed({.enable = 0});
  b.receive(plain_frame(60));
  EXPECT_EQ(b.status(), kIntRi) << "no summary of what is not enabled";
  EXPECT_THAT(b.wires.seen, IsEmpty());
  b.write(b.channel(0, b.map.int_enable), kIntNie | kIntRi);
  EXPECT_THAT(b.wires.seen, SizeIs(1)) << "the line rises with the enable";
  EXPECT_EQ(b.status(), kIntRi | kIntNis);
}

TEST_P(DwmacInterrupt, ClearingIsByWritingOnes) {
  Bench b(config());
  b.open_armed({.entries = 1});
  b.receive(plain_frame(60));
  EXPECT_EQ(b.status(), kIntRi | kIntNis | kIntRbu | kIntAis);
  b.clear(kIntRi | kIntNis);
  EXPECT_EQ(b.status(), kIntRbu | kIntAis);
}

// Level semantics: a driver that leaves something enabled pending is called again.
TEST_P(DwmacInterrupt, LineThatIsStillHighAfterAWriteInterruptsAgain) {
  Bench b(config());
  b.open_armed({.entries = 1});
  b.receive(plain_frame(60));
  const auto before = b.wires.seen.size();
  b.clear(kIntRi | kIntNis);
  EXPECT_THAT(b.wires.seen, SizeIs(before + 1)) << "RBU is pending";
  b.clear(kIntRbu | kIntAis);
  EXPECT_THAT(b.wires.seen, SizeIs(before + 1));
}

TEST_P(DwmacInterrupt, LineThatIsHighDoesNotRiseAgain) {
  Bench b(config());
  b.open_armed();
  for (int i = 0; i < 3; ++i) b.receive(plain_frame(60));
  EXPECT_THAT(b.wires.seen, SizeIs(1));
  b.clear(kIntRi | kIntNis);
  b.receive(plain_frame(60));
  EXPECT_THAT(b.wires.seen, SizeIs(2));
}

TEST_P(DwmacInterrupt, MaskedEventInterruptsWhenItIsUnmasked) {
  Bench b(config());
  b.open_armed();
  b.write(b.channel(0, b.map.int_enable), kIntNie | kIntAie);  // what NAPI does while it polls
  b.receive(plain_frame(60));
  EXPECT_THAT(b.wires.seen, IsEmpty());
  b.write(b.channel(0, b.map.int_enable), kIntNie | kIntAie | kIntRi);
  EXPECT_THAT(b.wires.seen, SizeIs(1));
}

TEST_P(DwmacInterrupt, ChannelsCanHaveLinesOfTheirOwn) {
  for (const std::uint32_t mode : {1u, 2u}) {
    Bench b(config());
    b.open_armed();
    b.write(b.map.dma_mode, mode << b.map.intm_shift);
    b.receive(plain_frame(60));
    ASSERT_THAT(b.wires.seen, SizeIs(1));
    EXPECT_EQ(b.wires.seen[0].second, rx_vector(0));
    EXPECT_EQ((b.status() & kIntNis) != 0, mode == 1) << "mode 2 leaves receive events out of the summary";
  }
}

TEST(DwmacInterruptEnable, SummaryBitsMovedWithVersion410) {
  DwmacConfig old = bench_config("eqos");
  old.version = 0x40;
  Bench b(old);
  b.open_armed({.enable = kIntNie | kIntRi});  // bit 15 is AIE there
  b.receive(plain_frame(60));
  EXPECT_THAT(b.wires.seen, IsEmpty());
  b.write(b.channel(0, b.map.int_enable), eqos::kIntNie400 | kIntRi);
  EXPECT_THAT(b.wires.seen, SizeIs(1));
}

}  // namespace
}  // namespace ringside::dwmac
