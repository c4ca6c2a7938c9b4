// Small parts of the device: packet buffer, memory keys, parameters.
#include <gtest/gtest.h>

#include <deque>
#include <vector>

#include "model/connectx/config.h"
#include "model/connectx/hw/wqe.h"
#include "model/connectx/mkey_table.h"
#include "model/connectx/packet_buffer.h"

namespace ringside::connectx {
namespace {

TEST(ConnectxConfig, IntervalIsTheRateRoundedUp) {
  ConnectxConfig c;
  c.rx_packet_rate = PacketRate{215'000'000};
  EXPECT_EQ(c.packet_interval(), picoseconds(4652));  // 4651.16 ps
  c.rx_packet_rate = PacketRate{200'000'000};
  EXPECT_EQ(c.packet_interval(), picoseconds(5000));
}

TEST(MkeyTable, AllowsExactlyItsRange) {
  MkeyTable keys;
  const std::uint32_t key = keys.create(PhysAddr{0x1000}, 0x100);
  EXPECT_NE(key, kTerminateScatterLkey);
  EXPECT_TRUE(keys.allows(key, 0x1000, 0x100));
  EXPECT_TRUE(keys.allows(key, 0x10ff, 1));
  EXPECT_FALSE(keys.allows(key, 0x0fff, 1));
  EXPECT_FALSE(keys.allows(key, 0x1001, 0x100));
  EXPECT_FALSE(keys.allows(key, 0xffff'ffff'ffff'ffff, 2));
  EXPECT_FALSE(keys.allows(key + 1, 0x1000, 1));
  EXPECT_FALSE(keys.allows(0, 0x1000, 1));
  EXPECT_FALSE(keys.allows(kTerminateScatterLkey, 0x1000, 1));
  EXPECT_EQ(keys.create(PhysAddr{0x1000}, ~0ull), 0u) << "wraps";
  EXPECT_NE(keys.create(PhysAddr{0}, ~0ull), 0u) << "all of memory";
  EXPECT_TRUE(keys.destroy(key));
  EXPECT_FALSE(keys.allows(key, 0x1000, 1));
}

TEST(PacketBuffer, SpaceComesBackWhenTheLinkHasTheFrame) {
  PacketBuffer buffer(bytes(1000), 500);
  const std::vector<std::uint8_t> frame(500);
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(buffer.fits({}, 500));
    buffer.push(0, {}, nullptr, frame);
  }
  EXPECT_FALSE(buffer.fits({}, 60));
  buffer.pop({}, nanoseconds(10));
  EXPECT_FALSE(buffer.fits(picoseconds(9'999), 500));
  EXPECT_TRUE(buffer.fits(nanoseconds(10), 500));
  EXPECT_FALSE(buffer.fits(nanoseconds(10), 501));
}

TEST(PacketBuffer, FramesKeepTheirBytesThroughManyWraps) {
  PacketBuffer buffer(bytes(1000), 300);
  std::deque<std::vector<std::uint8_t>> expected;
  std::uint64_t in = 0;
  for (std::uint64_t step = 0; step < 5000; ++step) {
    const std::size_t length = 60 + step * 37 % 241;
    while (!buffer.fits({}, static_cast<std::uint32_t>(length))) {
      const auto bytes = buffer.front_bytes();
      ASSERT_EQ(std::vector<std::uint8_t>(bytes.begin(), bytes.end()), expected.front());
      buffer.pop({}, {});
      expected.pop_front();
    }
    expected.emplace_back(length, static_cast<std::uint8_t>(step));
    buffer.push(in++, {}, nullptr, expected.back());
  }
  EXPECT_EQ(buffer.packets(), expected.size());
}

}  // namespace
}  // namespace ringside::connectx
