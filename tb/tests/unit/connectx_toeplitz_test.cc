// The vectors of Microsoft's "Verifying the RSS hash calculation".
#include <gtest/gtest.h>

#include <vector>

#include "model/connectx/toeplitz.h"

namespace ringside::connectx {
namespace {

struct Vector {
  std::vector<std::uint8_t> tuple;  // source, destination, source port, destination port
  std::size_t addresses;            // bytes of both
  std::uint32_t ip_hash, tcp_hash;
};

TEST(Toeplitz, MatchesPublishedVectors) {
  const std::vector<Vector> vectors = {
      {{66, 9, 149, 187, 161, 142, 100, 80, 2794 >> 8, 2794 & 255, 1766 >> 8, 1766 & 255}, 8, 0x323e8fc2, 0x51ccc178},
      {{199, 92, 111, 2, 65, 69, 140, 83, 14230 >> 8, 14230 & 255, 4739 >> 8, 4739 & 255}, 8, 0xd718262a, 0xc626b0ea},
      {{24, 19, 198, 95, 12, 22, 207, 184, 12898 >> 8, 12898 & 255, 38024 >> 8, 38024 & 255},
       8,
       0xd2d0a5de,
       0x5c2b394a},
      {{38, 27, 205, 30, 209, 142, 163, 6, 48228 >> 8, 48228 & 255, 2217 >> 8, 2217 & 255}, 8, 0x82989176, 0xafc7327f},
      {{0x3f, 0xfe, 0x25, 0x01, 0x02, 0x00, 0x1f, 0xff, 0, 0, 0, 0, 0, 0, 0,         7,          0x3f,      0xfe,
        0x25, 0x01, 0x02, 0x00, 0x00, 0x03, 0,    0,    0, 0, 0, 0, 0, 1, 2794 >> 8, 2794 & 255, 1766 >> 8, 1766 & 255},
       32,
       0x2cc18cd5,
       0x40207d3d}};
  const Toeplitz toeplitz;
  for (const Vector& v : vectors) {
    const std::span<const std::uint8_t> tuple(v.tuple);
    const std::uint32_t ip = toeplitz.part(tuple.first(v.addresses), 0);
    EXPECT_EQ(ip, v.ip_hash);
    EXPECT_EQ(ip ^ toeplitz.part(tuple.subspan(v.addresses), v.addresses), v.tcp_hash);
  }
}

}  // namespace
}  // namespace ringside::connectx
