// A small memory system with round numbers, for tests: 2 GHz core, so that a nanosecond is two cycles.
#pragma once

#include <cstdint>
#include <vector>

#include "model/memory/memory_system.h"

namespace ringside {

inline constexpr std::uint64_t kTestBase = 0x10'0000;

// 64 lines of L1D in 16 sets at 5 cycles, 512 of L2 in 64 sets at 14, 4096 of LLC in 512 sets at 20 ns = 40 cycles, or 60
// where another core has modified the line, of
// which DDIO has 2 ways of 8 = 1024 lines; DRAM at 100 ns = 200 cycles and 64 GB/s = a line in 1 ns. Translation is
// free.
inline MemoryConfig small_memory() {
  MemoryConfig c;
  c.ram_size = mebibytes(16);
  c.l1d_size = kibibytes(4);
  c.l1d_ways = 4;
  c.l1d_latency = 5;
  c.l1i_size = kibibytes(4);
  c.l1i_ways = 4;
  c.l1i_latency = 0;
  c.l2_size = kibibytes(32);
  c.l2_ways = 8;
  c.l2_latency = 14;
  c.fill_buffers = 10;
  c.l2_outstanding = 32;
  c.llc_size = kibibytes(256);
  c.llc_ways = 8;
  c.llc_latency = nanoseconds(20);
  c.snoop_latency = nanoseconds(30);
  c.llc_policy = "victim";
  c.ddio_ways = 2;
  c.ddio_evict_latency = nanoseconds(80);
  c.dma_write_latency = nanoseconds(20);
  c.dma_read_latency = nanoseconds(20);
  c.dram_latency = nanoseconds(100);
  c.dram_bandwidth = gigabits_per_second(512);
  c.dtlb_4k_entries = 16;
  c.dtlb_4k_ways = 4;
  c.dtlb_2m_entries = 8;
  c.dtlb_2m_ways = 8;
  c.stlb_entries = 64;
  c.stlb_ways = 4;
  c.stream_trackers = 16;
  c.stream_train = 2;
  c.stream_degree = 2;
  c.stream_distance = 8;
  return c;
}

// The memory system of `config` with one core. Addresses of lines count from the start of RAM.
struct MemoryBoard {
  explicit MemoryBoard(const MemoryConfig& config)
      : ram({kTestBase}, config.ram_size), memory(ram, config), core(memory.add_core(megahertz(2000))) {}

  static std::uint64_t address(std::uint64_t line) { return kTestBase + line * kCacheLine; }
  MemoryAccess load_at(std::uint64_t cycle, std::uint64_t at) { return core.load({cycle}, at, 8); }

  // One dependent load: issued when everything before it is done. Returns its latency in cycles.
  std::uint64_t chase(std::uint64_t line) {
    last = core.load({now}, address(line), 8);
    const std::uint64_t latency = last.done.value - now;
    now = last.done.value;
    return latency;
  }

  // Mean latency of a dependent walk over `lines` lines, the second time round.
  double chase_ring(std::uint64_t lines) {
    for (std::uint64_t i = 0; i < lines; ++i) chase(i);
    const std::uint64_t start = now;
    for (std::uint64_t i = 0; i < lines; ++i) chase(i);
    return static_cast<double>(now - start) / static_cast<double>(lines);
  }

  Time dma_write(Time at, std::uint64_t line, std::uint64_t size = kCacheLine) {
    const std::vector<std::uint8_t> data(size, 0xa5);
    return memory.write(at, {address(line)}, data);
  }
  Time dma_read(Time at, std::uint64_t line, std::uint64_t size = kCacheLine) {
    std::vector<std::uint8_t> data(size);
    return memory.read(at, {address(line)}, data);
  }

  PhysicalMemory ram;
  MemorySystem memory;
  CoreMemory& core;
  std::uint64_t now = 10'000;
  MemoryAccess last{};
};

}  // namespace ringside
