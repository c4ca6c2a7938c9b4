// The pipeline's bookkeeping: execution slots by cycle, and stores on their way to the cache.
#include <gtest/gtest.h>

#include "model/core/calendar.h"
#include "model/core/store_buffer.h"

namespace ringside {
namespace {

TEST(CoreCalendar, SlotsOfACycleAreTakenOnce) {
  Calendar calendar;
  EXPECT_EQ(calendar.book(Port::load, 10, 2), 10u);
  EXPECT_EQ(calendar.book(Port::load, 10, 2), 10u);
  EXPECT_EQ(calendar.book(Port::load, 10, 2), 11u);
  EXPECT_EQ(calendar.book(Port::alu, 10, 2), 10u);
  EXPECT_EQ(calendar.book(Port::load, 5, 2), 5u);
}

TEST(CoreCalendar, FillingLeavesWhatIsTaken) {
  Calendar calendar;
  calendar.book(Port::alu, 11, 4);
  EXPECT_EQ(calendar.fill(Port::alu, 10, 8, 4), 13u);
  EXPECT_EQ(calendar.book(Port::alu, 10, 4), 12u);
}

TEST(CoreCalendar, CyclesThatShareAPlaceDoNotDisturbEachOther) {
  Calendar calendar;
  calendar.book(Port::alu, 5, 1);
  EXPECT_EQ(calendar.book(Port::alu, 5 + 1024, 1), 5u + 1024);
  EXPECT_EQ(calendar.book(Port::alu, 5 + 1024, 1), 6u + 1024);
  calendar.clear(4096);
  EXPECT_EQ(calendar.book(Port::alu, 5 + 4096, 1), 5u + 4096);
}

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
