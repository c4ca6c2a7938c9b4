// What the device finds out about a frame: layers, checksums, VLAN tag and RSS hash.
#pragma once

#include <cstdint>
#include <span>

#include "model/base/bigendian.h"
#include "model/connectx/toeplitz.h"

namespace ringside::connectx {

// The fields of a CQE that describe a packet, in the CQE's own encodings.
struct PacketInfo {
  std::span<const std::uint8_t> bytes;  // what is written to memory: without the VLAN tag
  be16 checksum{};                      // ones' complement sum of all bytes after the Ethernet header
  std::uint16_t vlan = 0;
  std::uint8_t layers = 0;  // l4_l3_hdr_type
  std::uint8_t checks = 0;  // hds_ip_ext: kL2Ok, kL3Ok, kL4Ok
  std::uint8_t hash_type = 0;
  std::uint32_t hash = 0;
};

// Parses frames as they leave the packet buffer. An 802.1Q tag is removed in place, as with rx-vlan-offload on, the
// default of Linux. IPv6 extension headers, fragments and tunnels are not looked into.
class PacketInspector {
 public:
  // `frame` is without FCS, at least 60 bytes long.
  PacketInfo inspect(std::span<std::uint8_t> frame) const;

  // Bytes that inspect() will leave of `frame`.
  static std::uint32_t stored_length(std::span<const std::uint8_t> frame);

 private:
  struct Network {
    std::span<const std::uint8_t> transport;  // L4 bytes without padding
    std::span<const std::uint8_t> addresses;  // source and destination
    std::uint64_t header_sum;                 // L3 header, unfolded
    std::uint8_t protocol;                    // 0: nothing that the device looks into
  };

  bool inspect_ipv4(std::span<const std::uint8_t> packet, PacketInfo& info, Network& network) const;
  bool inspect_ipv6(std::span<const std::uint8_t> packet, PacketInfo& info, Network& network) const;
  void inspect_transport(const Network& network, std::uint64_t transport_sum, PacketInfo& info) const;

  Toeplitz hash_;
};

}  // namespace ringside::connectx
