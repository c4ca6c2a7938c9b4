#include "model/connectx/toeplitz.h"

namespace ringside::connectx {

Toeplitz::Toeplitz(const std::array<std::uint8_t, kRssKeyBytes>& key) {
  // The 32 bits of the key that start at a bit position.
  const auto window = [&key](std::size_t bit) {
    std::uint32_t w = 0;
    for (std::size_t b = bit; b < bit + 32; ++b) w = w << 1 | (key[b / 8] >> (7 - b % 8) & 1);
    return w;
  };
  for (std::size_t half = 0; half < table_.size(); ++half) {
    for (std::uint32_t value = 0; value < 16; ++value) {
      for (std::size_t bit = 0; bit < 4; ++bit) {
        if (value >> (3 - bit) & 1) table_[half][value] ^= window(half * 4 + bit);
      }
    }
  }
}

}  // namespace ringside::connectx
