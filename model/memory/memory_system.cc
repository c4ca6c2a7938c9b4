#include "model/memory/memory_system.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
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
      dram_(config.dram_bandwidth),
      random_eviction_(config.eviction_interval, config.eviction_seed) {
  if (config.ddio_ways > config.llc_ways) {
    throw InputError(
        fmt::format("memory.ddio_ways: {} of {} ways; at most memory.llc_ways is allowed", config.ddio_ways, config.llc_ways));
  }
  if (!std::has_single_bit(config.fill_buffer_banks) || config.fill_buffers % config.fill_buffer_banks != 0) {
    throw InputError(fmt::format("memory.fill_buffer_banks: {}; a power of two that divides memory.fill_buffers, {}, is allowed",
                                 config.fill_buffer_banks, config.fill_buffers));
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
  if (!snoops_) return write_past_caches(at, address, data);
  const std::uint64_t end = address.value + data.size();
  for (LineNumber line = line_of(address); line <= line_of({end - 1}); ++line) llc_.expect(line);
  move_snooped_bytes(address, data);
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
  if (!snoops_) return read_past_caches(at, address, data);
  std::memcpy(data.data(), memory_.host(address), data.size());
  Time delay{};
  for (LineNumber line = line_of(address); line <= line_of({address.value + data.size() - 1}); ++line) {
    delay = std::max(delay, read_line_for_dma(at, line));
  }
  return at + config_.dma_read_latency + delay;
}

// The parts of [address, address + size) that lie in one line each.
template <class Part>
void for_each_line(PhysAddr address, std::size_t size, Part part) {
  for (std::size_t done = 0; done < size;) {
    const std::uint64_t start = address.value + done;
    const std::size_t length = std::min<std::size_t>(size - done, kCacheLine - start % kCacheLine);
    part(PhysAddr{start}, done, length);
    done += length;
  }
}

Time MemorySystem::write_past_caches(Time at, PhysAddr address, std::span<const std::uint8_t> data) {
  dram_.advance(at);
  if (evicts()) evict_at_random(at);
  for_each_line(address, data.size(), [&](PhysAddr start, std::size_t offset, std::size_t length) {
    ++counts_.dma_write_lines;
    ++counts_.dma_writes_dram;
    dram_.write();
    image_->write(start, data.subspan(offset, length), cached(line_of(start)));
    if (config_.evict_dma_lines) evict(line_of(start));
  });
  return at + config_.dma_write_latency;
}

Time MemorySystem::read_past_caches(Time at, PhysAddr address, std::span<std::uint8_t> data) {
  Time delay{};
  for_each_line(address, data.size(), [&](PhysAddr start, std::size_t offset, std::size_t length) {
    ++counts_.dma_reads_dram;
    delay = std::max(delay, dram_extra_ + dram_.read(at));
    image_->read(start, data.subspan(offset, length));
  });
  return at + config_.dma_read_latency + delay;
}

// Coherent DMA. What is allocated in the last level is not in DRAM yet; what is not, is in DRAM at once.
void MemorySystem::move_snooped_bytes(PhysAddr address, std::span<const std::uint8_t> data) {
  if (image_ != nullptr) {
    for_each_line(address, data.size(), [&](PhysAddr start, std::size_t, std::size_t length) {
      ddio_ways_ != 0 ? image_->stored(start.value, static_cast<std::uint32_t>(length)) : image_->left(line_of(start));
    });
  }
  std::memcpy(memory_.host(address), data.data(), data.size());
}

bool MemorySystem::cached(LineNumber line) const {
  if (llc_.contains(line)) return true;
  return std::any_of(cores_.begin(), cores_.end(), [line](const CoreMemory& core) { return core.holds(line); });
}

void MemorySystem::maintain(LineNumber line, CacheMaintenance what) {
  bool dirty = false;
  if (what == CacheMaintenance::clean) {
    for (CoreMemory& core : cores_) dirty = core.clean(line).dirty || dirty;
    dirty = llc_.clean(line).dirty || dirty;
  } else {
    dirty = drop_copies(line).dirty;
    dirty = llc_.remove(line).dirty || dirty;
  }
  if (!dirty || what == CacheMaintenance::invalidate) return;
  ++counts_.maintenance_writebacks;
  dram_.write();
}

void MemorySystem::may_have_left(LineNumber line) {
  if (image_ != nullptr && !cached(line)) image_->left(line);
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
  if (cached(line)) {
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
  Source source{MemoryLevel::dram, false};
  for (CoreMemory& other : cores_) {
    if (&other == &core) continue;
    const Cache::Removed copy = other.clean(line);
    if (copy.found) source.level = MemoryLevel::llc;
    if (!copy.dirty) continue;
    source.modified = true;
    source.from = other.arrival(line);
    evicted(line, true);
  }
  return source;
}

bool MemorySystem::take_ownership(const CoreMemory& core, LineNumber line) {
  if (cores_.size() == 1) return false;
  bool found = false;
  for (CoreMemory& other : cores_) {
    if (&other != &core) found = other.drop(line).found || found;
  }
  return found;
}

void MemorySystem::evicted(LineNumber line, bool dirty) {
  if (inclusive_) {
    if (dirty && !llc_.soil(line)) dram_.write();
    may_have_left(line);
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
  may_have_left(victim.line);
  return dirty;
}

void MemorySystem::evict_at_random(Time now) {
  std::uint32_t places = llc_.lines();
  for (const CoreMemory& core : cores_) places += core.lines();
  random_eviction_.run(now, places, [this](std::uint64_t place) {
    const LineNumber line = line_at(static_cast<std::uint32_t>(place));
    if (line == Cache::kNoLine) return;
    ++counts_.random_evictions;
    evict(line);
  });
}

// Places of the last level come first, then those of each core.
LineNumber MemorySystem::line_at(std::uint32_t place) const {
  if (place < llc_.lines()) return llc_.line_at(place);
  place -= llc_.lines();
  for (const CoreMemory& core : cores_) {
    if (place < core.lines()) return core.line_at(place);
    place -= core.lines();
  }
  return Cache::kNoLine;
}

// From all caches, to DRAM.
void MemorySystem::evict(LineNumber line) {
  const bool private_dirty = drop_copies(line).dirty;
  if (llc_.remove(line).dirty || private_dirty) {
    ++counts_.llc_writebacks;
    dram_.write();
  }
  if (image_ != nullptr) image_->left(line);
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
    statistics.add(prefix + "cache_lines_cleaned", "lines", c.lines_cleaned, "Lines that the guest's cache maintenance cleaned.");
    statistics.add(prefix + "cache_lines_invalidated", "lines", c.lines_invalidated,
                   "Lines that it invalidated, cleaned before or not.");
    statistics.add(prefix + "uncached_loads", "loads", c.uncached_loads, "Loads of memory that is not cached.");
    statistics.add(prefix + "uncached_stores", "stores", c.uncached_stores, "Stores to such memory.");
    statistics.add(prefix + "prefetches_useful", "lines", c.prefetches_useful,
                   "Prefetched lines that an access then used.");
    if (cores_.size() == 1) continue;
    statistics.add(prefix + "snooped_lines", "lines", c.snooped_lines, "Lines that came from another core, which had modified them.");
    statistics.add(prefix + "upgrades", "stores", c.upgrades, "Stores to a line that other cores had copies of.");
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
  statistics.add("maintenance_writebacks", "lines", counts_.maintenance_writebacks,
                 "Dirty lines that cache maintenance wrote to DRAM.");
  statistics.add("random_evictions", "lines", counts_.random_evictions,
                 "Lines that left the caches though there was room (memory.eviction_interval).");
  if (image_ != nullptr) {
    const DramImageCounts& c = image_->counts();
    statistics.add("dma_stale_lines", "lines", c.stale_lines, "Lines that DMA wrote while a cache held them.");
    statistics.add("stale_loads", "loads", c.stale_loads, "Loads that saw other bytes than DMA had written to DRAM.");
    statistics.add("dma_overwritten_lines", "lines", c.overwritten_lines,
                   "Dirty lines written back over what DMA had written meanwhile.");
    statistics.add("dirty_lines_discarded", "lines", c.discarded_lines,
                   "Dirty lines that were invalidated: what the core had written is lost.");
  }
  statistics.add("dram_read_bytes", "bytes", dram_.read_bytes(), "Bytes read from DRAM.");
  statistics.add("dram_write_bytes", "bytes", dram_.write_bytes(), "Bytes written to DRAM.");
}

}  // namespace ringside
