// DMA that goes past the caches: bytes and time.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstring>

#include "tb/tests/contract/memory_board.h"

namespace ringside {
namespace {

constexpr std::uint64_t kUncachedLine = 0x1'0000;  // line 65536 of RAM: at 4 MiB

MemoryConfig soc() {
  MemoryConfig c = small_memory();
  c.ddio_ways = 0;
  c.maintenance_interval = nanoseconds(12);
  return c;
}

struct SocBoard : MemoryBoard {
  explicit SocBoard(const MemoryConfig& config = soc(), bool snoops = false)
      : MemoryBoard(config), image(ram, {address(kUncachedLine)}, {address(kUncachedLine + 64)}) {
    memory.set_dram_image(image, snoops);
  }

  // As the emulator and the pipeline do it: the byte first, then its time.
  void store(std::uint64_t line, std::uint8_t value) {
    image.stored(address(line), 1);
    *ram.host({address(line)}) = value;
    now = core.store({now}, address(line), 1).done.value;
  }
  std::uint8_t load(std::uint64_t line) {
    image.loaded(address(line), 1);
    const std::uint8_t value = *ram.host({address(line)});
    chase(line);
    return value;
  }
  void invalidate(std::uint64_t line) {
    image.invalidate(address(line), DramImage::Invalidate::clean);
    core.maintain({now}, address(line), CacheMaintenance::invalidate);
  }
  void clean(std::uint64_t line) {
    image.clean(address(line));
    core.maintain({now}, address(line), CacheMaintenance::clean);
  }
  std::uint8_t device_reads(std::uint64_t line) {
    std::array<std::uint8_t, 1> byte{};
    memory.read(nanoseconds(1), {address(line)}, byte);
    return byte[0];
  }
  void device_writes(std::uint64_t line, std::uint8_t value) {
    memory.write(nanoseconds(1), {address(line)}, std::vector<std::uint8_t>(kCacheLine, value));
  }

