// Frames as a wire would bring them, and completions as a ConnectX would describe them.
#pragma once

#include <cstdint>
#include <vector>

#include "driver/mlx5e/mlx5.h"
#include "driver/net/headers.h"
#include "model/guest/contract.h"

namespace ringside {

struct TcpSegment {
  std::uint32_t seq = 1000;
  std::uint32_t length = 1448;
  std::uint32_t flags = TCP_FLAG_ACK;  // in network order
  std::uint16_t source_port = 40000;
  std::uint16_t dest_port = 80;
  std::uint32_t ack = 77;
  std::uint16_t window = 500;
  std::uint8_t ttl = 64;
  std::uint16_t id = 0;
  std::uint16_t frag_off = IP_DF;
  std::uint32_t options = 0;    // bytes, a multiple of 4
  std::uint32_t timestamp = 0;  // not 0: the options begin with two no-ops and time stamps
  bool stream = false;          // the payload is that of the peer's stream
};

using Bytes = std::vector<std::uint8_t>;

// Folded sum of a packet's bytes as 16-bit words in the machine's order.
std::uint16_t sum_of(const std::uint8_t* bytes, std::size_t count);

// With right checksums. The payload's bytes are those of the sequence numbers.
Bytes tcp_frame(const TcpSegment& segment);
std::uint8_t tcp_payload_byte(std::uint32_t seq);
// `length`: of the datagram's payload.
Bytes udp_frame(std::uint32_t length, bool checksum = true);
Bytes arp_frame();

// As the device would complete it: sum of all after the Ethernet header, verified checksums, hash.
connectx::cqe64 completion_of(const Bytes& frame, std::uint32_t hash = 0x1234'5678);

}  // namespace ringside
