// The instruction sets that a core can have.
#pragma once

#include <cstdint>
#include <string_view>

namespace ringside {

enum class Architecture : std::uint8_t { x86_64, aarch64 };

constexpr std::string_view name(Architecture architecture) {
  return architecture == Architecture::x86_64 ? "x86_64" : "aarch64";
}

}  // namespace ringside
