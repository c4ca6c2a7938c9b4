// DMA descriptors of the Synopsys cores: one shape of 16 bytes, little-endian, for receive and transmit, whose bits differ
// between EQOS (GMAC 4.x, 5.x) and XGMAC (DWXGMAC 2.x, 3.x). Freestanding; shared by the device model and the driver.
// Layouts: public descriptions of the cores (Intel Agilex 5 and Arria 10 HPS manuals, JH7110 manual) and their open
// drivers.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace ringside::dwmac {

static_assert(std::endian::native == std::endian::little, "descriptor words are stored as they are");

struct dma_desc {
  std::uint32_t des0, des1, des2, des3;
};
static_assert(sizeof(dma_desc) == 16 && offsetof(dma_desc, des3) == 12);

// Bits of des3 that both cores and both directions share.
inline constexpr std::uint32_t kDes3Own = 1u << 31;  // the DMA owns the descriptor
inline constexpr std::uint32_t kDes3Ctxt = 1u << 30;  // written back or transmit: context descriptor

// Receive, read format of EQOS: des0 and des1 are buffer 1 (low, high), des2 buffer 2 (low).
namespace eqos {
inline constexpr std::uint32_t kRdes3Ioc = 1u << 30;    // interrupt on completion
inline constexpr std::uint32_t kRdes3Buf2v = 1u << 25;  // buffer 2 is valid
inline constexpr std::uint32_t kRdes3Buf1v = 1u << 24;  // buffer 1 is valid

// Write-back. des0: outer and inner VLAN tag. des1, valid with kRdes3Rs1v:
inline constexpr std::uint32_t kRdes1PayloadTypeMask = 0x7;
inline constexpr std::uint32_t kRdes1PayloadUdp = 1, kRdes1PayloadTcp = 2, kRdes1PayloadIcmp = 3;
inline constexpr std::uint32_t kRdes1IpHdrError = 1u << 3;
inline constexpr std::uint32_t kRdes1Ipv4 = 1u << 4;
inline constexpr std::uint32_t kRdes1Ipv6 = 1u << 5;
inline constexpr std::uint32_t kRdes1IpCsumBypassed = 1u << 6;
inline constexpr std::uint32_t kRdes1IpCsumError = 1u << 7;  // TCP, UDP or ICMP checksum is wrong
inline constexpr std::uint32_t kRdes1TimestampAvailable = 1u << 14;  // a context descriptor follows
inline constexpr std::uint32_t kRdes1TimestampDropped = 1u << 15;
// des2, valid with kRdes3Rs2v:
inline constexpr std::uint32_t kRdes2HlMask = 0x3ff;  // split header: bytes in buffer 1
inline constexpr std::uint32_t kRdes2SaFilterFail = 1u << 16;
inline constexpr std::uint32_t kRdes2DaFilterFail = 1u << 17;
// des3:
inline constexpr std::uint32_t kRdes3PlMask = 0x7fff;  // packet length with FCS
inline constexpr std::uint32_t kRdes3ErrorSummary = 1u << 15;
inline constexpr std::uint32_t kRdes3DribbleError = 1u << 19;
inline constexpr std::uint32_t kRdes3ReceiveError = 1u << 20;
inline constexpr std::uint32_t kRdes3OverflowError = 1u << 21;
inline constexpr std::uint32_t kRdes3ReceiveWatchdog = 1u << 22;
inline constexpr std::uint32_t kRdes3GiantPacket = 1u << 23;
inline constexpr std::uint32_t kRdes3CrcError = 1u << 24;
inline constexpr std::uint32_t kRdes3Rs0v = 1u << 25;  // des0 holds status
inline constexpr std::uint32_t kRdes3Rs1v = 1u << 26;
inline constexpr std::uint32_t kRdes3Rs2v = 1u << 27;
inline constexpr std::uint32_t kRdes3Ld = 1u << 28;  // last descriptor of the frame
inline constexpr std::uint32_t kRdes3Fd = 1u << 29;  // first
}  // namespace eqos

// Receive, read format of XGMAC: des0 and des1 are buffer 1 (low, high), des2 and des3 buffer 2 (low, high); there are no
// bits that make a buffer valid.
namespace xgmac {
inline constexpr std::uint32_t kRdes3Ioc = 1u << 30;
inline constexpr std::uint32_t kRdes3Buf2HighMask = 0xffff;  // bits 47:32 of buffer 2

// Write-back. des0: VLAN tag; des1: RSS hash, valid with kRdes3Rsv. des2:
inline constexpr std::uint32_t kRdes2HlMask = 0x3ff;  // split header; valid if L34T is not 0
inline constexpr std::uint32_t kRdes2DaFilterFail = 1u << 17;
// des3:
inline constexpr std::uint32_t kRdes3PlMask = 0x3fff;
inline constexpr std::uint32_t kRdes3ErrorSummary = 1u << 15;
inline constexpr std::uint32_t kRdes3EtLtShift = 16, kRdes3EtLtMask = 0xf;  // error type if ES, else length/type
inline constexpr std::uint32_t kRdes3L34tShift = 20, kRdes3L34tMask = 0xf;
inline constexpr std::uint32_t kRdes3Rsv = 1u << 26;
inline constexpr std::uint32_t kRdes3Cda = 1u << 27;  // a context descriptor follows
inline constexpr std::uint32_t kRdes3Ld = 1u << 28;
inline constexpr std::uint32_t kRdes3Fd = 1u << 29;

// L34T.
inline constexpr std::uint32_t kL34Unknown = 0, kL34Ip4Tcp = 1, kL34Ip4Udp = 2, kL34Ip6Tcp = 9, kL34Ip6Udp = 10;

// Error type. 5 and 6 are what open drivers test for; the others are assumed.
inline constexpr std::uint32_t kEtWatchdog = 0, kEtCrc = 2, kEtGiant = 3, kEtIpHeader = 5, kEtChecksum = 6,
                               kEtOverflow = 7;

// Context descriptor (kDes3Ctxt): des0 nanoseconds, des1 seconds.
inline constexpr std::uint32_t kRdes3TimestampAvailable = 1u << 4;
inline constexpr std::uint32_t kRdes3TimestampDropped = 1u << 6;
}  // namespace xgmac

// Both words of a context descriptor when the timestamp is not valid.
inline constexpr std::uint32_t kNoTimestamp = 0xffff'ffff;

// Transmit, the same bits on both cores. Read format: des0 and des1 are buffer 1 (low, high). des2:
inline constexpr std::uint32_t kTdes2B1lMask = 0x3fff;  // length of buffer 1
inline constexpr std::uint32_t kTdes2Ttse = 1u << 30;   // take a timestamp
inline constexpr std::uint32_t kTdes2Ioc = 1u << 31;
// des3:
inline constexpr std::uint32_t kTdes3FlMask = 0x7fff;  // frame length
inline constexpr std::uint32_t kTdes3CicShift = 16, kTdes3CicMask = 0x3;
inline constexpr std::uint32_t kTdes3CicFull = 3;  // insert IP header and TCP or UDP checksum, pseudo-header included
inline constexpr std::uint32_t kTdes3Ld = 1u << 28;
inline constexpr std::uint32_t kTdes3Fd = 1u << 29;
// Write-back: des3 keeps kTdes3Fd and kTdes3Ld, OWN is clear.
inline constexpr std::uint32_t kTdes3ErrorSummary = 1u << 15;

// An MSS or VLAN tag for the frames that follow (kDes3Ctxt): the model consumes it without effect.

}  // namespace ringside::dwmac
