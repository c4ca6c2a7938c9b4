// One core's side of the memory system: first-level caches, second level, translation, prefetchers.
#pragma once

#include <cstdint>
#include <vector>

#include "model/memory/cache.h"
#include "model/memory/config.h"
#include "model/memory/first_level.h"
#include "model/memory/miss_buffers.h"
#include "model/memory/ports.h"
#include "model/memory/stream_prefetcher.h"

namespace ringside {

class MemorySystem;

// A load, store or prefetch of the first level takes a fill buffer of its line's bank when it misses; a miss of the second level takes one
// of its outstanding entries as well, and a hardware prefetch that finds none free is dropped. A store that hits is
// done at once: the line is owned. Accesses outside of RAM are answered as first-level hits: a prefetch of one does
// nothing, and the core faults on the others. Memory that is not cached is loaded from beyond every time, as many loads
// side by side as there are fill buffers; stores to it are posted. Maintenance takes one line after the other.
class CoreMemory final : public FirstLevel, public CorePort {
 public:
  CoreMemory(MemorySystem& system, const MemoryConfig& config, Frequency frequency, LineNumber end_of_ram);

  MemoryAccess load(Cycle at, std::uint64_t address, std::uint32_t size) override;
  MemoryAccess store(Cycle at, std::uint64_t address, std::uint32_t size) override;
  MemoryAccess prefetch(Cycle at, std::uint64_t address, bool for_write) override;
  MemoryAccess fetch(Cycle at, std::uint64_t address) override;
  MemoryAccess maintain(Cycle at, std::uint64_t address, CacheMaintenance what) override;
  std::uint64_t snooped_lines() const override { return counts_.snooped_lines; }

  // What others do to this core's copies. A line is in at most the three caches; `dirty` says whether any copy was.
  Cache::Removed drop(LineNumber line);
  Cache::Removed clean(LineNumber line);
  bool holds(LineNumber line) const;
  // When this core has had the line, if it is still to come.
  Cycle arrival(LineNumber line) const;

  // Places for data in both levels, and what is in one of them.
  std::uint32_t lines() const { return l1d_.lines() + l2_.lines(); }
  LineNumber line_at(std::uint32_t place) const {
    return place < l1d_.lines() ? l1d_.line_at(place) : l2_.line_at(place - l1d_.lines());
  }

 private:
  enum class Purpose : std::uint8_t { load, store, prefetch, prefetch_write };

  // A line that the second level passes on: when it arrives, when it was asked for, whether it had to come from beyond.
  struct Arrival {
    Cache::Fill fill;
    std::uint64_t requested;
    bool from_beyond;
  };

  MemoryAccess access(std::uint64_t at, std::uint64_t address, Purpose purpose);
  MemoryAccess access_uncached(std::uint64_t at, LineNumber line, Purpose purpose);
  MemoryAccess straddle(Cycle at, std::uint64_t address, std::uint32_t size, Purpose purpose);
  Arrival fill_first_level(std::uint64_t at, LineNumber line);
  Arrival read_second_level(std::uint64_t at, LineNumber line);
  Cache::Fill read_beyond(std::uint64_t at, LineNumber line, bool prefetched);
  void insert_second_level(LineNumber line, bool dirty, Cache::Fill fill);
  void run_prefetchers(const Arrival& arrival, LineNumber line);
  void prefetch_second_level(std::uint64_t at, LineNumber line);

  bool absent(LineNumber line) const { return line >= end_of_ram_ || (filter_[line / 64] >> (line % 64) & 1) == 0; }
  void mark(LineNumber line) { filter_[line / 64] |= std::uint64_t{1} << (line % 64); }
  void unmark(LineNumber line) { filter_[line / 64] &= ~(std::uint64_t{1} << (line % 64)); }

  MemorySystem& system_;
  Frequency frequency_;
  LineNumber end_of_ram_;
  std::uint64_t l1i_latency_;
  std::uint64_t l2_latency_;
  std::uint64_t llc_latency_;
  std::uint64_t snoop_latency_;
  std::uint64_t dram_latency_;
  std::uint64_t uncached_latency_;
  std::uint64_t maintenance_cycles_;   // per line
  std::uint64_t maintenance_free_ = 0;
  Cache l2_;
  BankedMissBuffers fill_buffers_;
  MissBuffers l2_outstanding_;
  bool stream_prefetcher_enabled_;
  bool adjacent_line_prefetcher_;
  StreamPrefetcher stream_prefetcher_;
  std::vector<std::uint64_t> filter_;  // a bit per line of RAM: clear means that no cache here has it
};

}  // namespace ringside
