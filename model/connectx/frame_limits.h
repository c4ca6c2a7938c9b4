// How long frames may be.
#pragma once

#include <cstdint>

namespace ringside::connectx {

inline constexpr std::uint32_t kMinMtu = 68;
inline constexpr std::uint32_t kMaxMtu = 9978;      // what Linux reports as maxmtu of a ConnectX
inline constexpr std::uint32_t kFrameOverMtu = 22;  // Ethernet header 14, VLAN tag 4, FCS 4
inline constexpr std::uint32_t kMaxFrame = kMaxMtu + kFrameOverMtu;

}  // namespace ringside::connectx
