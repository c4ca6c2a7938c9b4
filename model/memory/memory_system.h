// The coherent memory of a board: cores' caches, the last-level cache that DMA reaches too, and DRAM. Timing and tags
// only; the bytes are in PhysicalMemory.
#pragma once

#include <cstdint>
#include <deque>
#include <span>

#include "model/base/units.h"
#include "model/memory/cache.h"
#include "model/memory/config.h"
#include "model/memory/core_memory.h"
#include "model/memory/dram_image.h"
#include "model/memory/dram.h"
#include "model/memory/physical_memory.h"
#include "model/memory/ports.h"
#include "model/memory/random_eviction.h"
#include "model/probe/statistics.h"

namespace ringside {

struct SharedMemoryCounts {
  std::uint64_t ddio_updates = 0;
  std::uint64_t ddio_allocations = 0;
  std::uint64_t ddio_evictions = 0;
  std::uint64_t dma_write_lines = 0;
  std::uint64_t dma_writes_dram = 0;
  std::uint64_t dma_partial_fills = 0;
  std::uint64_t dma_reads_llc = 0;
  std::uint64_t dma_reads_dram = 0;
  std::uint64_t llc_writebacks = 0;
  std::uint64_t maintenance_writebacks = 0;
  std::uint64_t random_evictions = 0;
};

// Last-level cache. "victim" (Skylake-SP and later, EPYC): it is filled by evictions of the second level; a core's read
// moves the line out, and reads of DRAM bypass it. "inclusive" (Broadwell and earlier): it holds every line of the
// private caches, which lose a line that it evicts. DMA writes with DDIO update a line that the last level has, or
// allocate in the first ddio_ways ways of its set; without, they go to DRAM and no cache keeps a copy. A write of part
// of a line that no cache has reads the rest from DRAM first. DMA reads are served by any cache that has the line and
// leave all caches as they are.
//
// With a DramImage the bytes of DRAM and of the core's view are kept apart. DMA that snoops works as above, with what it
// allocates in the last level dirty there; DMA that does not, reaches DRAM only and no cache hears of it.
class MemorySystem final : public DmaPort {
 public:
  // The memory must outlive this and end below 4 GiB. Throws InputError for sizes that make no cache.
  MemorySystem(PhysicalMemory& memory, const MemoryConfig& config);
  MemorySystem(const MemorySystem&) = delete;
  MemorySystem& operator=(const MemorySystem&) = delete;

  // The next core, numbered from 0. References stay valid.
  CoreMemory& add_core(Frequency frequency);
  CoreMemory& core_port(std::size_t core) { return cores_[core]; }

  // `image` says what DRAM holds; without `snoops`, DMA goes past the caches. Before the first access.
  void set_dram_image(DramImage& image, bool snoops) {
    image_ = &image;
    snoops_ = snoops;
  }

  Time write(Time at, PhysAddr address, std::span<const std::uint8_t> data) override;
  Time read(Time at, PhysAddr address, std::span<std::uint8_t> data) override;

  // Call when all cores have been added. Names of a core's statistics have its number in front if there are several.
  void register_statistics(Statistics& statistics) const;

  const SharedMemoryCounts& counts() const { return counts_; }
  const Dram& dram() const { return dram_; }

  // What a core's caches ask of the rest. A source other than dram takes the last level's
  // latency, or that of a snoop.
  struct Source {
    MemoryLevel level;
    bool dirty;
    bool modified = false;  // it comes from another core, which had changed it ...
    Cycle from{};           // ... and does not have it earlier, by the clock of that core
  };
  Source read_line(const CoreMemory& core, LineNumber line);
  Time read_dram(Time at) { return dram_.read(at); }
  void evicted(LineNumber line, bool dirty);
  // read_line() or evicted() will probably follow.
  void expect(LineNumber line) const { llc_.expect(line); }
  // Removes the copies of other cores; true if there were any.
  bool take_ownership(const CoreMemory& core, LineNumber line);
  bool uncached(std::uint64_t address) const { return image_ != nullptr && image_->uncached(address); }
  void maintain(LineNumber line, CacheMaintenance what);
  // Whether, and which, lines leave the caches though there is room for them.
  bool evicts() const { return config_.eviction_interval.value != 0; }
  void evict_at_random(Time now);
  // A cache has let go of a clean copy that nobody may have written down.
  void may_have_left(LineNumber line);

 private:
  Time write_line(Time at, LineNumber line, bool whole);
  Time write_past_caches(Time at, PhysAddr address, std::span<const std::uint8_t> data);
  Time read_past_caches(Time at, PhysAddr address, std::span<std::uint8_t> data);
  void move_snooped_bytes(PhysAddr address, std::span<const std::uint8_t> data);
  bool cached(LineNumber line) const;
  Time read_line_for_dma(Time at, LineNumber line);
  Source read_other_core(const CoreMemory& core, LineNumber line);
  bool make_room(Cache::Evicted victim);
  Cache::Removed drop_copies(LineNumber line);
  LineNumber line_at(std::uint32_t place) const;
  void evict(LineNumber line);

  PhysicalMemory& memory_;
  MemoryConfig config_;
  bool inclusive_;
  std::uint32_t ddio_ways_;
  Time dram_extra_;  // what DRAM takes longer than the last-level cache
  Cache llc_;
  Dram dram_;
  DramImage* image_ = nullptr;
  bool snoops_ = true;
  RandomEviction random_eviction_;
  SharedMemoryCounts counts_;
  std::deque<CoreMemory> cores_;
};

}  // namespace ringside
