// What DRAM holds, where it may differ from what the core sees: the memory of a device that does not snoop caches.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/base/units.h"
#include "model/memory/cache.h"
#include "model/memory/physical_memory.h"

namespace ringside {

struct DramImageCounts {
  std::uint64_t stale_lines = 0;         // lines of which DMA wrote bytes that the core, having them cached, did not see
  std::uint64_t stale_loads = 0;         // loads of such lines whose bytes were other than in DRAM
  std::uint64_t overwritten_lines = 0;   // dirty lines whose write-back replaced what DMA had written meanwhile
  std::uint64_t discarded_lines = 0;     // dirty lines that were invalidated and so lost what the core had written
};

// PhysicalMemory holds the core's view, in which a cached line keeps its bytes whatever DMA does. A line is the same
// here and there unless it is *dirty* (the core stored to it since it was last written back) or *stale* (DMA wrote to it
// while a cache held it). Bytes move when a line is cleaned or invalidated, or leaves the last cache that had it, as on
// a real machine. Who the caches are is the caller's business.
class DramImage {
 public:
  // What `dc ivac` does to a dirty line.
  enum class Invalidate : std::uint8_t { discard, clean };

  // Lines of [uncached_begin, uncached_end) are never cached: core and device see the same there.
  DramImage(PhysicalMemory& memory, PhysAddr uncached_begin, PhysAddr uncached_end);
  ~DramImage();
  DramImage(const DramImage&) = delete;
  DramImage& operator=(const DramImage&) = delete;

  // The core is about to store, or to load; false if it will see bytes that DRAM no longer has. Any address.
  void stored(std::uint64_t address, std::uint32_t size);
  bool loaded(std::uint64_t address, std::uint32_t size) {
    const std::uint64_t line = address / kCacheLine;
    const bool usual = address % kCacheLine + size <= kCacheLine && contains(line) && (flags(line) & kStale) == 0;
    return usual || loaded_stale(address, size);
  }

  // Cache maintenance by the core, on one line. Addresses outside of RAM do nothing.
  void clean(std::uint64_t address);
  void invalidate(std::uint64_t address, Invalidate how);

  // No cache holds the line any more: what was dirty is written back.
  void left(LineNumber line);

  // The device's side, for bytes of one line. `cached` says whether any cache holds it.
  void write(PhysAddr address, std::span<const std::uint8_t> data, bool cached);
  void read(PhysAddr address, std::span<std::uint8_t> data) const;

  bool uncached(std::uint64_t address) const { return address - uncached_begin_ < uncached_size_; }
  const DramImageCounts& counts() const { return counts_; }

  // Addresses of the first lines whose write-back replaced what DMA had written.
  const std::vector<std::uint64_t>& overwritten() const { return overwritten_; }

 private:
  static constexpr std::uint8_t kDirty = 1, kStale = 2;
  static constexpr std::size_t kKept = 16;  // lines that overwritten() names

  bool contains(std::uint64_t line) const { return line - first_line_ < flags_.size(); }
  std::uint8_t& flags(std::uint64_t line) { return flags_[line - first_line_]; }
  bool loaded_stale(std::uint64_t address, std::uint32_t size);
  std::uint8_t* core_bytes(std::uint64_t line) const;
  std::uint8_t* dram_bytes(std::uint64_t line) const;
  void write_back(std::uint64_t line);
  void refill(std::uint64_t line);

  PhysicalMemory& memory_;
  std::uint64_t uncached_begin_, uncached_size_;
  std::uint64_t first_line_;
  std::vector<std::uint8_t> flags_;  // of each line of RAM
  PhysicalMemory dram_;              // valid where flags are set
  DramImageCounts counts_;
  std::vector<std::uint64_t> overwritten_;
};

}  // namespace ringside
