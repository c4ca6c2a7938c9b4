#include "tb/report/printable.h"

#include <fmt/format.h>

#include <cstdint>

namespace ringside {
namespace {

struct CodePoint {
  std::uint32_t value;
  std::size_t bytes;  // 0: no UTF-8 here
};

// The code point at the start of `text`, which is not empty.
CodePoint decode(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return {first, 1};
  const std::size_t bytes = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < bytes) return {0, 0};
  std::uint32_t value = first & (0x7fU >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return {0, 0};
    value = (value << 6) | (byte(i) & 0x3f);
  }
  constexpr std::uint32_t kShortest[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = value >= 0xd800 && value <= 0xdfff;
  return value < kShortest[bytes] || value > 0x10ffff || surrogate ? CodePoint{0, 0} : CodePoint{value, bytes};
}

bool commands(std::uint32_t c) {
  const bool control = c < 0x20 || (c >= 0x7f && c < 0xa0);
  const bool invisible = (c >= 0x200b && c <= 0x200f) || (c >= 0x2028 && c <= 0x202e) || (c >= 0x2060 && c <= 0x206f) ||
                         c == 0xfeff || c == 0xfffe || c == 0xffff || c == 0x061c || c >= 0xe0000;
  return control || invisible;
}

}  // namespace

std::string printable(std::string_view text, std::size_t longest) {
  std::string result;
  while (!text.empty()) {
    const CodePoint c = decode(text);
    std::string next;
    if (c.bytes == 0) {
      next = fmt::format("\\x{:02x}", static_cast<unsigned char>(text.front()));
    } else if (commands(c.value)) {
      next = c.value < 0x80 ? fmt::format("\\x{:02x}", c.value) : fmt::format("\\u{:04x}", c.value);
    } else {
      next = text.substr(0, c.bytes);
    }
    if (result.size() + next.size() > longest) return result + "...";
    result += next;
    text.remove_prefix(c.bytes == 0 ? 1 : c.bytes);
  }
  return result;
}

}  // namespace ringside
