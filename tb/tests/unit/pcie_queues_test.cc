#include <gtest/gtest.h>

#include <deque>

#include "model/fabric/credit_pool.h"
#include "model/fabric/link_direction.h"
#include "model/fabric/posted_queue.h"
#include "model/fabric/slot_pool.h"

namespace ringside {
namespace {

TEST(PcieRingBuffer, KeepsOrderAndIndicesWhenItGrows) {
  RingBuffer<int> ring(4);
  for (int i = 0; i < 3; ++i) ring.push(i);
  ring.pop();
  ring.pop();
  std::uint64_t seven = 0;
  for (int i = 3; i < 20; ++i) {
    const std::uint64_t index = ring.push(i);
    if (i == 7) seven = index;
  }
  EXPECT_EQ(ring.size(), 18u);
  EXPECT_EQ(ring.at(seven), 7);
  for (int i = 2; i < 20; ++i) {
    EXPECT_EQ(ring.front(), i);
    ring.pop();
  }
  EXPECT_TRUE(ring.empty());
}

TEST(PcieSlotPool, ReusesSlots) {
  SlotPool<int> pool;
  const auto a = pool.acquire();
  const auto b = pool.acquire();
  EXPECT_NE(a, b);
  pool.release(a);
  EXPECT_EQ(pool.acquire(), a);
}

TEST(PciePostedQueue, ReturnsEveryPayloadWholeAcrossWrapsAndGrowth) {
  PostedQueue queue;
  std::deque<std::vector<std::uint8_t>> expected;
  std::uint32_t state = 1;
  for (int round = 0; round < 4000; ++round) {
    state = state * 1664525 + 1013904223;
    std::vector<std::uint8_t> data(1 + (state >> 8) % 9600, static_cast<std::uint8_t>(round));
    data.front() = static_cast<std::uint8_t>(round >> 8);
    queue.push(PhysAddr{static_cast<std::uint64_t>(round)}, data, 1, 0);
    expected.push_back(data);
    // 30 writes in flight are more than the initial 64 KiB hold.
    while (expected.size() > (round < 1000 ? 5u : 30u)) {
      ASSERT_EQ(queue.front().address.value, static_cast<std::uint64_t>(round) + 1 - expected.size());
      const auto got = queue.front_data();
      ASSERT_TRUE(std::equal(got.begin(), got.end(), expected.front().begin(), expected.front().end())) << round;
      queue.pop();
      expected.pop_front();
    }
  }
}

TEST(PcieCreditPool, HeaderIsBackWhenTheOldestReturns) {
  CreditPool pool(2, 0);
  EXPECT_EQ(pool.room(picoseconds(10), 4), picoseconds(10));
  pool.take(picoseconds(100), 4);
  EXPECT_EQ(pool.room(picoseconds(10), 4), picoseconds(10));
  pool.take(picoseconds(150), 4);
  EXPECT_EQ(pool.room(picoseconds(20), 4), picoseconds(100));
  EXPECT_EQ(pool.room(picoseconds(20), 4), picoseconds(100)) << "asking twice changes nothing";
  pool.take(picoseconds(200), 4);
  EXPECT_EQ(pool.room(picoseconds(160), 4), picoseconds(160));
}

TEST(PcieCreditPool, DataWaitsForAsManyReturnsAsItNeeds) {
  CreditPool pool(0, 8);
  for (std::uint64_t i = 1; i <= 4; ++i) pool.take(picoseconds(100 * i), 2);
  EXPECT_EQ(pool.room(Time{}, 1), picoseconds(100));
  EXPECT_EQ(pool.room(Time{}, 5), picoseconds(300));
}

TEST(PcieCreditPool, PostponedCreditsComeLater) {
  CreditPool pool(1, 0);
  const auto first = pool.take(picoseconds(100), 1);
  pool.postpone(first, 1, picoseconds(130));
  pool.postpone(first, 1, picoseconds(110));
  EXPECT_EQ(pool.room(Time{}, 1), picoseconds(130));
  pool.postpone(first, 1, picoseconds(900));  // already back
  EXPECT_EQ(pool.room(picoseconds(140), 1), picoseconds(140));
}

TEST(PcieLinkDirection, BackToBackTransfersLoseNoFractions) {
  LinkDirection link(Bandwidth{3'000'000'000'000});  // 8/3 ps for a byte
  Time end{};
  for (int i = 0; i < 3'000'000; ++i) end = link.send(Time{}, 1);
  // 2^-20 ps of rounding for a byte is 3 ps in 3 million.
  EXPECT_NEAR(static_cast<double>(end.value), 8'000'000.0, 4.0);
  EXPECT_EQ(link.send(end + picoseconds(100), 3), end + picoseconds(107))
      << "an idle link starts on a whole picosecond";
}

}  // namespace
}  // namespace ringside
