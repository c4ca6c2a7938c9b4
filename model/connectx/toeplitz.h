// The Toeplitz hash of receive-side scaling.
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace ringside::connectx {

inline constexpr std::size_t kRssKeyBytes = 40;

// The key with which Microsoft's "Verifying the RSS hash calculation" publishes test vectors; many drivers default to
// it.
inline constexpr std::array<std::uint8_t, kRssKeyBytes> kDefaultRssKey = {
    0x6d, 0x5a, 0x56, 0xda, 0x25, 0x5b, 0x0e, 0xc2, 0x41, 0x67, 0x25, 0x3d, 0x43, 0xa3,
    0x8f, 0xb0, 0xd0, 0xca, 0x2b, 0xcb, 0xae, 0x7b, 0x30, 0xb4, 0x77, 0xcb, 0x2d, 0xa3,
    0x80, 0x30, 0xf2, 0x0c, 0x6a, 0x42, 0xb7, 0x3b, 0xbe, 0xac, 0x01, 0xfa};

// Hash with a fixed key, by table look-up of half bytes.
class Toeplitz {
 public:
  static constexpr std::size_t kMaxInput = 36;  // IPv6 addresses and ports

  explicit Toeplitz(const std::array<std::uint8_t, kRssKeyBytes>& key = kDefaultRssKey);

  // Contribution of `input` standing `offset` bytes from the start of the hashed tuple; contributions combine by xor.
  std::uint32_t part(std::span<const std::uint8_t> input, std::size_t offset) const {
    std::uint32_t hash = 0;
    for (std::size_t i = 0; i < input.size(); ++i) {
      hash ^= table_[2 * (offset + i)][input[i] >> 4] ^ table_[2 * (offset + i) + 1][input[i] & 15];
    }
    return hash;
  }

 private:
  std::array<std::array<std::uint32_t, 16>, 2 * kMaxInput> table_{};
};

}  // namespace ringside::connectx