  DramImage image;
};

TEST(MemoryNoncoherent, AWriteIsSeenAfterTheLineIsInvalidatedAndComesFromDram) {
  SocBoard b;
  EXPECT_EQ(b.load(7), 0);
  b.device_writes(7, 9);
  EXPECT_EQ(b.load(7), 0);
  EXPECT_EQ(b.last.level, MemoryLevel::l1);
  b.invalidate(7);
  EXPECT_EQ(b.load(7), 9);
  EXPECT_EQ(b.last.level, MemoryLevel::dram);
}

TEST(MemoryNoncoherent, AWriteToAnUncachedLineIsSeenAtOnce) {
  SocBoard b;
  b.device_writes(7, 9);
  EXPECT_EQ(b.load(7), 9);
  EXPECT_EQ(b.image.counts().stale_lines, 0u);
}

// A walk over more lines than all caches hold evicts what was there: dirty lines reach DRAM, and clean ones that went stale
// are forgotten.
TEST(MemoryNoncoherent, EvictionReconcilesWithDram) {
  for (const char* policy : {"victim", "inclusive"}) {
    MemoryConfig config = soc();
    config.llc_policy = policy;
    SocBoard b(config);
    b.store(3, 7);
    b.load(4);
    b.device_writes(3, 1);
    b.device_writes(4, 9);
    EXPECT_EQ(b.device_reads(3), 1);
    for (std::uint64_t line = 100; line < 100 + 3 * 4096; ++line) b.chase(line);
    EXPECT_EQ(b.device_reads(3), 7) << policy;  // over what DMA wrote
    EXPECT_EQ(b.image.counts().overwritten_lines, 1u);
    EXPECT_EQ(b.load(4), 9) << policy;
  }
}

TEST(MemoryNoncoherent, CleaningKeepsTheLineInTheCache) {
  SocBoard b;
  b.store(7, 5);
  EXPECT_EQ(b.device_reads(7), 0);
  b.clean(7);
  EXPECT_EQ(b.device_reads(7), 5);
  b.load(7);
  EXPECT_EQ(b.last.level, MemoryLevel::l1);
  EXPECT_EQ(b.memory.counts().maintenance_writebacks, 1u);
}

TEST(MemoryNoncoherent, MaintenanceTakesOneLineAfterTheOther) {
  SocBoard b;
  // 12 ns are 24 cycles of the 2 GHz core.
  EXPECT_EQ(b.core.maintain({1000}, MemoryBoard::address(1), CacheMaintenance::clean).done.value, 1024u);
  EXPECT_EQ(b.core.maintain({1001}, MemoryBoard::address(2), CacheMaintenance::invalidate).done.value, 1048u);
  EXPECT_EQ(b.core.maintain({2000}, MemoryBoard::address(3), CacheMaintenance::clean_invalidate).done.value, 2024u);
  EXPECT_EQ(b.core.counts().lines_cleaned, 1u);
  EXPECT_EQ(b.core.counts().lines_invalidated, 2u);
}

TEST(MemoryNoncoherent, UncachedLoadsGoBeyondEveryTimeAndOverlap) {
  SocBoard b;
  for (int i = 0; i < 3; ++i) EXPECT_EQ(b.chase(kUncachedLine), 200u);  // DRAM at 100 ns
  EXPECT_EQ(b.load_at(90'000, MemoryBoard::address(kUncachedLine)).done.value, 90'200u);
  EXPECT_EQ(b.load_at(90'000, MemoryBoard::address(kUncachedLine + 1)).done.value, 90'200u);
  EXPECT_EQ(b.core.counts().uncached_loads, 5u);
  EXPECT_EQ(b.core.store({95'000}, MemoryBoard::address(kUncachedLine), 8).done.value, 95'000u);
  EXPECT_EQ(b.core.counts().uncached_stores, 1u);
}

TEST(MemoryNoncoherent, UncachedMemoryIsTheSameForCoreAndDevice) {
  SocBoard b;
  b.store(kUncachedLine, 3);
  EXPECT_EQ(b.device_reads(kUncachedLine), 3);
  b.device_writes(kUncachedLine, 4);
  EXPECT_EQ(b.load(kUncachedLine), 4);
}

// A device that snoops hides a missing sync; invalidating for it destroys what it placed in the cache if the core then
// discards dirty lines (U-Boot on AM654 was such a case).
TEST(MemoryNoncoherent, ASnoopingDeviceNeedsNoMaintenanceAndSuffersFromIt) {
  MemoryConfig config = soc();
  config.ddio_ways = 2;
  SocBoard b(config, true);
  b.load(7);
  b.device_writes(7, 9);
  EXPECT_EQ(b.load(7), 9);
  b.device_writes(8, 9);
  b.image.invalidate(MemoryBoard::address(8), DramImage::Invalidate::discard);
  EXPECT_EQ(b.load(8), 0);
}

// What a core that discards dirty lines saves from being overwritten, an eviction in time does not.
TEST(MemoryNoncoherent, ADirtyLineThatIsEvictedBeforeItIsInvalidatedOverwrites) {
  for (const bool evicted : {false, true}) {
    MemoryConfig config = soc();
    config.evict_dma_lines = evicted;
    SocBoard b(config);
    b.store(3, 7);
    b.device_writes(3, 9);
    EXPECT_EQ(b.device_reads(3), evicted ? 7 : 9);
    b.image.invalidate(MemoryBoard::address(3), DramImage::Invalidate::discard);
    b.core.maintain({b.now}, MemoryBoard::address(3), CacheMaintenance::invalidate);
    EXPECT_EQ(b.load(3), evicted ? 7 : 9);
    EXPECT_EQ(b.image.counts().overwritten_lines, evicted ? 1u : 0u);
  }
}

TEST(MemoryNoncoherent, AnEvictedLineThatWasCleanIsReadAgain) {
  MemoryConfig config = soc();
  config.evict_dma_lines = true;
  SocBoard b(config);
  b.load(3);
  b.device_writes(3, 9);
  EXPECT_EQ(b.load(3), 9);
  EXPECT_EQ(b.last.level, MemoryLevel::dram);
}

// A line stays for N places times the interval, in the mean: of 64 lines, after that time, 1 in e is left.
TEST(MemoryNoncoherent, RandomEvictionsTakeEachPlaceAlike) {
  MemoryConfig config = soc();
  config.eviction_interval = microseconds(1);
  constexpr std::uint64_t kPlaces = 64 + 512 + 4096;  // L1, L2, last level
  std::uint64_t left = 0;
  for (std::uint64_t seed = 0; seed < 16; ++seed) {
    config.eviction_seed = seed;
    SocBoard b(config);
    for (std::uint64_t line = 0; line < 512; ++line) b.load(line);  // the first ones have left L1, so that each has one place
    b.now += 2 * kPlaces * 1000;                                    // 2 GHz
    b.load(10'000);
    for (std::uint64_t line = 0; line < 64; ++line) left += b.core.holds(static_cast<LineNumber>((kTestBase / kCacheLine) + line));
  }
  EXPECT_NEAR(static_cast<double>(left) / (16 * 64), std::exp(-1.0), 0.06);
}

TEST(MemoryNoncoherent, TheSameSeedEvictsTheSameLines) {
  MemoryConfig config = soc();
  config.eviction_interval = nanoseconds(100);
  std::uint64_t done[2] = {};
  for (std::uint64_t& now : done) {
    SocBoard b(config);
    for (std::uint64_t i = 0; i < 20'000; ++i) b.load(i % 300);
    EXPECT_GT(b.memory.counts().random_evictions, 0u);
    now = b.now;
  }
  EXPECT_EQ(done[0], done[1]);
}

}  // namespace
}  // namespace ringside
