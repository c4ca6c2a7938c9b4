// What the core reads in a frame.
#include <gtest/gtest.h>

#include "model/dwmac/frame_parser.h"
#include "tb/tests/contract/dwmac_bench.h"

namespace ringside::dwmac {
namespace {

using enum FrameInfo::Transport;

TEST(DwmacParser, TcpAndUdpOverIpv4) {
  const FrameInfo t = parse_frame(tcp_frame(100), true);
  EXPECT_TRUE(t.ipv4);
  EXPECT_EQ(t.transport, tcp);
  EXPECT_EQ(t.header, 54u);
  EXPECT_FALSE(t.header_error || t.checksum_error || t.bypassed);
  const FrameInfo u = parse_frame(udp_frame(101), true);
  EXPECT_EQ(u.transport, udp);
  EXPECT_EQ(u.header, 42u);
  EXPECT_FALSE(u.checksum_error);
}

TEST(DwmacParser, EveryByteOfPacketIsCovered) {
  const auto good = udp_frame(33);
  for (std::size_t i = 14; i < good.size(); ++i) {
    auto bad = good;
    bad[i] ^= 0x10;
    const FrameInfo info = parse_frame(bad, true);
    // A protocol that the core does not know has no checksum to look at: the IP header's tells.
    EXPECT_TRUE(info.header_error || info.checksum_error) << i;
  }
}

TEST(DwmacParser, PaddingIsNotPartOfThePacket) {
  auto frame = udp_frame(3);
  frame.resize(60, 0xee);
  EXPECT_FALSE(parse_frame(frame, true).checksum_error);
}

TEST(DwmacParser, FragmentsAndOtherProtocolsAreBypassed) {
  auto fragment = tcp_frame(100);
  fragment[14 + 6] = 0x20;  // more fragments
  FrameInfo info = parse_frame(fragment, false);
  EXPECT_TRUE(info.bypassed);
  EXPECT_EQ(info.header, 0u);
  const auto gre = ip_frame(47, 8, 50);
  info = parse_frame(gre, true);
  EXPECT_TRUE(info.bypassed);
  EXPECT_EQ(info.transport, none);
}

TEST(DwmacParser, UdpWithoutChecksumIsRight) {
  auto frame = udp_frame(50);
  frame[14 + 20 + 6] = frame[14 + 20 + 7] = 0;
  EXPECT_FALSE(parse_frame(frame, true).checksum_error);
}

TEST(DwmacParser, LooksBehindAVlanTag) {
  auto frame = tcp_frame(100);
  const std::vector<std::uint8_t> tag{0x81, 0x00, 0x60, 0x05};
  frame.insert(frame.begin() + 12, tag.begin(), tag.end());
  const FrameInfo info = parse_frame(frame, true);
  EXPECT_EQ(info.priority, 3u);
  EXPECT_EQ(info.header, 58u);
  EXPECT_FALSE(info.checksum_error);
}

// RFC 8200 pseudo-header: next header 17, length, both addresses.
TEST(DwmacParser, UdpOverIpv6) {
  auto frame = plain_frame(14 + 40 + 8 + 24);
  frame[12] = 0x86, frame[13] = 0xdd, frame[14] = 0x60;
  frame[18] = 0, frame[19] = 32, frame[20] = 17;
  frame[14 + 40 + 4] = 0, frame[14 + 40 + 5] = 32;
  insert_checksums(frame);
  FrameInfo info = parse_frame(frame, true);
  EXPECT_TRUE(info.ipv6);
  EXPECT_EQ(info.transport, udp);
  EXPECT_EQ(info.header, 62u);
  EXPECT_FALSE(info.checksum_error);
  frame[14 + 8] ^= 1;  // source address
  info = parse_frame(frame, true);
  EXPECT_TRUE(info.checksum_error);
}

// RFC 1071, section 3: the words 0001 f203 f4f5 f6f7 sum to ddf2, so the checksum is 220d.
TEST(DwmacParser, ChecksumOfTheRfcsExample) {
  auto frame = udp_frame(8);
  const std::vector<std::uint8_t> example{0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7};
  std::copy(example.begin(), example.end(), frame.end() - 8);
  insert_checksums(frame);
  // Pseudo-header 10.0.0.1, 10.0.0.2, 17, 16; ports, length 16.
  std::uint32_t sum = 0xddf2 + 0x0a00 + 0x0001 + 0x0a00 + 0x0002 + 17 + 16 + 16;
  for (const int at : {34, 36}) sum += static_cast<std::uint32_t>(frame[static_cast<std::size_t>(at)]) << 8 | frame[static_cast<std::size_t>(at) + 1];
  while (sum >> 16 != 0) sum = (sum & 0xffff) + (sum >> 16);
  EXPECT_EQ(frame[40] << 8 | frame[41], static_cast<int>(0xffff - sum));
}

TEST(DwmacParser, Addresses) {
  auto frame = plain_frame(60);
  std::fill_n(frame.begin(), 6, std::uint8_t{0xff});
  EXPECT_TRUE(parse_frame(frame, false).broadcast);
  EXPECT_FALSE(parse_frame(frame, false).multicast);
  frame[5] = 0;
  EXPECT_TRUE(parse_frame(frame, false).multicast);
  EXPECT_FALSE(parse_frame(plain_frame(3), false).multicast) << "too short to say";
}

}  // namespace
}  // namespace ringside::dwmac
