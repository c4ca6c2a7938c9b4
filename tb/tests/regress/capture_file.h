// Capture files written byte by byte.
#pragma once

#include <cstdint>
#include <string>

namespace ringside::test {

inline constexpr std::uint32_t kEthernet = 1;  // LINKTYPE_ETHERNET
inline constexpr std::uint32_t kRawIp = 101;   // LINKTYPE_RAW
inline constexpr std::size_t kCaptureHeader = 24, kPacketHeader = 16;

// A little-endian pcap file with `packets` frames of 60 bytes, a microsecond apart.
inline std::string capture(std::uint32_t packets, std::uint32_t link_type = kEthernet) {
  std::string file;
  const auto put32 = [&](std::uint32_t value) {
    for (int shift = 0; shift < 32; shift += 8) file += static_cast<char>(value >> shift & 0xff);
  };
  put32(0xa1b2c3d4);         // microseconds
  put32(2 | 4 << 16);        // version 2.4
  put32(0), put32(0);        // time zone, accuracy
  put32(65535);              // snapshot length
  put32(link_type);
  for (std::uint32_t i = 0; i < packets; ++i) {
    put32(1), put32(i), put32(60), put32(60);
    file += std::string("\x02\0\0\0\0\x01\x02\0\0\0\0\x02\x08\0", 14) + std::string(46, '\0');
  }
  return file;
}

}  // namespace ringside::test
