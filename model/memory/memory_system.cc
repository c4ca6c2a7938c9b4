#include "model/memory/memory_system.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <string>

#include "model/base/errors.h"

namespace ringside {
namespace {

constexpr LineNumber line_of(PhysAddr address) { return static_cast<LineNumber>(address.value / kCacheLine); }

}  // namespace

MemorySystem::MemorySystem(PhysicalMemory& memory, const MemoryConfig& config)
    : memory_(memory),
      config_(config),
      inclusive_(config.llc_policy == "inclusive"),
      ddio_ways_(static_cast<std::uint32_t>(config.ddio_ways)),
      dram_extra_(config.dram_latency - std::min(config.llc_latency, config.dram_latency)),
      llc_("memory.llc", config.llc_size, config.llc_ways, false),
      dram_(config.dram_bandwidth) {
  if (config.ddio_ways > config.llc_ways) {
    throw InputError(
        fmt::format("memory.ddio_ways: {} is more than memory.llc_ways, {}", config.ddio_ways, config.llc_ways));
  }
  if ((memory.base().value + memory.size().value) / kCacheLine >= Cache::kNoLine) {
    throw InputError("memory.ram_size: RAM must end below 4 GiB");
  }
}

CoreMemory& MemorySystem::add_core(Frequency frequency) {
  return cores_.emplace_back(*this, config_, frequency, line_of({memory_.base().value + memory_.size().value}));
}

Time MemorySystem::write(Time at, PhysAddr address, std::span<const std::uint8_t> data) {
  if (data.empty()) return at + config_.dma_write_latency;
  const std::uint64_t end = address.value + data.size();
  for (LineNumber line = line_of(address); line <= line_of({end - 1}); ++line) llc_.expect(line);
  std::memcpy(memory_.host(address), data.data(), data.size());
  dram_.advance(at);
  Time delay{};
  for (LineNumber line = line_of(address); line <= line_of({end - 1}); ++line) {
    const std::uint64_t start = std::uint64_t{line} * kCacheLine;
    delay = std::max(delay, write_line(at, line, start >= address.value && start + kCacheLine <= end));
  }
  return at + config_.dma_write_latency + delay;
}

Time MemorySystem::read(Time at, PhysAddr address, std::span<std::uint8_t> data) {
  if (data.empty()) return at + config_.dma_read_latency;
  std::memcpy(data.data(), memory_.host(address), data.size());
  Time delay{};
  for (LineNumber line = line_of(address); line <= line_of({address.value + data.size() - 1}); ++line) {
    delay = std::max(delay, read_line_for_dma(at, line));
  }
  return at + config_.dma_read_latency + delay;
}

// Returns what the line adds to the latency of a write.
Time MemorySystem::write_line(Time at, LineNumber line, bool whole) {
  ++counts_.dma_write_lines;
  const Cache::Removed copies = drop_copies(line);
  if (ddio_ways_ == 0) {
    const bool cached = llc_.remove(line).found || copies.found;
    ++counts_.dma_writes_dram;
    Time delay{};
    if (!whole && !cached) {
      ++counts_.dma_partial_fills;
      delay = dram_extra_ + dram_.read(at);
    }
    dram_.write();
    return delay;
  }
  if (const Cache::Position position = llc_.find(line); position != Cache::kMiss) {
    ++counts_.ddio_updates;
    llc_.set_dirty(position);
    return {};
  }
  ++counts_.ddio_allocations;
  Time delay{};
  if (!whole && !copies.found) {
    ++counts_.dma_partial_fills;
    delay = dram_extra_ + dram_.read(at);
  }
  if (make_room(llc_.insert(line, true, ddio_ways_))) {
    ++counts_.ddio_evictions;
    delay = std::max(delay, config_.ddio_evict_latency);
  }
  return delay;
}

Time MemorySystem::read_line_for_dma(Time at, LineNumber line) {
  bool cached = llc_.contains(line);
  for (auto core = cores_.begin(); !cached && core != cores_.end(); ++core) cached = core->holds(line);
  if (cached) {
    ++counts_.dma_reads_llc;
    return {};
  }
  ++counts_.dma_reads_dram;
  return dram_extra_ + dram_.read(at);
}

MemorySystem::Source MemorySystem::read_line(const CoreMemory& core, LineNumber line) {
  if (cores_.size() > 1) {
    if (const Source other = read_other_core(core, line); other.level != MemoryLevel::dram) return other;
  }
  if (inclusive_) {
    if (llc_.find(line) != Cache::kMiss) return {MemoryLevel::llc, false};
    make_room(llc_.insert(line, false));
    return {MemoryLevel::dram, false};
  }
  const Cache::Removed moved = llc_.remove(line);
  return {moved.found ? MemoryLevel::llc : MemoryLevel::dram, moved.dirty};
}

// Another core's copy serves the read. A dirty one becomes clean there, and the last level takes over writing it back.
MemorySystem::Source MemorySystem::read_other_core(const CoreMemory& core, LineNumber line) {
  bool found = false;
  for (CoreMemory& other : cores_) {
    if (&other == &core) continue;
    const Cache::Removed copy = other.clean(line);
    found = found || copy.found;
    if (copy.dirty) evicted(line, true);
  }
  return {found ? MemoryLevel::llc : MemoryLevel::dram, false};
}

bool MemorySystem::take_ownership(const CoreMemory& core, LineNumber line) {
  if (cores_.size() == 1) return false;
  bool found = false;
  for (CoreMemory& other : cores_) {
    if (&other != &core) found = other.drop(line).found || found;
  }
  return found;
}

void MemorySystem::flush(Time at, LineNumber line) {
  const bool dirty = drop_copies(line).dirty;
  if (!llc_.remove(line).dirty && !dirty) return;
  dram_.advance(at);
  dram_.write();
}

void MemorySystem::evicted(LineNumber line, bool dirty) {
  if (inclusive_) {
    if (dirty && !llc_.soil(line)) dram_.write();
    return;
  }
  if (const Cache::Position position = llc_.find(line); position != Cache::kMiss) {
    if (dirty) llc_.set_dirty(position);
    return;
  }
  make_room(llc_.insert(line, dirty));
}

// Disposes of what the last level evicted; true if it had to be written to DRAM.
bool MemorySystem::make_room(Cache::Evicted victim) {
  if (victim.line == Cache::kNoLine) return false;
  const bool dirty = (inclusive_ && drop_copies(victim.line).dirty) || victim.dirty;
  if (dirty) {
    ++counts_.llc_writebacks;
    dram_.write();
  }
  return dirty;
}

Cache::Removed MemorySystem::drop_copies(LineNumber line) {
  Cache::Removed copies{false, false};
  for (CoreMemory& core : cores_) {
    const Cache::Removed copy = core.drop(line);
    copies = {copies.found || copy.found, copies.dirty || copy.dirty};
  }
  return copies;
}

void MemorySystem::register_statistics(Statistics& statistics) const {
  static constexpr const char* kLevels[] = {"l1", "l2", "llc", "dram"};
  for (std::size_t i = 0; i < cores_.size(); ++i) {
    const std::string prefix = cores_.size() > 1 ? fmt::format("core{}_", i) : "";
    const CoreMemoryCounts& c = cores_[i].counts();
    for (std::size_t level = 0; level < c.loads.size(); ++level) {
      const std::string where = kLevels[level];
      statistics.add(prefix + "mem_loads_" + where, "loads", c.loads[level],
                     "Loads that found their line in " + where + ".");
      statistics.add(prefix + "mem_stores_" + where, "stores", c.stores[level],
                     "Stores that found their line in " + where + ".");
      statistics.add(prefix + "mem_fetches_" + where, "lines", c.fetches[level],
                     "Instruction lines found in " + where + ".");
    }
    statistics.add(prefix + "software_prefetches", "prefetches", c.software_prefetches, "Prefetch instructions.");
    statistics.add(prefix + "page_walks", "walks", c.page_walks, "Accesses that missed the second-level TLB.");
    statistics.add(prefix + "fill_buffer_waits", "accesses", c.fill_buffer_waits,
                   "Misses that found all fill buffers busy.");
    statistics.add(prefix + "prefetches_issued", "lines", c.prefetches_issued,
                   "Lines that the hardware prefetchers asked for.");
    statistics.add(prefix + "prefetches_useful", "lines", c.prefetches_useful,
                   "Prefetched lines that an access then used.");
  }
  statistics.add("dma_write_lines", "lines", counts_.dma_write_lines, "Lines written by DMA, whole or in part.");
  statistics.add("ddio_updates", "lines", counts_.ddio_updates, "DMA writes that hit the last-level cache.");
  statistics.add("ddio_allocations", "lines", counts_.ddio_allocations,
                 "DMA writes that allocated in the last-level cache.");
  statistics.add("ddio_evictions", "lines", counts_.ddio_evictions, "Dirty lines that a DMA write evicted to DRAM.");
  statistics.add("dma_partial_fills", "lines", counts_.dma_partial_fills,
                 "Lines read from DRAM because DMA wrote a part of them.");
  statistics.add("dma_writes_dram", "lines", counts_.dma_writes_dram, "DMA writes that went to DRAM.");
  statistics.add("dma_reads_llc", "lines", counts_.dma_reads_llc, "DMA reads served by a cache.");
  statistics.add("dma_reads_dram", "lines", counts_.dma_reads_dram, "DMA reads served by DRAM.");
  statistics.add("llc_writebacks", "lines", counts_.llc_writebacks,
                 "Dirty lines that the last-level cache wrote to DRAM.");
  statistics.add("dram_read_bytes", "bytes", dram_.read_bytes(), "Bytes read from DRAM.");
  statistics.add("dram_write_bytes", "bytes", dram_.write_bytes(), "Bytes written to DRAM.");
}

}  // namespace ringside
