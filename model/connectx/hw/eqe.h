// ConnectX event queue entry, 64 bytes. Freestanding. Owner bit in byte 63; the entry of consumer index ci is valid iff
// owner == (ci >> log_size) & 1, so that memory initialised with kEqeInitOwner holds nothing on the first lap.
#pragma once

#include <cstddef>
#include <cstdint>

#include "model/base/bigendian.h"

namespace ringside::connectx {

struct eqe {
  std::uint8_t rsvd0;
  std::uint8_t type;
  std::uint8_t rsvd2;
  std::uint8_t sub_type;
  std::uint8_t rsvd4[28];
  be32 data[7];  // completion event: data[6] low 24 bits = CQ number; CQ error: data[0] = CQ number, data[2] = syndrome
  be16 rsvd60;
  std::uint8_t signature;
  std::uint8_t owner;
};
static_assert(sizeof(eqe) == 64 && offsetof(eqe, data) == 32 && offsetof(eqe, owner) == 63);

enum EqeType : std::uint8_t {
  kEventCompletion = 0x00,
  kEventCqError = 0x04,
};

inline constexpr std::uint8_t kEqeInitOwner = 1;

inline constexpr std::uint32_t kCqErrorOverrun = 1;

}  // namespace ringside::connectx
