// Stores on their way to the cache.
#include <gtest/gtest.h>

#include "model/core/store_buffer.h"

namespace ringside {
namespace {

TEST(CoreStoreBuffer, CommitsInOrderAtItsRate) {
  StoreBuffer stores(2, false);
  EXPECT_EQ(stores.commit(100, 0), 100u);
  EXPECT_EQ(stores.commit(50, 0), 100u);
  EXPECT_EQ(stores.commit(50, 0), 101u);
  EXPECT_EQ(stores.commit(101, 0), 101u);
  EXPECT_EQ(stores.commit(101, 0), 102u);
  EXPECT_EQ(stores.drained(), 102u);
}

TEST(CoreStoreBuffer, CommitsOnlyStoresOfOneLineTogetherIfSaidSo) {
  StoreBuffer stores(2, true);
  EXPECT_EQ(stores.commit(100, 7), 100u);
  EXPECT_EQ(stores.commit(100, 8), 101u);
  EXPECT_EQ(stores.commit(100, 8), 101u);
  EXPECT_EQ(stores.commit(100, 8), 102u);
}

TEST(CoreStoreBuffer, ForwardsWhatOneStoreCovers) {
  StoreBuffer stores(1, false);
  using Kind = Forwarding::Kind;
  stores.record(0x1000, 8, 20, 50);
  EXPECT_EQ(stores.find(0x1000, 8, 10).kind, Kind::covered);
  EXPECT_EQ(stores.find(0x1000, 8, 10).ready, 20u);
  EXPECT_EQ(stores.find(0x1004, 4, 49).kind, Kind::covered);
  EXPECT_EQ(stores.find(0x1004, 4, 50).kind, Kind::none);
  EXPECT_EQ(stores.find(0x1004, 8, 10).kind, Kind::partial);
  EXPECT_EQ(stores.find(0x1004, 8, 10).commit, 50u);
  EXPECT_EQ(stores.find(0x1008, 8, 10).kind, Kind::none);
  EXPECT_EQ(stores.find(0x0ffc, 4, 10).kind, Kind::none);
  stores.record(0x1004, 8, 30, 60);  // over two granules
  EXPECT_EQ(stores.find(0x1004, 8, 10).kind, Kind::covered);
  EXPECT_EQ(stores.find(0x1000, 8, 10).kind, Kind::partial);
}

TEST(CoreStoreBuffer, WhatIsUsualIsFoundInline) {
  StoreBuffer stores(1, false);
  stores.record(0x1000, 8, 20, 50);
  stores.record(0x1010, 4, 21, 51);
  EXPECT_TRUE(stores.find_usual(0x1000, 8, 10).covered);
  EXPECT_EQ(stores.find_usual(0x1000, 8, 10).ready, 20u);
  EXPECT_TRUE(stores.find_usual(0x1004, 2, 10).covered);
  EXPECT_TRUE(stores.find_usual(0x1000, 8, 50).nothing);
  EXPECT_TRUE(stores.find_usual(0x1008, 8, 10).nothing);
  for (const auto& [address, size] : {std::pair{0x1010, 8}, std::pair{0x1004, 8}, std::pair{0x1012, 4}}) {
    const StoreBuffer::Usual usual = stores.find_usual(static_cast<std::uint64_t>(address), static_cast<std::uint32_t>(size), 10);
    EXPECT_FALSE(usual.nothing || usual.covered) << std::hex << address;
  }
  stores.record_range(0x2000, 0x3000, 30, 60);
  EXPECT_FALSE(stores.find_usual(0x1000, 8, 10).covered);
  EXPECT_FALSE(stores.find_usual(0x1008, 8, 10).nothing);
  EXPECT_TRUE(stores.find_usual(0x1008, 8, 60).nothing);
}

TEST(CoreStoreBuffer, TheYoungestStoreCounts) {
  StoreBuffer stores(1, false);
  stores.record(0x1000, 8, 20, 50);
  stores.record_range(0x0f00, 0x1100, 30, 60);
  EXPECT_EQ(stores.find(0x1000, 8, 10).ready, 30u);
  stores.record(0x1000, 8, 40, 70);
  EXPECT_EQ(stores.find(0x1000, 8, 10).ready, 40u);
  EXPECT_EQ(stores.find(0x10fc, 8, 10).kind, Forwarding::Kind::partial);
}

}  // namespace
}  // namespace ringside
