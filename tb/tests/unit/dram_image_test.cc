// What core and DRAM hold, access by access. The caches are the test's.
#include "model/memory/dram_image.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>

namespace ringside {
namespace {

constexpr std::uint64_t kBase = 0x10'0000;
constexpr std::uint64_t kLine = kBase + 5 * kCacheLine;

struct Views {
  PhysicalMemory ram{PhysAddr{kBase}, mebibytes(1)};
  DramImage image{ram, PhysAddr{kBase + 0x8'0000}, PhysAddr{kBase + 0x8'1000}};

  void core_store(std::uint64_t address, std::uint8_t value) {
    image.stored(address, 1);
    *ram.host(PhysAddr{address}) = value;
  }
  std::uint8_t core_load(std::uint64_t address) {
    fresh = image.loaded(address, 1);
    return *ram.host(PhysAddr{address});
  }
  void device_write(std::uint64_t address, std::uint8_t value, bool cached) {
    image.write(PhysAddr{address}, std::array{value}, cached);
  }
  std::uint8_t device_read(std::uint64_t address) const {
    std::array<std::uint8_t, 1> byte{};
    image.read(PhysAddr{address}, byte);
    return byte[0];
  }
  bool fresh = true;
};

TEST(DramImage, ADeviceSeesAStoreOnlyAfterItIsCleaned) {
  Views v;
  v.core_store(kLine, 7);
  EXPECT_EQ(v.core_load(kLine), 7);
  EXPECT_EQ(v.device_read(kLine), 0);
  v.image.clean(kLine + 63);
  EXPECT_EQ(v.device_read(kLine), 7);
  EXPECT_EQ(v.core_load(kLine), 7);
}

TEST(DramImage, ADeviceSeesAStoreAfterTheLineIsEvicted) {
  Views v;
  v.core_store(kLine, 7);
  v.image.left(kLine / kCacheLine);
  EXPECT_EQ(v.device_read(kLine), 7);
}

TEST(DramImage, TheCoreKeepsACachedLineUntilItInvalidates) {
  Views v;
  v.device_write(kLine, 9, true);
  EXPECT_EQ(v.core_load(kLine), 0);
  EXPECT_FALSE(v.fresh);
  EXPECT_EQ(v.image.counts().stale_lines, 1u);
  EXPECT_EQ(v.image.counts().stale_loads, 1u);
  // Other bytes of the line are the same here and there.
  EXPECT_EQ(v.core_load(kLine + 1), 0);
  EXPECT_TRUE(v.fresh);
  v.image.invalidate(kLine, DramImage::Invalidate::clean);
  EXPECT_EQ(v.core_load(kLine), 9);
  EXPECT_TRUE(v.fresh);
}

TEST(DramImage, AnEvictedCleanLineIsReadAnew) {
  Views v;
  v.device_write(kLine, 9, true);
  v.image.left(kLine / kCacheLine);
  EXPECT_EQ(v.core_load(kLine), 9);
}

TEST(DramImage, TheCoreSeesAWriteToALineThatNoCacheHolds) {
  Views v;
  v.device_write(kLine, 9, false);
  EXPECT_EQ(v.core_load(kLine), 9);
  EXPECT_TRUE(v.fresh);
}

// The corruption of a missing sync: the write-back of an old dirty line takes 64 bytes of the packet with it.
TEST(DramImage, AnEvictedDirtyLineReplacesWhatDmaWrote) {
  Views v;
  v.core_store(kLine + 8, 7);
  v.device_write(kLine, 9, true);
  v.image.left(kLine / kCacheLine);
  EXPECT_EQ(v.core_load(kLine), 0);
  EXPECT_EQ(v.device_read(kLine), 0);
  EXPECT_EQ(v.core_load(kLine + 8), 7);
  EXPECT_EQ(v.image.counts().overwritten_lines, 1u);
}

TEST(DramImage, InvalidatingADirtyLineDiscardsOrWritesBack) {
  for (const auto how : {DramImage::Invalidate::discard, DramImage::Invalidate::clean}) {
    const bool discards = how == DramImage::Invalidate::discard;
    Views v;
    v.core_store(kLine + 8, 7);
    v.device_write(kLine, 9, true);
    v.image.invalidate(kLine, how);
    EXPECT_EQ(v.core_load(kLine), discards ? 9 : 0);
    EXPECT_EQ(v.core_load(kLine + 8), discards ? 0 : 7);
    EXPECT_EQ(v.image.counts().discarded_lines, discards ? 1u : 0u);
    EXPECT_EQ(v.image.counts().overwritten_lines, discards ? 0u : 1u);
  }
}

TEST(DramImage, CleaningAStaleLineThatIsNotDirtyChangesNothing) {
  Views v;
  v.device_write(kLine, 9, true);
  v.image.clean(kLine);
  EXPECT_EQ(v.device_read(kLine), 9);
  EXPECT_EQ(v.core_load(kLine), 0);
}

TEST(DramImage, MemoryThatIsNotCachedIsTheSameForBoth) {
  Views v;
  v.core_store(kBase + 0x8'0000, 7);
  EXPECT_EQ(v.device_read(kBase + 0x8'0000), 7);
  v.device_write(kBase + 0x8'0000, 9, true);
  EXPECT_EQ(v.core_load(kBase + 0x8'0000), 9);
  EXPECT_TRUE(v.fresh);
}

TEST(DramImage, AnAccessOverTwoLinesConcernsBoth) {
  Views v;
  v.image.stored(kLine + 60, 8);
  const std::uint64_t ones = ~0ULL;
  std::memcpy(v.ram.host(PhysAddr{kLine + 60}), &ones, sizeof ones);
  v.image.clean(kLine);
  EXPECT_EQ(v.device_read(kLine + 60), 0xff);
  EXPECT_EQ(v.device_read(kLine + 64), 0);
  v.image.clean(kLine + 64);
  EXPECT_EQ(v.device_read(kLine + 64), 0xff);
}

TEST(DramImage, AddressesOutsideOfRamAreNoConcern) {
  Views v;
  v.image.stored(0xe000'0000, 4);
  EXPECT_TRUE(v.image.loaded(0xe000'0000, 4));
  v.image.clean(0x1000);
  v.image.invalidate(0xf000'0000, DramImage::Invalidate::discard);
}

}  // namespace
}  // namespace ringside
