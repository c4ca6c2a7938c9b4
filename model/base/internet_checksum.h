// The ones' complement sum of the Internet protocols (RFC 1071).
#pragma once

#include <cstdint>
#include <cstring>
#include <span>

namespace ringside {

// Sum, unfolded, of 16-bit words in the host's byte order: the sum does not depend on the order, only the stored result
// does.
inline std::uint64_t ones_complement_sum(std::span<const std::uint8_t> data) {
  std::uint64_t sum = 0;
  const std::uint8_t* p = data.data();
  std::size_t left = data.size();
  for (; left >= 8; left -= 8, p += 8) {
    std::uint32_t pair[2];
    std::memcpy(pair, p, sizeof pair);
    sum += std::uint64_t{pair[0]} + pair[1];
  }
  if (left >= 4) {
    std::uint32_t rest;
    std::memcpy(&rest, p, sizeof rest);
    sum += rest;
    p += 4;
    left -= 4;
  }
  if (left >= 2) {
    std::uint16_t rest;
    std::memcpy(&rest, p, sizeof rest);
    sum += rest;
    p += 2;
    left -= 2;
  }
  return left == 0 ? sum : sum + *p;
}

constexpr std::uint16_t fold_checksum(std::uint64_t sum) {
  sum = (sum & 0xffff'ffff) + (sum >> 32);
  sum = (sum & 0xffff'ffff) + (sum >> 32);
  sum = (sum & 0xffff) + (sum >> 16);
  sum = (sum & 0xffff) + (sum >> 16);
  return static_cast<std::uint16_t>(sum);
}

// True for the folded sum of data that holds its own checksum.
constexpr bool checksum_correct(std::uint16_t folded) { return folded == 0xffff; }

}  // namespace ringside
