#include <gtest/gtest.h>

#include <list>
#include <map>
#include <random>

#include "model/base/errors.h"
#include "model/memory/cache.h"

namespace ringside {
namespace {

// Textbook LRU, one std::list per set.
class ReferenceCache {
 public:
  ReferenceCache(std::uint32_t sets, std::uint32_t ways) : sets_(sets), ways_(ways) {}

  bool access(LineNumber line) {
    std::list<LineNumber>& set = lists_[line % sets_];
    for (auto it = set.begin(); it != set.end(); ++it) {
      if (*it == line) {
        set.splice(set.begin(), set, it);
        return true;
      }
    }
    set.push_front(line);
    if (set.size() > ways_) set.pop_back();
    return false;
  }

 private:
  std::uint32_t sets_;
  std::uint32_t ways_;
  std::map<std::uint32_t, std::list<LineNumber>> lists_;
};

void compare_with_reference(std::uint32_t sets, std::uint32_t ways) {
  Cache cache("cache", bytes(std::uint64_t{sets} * ways * kCacheLine), ways, false);
  ASSERT_EQ(cache.sets(), sets);
  ReferenceCache reference(sets, ways);
  std::mt19937 random(1);
  std::uint32_t hits = 0;
  for (int i = 0; i < 20'000; ++i) {
    const LineNumber line = random() % (sets * ways * 2) + 0x3ff'0000 / 2;
    const bool hit = cache.find(line) != Cache::kMiss;
    if (!hit) cache.insert(line, false);
    ASSERT_EQ(hit, reference.access(line)) << "access " << i;
    hits += hit;
  }
  EXPECT_GT(hits, 5'000U);
}

TEST(MemoryCache, ReplacesExactlyTheLeastRecentLine) {
  compare_with_reference(16, 4);
  compare_with_reference(1, 32);
  compare_with_reference(64, 1);
}

TEST(MemoryCache, SetsNeedNotBeAPowerOfTwo) {
  compare_with_reference(20, 12);
  compare_with_reference(15, 20);
}

TEST(MemoryCache, AContiguousRangeOfItsSizeFitsWherever) {
  // The 60 MiB, 12-way cache of a Xeon 8380: 81,920 sets.
  Cache cache("llc", mebibytes(60), 12, false);
  EXPECT_EQ(cache.sets(), 81'920U);
  const LineNumber lines = 60 * 1024 * 1024 / 64;
  const LineNumber start = 1'234'567;
  for (LineNumber i = 0; i < lines; ++i) ASSERT_EQ(cache.insert(start + i, false).line, Cache::kNoLine);
  for (LineNumber i = 0; i < lines; ++i) ASSERT_TRUE(cache.contains(start + i));
}

TEST(MemoryCache, RestrictedAllocationEvictsOnlyItsOwnWays) {
  Cache cache("cache", bytes(8 * kCacheLine), 8, false);
  for (LineNumber line = 0; line < 8; ++line) cache.insert(line, false);  // ways 7, 6, ..., 0
  for (LineNumber line = 0; line < 6; ++line) ASSERT_NE(cache.find(line), Cache::kMiss);
  // Lines 6 and 7 sit in ways 1 and 0.
  EXPECT_EQ(cache.insert(100, true, 2).line, 6U);
  EXPECT_EQ(cache.insert(101, true, 2).line, 7U);
  const Cache::Evicted spilled = cache.insert(102, true, 2);
  EXPECT_EQ(spilled.line, 100U);
  EXPECT_TRUE(spilled.dirty);
  for (LineNumber line = 0; line < 6; ++line) EXPECT_TRUE(cache.contains(line));
}

TEST(MemoryCache, ARemovedLineLeavesTheNextWayToFill) {
  Cache cache("cache", bytes(4 * kCacheLine), 4, false);
  for (LineNumber line = 0; line < 4; ++line) cache.insert(line, line == 3);
  const Cache::Removed removed = cache.remove(3);
  EXPECT_TRUE(removed.found && removed.dirty);
  EXPECT_FALSE(cache.remove(3).found);
  EXPECT_EQ(cache.insert(9, false).line, Cache::kNoLine);
  EXPECT_EQ(cache.insert(10, false).line, 0U);
}

TEST(MemoryCache, FillTimesFollowTheirLine) {
  Cache cache("cache", bytes(4 * kCacheLine), 4, true);
  for (LineNumber line = 0; line < 4; ++line) {
    cache.insert(line, false);
    cache.fill(cache.set_of(line)) = Cache::Fill::make(100 + line, MemoryLevel::llc, line == 2);
  }
  for (LineNumber line : {2U, 0U, 3U, 1U, 2U}) {
    const Cache::Fill fill = cache.fill(cache.find(line));
    EXPECT_EQ(fill.ready(), 100 + line);
    EXPECT_EQ(fill.from(), MemoryLevel::llc);
    EXPECT_EQ(fill.prefetched(), line == 2);
  }
}

TEST(MemoryCache, RejectsSizesThatMakeNoWholeSets) {
  EXPECT_THROW(Cache("c", bytes(1000), 4, false), InputError);
  EXPECT_THROW(Cache("c", bytes(10 * kCacheLine), 4, false), InputError);
  EXPECT_THROW(Cache("c", bytes(64 * kCacheLine), 64, false), InputError);
}

}  // namespace
}  // namespace ringside
