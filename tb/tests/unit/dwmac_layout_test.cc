// Descriptors byte by byte, as they lie in memory, and where the registers are.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstring>

#include "model/dwmac/hw/eqos_regs.h"
#include "model/dwmac/hw/xgmac_regs.h"
#include "model/dwmac/registers.h"
#include "model/dwmac/rx_format.h"
#include "tb/tests/contract/dwmac_bench.h"

namespace ringside::dwmac {
namespace {

using testing::ElementsAre;

std::array<std::uint8_t, 16> bytes(const dma_desc& desc) {
  std::array<std::uint8_t, 16> raw;
  std::memcpy(raw.data(), &desc, sizeof desc);
  return raw;
}

dma_desc from_bytes(std::initializer_list<std::uint8_t> raw) {
  dma_desc desc;
  std::memcpy(&desc, raw.begin(), sizeof desc);
  return desc;
}

RxStatus tcp_status() {
  RxStatus s;
  s.first = s.last = s.checksums = true;
  s.length = 0x5ee;  // 1518
  s.info.ipv4 = true;
  s.info.transport = FrameInfo::Transport::tcp;
  return s;
}

TEST(DwmacLayout, EqosReadFormat) {
  const DwmacConfig config = bench_config("eqos");
  const RxFormat& format = rx_format(config);
  // Little-endian: buffer 1 at 0x01'8899aabb, buffer 2 at 0x44556677, OWN, IOC, both valid.
  const RxBuffers b = format.buffers(
      from_bytes({0xbb, 0xaa, 0x99, 0x88, 0x01, 0, 0, 0, 0x77, 0x66, 0x55, 0x44, 0x00, 0x00, 0x00, 0xc3}));
  EXPECT_EQ(b.address[0].value, 0x1'8899'aabbu);
  EXPECT_EQ(b.address[1].value, 0x4455'6677u);
  EXPECT_THAT(b.valid, ElementsAre(true, true));
  EXPECT_TRUE(b.ioc);
  const RxBuffers only_first = format.buffers({0, 0, 0x1000, 0x8100'0000});
  EXPECT_THAT(only_first.valid, ElementsAre(true, false)) << "BUF1V is bit 24, BUF2V bit 25";
  EXPECT_FALSE(only_first.ioc);
}

TEST(DwmacLayout, EqosWriteBack) {
  const DwmacConfig config = bench_config("eqos");
  const RxFormat& format = rx_format(config);
  RxStatus s = tcp_status();
  // IPv4 and TCP in des1; in des3 length, RS1V (26), LD (28), FD (29).
  EXPECT_THAT(bytes(format.close(s)), ElementsAre(0, 0, 0, 0, 0x12, 0, 0, 0, 0, 0, 0, 0, 0xee, 0x05, 0x00, 0x34));
  s.header = 54;
  s.info.checksum_error = true;
  s.timestamp = true;
  EXPECT_THAT(bytes(format.close(s)), ElementsAre(0, 0, 0, 0, 0x92, 0x40, 0, 0, 54, 0, 0, 0, 0xee, 0x05, 0x00, 0x3c));
  s = tcp_status();
  s.overflow = s.watchdog = s.giant = true;  // 21, 22, 23 and the summary, 15
  EXPECT_THAT(bytes(format.close(s)), ElementsAre(0, 0, 0, 0, 0x12, 0, 0, 0, 0, 0, 0, 0, 0xee, 0x85, 0xe0, 0x34));
  s.last = false;
  EXPECT_THAT(bytes(format.close(s)), ElementsAre(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xee, 0x05, 0x00, 0x20));
}

TEST(DwmacLayout, XgmacReadFormat) {
  const DwmacConfig config = bench_config("xgmac");
  const RxFormat& format = rx_format(config);
  const RxBuffers b = format.buffers(
      from_bytes({0xbb, 0xaa, 0x99, 0x88, 0x01, 0, 0, 0, 0x77, 0x66, 0x55, 0x44, 0x02, 0x00, 0x00, 0xc0}));
  EXPECT_EQ(b.address[0].value, 0x1'8899'aabbu);
  EXPECT_EQ(b.address[1].value, 0x2'4455'6677u);
  EXPECT_TRUE(b.ioc);
}

TEST(DwmacLayout, XgmacWriteBack) {
  const DwmacConfig config = bench_config("xgmac");
  const RxFormat& format = rx_format(config);
  RxStatus s = tcp_status();
  s.header = 54;
  // L34T 1 in 23:20, LD (28), FD (29).
  EXPECT_THAT(bytes(format.close(s)), ElementsAre(0, 0, 0, 0, 0, 0, 0, 0, 54, 0, 0, 0, 0xee, 0x05, 0x10, 0x30));
  s.info.ipv4 = false;
  s.info.ipv6 = true;
  s.info.transport = FrameInfo::Transport::udp;
  s.timestamp = true;  // CDA (27)
  EXPECT_THAT(bytes(format.close(s)), ElementsAre(0, 0, 0, 0, 0, 0, 0, 0, 54, 0, 0, 0, 0xee, 0x05, 0xa0, 0x38));
  s.info.checksum_error = true;  // ES and code 6
  EXPECT_THAT(bytes(format.close(s)), ElementsAre(0, 0, 0, 0, 0, 0, 0, 0, 54, 0, 0, 0, 0xee, 0x85, 0xa6, 0x38));
}

TEST(DwmacLayout, ContextDescriptor) {
  const Time at = seconds(0x0102'0304) + nanoseconds(0x0a0b'0c0d);
  const DwmacConfig eqos_config = bench_config("eqos"), xgmac_config = bench_config("xgmac");
  EXPECT_THAT(bytes(rx_format(eqos_config).context(at)),
              ElementsAre(0x0d, 0x0c, 0x0b, 0x0a, 0x04, 0x03, 0x02, 0x01, 0, 0, 0, 0, 0, 0, 0, 0x40));
  EXPECT_EQ(bytes(rx_format(xgmac_config).context(at))[12], 0x10) << "timestamp available";
}

// Each field written and read on its own.
TEST(DwmacLayout, RegisterFields) {
  const DwmacConfig config = bench_config("xgmac");
  Registers r(config);
  r.write(0x1140, 0x3f << 16 | 0x20);  // RQS 63, RSF
  r.write(0x1150, 7u << 17 | 4u << 1);  // RFD 7, RFA 4
  EXPECT_EQ(r.queue_size(0), 16384u);
  EXPECT_EQ(r.pause_level(0), 16384u - 3 * 1024);
  EXPECT_EQ(r.resume_level(0), 16384u - 4608);
  r.write(0x3100, 1u << 16);
  r.write(0x3108, 8u << 16);
  r.write(0x3004, 0x7fu << 1);
  EXPECT_EQ(r.burst_beats(0, r.rx_control(0)), 64u) << "PBL 8, times 8";
  r.write(0x3004, 1u << 1 | 1u << 2);
  EXPECT_EQ(r.burst_beats(0, r.rx_control(0)), 8u) << "BLEN 4 and 8";
  EXPECT_EQ(r.read(xgmac::kMacVersion), 0x7632u);
  r.write(xgmac::kMacVersion, 1);
  EXPECT_EQ(r.read(xgmac::kMacVersion), 0x7632u) << "read only";
  EXPECT_EQ(r.read(xgmac::kMacHwFeature1) & kFeature1RxFifoMask, 7u) << "128 << 7 is 16 KiB";
  EXPECT_EQ(r.read(xgmac::kMacHwFeature2) & kFeature2RxQueuesMask, 3u);

  const DwmacConfig old = bench_config("eqos");
  Registers e(old);
  e.write(0x0d30, 15u << 20 | 3u << 14 | 1u << 8);  // RQS 15, RFD 3, RFA 1
  EXPECT_EQ(e.queue_size(0), 4096u);
  EXPECT_EQ(e.pause_level(0), 4096u - 1536);
  EXPECT_EQ(e.resume_level(0), 4096u - 2560);
  e.write(0x0c30, 0x0302'0100);
  e.write(0x00a8, 0x80u << 16);
  EXPECT_EQ(e.channel_of_queue(2), 2u);
  EXPECT_EQ(e.queue_of_priority(7, 4), 2u);
  EXPECT_EQ(e.queue_of_priority(6, 4), 0u);
}

}  // namespace
}  // namespace ringside::dwmac
