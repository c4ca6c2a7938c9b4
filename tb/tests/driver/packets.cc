#include "tb/tests/driver/packets.h"

#include <cstring>

#include "model/guest/stream.h"

namespace ringside {

namespace cx = connectx;

namespace {

constexpr std::size_t kIp = 14, kTransport = 34;

template <class T>
void put(Bytes& frame, std::size_t at, T value) {
  std::memcpy(frame.data() + at, &value, sizeof value);
}

void put_ethernet_and_ip(Bytes& frame, std::uint8_t protocol, std::uint8_t ttl, std::uint16_t id,
                         std::uint16_t frag_off) {
  ethhdr eth{};
  std::memcpy(eth.h_dest, guest::kNicMac, sizeof eth.h_dest);
  eth.h_source[0] = 2;
  eth.h_source[5] = 9;
  eth.h_proto = htons(ETH_P_IP);
  put(frame, 0, eth);
  iphdr ip{};
  ip.version = 4;
  ip.ihl = 5;
  ip.tot_len = htons(static_cast<std::uint16_t>(frame.size() - kIp));
  ip.id = htons(id);
  ip.frag_off = htons(frag_off);
  ip.ttl = ttl;
  ip.protocol = protocol;
  ip.saddr = htonl(0xc612'0001);
  ip.daddr = htonl(0xc613'0001);
  put(frame, kIp, ip);
  ip.check = static_cast<std::uint16_t>(~sum_of(frame.data() + kIp, sizeof ip));
  put(frame, kIp, ip);
}

std::uint16_t transport_checksum(const Bytes& frame, std::uint8_t protocol) {
  const std::size_t length = frame.size() - kTransport;
  Bytes pseudo(frame.begin() + kIp + 12, frame.begin() + kIp + 20);
  pseudo.insert(pseudo.end(), {0, protocol, static_cast<std::uint8_t>(length >> 8), static_cast<std::uint8_t>(length)});
  pseudo.insert(pseudo.end(), frame.begin() + kTransport, frame.end());
  return static_cast<std::uint16_t>(~sum_of(pseudo.data(), pseudo.size()));
}

}  // namespace

std::uint16_t sum_of(const std::uint8_t* bytes, std::size_t count) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < count; ++i) sum += static_cast<std::uint64_t>(bytes[i]) << (i % 2 * 8);
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >> 16);
  return static_cast<std::uint16_t>(sum);
}

std::uint8_t tcp_payload_byte(std::uint32_t seq) { return static_cast<std::uint8_t>(seq * 7 + (seq >> 8)); }

Bytes tcp_frame(const TcpSegment& segment) {
  const std::size_t header = sizeof(tcphdr) + segment.options;
  Bytes frame(kTransport + header + segment.length);
  put_ethernet_and_ip(frame, IPPROTO_TCP, segment.ttl, segment.id, segment.frag_off);
  tcphdr th{};
  th.source = htons(segment.source_port);
  th.dest = htons(segment.dest_port);
  th.seq = htonl(segment.seq);
  th.ack_seq = htonl(segment.ack);
  th.flags = segment.flags | htonl(static_cast<std::uint32_t>(header / 4) << 28 | segment.window);
  put(frame, kTransport, th);
  for (std::size_t i = 0; i < segment.options; ++i) frame[kTransport + sizeof th + i] = 1;
  if (segment.timestamp != 0) {
    put(frame, kTransport + sizeof th, htonl(0x0101'080a));
    put(frame, kTransport + sizeof th + 4, htonl(segment.timestamp));
    put(frame, kTransport + sizeof th + 8, 0u);
  }
  for (std::uint32_t i = 0; i < segment.length; ++i) {
    const std::uint32_t seq = segment.seq + i;
    frame[kTransport + header + i] =
        segment.stream ? guest::stream_byte(seq - guest::kFirstSequence) : tcp_payload_byte(seq);
  }
  th.check = transport_checksum(frame, IPPROTO_TCP);
  put(frame, kTransport, th);
  return frame;
}

Bytes udp_frame(std::uint32_t length, bool checksum) {
  Bytes frame(kTransport + sizeof(udphdr) + length);
  put_ethernet_and_ip(frame, IPPROTO_UDP, 64, 0, IP_DF);
  udphdr uh{};
  uh.source = htons(49152);
  uh.dest = htons(9);
  uh.len = htons(static_cast<std::uint16_t>(sizeof uh + length));
  put(frame, kTransport, uh);
  for (std::uint32_t i = 0; i < length; ++i) frame[kTransport + sizeof uh + i] = static_cast<std::uint8_t>(i * 3);
  if (checksum) {
    uh.check = transport_checksum(frame, IPPROTO_UDP);
    put(frame, kTransport, uh);
  }
  return frame;
}

Bytes arp_frame() {
  Bytes frame(60);
  std::memset(frame.data(), 0xff, 6);
  frame[12] = 0x08;
  frame[13] = 0x06;
  return frame;
}

cx::cqe64 completion_of(const Bytes& frame, std::uint32_t hash) {
  cx::cqe64 entry{};
  entry.rss_hash_result = hash;
  entry.rss_hash_type = cx::kHashIpv4 | (frame[kIp + 9] == IPPROTO_TCP ? cx::kHashTcp : cx::kHashUdp);
  entry.check_sum.raw = sum_of(frame.data() + kIp, frame.size() - kIp);
  entry.hds_ip_ext = cx::kL2Ok | cx::kL3Ok | cx::kL4Ok;
  return entry;
}

}  // namespace ringside
