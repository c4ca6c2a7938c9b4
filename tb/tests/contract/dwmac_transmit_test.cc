// The transmit DMA: frames, order, checksums, status and interrupts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tb/tests/contract/dwmac_bench.h"

namespace ringside::dwmac {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

class TxBench : public Bench {
 public:
  static constexpr std::uint32_t kEntries = 16;

  explicit TxBench(DwmacConfig config) : Bench(std::move(config)) {}

  void start(bool osp = true) {
    open();
    write(channel(0, eqos::kChTxList), static_cast<std::uint32_t>(kTxRing));
    write(channel(0, map.tx_ring_length), kEntries - 1);
    write(channel(0, map.tx_tail), static_cast<std::uint32_t>(kTxRing));
    write(channel(0, eqos::kChTxControl), 8u << kChPblShift | (osp ? kChTxOsp : 0) | kChTxSt);
    run_for(microseconds(2));
    write(channel(0, map.int_enable), kIntNie | kIntTi);
    clear(kIntRbu | kIntAis);  // no receive descriptors
  }
  dma_desc* tx(std::uint32_t index) {
    return reinterpret_cast<dma_desc*>(fabric.memory.host(kTxRing + 16 * std::uint64_t{index}));
  }
  void fill(std::uint32_t index, std::span<const std::uint8_t> bytes, std::uint32_t flags, bool ioc = false) {
    const std::uint64_t at = kTxBuffers + index * 0x1000;
    std::copy(bytes.begin(), bytes.end(), fabric.memory.host(at));
    *tx(index) = {static_cast<std::uint32_t>(at), 0, static_cast<std::uint32_t>(bytes.size()) | (ioc ? kTdes2Ioc : 0),
                  kDes3Own | flags};
  }
  void tx_tail(std::uint32_t index) {
    write(channel(0, map.tx_tail), static_cast<std::uint32_t>(kTxRing + 16 * index));
  }
};

class DwmacTransmit : public testing::TestWithParam<const char*> {
 protected:
  DwmacConfig config() const { return bench_config(GetParam()); }
};
INSTANTIATE_TEST_SUITE_P(Cores, DwmacTransmit, testing::Values("xgmac", "eqos"));

constexpr std::uint32_t kWhole = kTdes3Fd | kTdes3Ld;

TEST_P(DwmacTransmit, FrameIsFetchedSentAndClosed) {
  TxBench b(config());
  b.start();
  const auto frame = plain_frame(100, 5);
  b.fill(0, frame, kWhole, true);
  const Time start = b.now();
  b.tx_tail(1);
  b.run_for(microseconds(5));
  // Descriptor and data take 600 ns each, then the latency, preamble, 104 bytes.
  const Time end = start + nanoseconds(1200 + 50 + 8 + 104);
  EXPECT_THAT(b.sent.at, ElementsAre(end));
  EXPECT_THAT(b.sent.frames, ElementsAre(frame));
  EXPECT_EQ(b.tx(0)->des3, kWhole) << "OWN is clear";
  EXPECT_EQ(b.tx(0)->des0, static_cast<std::uint32_t>(Bench::kTxBuffers)) << "only the status word is written";
  EXPECT_EQ(b.wires.seen.back().first, end + nanoseconds(250 + 100)) << "TI at the response to the write-back";
  EXPECT_NE(b.status() & kIntTi, 0u);
  EXPECT_EQ(b.stat("mmc_tx_framecount_gb"), 1u);
  EXPECT_EQ(b.stat("mmc_tx_octetcount_gb"), 104u);
}

TEST_P(DwmacTransmit, WithoutIocThereIsNoInterrupt) {
  TxBench b(config());
  b.start();
  b.fill(0, plain_frame(100), kWhole, false);
  b.tx_tail(1);
  b.run_for(microseconds(5));
  EXPECT_EQ(b.tx(0)->des3 & kDes3Own, 0u);
  EXPECT_EQ(b.status() & kIntTi, 0u);
}

TEST_P(DwmacTransmit, FramesOfSeveralDescriptorsAndOrder) {
  TxBench b(config());
  b.start();
  const auto first = plain_frame(200, 1), second = plain_frame(70, 2);
  b.fill(0, std::span(first).first(50), kTdes3Fd);
  b.fill(1, std::span(first).subspan(50, 100), 0);
  b.fill(2, std::span(first).subspan(150), kTdes3Ld, true);
  b.fill(3, second, kWhole, true);
  b.tx_tail(4);
  b.run_for(microseconds(10));
  EXPECT_THAT(b.sent.frames, ElementsAre(first, second));
  std::vector<std::uint64_t> closed;
  for (const auto& write : b.fabric.memory.writes) closed.push_back((write.address - Bench::kTxRing) / 16);
  EXPECT_THAT(closed, ElementsAre(0, 1, 2, 3));
  EXPECT_EQ(b.read(b.channel(0, eqos::kChCurTxDesc)), Bench::kTxRing + 4 * 16);
}

TEST_P(DwmacTransmit, ShortFramesArePaddedOnTheWire) {
  TxBench b(config());
  b.start();
  b.fill(0, plain_frame(42), kWhole);
  b.tx_tail(1);
  b.run_for(microseconds(5));
  EXPECT_EQ(b.stat("mmc_tx_octetcount_gb"), 64u);
}

TEST_P(DwmacTransmit, ChecksumsAreInsertedIfAsked) {
  TxBench b(config());
  b.start();
  const auto right = tcp_frame(64);
  auto empty = right;
  empty[24] = empty[25] = 0;            // IP header
  empty[34 + 16] = empty[34 + 17] = 0;  // TCP
  b.fill(0, empty, kWhole | kTdes3CicFull << kTdes3CicShift);
  b.fill(1, empty, kWhole);
  b.tx_tail(2);
  b.run_for(microseconds(10));
  EXPECT_THAT(b.sent.frames, ElementsAre(right, empty));
}

TEST_P(DwmacTransmit, ContextDescriptorIsClosedWithoutAFrame) {
  TxBench b(config());
  b.start();
  b.fill(0, {}, kDes3Ctxt);
  b.fill(1, plain_frame(60), kWhole);
  b.tx_tail(2);
  b.run_for(microseconds(10));
  EXPECT_EQ(b.tx(0)->des3 & kDes3Own, 0u);
  EXPECT_THAT(b.sent.frames, SizeIs(1));
}

TEST_P(DwmacTransmit, TbuWhenTheRingIsDryAndTheTailResumes) {
  TxBench b(config());
  b.start();
  EXPECT_NE(b.status() & kIntTbu, 0u) << "nothing to send at the start";
  b.clear(~0u);
  b.fill(0, plain_frame(60), kWhole);
  b.tx_tail(1);
  b.run_for(microseconds(5));
  EXPECT_NE(b.status() & kIntTbu, 0u);
  b.fill(1, plain_frame(60), kWhole);
  b.tx_tail(2);
  b.run_for(microseconds(5));
  EXPECT_THAT(b.sent.frames, SizeIs(2));
}

// Back to back on the wire with a second frame in work; with gaps for the fetch without.
TEST_P(DwmacTransmit, OspLetsTheNextFrameBeFetchedBeforeTheStatusOfTheFirst) {
  for (const bool osp : {true, false}) {
    TxBench b(config());
    b.start(osp);
    for (std::uint32_t i = 0; i < 4; ++i) b.fill(i, plain_frame(1000), kWhole);
    b.tx_tail(4);
    b.run_for(microseconds(20));
    ASSERT_THAT(b.sent.at, SizeIs(4));
    const Time wire = nanoseconds(8 + 1004 + 12);
    EXPECT_EQ(b.sent.at[1] - b.sent.at[0], osp ? wire : wire - nanoseconds(12) + nanoseconds(600 + 50)) << osp;
  }
}

TEST_P(DwmacTransmit, ReceivedPauseHoldsFramesForItsTime) {
  TxBench b(config());
  b.start();
  b.write(eqos::kMacRxFlowCtrl, kRxFlowRfe);
  auto pause = plain_frame(60);
  const std::vector<std::uint8_t> head{0x01, 0x80, 0xc2, 0, 0, 1, 2, 0, 0, 0, 0, 9, 0x88, 0x08, 0, 1, 0, 100};
  std::copy(head.begin(), head.end(), pause.begin());
  const Time start = b.now();
  b.offer(pause);
  b.fill(0, plain_frame(60), kWhole);
  b.tx_tail(1);
  b.run_for(microseconds(20));
  EXPECT_THAT(b.sent.at, ElementsAre(start + nanoseconds(100 * 64 + 72))) << "100 quanta of 64 ns";
}

TEST_P(DwmacTransmit, PauseGoesOutBeforeWaitingFrames) {
  TxBench b(config());
  b.start();
  const std::uint32_t levels = b.xgmac ? 0 : 1u << eqos::kRxOpRfaShift | 3u << eqos::kRxOpRfdShift;
  b.write(b.map.queue + b.map.rx_op, kRxOpRsf | eqos::kRxOpEhfc | 15u << b.map.rqs_shift | levels);
  if (b.xgmac) b.write(b.map.queue + b.map.flow, 1u << xgmac::kRxFlowRfaShift | 3u << xgmac::kRxFlowRfdShift);
  b.write(b.map.tx_flow_ctrl(0), kTxFlowTfe | 0xffffu << kTxFlowPtShift);
  for (std::uint32_t i = 0; i < 3; ++i) b.fill(i, plain_frame(1000), kWhole);
  b.tx_tail(3);
  b.run_for(nanoseconds(1200 + 50 + 200));  // the first is on the wire
  for (int i = 0; i < 3; ++i) b.offer(plain_frame(1276));
  b.run_for(microseconds(20));
  ASSERT_THAT(b.sent.at, SizeIs(3));
  ASSERT_THAT(b.partner.pauses, SizeIs(1));
  EXPECT_EQ(b.partner.pauses[0].first, b.sent.at[0] + nanoseconds(12 + 72));
  EXPECT_EQ(b.sent.at[1], b.partner.pauses[0].first + nanoseconds(12 + 8 + 1004));
}

TEST_P(DwmacTransmit, UnreadableBufferStopsTheChannel) {
  TxBench b(config());
  b.start();
  b.fill(0, plain_frame(60), kWhole);
  b.tx(0)->des0 = 0x1000;
  b.tx_tail(1);
  b.run_for(microseconds(5));
  EXPECT_NE(b.status() & kIntFbe, 0u);
  EXPECT_THAT(b.sent.frames, IsEmpty());
}

}  // namespace
}  // namespace ringside::dwmac
