// Registers and completion entries of the mailbox NIC. Freestanding; shared by the device model and guests.
#pragma once

#include <cstdint>

namespace ringside::mailbox {

// Offsets in BAR 0; each register has 8 bytes and is written only.
inline constexpr std::uint64_t kRing = 0x00;     // address of the completion entries
inline constexpr std::uint64_t kBuffers = 0x08;  // address of the buffers, kBufferSize apart
inline constexpr std::uint64_t kEntries = 0x10;  // of both; starts reception
inline constexpr std::uint64_t kTail = 0x18;     // entries that the host has given, counted from the beginning
inline constexpr std::uint64_t kArm = 0x20;      // any value: one interrupt for what comes next, or has come
inline constexpr std::uint64_t kBufferSize = 2048;
inline constexpr std::uint32_t kVector = 0;

struct completion {
  std::uint32_t length;  // bytes without frame check sequence
  std::uint32_t lap;     // 1 in the first lap of the ring, then 2, ...
};
static_assert(sizeof(completion) == 8);

}  // namespace ringside::mailbox
