// The two sides of the memory system: a core's loads, stores and fetches on its own clock, and DMA on the board's.
#pragma once

#include <cstdint>
#include <span>

#include "model/base/units.h"

namespace ringside {

class FirstLevel;

enum class MemoryLevel : std::uint8_t { l1, l2, llc, dram };

struct MemoryAccess {
  Cycle done;         // when the data can be used (loads, fetches), the line is owned (stores), or it is asked for (prefetches)
  MemoryLevel level;  // where the line was found; a line still on its way counts as where it comes from
  bool tlb_miss;      // a page walk was needed
};

// What an instruction does to one line of all caches, down to the point where devices see it.
enum class CacheMaintenance : std::uint8_t { clean, invalidate, clean_invalidate };

// Timing only: bytes live in PhysicalMemory, and the core's emulator moves them. Addresses are virtual = physical. An
// access may straddle two lines; it then takes as long as the slower one. `at` need not be monotone: an out-of-order core
// presents accesses in program order with their issue times. Outstanding misses are limited inside (fill buffers).
class CorePort {
 public:
  explicit CorePort(FirstLevel* first_level = nullptr) : first_level_(first_level) {}

  // Where to ask first, for loads, stores and fetches: what it answers needs no call. Null if there is none.
  FirstLevel* first_level() const { return first_level_; }

  virtual MemoryAccess load(Cycle at, std::uint64_t address, std::uint32_t size) = 0;
  virtual MemoryAccess store(Cycle at, std::uint64_t address, std::uint32_t size) = 0;
  virtual MemoryAccess prefetch(Cycle at, std::uint64_t address, bool for_write) = 0;  // software prefetch instruction
  virtual MemoryAccess fetch(Cycle at, std::uint64_t address) = 0;                     // one line of instructions
  virtual MemoryAccess maintain(Cycle at, std::uint64_t address, CacheMaintenance what) = 0;

  // How many lines came from other cores, which had modified them.
  virtual std::uint64_t snooped_lines() const { return 0; }

 protected:
  ~CorePort() = default;

 private:
  FirstLevel* first_level_;
};

// DMA as the root complex issues it, in time order. Bytes move at once; the return value is when the access is complete.
// The range must be RAM: callers check PhysicalMemory::contains first.
class DmaPort {
 public:
  virtual Time write(Time at, PhysAddr address, std::span<const std::uint8_t> data) = 0;  // globally visible
  virtual Time read(Time at, PhysAddr address, std::span<std::uint8_t> data) = 0;         // data available

 protected:
  ~DmaPort() = default;
};

}  // namespace ringside
