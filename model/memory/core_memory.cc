#include "model/memory/core_memory.h"

#include <algorithm>

#include "model/memory/memory_system.h"

namespace ringside {
namespace {

constexpr std::size_t index(MemoryLevel level) { return static_cast<std::size_t>(level); }

}  // namespace

CoreMemory::CoreMemory(MemorySystem& system, const MemoryConfig& config, Frequency frequency, LineNumber end_of_ram)
    : FirstLevel(config),
      CorePort(this),
      system_(system),
      frequency_(frequency),
      end_of_ram_(end_of_ram),
      l1i_latency_(config.l1i_latency),
      l2_latency_(config.l2_latency),
      llc_latency_(to_cycles(config.llc_latency, frequency).value),
      snoop_latency_(to_cycles(config.snoop_latency, frequency).value),
      dram_latency_(to_cycles(config.dram_latency, frequency).value),
      uncached_latency_(to_cycles(config.uncached_latency.value != 0 ? config.uncached_latency : config.dram_latency, frequency).value),
      maintenance_cycles_(to_cycles(config.maintenance_interval, frequency).value),
      l2_("memory.l2", config.l2_size, config.l2_ways, true),
      fill_buffers_(config.fill_buffers, config.fill_buffer_banks),
      l2_outstanding_(config.l2_outstanding),
      stream_prefetcher_enabled_(config.stream_prefetcher),
      adjacent_line_prefetcher_(config.adjacent_line_prefetcher),
      stream_prefetcher_(config),
      filter_(end_of_ram / 64 + 1) {}

MemoryAccess CoreMemory::load(Cycle at, std::uint64_t address, std::uint32_t size) {
  if ((address + size - 1) / kCacheLine != address / kCacheLine) return straddle(at, address, size, Purpose::load);
  return access(at.value, address, Purpose::load);
}

MemoryAccess CoreMemory::store(Cycle at, std::uint64_t address, std::uint32_t size) {
  if ((address + size - 1) / kCacheLine != address / kCacheLine) return straddle(at, address, size, Purpose::store);
  return access(at.value, address, Purpose::store);
}

MemoryAccess CoreMemory::prefetch(Cycle at, std::uint64_t address, bool for_write) {
  ++counts_.software_prefetches;
  return access(at.value, address, for_write ? Purpose::prefetch_write : Purpose::prefetch);
}

MemoryAccess CoreMemory::straddle(Cycle at, std::uint64_t address, std::uint32_t size, Purpose purpose) {
  const MemoryAccess low = access(at.value, address, purpose);
  const MemoryAccess high = access(at.value, address + size - 1, purpose);
  MemoryAccess result = low.done >= high.done ? low : high;
  result.tlb_miss = low.tlb_miss || high.tlb_miss;
  return result;
}

MemoryAccess CoreMemory::access(std::uint64_t at, std::uint64_t address, Purpose purpose) {
  const bool prefetches = purpose == Purpose::prefetch || purpose == Purpose::prefetch_write;
  if (address / kCacheLine >= end_of_ram_) return {{prefetches ? at : at + l1d_latency_}, MemoryLevel::l1, false};
  const auto line = static_cast<LineNumber>(address / kCacheLine);
  if (system_.evicts()) system_.evict_at_random(to_time({at}, frequency_));
  const Translation::Cost translation = translation_.data(address);
  counts_.page_walks += translation.walk;
  const std::uint64_t issued = at;
  at += translation.cycles;
  if (system_.uncached(address)) return access_uncached(at, line, purpose);

  const bool writes = purpose == Purpose::store || purpose == Purpose::prefetch_write;
  Cache::Position position = l1d_.find(line);
  MemoryLevel level = MemoryLevel::l1;
  std::uint64_t done = purpose == Purpose::store ? at : at + l1d_latency_;
  const bool missed = position == Cache::kMiss;
  Arrival arrival{};
  if (missed) {
    arrival = fill_first_level(at, line);
    level = arrival.fill.from();
    done = arrival.fill.ready();
    position = l1d_.set_of(line);
  } else if (const Cache::Fill fill = l1d_.fill(position); fill.ready() > at) {
    level = fill.from();
    done = std::max(done, fill.ready());
  }

  // A dirty line of the first level is this core's alone. Any other may have copies elsewhere.
  if (writes && !l1d_.dirty(position) && system_.take_ownership(*this, line)) {
    ++counts_.upgrades;
    done = std::max(done, at + llc_latency_);
    level = std::max(level, MemoryLevel::llc);
    l1d_.set_dirty(position);  // the copy may have been
    l1d_.fill(position) = Cache::Fill::make(done, level, false);
  }
  if (purpose == Purpose::store) {
    l1d_.set_dirty(position);
    ++counts_.stores[index(level)];
  } else if (purpose == Purpose::load) {
    ++counts_.loads[index(level)];
  }
  if (missed) run_prefetchers(arrival, line);
  if (prefetches) done = missed && arrival.requested > at ? arrival.requested : issued;  // only a buffer is waited for
  return {{done}, level, translation.walk};
}

MemoryAccess CoreMemory::access_uncached(std::uint64_t at, LineNumber line, Purpose purpose) {
  if (purpose == Purpose::store) {
    ++counts_.uncached_stores;
    return {{at}, MemoryLevel::l1, false};
  }
  if (purpose != Purpose::load) return {{at}, MemoryLevel::l1, false};
  ++counts_.uncached_loads;
  MissBuffers& buffers = fill_buffers_.of(line);
  const std::uint64_t done = std::max(at, buffers.earliest()) + uncached_latency_;
  buffers.take(done);
  return {{done}, MemoryLevel::dram, false};
}

MemoryAccess CoreMemory::maintain(Cycle at, std::uint64_t address, CacheMaintenance what) {
  const std::uint64_t done = std::max(at.value, maintenance_free_) + maintenance_cycles_;
  maintenance_free_ = done;
  ++(what == CacheMaintenance::clean ? counts_.lines_cleaned : counts_.lines_invalidated);
  if (address / kCacheLine < end_of_ram_) system_.maintain(static_cast<LineNumber>(address / kCacheLine), what);
  return {{done}, MemoryLevel::llc, false};
}

MemoryAccess CoreMemory::fetch(Cycle at, std::uint64_t address) {
  if (address / kCacheLine >= end_of_ram_) return {{at.value + l1i_latency_}, MemoryLevel::l1, false};
  const auto line = static_cast<LineNumber>(address / kCacheLine);
  const Translation::Cost translation = translation_.instruction(address);
  counts_.page_walks += translation.walk;
  const std::uint64_t start = at.value + translation.cycles;

  MemoryLevel level = MemoryLevel::l1;
  std::uint64_t done = start + l1i_latency_;
  if (const Cache::Position position = l1i_.find(line); position != Cache::kMiss) {
    if (const Cache::Fill fill = l1i_.fill(position); fill.ready() > start) {
      level = fill.from();
      done = std::max(done, fill.ready());
    }
  } else {
    const Arrival arrival = read_second_level(start, line);
    l1i_.insert(line, false);
    l1i_.fill(l1i_.set_of(line)) = arrival.fill;
    level = arrival.fill.from();
    done = arrival.fill.ready();
    run_prefetchers(arrival, line);
  }
  ++counts_.fetches[index(level)];
  return {{done}, level, translation.walk};
}

CoreMemory::Arrival CoreMemory::fill_first_level(std::uint64_t at, LineNumber line) {
  MissBuffers& buffers = fill_buffers_.of(line);
  const std::uint64_t buffer = buffers.earliest();
  counts_.fill_buffer_waits += buffer > at;
  const Arrival arrival = read_second_level(std::max(at, buffer), line);
  buffers.take(arrival.fill.ready());

  const Cache::Evicted victim = l1d_.insert(line, false);
  l1d_.fill(l1d_.set_of(line)) = arrival.fill;
  if (victim.dirty && !l2_.soil(victim.line)) {
    insert_second_level(victim.line, true, Cache::Fill::make(0, MemoryLevel::l2, false));
  }
  if (victim.line != Cache::kNoLine && !victim.dirty) system_.may_have_left(victim.line);
  return arrival;
}

CoreMemory::Arrival CoreMemory::read_second_level(std::uint64_t at, LineNumber line) {
  system_.expect(line);
  if (const Cache::Position position = l2_.find(line); position != Cache::kMiss) {
    Cache::Fill& fill = l2_.fill(position);
    counts_.prefetches_useful += fill.prefetched();
    fill = Cache::Fill::make(fill.ready(), fill.from(), false);
    const MemoryLevel from = fill.ready() > at ? fill.from() : MemoryLevel::l2;
    return {Cache::Fill::make(std::max(at + l2_latency_, fill.ready()), from, false), at, false};
  }
  const Cache::Fill fill = read_beyond(std::max(at, l2_outstanding_.earliest()), line, false);
  l2_outstanding_.take(fill.ready());
  return {fill, at, true};
}

// Brings a line into the second level from wherever it is.
Cache::Fill CoreMemory::read_beyond(std::uint64_t at, LineNumber line, bool prefetched) {
  system_.expect(l2_.next_victim(line));
  const MemorySystem::Source source = system_.read_line(*this, line);
  std::uint64_t ready = source.modified ? std::max(at, source.from.value) + snoop_latency_ : at + llc_latency_;
  counts_.snooped_lines += source.modified;
  if (source.level == MemoryLevel::dram) {
    const Time wait = system_.read_dram(to_time({at}, frequency_));
    ready = at + dram_latency_ + (wait.value == 0 ? 0 : to_cycles(wait, frequency_).value);
  }
  const Cache::Fill fill = Cache::Fill::make(ready, source.level, prefetched);
  insert_second_level(line, source.dirty, fill);
  return fill;
}

void CoreMemory::insert_second_level(LineNumber line, bool dirty, Cache::Fill fill) {
  const Cache::Evicted victim = l2_.insert(line, dirty);
  l2_.fill(l2_.set_of(line)) = fill;
  mark(line);
  if (victim.line != Cache::kNoLine) system_.evicted(victim.line, victim.dirty);
}

// Comes last in an access: what a prefetch evicts may be the line of the access itself.
void CoreMemory::run_prefetchers(const Arrival& arrival, LineNumber line) {
  if (arrival.from_beyond && adjacent_line_prefetcher_) prefetch_second_level(arrival.requested, line ^ 1);
  if (!stream_prefetcher_enabled_) return;
  const StreamPrefetcher::Request request = stream_prefetcher_.train(line);
  for (std::uint32_t i = 0; i < request.count; ++i) {
    system_.expect(request.first + static_cast<LineNumber>(request.step) * i);
  }
  for (std::uint32_t i = 0; i < request.count; ++i) {
    prefetch_second_level(arrival.requested, request.first + static_cast<LineNumber>(request.step) * i);
  }
}

void CoreMemory::prefetch_second_level(std::uint64_t at, LineNumber line) {
  if (line >= end_of_ram_ || l2_.contains(line)) return;
  if (l2_outstanding_.earliest() > at) return;
  l2_outstanding_.take(read_beyond(at, line, true).ready());
  ++counts_.prefetches_issued;
}

Cache::Removed CoreMemory::drop(LineNumber line) {
  if (absent(line)) return {false, false};
  unmark(line);
  const Cache::Removed first = l1d_.remove(line);
  const Cache::Removed second = l2_.remove(line);
  const Cache::Removed code = l1i_.remove(line);
  return {first.found || second.found || code.found, first.dirty || second.dirty};
}

Cache::Removed CoreMemory::clean(LineNumber line) {
  if (absent(line)) return {false, false};
  const Cache::Removed first = l1d_.clean(line);
  const Cache::Removed second = l2_.clean(line);
  return {first.found || second.found, first.dirty || second.dirty};
}

Cycle CoreMemory::arrival(LineNumber line) const {
  return {l1d_.arrival(line)};
}

bool CoreMemory::holds(LineNumber line) const { return !absent(line) && (l1d_.contains(line) || l2_.contains(line)); }

}  // namespace ringside
