// What the core finds out about a frame: addresses, layers, checksums and where the headers end.
#pragma once

#include <cstdint>
#include <span>

namespace ringside::dwmac {

struct FrameInfo {
  enum class Transport : std::uint8_t { none, udp, tcp, icmp };

  std::uint32_t header = 0;  // bytes up to the end of the TCP or UDP header; 0: the frame has none, or is a fragment
  Transport transport = Transport::none;
  bool ipv4 = false;
  bool ipv6 = false;
  bool header_error = false;    // IP header: version, length or checksum
  bool checksum_error = false;  // of the transport layer
  bool bypassed = false;        // transport checksum not looked at
  bool broadcast = false;
  bool multicast = false;  // group address that is not the broadcast address
  std::uint8_t priority = 0;  // of the VLAN tag; 0 without
  bool pause = false;
};

// `frame` is without FCS. One 802.1Q tag is looked behind; IPv6 extension headers and tunnels are not looked into.
// Checksums are computed only if `checksums`.
FrameInfo parse_frame(std::span<const std::uint8_t> frame, bool checksums);

// Quanta of a PAUSE frame.
std::uint32_t pause_quanta(std::span<const std::uint8_t> frame);

// Inserts IP header and TCP or UDP checksum, as transmit checksum insertion does.
void insert_checksums(std::span<std::uint8_t> frame);

}  // namespace ringside::dwmac
