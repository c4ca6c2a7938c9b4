#include "model/connectx/packet_inspector.h"

#include "model/base/internet_checksum.h"
#include "model/connectx/hw/cqe.h"

namespace ringside::connectx {

namespace {

constexpr std::size_t kMacBytes = 12;  // both addresses
constexpr std::size_t kTagBytes = 4;
constexpr std::size_t kEthernetHeader = 14;
constexpr std::uint16_t kTypeVlan = 0x8100, kTypeIpv4 = 0x0800, kTypeIpv6 = 0x86dd;
constexpr std::uint8_t kProtocolTcp = 6, kProtocolUdp = 17;

std::uint16_t word(const std::uint8_t* at) { return static_cast<std::uint16_t>(at[0] << 8 | at[1]); }

}  // namespace

std::uint32_t PacketInspector::stored_length(std::span<const std::uint8_t> frame) {
  const bool tagged = word(frame.data() + kMacBytes) == kTypeVlan;
  return static_cast<std::uint32_t>(frame.size() - (tagged ? kTagBytes : 0));
}

PacketInfo PacketInspector::inspect(std::span<std::uint8_t> frame) const {
  PacketInfo info;
  info.checks = kL2Ok;
  if (word(frame.data() + kMacBytes) == kTypeVlan) {
    info.vlan = word(frame.data() + kMacBytes + 2);
    info.layers |= kVlanPresent;
    std::memmove(frame.data() + kTagBytes, frame.data(), kMacBytes);
    frame = frame.subspan(kTagBytes);
  }
  info.bytes = frame;
  const std::span<const std::uint8_t> packet = info.bytes.subspan(kEthernetHeader);
  const std::uint16_t type = word(frame.data() + kMacBytes);
  Network network{};
  const bool known = (type == kTypeIpv4 && inspect_ipv4(packet, info, network)) ||
                     (type == kTypeIpv6 && inspect_ipv6(packet, info, network));
  if (!known) {
    info.checksum.raw = fold_checksum(ones_complement_sum(packet));
    return info;
  }
  const auto header_bytes = static_cast<std::size_t>(network.transport.data() - packet.data());
  const std::uint64_t transport_sum = ones_complement_sum(network.transport);
  const std::uint64_t padding = fold_checksum(ones_complement_sum(packet.subspan(header_bytes + network.transport.size())));
  // Bytes that follow an odd number of bytes are in the other half of their word.
  const bool odd = network.transport.size() % 2 != 0;
  info.checksum.raw = fold_checksum(network.header_sum + transport_sum + (odd ? padding << 8 : padding));
  inspect_transport(network, transport_sum, info);
  return info;
}

bool PacketInspector::inspect_ipv4(std::span<const std::uint8_t> packet, PacketInfo& info, Network& network) const {
  info.layers |= kL3Ipv4;
  const std::size_t header = (packet[0] & 15u) * 4;
  const std::size_t total = word(packet.data() + 2);
  if (packet[0] >> 4 != 4 || header < 20 || total < header || total > packet.size()) return false;
  const std::uint64_t header_sum = ones_complement_sum(packet.first(header));
  if (checksum_correct(fold_checksum(header_sum))) info.checks |= kL3Ok;
  const bool fragment = (word(packet.data() + 6) & 0x3fff) != 0;  // more fragments, or not the first
  network = {packet.subspan(header, total - header), packet.subspan(12, 8), header_sum,
             fragment ? std::uint8_t{0} : packet[9]};
  info.hash_type = kHashIpv4;
  return true;
}

bool PacketInspector::inspect_ipv6(std::span<const std::uint8_t> packet, PacketInfo& info, Network& network) const {
  constexpr std::size_t header = 40;
  info.layers |= kL3Ipv6;
  const std::size_t payload = word(packet.data() + 4);
  if (packet[0] >> 4 != 6 || packet.size() < header || payload > packet.size() - header) return false;
  info.checks |= kL3Ok;
  network = {packet.subspan(header, payload), packet.subspan(8, 32), ones_complement_sum(packet.first(header)), packet[6]};
  info.hash_type = kHashIpv6;
  return true;
}

void PacketInspector::inspect_transport(const Network& network, std::uint64_t transport_sum, PacketInfo& info) const {
  info.hash = hash_.part(network.addresses, 0);
  const std::span<const std::uint8_t> l4 = network.transport;
  const std::size_t least = network.protocol == kProtocolTcp ? 20 : 8;
  if ((network.protocol != kProtocolTcp && network.protocol != kProtocolUdp) || l4.size() < least) return;
  info.hash ^= hash_.part(l4.first(4), network.addresses.size());
  // Pseudo-header (RFC 793, RFC 8200): addresses, protocol and length, as words in the host's byte order.
  const std::uint64_t length = l4.size();
  const std::uint64_t pseudo = ones_complement_sum(network.addresses) + (std::uint64_t{network.protocol} << 8) +
                               byte_swapped(static_cast<std::uint16_t>(length >> 16)) +
                               byte_swapped(static_cast<std::uint16_t>(length));
  bool good = checksum_correct(fold_checksum(transport_sum + pseudo));
  if (network.protocol == kProtocolUdp) {
    info.hash_type |= kHashUdp;
    info.layers |= kL4Udp;
    good = good || word(l4.data() + 6) == 0;  // the sender computed none
  } else {
    info.hash_type |= kHashTcp;
    const bool ack = (l4[13] & 0x10) != 0;
    const std::size_t header = (l4[12] >> 4) * std::size_t{4};
    info.layers |= !ack ? kL4TcpNoAck : l4.size() > header ? kL4TcpAckData : kL4TcpAck;
  }
  if (good) info.checks |= kL4Ok;
}

}  // namespace ringside::connectx
