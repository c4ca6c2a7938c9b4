#include "model/dwmac/frame_parser.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "model/base/bigendian.h"
#include "model/base/internet_checksum.h"

namespace ringside::dwmac {

namespace {

constexpr std::size_t kEthernetHeader = 14, kTagBytes = 4, kTypeOffset = 12;
constexpr std::uint16_t kTypeVlan = 0x8100, kTypeIpv4 = 0x0800, kTypeIpv6 = 0x86dd, kTypeControl = 0x8808;
constexpr std::uint8_t kProtocolIcmp = 1, kProtocolTcp = 6, kProtocolUdp = 17, kProtocolIcmp6 = 58;
constexpr std::array<std::uint8_t, 6> kPauseAddress{0x01, 0x80, 0xc2, 0x00, 0x00, 0x01};
constexpr std::size_t kPauseOpcode = kEthernetHeader, kPauseQuanta = kEthernetHeader + 2;

std::uint16_t word(const std::uint8_t* at) { return static_cast<std::uint16_t>(at[0] << 8 | at[1]); }

struct Network {
  std::size_t header = 0;  // offset of the IP header; 0: none
  std::size_t transport = 0;
  std::size_t length = 0;  // of the transport layer, without padding
  std::size_t addresses = 0, address_bytes = 0;
  std::uint8_t protocol = 0;
  bool fragment = false;
};

std::uint16_t network_type(std::span<const std::uint8_t> frame, std::size_t& header) {
  header = kEthernetHeader;
  if (frame.size() < kEthernetHeader + kTagBytes) return 0;
  const std::uint16_t type = word(frame.data() + kTypeOffset);
  if (type != kTypeVlan) return type;
  header += kTagBytes;
  return word(frame.data() + kTypeOffset + kTagBytes);
}

// Returns false if the header makes no sense.
bool find_ipv4(std::span<const std::uint8_t> frame, std::size_t at, Network& network) {
  const std::span<const std::uint8_t> packet = frame.subspan(at);
  if (packet.size() < 20) return false;
  const std::size_t header = (packet[0] & 0xf) * std::size_t{4};
  const std::size_t total = word(packet.data() + 2);
  if (packet[0] >> 4 != 4 || header < 20 || total < header || total > packet.size()) return false;
  const bool fragment = (word(packet.data() + 6) & 0x3fff) != 0;  // more fragments, or not the first
  network = {at, at + header, total - header, at + 12, 8, packet[9], fragment};
  return true;
}

bool find_ipv6(std::span<const std::uint8_t> frame, std::size_t at, Network& network) {
  const std::span<const std::uint8_t> packet = frame.subspan(at);
  constexpr std::size_t header = 40;
  if (packet.size() < header || packet[0] >> 4 != 6) return false;
  const std::size_t length = word(packet.data() + 4);
  if (length > packet.size() - header) return false;
  network = {at, at + header, length, at + 8, 32, packet[6], false};
  return true;
}

// Pseudo-header (RFC 793, RFC 8200): addresses, protocol and length, as words in the host's byte order.
std::uint64_t pseudo_header(std::span<const std::uint8_t> frame, const Network& network) {
  return ones_complement_sum(frame.subspan(network.addresses, network.address_bytes)) +
         (std::uint64_t{network.protocol} << 8) + byte_swapped(static_cast<std::uint16_t>(network.length));
}

void parse_transport(std::span<const std::uint8_t> frame, const Network& network, bool checksums, FrameInfo& info) {
  using enum FrameInfo::Transport;
  const std::span<const std::uint8_t> l4 = frame.subspan(network.transport, network.length);
  bool pseudo = true;
  if (network.fragment) {
    info.bypassed = true;
    return;
  }
  if (network.protocol == kProtocolTcp && l4.size() >= 20) {
    info.transport = tcp;
    info.header = static_cast<std::uint32_t>(network.transport + (l4[12] >> 4) * std::size_t{4});
  } else if (network.protocol == kProtocolUdp && l4.size() >= 8) {
    info.transport = udp;
    info.header = static_cast<std::uint32_t>(network.transport + 8);
    if (word(l4.data() + 6) == 0) return;  // the sender computed none
  } else if ((network.protocol == kProtocolIcmp || network.protocol == kProtocolIcmp6) && l4.size() >= 4) {
    info.transport = icmp;
    pseudo = network.protocol == kProtocolIcmp6;
  } else {
    info.bypassed = true;
    return;
  }
  if (!checksums) return;
  const std::uint64_t sum = ones_complement_sum(l4) + (pseudo ? pseudo_header(frame, network) : 0);
  info.checksum_error = !checksum_correct(fold_checksum(sum));
}

}  // namespace

FrameInfo parse_frame(std::span<const std::uint8_t> frame, bool checksums) {
  FrameInfo info;
  if (frame.size() < kEthernetHeader) return info;
  info.broadcast = std::ranges::all_of(frame.first(6), [](std::uint8_t byte) { return byte == 0xff; });
  info.multicast = (frame[0] & 1) != 0 && !info.broadcast;
  std::size_t at = 0;
  const std::uint16_t type = network_type(frame, at);
  if (at > kEthernetHeader) info.priority = frame[kEthernetHeader] >> 5;
  info.pause = type == kTypeControl && std::ranges::equal(frame.first(6), kPauseAddress) &&
               frame.size() >= kPauseQuanta + 2 && word(frame.data() + kPauseOpcode) == 1;
  Network network;
  if (type == kTypeIpv4) {
    info.ipv4 = true;
    info.header_error = !find_ipv4(frame, at, network);
    if (checksums && !info.header_error) {
      const std::span<const std::uint8_t> header = frame.subspan(at, network.transport - at);
      info.header_error = !checksum_correct(fold_checksum(ones_complement_sum(header)));
    }
  } else if (type == kTypeIpv6) {
    info.ipv6 = true;
    info.header_error = !find_ipv6(frame, at, network);
  }
  if (network.header != 0 && !info.header_error) parse_transport(frame, network, checksums, info);
  return info;
}

std::uint32_t pause_quanta(std::span<const std::uint8_t> frame) { return word(frame.data() + kPauseQuanta); }

void insert_checksums(std::span<std::uint8_t> frame) {
  std::size_t at = 0;
  const std::uint16_t type = network_type(frame, at);
  Network network;
  const bool ipv4 = type == kTypeIpv4 && find_ipv4(frame, at, network);
  if (!ipv4 && !(type == kTypeIpv6 && find_ipv6(frame, at, network))) return;
  const auto insert = [&frame](std::size_t field, std::span<const std::uint8_t> covered, std::uint64_t pseudo) {
    std::memset(frame.data() + field, 0, 2);
    const auto sum = static_cast<std::uint16_t>(~fold_checksum(ones_complement_sum(covered) + pseudo));
    std::memcpy(frame.data() + field, &sum, 2);
    return sum;
  };
  if (ipv4) insert(at + 10, frame.subspan(at, network.transport - at), 0);
  if (network.fragment) return;
  const std::span<const std::uint8_t> l4 = frame.subspan(network.transport, network.length);
  if (network.protocol == kProtocolTcp && l4.size() >= 20) {
    insert(network.transport + 16, l4, pseudo_header(frame, network));
  } else if (network.protocol == kProtocolUdp && l4.size() >= 8) {
    const std::uint16_t sum = insert(network.transport + 6, l4, pseudo_header(frame, network));
    if (sum == 0) std::memset(frame.data() + network.transport + 6, 0xff, 2);  // 0 would mean that there is none (RFC 768)
  }
}

}  // namespace ringside::dwmac
