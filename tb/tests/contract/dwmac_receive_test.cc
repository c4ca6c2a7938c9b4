// What the receive DMA writes where, for both descriptor formats.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tb/tests/contract/dwmac_bench.h"

namespace ringside::dwmac {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class DwmacReceive : public testing::TestWithParam<const char*> {
 protected:
  DwmacConfig config() const { return bench_config(GetParam()); }
};
INSTANTIATE_TEST_SUITE_P(Cores, DwmacReceive, testing::Values("xgmac", "eqos"));

void expect_bytes(Bench& b, std::uint64_t at, const std::vector<std::uint8_t>& frame, std::size_t from, std::size_t size) {
  const std::vector<std::uint8_t> part(frame.begin() + static_cast<std::ptrdiff_t>(from),
                                       frame.begin() + static_cast<std::ptrdiff_t>(from + size));
  EXPECT_EQ(b.memory(at, size), part);
}

TEST_P(DwmacReceive, FrameLandsInBufferOneAndItsLengthCountsTheFcs) {
  Bench b(config());
  b.open_armed();
  std::memset(b.fabric.memory.host(Bench::buffer(0)), 0xee, 256);
  const auto frame = plain_frame(100, 3);
  b.receive(frame);
  ASSERT_TRUE(b.closed(0));
  EXPECT_EQ(b.length(0), 104u);
  EXPECT_EQ(b.desc(0)->des3 & (eqos::kRdes3Fd | eqos::kRdes3Ld), eqos::kRdes3Fd | eqos::kRdes3Ld);
  EXPECT_EQ(b.desc(0)->des3 & eqos::kRdes3ErrorSummary, 0u);
  expect_bytes(b, Bench::buffer(0), frame, 0, 100);
  EXPECT_THAT(b.memory(Bench::buffer(0) + 100, 4), ElementsAre(0, 0, 0, 0)) << "FCS";
  EXPECT_FALSE(b.closed(1));
  ASSERT_EQ(b.seen.completions.size(), 1u);
  EXPECT_EQ(b.seen.completions[0].slot, Bench::kRing) << "the descriptor is the completion entry";
  EXPECT_EQ(b.nic.packets_completed(), 1u);
  b.nic.check_conservation(b.now());
}

TEST_P(DwmacReceive, DataComesBeforeTheWriteBackOnTheBus) {
  Bench b(config());
  b.open_armed();
  const Time start = b.now();
  b.receive(plain_frame(100));
  ASSERT_EQ(b.fabric.memory.writes.size(), 2u);
  EXPECT_EQ(b.fabric.memory.writes[0].address, Bench::buffer(0));
  EXPECT_EQ(b.fabric.memory.writes[0].at, start + nanoseconds(60)) << "receive latency and descriptor time";
  EXPECT_EQ(b.fabric.memory.writes[1].address, Bench::kRing);
  EXPECT_EQ(b.fabric.memory.writes[1].data.size(), 16u);
}

TEST_P(DwmacReceive, LongFrameTakesBufferTwoAndThenTheNextDescriptor) {
  Bench b(config());
  b.open_armed({.buffer = 256}, true, true);
  const auto frame = plain_frame(900);
  b.receive(frame);
  ASSERT_TRUE(b.closed(0) && b.closed(1));
  EXPECT_FALSE(b.closed(2));
  EXPECT_FALSE(b.last(0));
  EXPECT_TRUE(b.last(1));
  EXPECT_EQ(b.length(0), 512u) << "so far";
  EXPECT_EQ(b.length(1), 904u) << "of the frame";
  EXPECT_NE(b.desc(0)->des3 & eqos::kRdes3Fd, 0u);
  EXPECT_EQ(b.desc(1)->des3 & eqos::kRdes3Fd, 0u);
  expect_bytes(b, Bench::buffer(0), frame, 0, 256);
  expect_bytes(b, Bench::buffer(0, 1), frame, 256, 256);
  expect_bytes(b, Bench::buffer(1), frame, 512, 256);
  expect_bytes(b, Bench::buffer(1, 1), frame, 768, 900 - 768);
  ASSERT_EQ(b.seen.completions.size(), 1u);
  EXPECT_EQ(b.seen.completions[0].slot, Bench::kRing + 16) << "the last descriptor";
}

TEST_P(DwmacReceive, LengthOfADescriptorThatIsNotTheLastMayBeZero) {
  DwmacConfig c = config();
  c.partial_length = "zero";
  Bench b(c);
  b.open_armed({.buffer = 256});
  b.receive(plain_frame(300));
  EXPECT_EQ(b.length(0), 0u);
  EXPECT_EQ(b.length(1), 304u);
}

// A frame of exactly one buffer needs no second one; the FCS may be alone in one.
TEST_P(DwmacReceive, FrameThatFillsABufferEndsThere) {
  Bench b(config());
  b.open_armed({.buffer = 256});
  b.receive(plain_frame(252));
  EXPECT_TRUE(b.last(0));
  b.receive(plain_frame(256));
  EXPECT_FALSE(b.last(1));
  EXPECT_TRUE(b.last(2));
  EXPECT_EQ(b.length(2), 260u);
  EXPECT_FALSE(b.closed(3));
}

TEST_P(DwmacReceive, OnlyTheFirstBufferOfAFrameMayBeginWithinABeat) {
  Bench b(config());
  for (std::uint32_t i = 0; i < 8; ++i) b.arm_at(i, Bench::buffer(i) + 2, 0);
  b.open({.buffer = 256});
  b.run_for(microseconds(2));
  const auto frame = plain_frame(400);
  b.receive(frame);
  expect_bytes(b, Bench::buffer(0) + 2, frame, 0, 254);
  expect_bytes(b, Bench::buffer(1), frame, 254, 400 - 254);
}

TEST_P(DwmacReceive, SplitHeaderPutsHeadersInBufferOneAndPayloadInBufferTwo) {
  Bench b(config());
  b.open_armed({.buffer = 2048, .split = true}, true, true);
  const auto frame = tcp_frame(600);
  b.receive(frame);
  ASSERT_TRUE(b.closed(0));
  EXPECT_EQ(b.desc(0)->des2 & eqos::kRdes2HlMask, kTcpHeaders);
  if (b.xgmac)
    EXPECT_EQ(b.desc(0)->des3 >> xgmac::kRdes3L34tShift & xgmac::kRdes3L34tMask, xgmac::kL34Ip4Tcp);
  else
    EXPECT_NE(b.desc(0)->des3 & eqos::kRdes3Rs2v, 0u);
  expect_bytes(b, Bench::buffer(0), frame, 0, kTcpHeaders);
  EXPECT_EQ(b.memory(Bench::buffer(0) + kTcpHeaders, 1)[0], 0) << "nothing behind the header";
  expect_bytes(b, Bench::buffer(0, 1), frame, kTcpHeaders, 600);
}

TEST_P(DwmacReceive, SplitPayloadGoesOnInSecondBuffers) {
  Bench b(config());
  b.open_armed({.buffer = 256, .split = true}, true, true);
  const auto frame = udp_frame(600);
  b.receive(frame);
  EXPECT_TRUE(b.last(2));
  EXPECT_EQ(b.length(0), kUdpHeaders + 256);
  expect_bytes(b, Bench::buffer(1, 1), frame, kUdpHeaders + 256, 256);
  expect_bytes(b, Bench::buffer(2, 1), frame, kUdpHeaders + 512, 600 - 512);
  EXPECT_EQ(b.memory(Bench::buffer(1), 1)[0], 0) << "first buffers of the others stay empty";
}

TEST_P(DwmacReceive, FrameWithoutTransportHeaderIsNotSplit) {
  Bench b(config());
  b.open_armed({.buffer = 2048, .split = true}, true, true);
  const auto frame = plain_frame(300);
  b.receive(frame);
  EXPECT_EQ(b.desc(0)->des2 & eqos::kRdes2HlMask, 0u);
  expect_bytes(b, Bench::buffer(0), frame, 0, 300);
}

// EQOS says that the field is not valid, XGMAC leaves the last one in it and says what kind of frame this is.
TEST_P(DwmacReceive, HeaderLengthOfAFrameThatHasNone) {
  Bench b(config());
  b.open_armed({.buffer = 2048, .split = true}, true, true);
  b.receive(tcp_frame(600));
  const auto frame = plain_frame(300);
  b.receive(frame);
  ASSERT_TRUE(b.closed(1));
  if (b.xgmac) {
    EXPECT_EQ(b.desc(1)->des2 & xgmac::kRdes2HlMask, kTcpHeaders);
    EXPECT_EQ(b.desc(1)->des3 >> xgmac::kRdes3L34tShift & xgmac::kRdes3L34tMask, xgmac::kL34Unknown);
  } else {
    EXPECT_EQ(b.desc(1)->des3 & eqos::kRdes3Rs2v, 0u);
  }
  expect_bytes(b, Bench::buffer(1), frame, 0, 300);
}

TEST_P(DwmacReceive, TimestampTakesADescriptorOfItsOwn) {
  Bench b(config());
  b.open_armed({.timestamps = true});
  b.timeline.run_until(seconds(3) + nanoseconds(500));
  b.receive(plain_frame(100));
  ASSERT_TRUE(b.closed(0) && b.closed(1));
  EXPECT_NE(b.xgmac ? b.desc(0)->des3 & xgmac::kRdes3Cda : b.desc(0)->des1 & eqos::kRdes1TimestampAvailable, 0u);
  EXPECT_NE(b.desc(1)->des3 & kDes3Ctxt, 0u);
  EXPECT_EQ(b.desc(1)->des0, 500u) << "ns";
  EXPECT_EQ(b.desc(1)->des1, 3u) << "s";
  EXPECT_EQ(b.stat("device.rx_context_descriptors"), 1u);
  b.receive(plain_frame(100));
  EXPECT_TRUE(b.closed(2) && b.closed(3));
  EXPECT_EQ(b.nic.packets_completed(), 2u);
}

TEST_P(DwmacReceive, ChecksumsAreJudgedInTheDescriptor) {
  Bench b(config());
  b.open_armed();
  b.receive(tcp_frame(100));
  auto bad = udp_frame(100);
  bad[60] ^= 1;
  b.receive(bad);
  EXPECT_EQ(b.stat("mmc_rx_udp_err"), 1u);
  if (b.xgmac) {
    EXPECT_EQ(b.desc(0)->des3 & xgmac::kRdes3ErrorSummary, 0u);
    EXPECT_NE(b.desc(1)->des3 & xgmac::kRdes3ErrorSummary, 0u);
    EXPECT_EQ(b.desc(1)->des3 >> xgmac::kRdes3EtLtShift & xgmac::kRdes3EtLtMask, xgmac::kEtChecksum);
    EXPECT_THAT(b.causes(), ElementsAre("ip_payload_err")) << "the driver throws it away";
  } else {
    EXPECT_EQ(b.desc(0)->des1, eqos::kRdes1Ipv4 | eqos::kRdes1PayloadTcp);
    EXPECT_EQ(b.desc(1)->des1, eqos::kRdes1Ipv4 | eqos::kRdes1PayloadUdp | eqos::kRdes1IpCsumError);
    EXPECT_EQ(b.desc(1)->des3 & eqos::kRdes3ErrorSummary, 0u);
    EXPECT_THAT(b.causes(), IsEmpty());
  }
  b.nic.check_conservation(b.now());
}

TEST_P(DwmacReceive, WithoutTheChecksumEngineNothingIsJudged) {
  Bench b(config());
  b.open_armed({.checksums = false});
  auto bad = tcp_frame(100);
  bad[60] ^= 1;
  b.receive(bad);
  EXPECT_EQ(b.desc(0)->des3 & eqos::kRdes3ErrorSummary, 0u);
  if (!b.xgmac) {
    EXPECT_EQ(b.desc(0)->des1, eqos::kRdes1IpCsumBypassed);
  }
  EXPECT_EQ(b.stat("mmc_rx_tcp_err"), 0u);
}

TEST_P(DwmacReceive, QueuesByVlanPriorityFeedTheirChannels) {
  Bench b(config());
  for (std::uint32_t i = 0; i < 8; ++i) b.arm(i, true, false, 2);
  b.open({.channel = 2});
  b.write(b.map.rxq_ctrl2, 1u << 5 << 16);  // priority 5 to queue 2
  b.write(b.map.rxq_dma_map, 2u << 16);     // queue 2 to channel 2
  b.run_for(microseconds(2));
  auto tagged = plain_frame(100);
  tagged[12] = 0x81, tagged[13] = 0, tagged[14] = 5 << 5, tagged[15] = 1;
  b.receive(tagged);
  EXPECT_TRUE(b.closed(0, 2));
  EXPECT_NE(b.status(2) & kIntRi, 0u);
  b.receive(plain_frame(100));
  EXPECT_EQ(b.nic.packets_inside(), 1u) << "untagged frames wait in queue 0, whose channel is off";
}

TEST_P(DwmacReceive, SmallFramesFollowEachOtherBehindTheBus) {
  Bench b(config());
  b.fabric.memory.per_write = nanoseconds(100);
  b.open_armed();
  const Time start = b.now();
  b.offer(plain_frame(60));
  b.offer(plain_frame(60));
  b.run_for(microseconds(5));
  ASSERT_EQ(b.fabric.memory.writes.size(), 4u);
  // Each write takes 100 ns; the next descriptor's data starts when its write-back has been issued.
  EXPECT_EQ(b.fabric.memory.writes[1].at, start + nanoseconds(160));
  EXPECT_EQ(b.fabric.memory.writes[2].at, start + nanoseconds(270));
}

// XGMAC has no bits that make a buffer valid. Both readings of an address of 0 have been seen.
TEST(DwmacZeroBuffer, IsSkippedOrWrittenTo) {
  DwmacConfig config = bench_config("xgmac");
  Bench skips(config);
  skips.open_armed({.buffer = 256});
  skips.receive(plain_frame(300));
  EXPECT_TRUE(skips.last(1));
  EXPECT_THAT(skips.fabric.lost, IsEmpty());

  config.zero_buffer = "write";
  Bench writes(config);
  writes.open_armed({.buffer = 256});
  writes.receive(plain_frame(300));
  EXPECT_TRUE(writes.last(0));
  EXPECT_THAT(writes.fabric.lost, ElementsAre(std::pair<std::uint64_t, std::size_t>{0, 304 - 256}));
}

TEST(DwmacZeroBuffer, OnEqosTheValidBitDecides) {
  Bench b(bench_config("eqos"));
  for (std::uint32_t i = 0; i < 8; ++i) {
    b.arm_at(i, Bench::buffer(i), 0);
    b.desc(i)->des3 |= eqos::kRdes3Buf2v;
  }
  b.open({.buffer = 256});
  b.run_for(microseconds(2));
  b.receive(plain_frame(300));
  EXPECT_TRUE(b.last(0));
  EXPECT_THAT(b.fabric.lost, ElementsAre(std::pair<std::uint64_t, std::size_t>{0, 304 - 256}));
}

}  // namespace
}  // namespace ringside::dwmac
