// The bytes that the TCP peer on the wire sends, so that a reader can tell whether they came through. Freestanding: peer
// and guest share it.
#pragma once

#include <cstdint>

namespace ringside::guest {

// Connection f of the peer comes from 198.18.0.1 port kPeerPort + f and is established before the run begins: the first
// byte of its data has sequence number 1, the guest at 198.19.0.1 port kServerPort sends none and acknowledges with sequence
// number 1. Both sides use timestamps, and window fields count units of 2^kWindowShift bytes.
inline constexpr std::uint16_t kPeerPort = 1024;
inline constexpr std::uint16_t kServerPort = 5001;  // iperf's
inline constexpr std::uint32_t kWindowShift = 7;
inline constexpr std::uint32_t kFirstSequence = 1;

// Bytes [8 i, 8 i + 8) of every stream, the lowest byte first. Neighbouring words differ in all bytes.
constexpr std::uint64_t stream_word(std::uint64_t i) {
  const std::uint64_t z = (i + 1) * 0x9e37'79b9'7f4a'7c15;
  return z ^ z >> 31;
}
constexpr std::uint8_t stream_byte(std::uint64_t offset) {
  return static_cast<std::uint8_t>(stream_word(offset / 8) >> (offset % 8 * 8));
}

}  // namespace ringside::guest
