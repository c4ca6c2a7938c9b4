// What a core's accesses meet first: the caches of the first level and the translation of data. A hit that changes no cache is
// decided here, in line, since that is what nearly all accesses are.
#pragma once

#include <array>
#include <cstdint>

#include "model/memory/cache.h"
#include "model/memory/config.h"
#include "model/memory/ports.h"
#include "model/memory/tlb.h"

namespace ringside {

struct CoreMemoryCounts {
  std::array<std::uint64_t, 4> loads{};    // by MemoryLevel
  std::array<std::uint64_t, 4> stores{};   // by MemoryLevel
  std::array<std::uint64_t, 4> fetches{};  // by MemoryLevel
  std::uint64_t software_prefetches = 0;
  std::uint64_t page_walks = 0;
  std::uint64_t fill_buffer_waits = 0;
  std::uint64_t prefetches_issued = 0;
  std::uint64_t prefetches_useful = 0;
  std::uint64_t lines_cleaned = 0;      // by instructions of the guest
  std::uint64_t lines_invalidated = 0;  // cleaned or not
  std::uint64_t uncached_loads = 0;
  std::uint64_t uncached_stores = 0;
  std::uint64_t snooped_lines = 0;  // modified by another core
  std::uint64_t upgrades = 0;       // copies of other cores had to go

  bool operator==(const CoreMemoryCounts&) const = default;
};

class FirstLevel {
 public:
  explicit FirstLevel(const MemoryConfig& config)
      : l1d_("memory.l1d", config.l1d_size, config.l1d_ways, true),
        translation_(config),
        l1i_("memory.l1i", config.l1i_size, config.l1i_ways, true),
        l1d_latency_(config.l1d_latency) {}

  // Whether the access is the usual case: within the most recent line of its set, which arrived long ago, in a page whose
  // translation is at hand. It is done then.
  bool load_hits(std::uint64_t at, std::uint64_t address, std::uint32_t size) {
    if (!hits(at, address, size, false)) return false;
    ++counts_.loads[0];
    return true;
  }
  // The same for a store, whose line must be dirty, that is, owned.
  bool store_hits(std::uint64_t at, std::uint64_t address, std::uint32_t size) {
    if (!hits(at, address, size, true)) return false;
    ++counts_.stores[0];
    return true;
  }
  bool fetch_hits(std::uint64_t at, std::uint64_t address) {
    const std::uint64_t line = address / kCacheLine;
    const Cache::Position set = l1i_.set_of(line);
    if (!l1i_.first_is(set, line) || !translation_.same_code_page(address) || l1i_.fill(set).ready() > at) return false;
    ++counts_.fetches[0];
    return true;
  }

  // Cycles from the start of a load that hits to its use.
  std::uint64_t load_to_use() const { return l1d_latency_; }

  const CoreMemoryCounts& counts() const { return counts_; }

 protected:
  ~FirstLevel() = default;

  Cache l1d_;
  Translation translation_;
  Cache l1i_;
  std::uint64_t l1d_latency_;
  CoreMemoryCounts counts_;

 private:
  bool hits(std::uint64_t at, std::uint64_t address, std::uint32_t size, bool writes) {
    const std::uint64_t line = address / kCacheLine;
    const Cache::Position set = l1d_.set_of(line);
    return address % kCacheLine + size <= kCacheLine && l1d_.first_is(set, line) && (!writes || l1d_.dirty(set)) &&
           l1d_.fill(set).ready() <= at && translation_.data_hits(address);
  }
};

}  // namespace ringside
