// What the device says about packets, against values worked out by hand or by the textbook algorithm.
#include <gtest/gtest.h>

#include <vector>

#include "model/connectx/hw/cqe.h"
#include "model/connectx/packet_inspector.h"

namespace ringside::connectx {
namespace {

using Packet = std::vector<std::uint8_t>;

// RFC 1071 over big-endian words, a trailing odd byte padded with zero.
std::uint16_t textbook_sum(const Packet& bytes, std::size_t from, std::size_t to) {
  std::uint32_t sum = 0;
  for (std::size_t i = from; i < to; i += 2) {
    sum += static_cast<std::uint32_t>(bytes[i] << 8) + (i + 1 < to ? bytes[i + 1] : 0);
    sum = (sum & 0xffff) + (sum >> 16);
  }
  return static_cast<std::uint16_t>(sum);
}

void put_word(Packet& p, std::size_t at, std::uint16_t value) {
  p[at] = static_cast<std::uint8_t>(value >> 8);
  p[at + 1] = static_cast<std::uint8_t>(value);
}

// Ethernet + IPv4 66.9.149.187 -> 161.142.100.80 + TCP or UDP 2794 -> 1766 with correct checksums; `payload` L4 bytes
// and padding of 0xee up to 60.
Packet ipv4(std::uint8_t protocol, std::size_t payload, std::uint8_t tcp_flags = 0x10) {
  const std::size_t l4_header = protocol == 6 ? 20 : 8;
  const std::size_t total = 20 + l4_header + payload;
  Packet p(14 + total);
  for (std::size_t i = 0; i < p.size(); ++i) p[i] = static_cast<std::uint8_t>(i * 11);
  put_word(p, 12, 0x0800);
  const Packet header = {0x45, 0, 0, 0, 0x12, 0x34, 0x40, 0, 64, protocol, 0, 0, 66, 9, 149, 187, 161, 142, 100, 80};
  std::copy(header.begin(), header.end(), p.begin() + 14);
  put_word(p, 16, static_cast<std::uint16_t>(total));
  put_word(p, 24, static_cast<std::uint16_t>(~textbook_sum(p, 14, 34)));
  put_word(p, 34, 2794);
  put_word(p, 36, 1766);
  const std::size_t check = protocol == 6 ? 50 : 40;
  if (protocol == 6)
    p[46] = 0x50, p[47] = tcp_flags;
  else
    put_word(p, 38, static_cast<std::uint16_t>(l4_header + payload));
  put_word(p, check, 0);
  Packet pseudo(p.begin() + 26, p.begin() + 34);
  pseudo.insert(pseudo.end(), {0, protocol, static_cast<std::uint8_t>((l4_header + payload) >> 8),
                               static_cast<std::uint8_t>(l4_header + payload)});
  pseudo.insert(pseudo.end(), p.begin() + 34, p.end());
  put_word(p, check, static_cast<std::uint16_t>(~textbook_sum(pseudo, 0, pseudo.size())));
  while (p.size() < 60) p.push_back(0xee);
  return p;
}

TEST(PacketInspector, TcpWithPayload) {
  Packet p = ipv4(6, 101);
  const PacketInfo info = PacketInspector().inspect(p);
  EXPECT_EQ(info.bytes.size(), p.size());
  EXPECT_EQ(info.checks, 1 | 2 | 4);
  EXPECT_EQ(info.layers, 2 << 2 | 4 << 4);  // IPv4, TCP with ACK and data
  EXPECT_EQ(info.hash, 0x51ccc178u);        // Microsoft's vector
  EXPECT_EQ(info.hash_type, 0x40 | 0x04);   // L4 1: TCP, IP 1: IPv4
  EXPECT_EQ(info.checksum, textbook_sum(p, 14, p.size()));
}

TEST(PacketInspector, TcpWithoutPayloadOrAck) {
  Packet ack = ipv4(6, 0);
  EXPECT_EQ(PacketInspector().inspect(ack).layers, 2 << 2 | 3 << 4);
  Packet syn = ipv4(6, 0, 0x02);
  EXPECT_EQ(PacketInspector().inspect(syn).layers, 2 << 2 | 1 << 4);
}

TEST(PacketInspector, ChecksumCoversPaddingAfterAnOddPacket) {
  Packet p = ipv4(17, 5);  // 47 bytes, padded with 13
  const PacketInfo info = PacketInspector().inspect(p);
  EXPECT_EQ(info.checks, 1 | 2 | 4);
  EXPECT_EQ(info.layers, 2 << 2 | 2 << 4);
  EXPECT_EQ(info.hash_type, 0x80 | 0x04);
  EXPECT_EQ(info.hash, 0x51ccc178u);
  EXPECT_EQ(info.checksum, textbook_sum(p, 14, 60));
}

TEST(PacketInspector, EveryLengthHasTheTextbookSum) {
  for (std::size_t payload = 0; payload < 200; ++payload) {
    Packet p = ipv4(6, payload);
    const PacketInfo info = PacketInspector().inspect(p);
    ASSERT_EQ(info.checksum, textbook_sum(p, 14, p.size())) << payload;
    ASSERT_EQ(info.checks, 7) << payload;
  }
}

TEST(PacketInspector, CorruptionsAreToldApart) {
  Packet l4 = ipv4(6, 50);
  l4[70] ^= 1;
  EXPECT_EQ(PacketInspector().inspect(l4).checks, 1 | 2);
  Packet l3 = ipv4(6, 50);
  l3[22] ^= 1;  // time to live: not in the pseudo-header
  EXPECT_EQ(PacketInspector().inspect(l3).checks, 1 | 4);
  Packet no_udp_sum = ipv4(17, 50);
  put_word(no_udp_sum, 40, 0);
  EXPECT_EQ(PacketInspector().inspect(no_udp_sum).checks, 7);
}

TEST(PacketInspector, LengthsBeyondTheFrameAreNotBelieved) {
  Packet p = ipv4(6, 50);
  put_word(p, 16, 500);
  const PacketInfo info = PacketInspector().inspect(p);
  EXPECT_EQ(info.checks, 1);
  EXPECT_EQ(info.hash_type, 0);
  EXPECT_EQ(info.checksum, textbook_sum(p, 14, p.size()));
  Packet short_header = ipv4(6, 50);
  short_header[14] = 0x42;
  EXPECT_EQ(PacketInspector().inspect(short_header).checks, 1);
}

TEST(PacketInspector, FragmentsHashAddressesOnly) {
  Packet p = ipv4(17, 40);
  p[20] = 0x20;  // more fragments
  put_word(p, 24, 0);
  put_word(p, 24, static_cast<std::uint16_t>(~textbook_sum(p, 14, 34)));
  const PacketInfo info = PacketInspector().inspect(p);
  EXPECT_EQ(info.hash, 0x323e8fc2u);
  EXPECT_EQ(info.hash_type, 0x04);
  EXPECT_EQ(info.checks, 1 | 2);
}

TEST(PacketInspector, VlanTagIsRemovedIntoTheCompletion) {
  const Packet plain = ipv4(6, 60);
  Packet tagged = plain;
  const Packet tag = {0x81, 0x00, 0x61, 0x23};
  tagged.insert(tagged.begin() + 12, tag.begin(), tag.end());
  const PacketInfo info = PacketInspector().inspect(tagged);
  EXPECT_EQ(Packet(info.bytes.begin(), info.bytes.end()), plain);
  EXPECT_EQ(info.vlan, 0x6123);
  EXPECT_EQ(info.layers, 1 | 2 << 2 | 4 << 4);
  EXPECT_EQ(info.checks, 7);
}

TEST(PacketInspector, Ipv6Tcp) {
  Packet p(14 + 40 + 20);
  put_word(p, 12, 0x86dd);
  const Packet header = {0x60, 0,    0, 0, 0, 20, 6, 64, 0x3f, 0xfe, 0x25,      0x01,       0x02,      0x00,      0x1f,
                         0xff, 0,    0, 0, 0, 0,  0, 0,  7,    0x3f, 0xfe,      0x25,       0x01,      0x02,      0x00,
                         0x00, 0x03, 0, 0, 0, 0,  0, 0,  0,    1,    2794 >> 8, 2794 & 255, 1766 >> 8, 1766 & 255};
  std::copy(header.begin(), header.end(), p.begin() + 14);
  p[66] = 0x50, p[67] = 0x10;
  Packet pseudo(p.begin() + 22, p.begin() + 54);
  pseudo.insert(pseudo.end(), {0, 0, 0, 20, 0, 0, 0, 6});
  pseudo.insert(pseudo.end(), p.begin() + 54, p.end());
  put_word(p, 70, static_cast<std::uint16_t>(~textbook_sum(pseudo, 0, pseudo.size())));
  const PacketInfo info = PacketInspector().inspect(p);
  EXPECT_EQ(info.hash, 0x40207d3du);  // Microsoft's vector
  EXPECT_EQ(info.hash_type, 0x40 | 0x08);
  EXPECT_EQ(info.layers, 1 << 2 | 3 << 4);
  EXPECT_EQ(info.checks, 7);
  EXPECT_EQ(info.checksum, textbook_sum(p, 14, p.size()));
}

}  // namespace
}  // namespace ringside::connectx
