// Memory accesses, and the instructions that need more than one of them: read-modify-write, pairs, barriers, repeated
// string instructions, prefetches and flushes.
#include "model/core/pipeline_state.h"

namespace ringside {
namespace {

StallReason reason_of(const MemoryAccess& access) {
  if (access.tlb_miss) return StallReason::tlb;
  switch (access.level) {
    case MemoryLevel::l1:
      return StallReason::l1;
    case MemoryLevel::l2:
      return StallReason::l2;
    case MemoryLevel::llc:
      return StallReason::llc;
    case MemoryLevel::dram:
      return StallReason::dram;
  }
  return StallReason::l1;
}

// Counts a load that missed the first level.
void count_miss(InstructionCounts& counted, MemoryLevel level) {
  switch (level) {
    case MemoryLevel::l1:
      return;
    case MemoryLevel::l2:
      ++counted.loads_from_l2;
      return;
    case MemoryLevel::llc:
      ++counted.loads_from_llc;
      return;
    case MemoryLevel::dram:
      ++counted.loads_from_dram;
      return;
  }
}

CacheMaintenance maintenance_of(const Access& access) {
  switch (access.kind) {
    case AccessKind::clean:
      return CacheMaintenance::clean;
    case AccessKind::invalidate:
      return CacheMaintenance::invalidate;
    default:
      return CacheMaintenance::clean_invalidate;
  }
}

bool is_prefetch(const Access& access) {
  return access.kind == AccessKind::prefetch || access.kind == AccessKind::prefetch_write;
}

}  // namespace

const Access* accesses_end(const Instruction& in, const Access* first, const Access* last) {
  if (in.repeat != Repeat::none) return last;
  unsigned loads = in.loads;
  unsigned written = in.stores;
  unsigned prefetches = in.prefetch ? 1 : 0;
  for (; first != last; ++first) {
    unsigned& left = is_load(*first) ? loads : is_store(*first) ? written : prefetches;
    if (left == 0) break;
    --left;
  }
  return first;
}

Pipeline::State::Loaded Pipeline::State::load(const Access& access, InstructionCounts& counted, std::uint64_t at) {
  if (access.kind != AccessKind::mmio_load) return load_cached(access, counted, at);
  ++counts.loads;
  return {std::max(at, mmio_done), StallReason::mmio};
}

// A load that takes its data from a store before it, or misses.
Pipeline::State::Loaded Pipeline::State::load_slowly(const Access& access, InstructionCounts& counted, std::uint64_t at) {
  const Forwarding forwarding = stores.find(access.address, access.size, at);
  if (forwarding.kind == Forwarding::Kind::none) {
    const MemoryAccess found = memory.load({at}, access.address, access.size);
    if (found.level != MemoryLevel::l1) count_miss(counted, found.level);
    return {found.done.value, reason_of(found)};
  }
  if (forwarding.kind == Forwarding::Kind::covered) {
    ++counts.forwarded_loads;
    return {std::max(at, forwarding.ready) + config.store_forward_latency, StallReason::l1};
  }
  return {std::max(at, forwarding.commit) + config.store_forward_fail_penalty, StallReason::store_buffer};
}

void Pipeline::State::store(const Access& access, std::uint64_t data_ready) {
  if (is_maintenance(access)) {
    const MemoryAccess done = memory.maintain({retiring.cycle()}, access.address, maintenance_of(access));
    store_queue.push(stores.commit(std::max(retiring.cycle(), done.done.value), access.address / kCacheLine));
    return;
  }
  if (access.kind == AccessKind::mmio_store) {
    ++counts.stores;
    store_queue.push(stores.commit(std::max(retiring.cycle(), mmio_done), access.address / kCacheLine));
    return;
  }
  store_cached(access, data_ready, retiring.cycle());
}

// Waits for what the barrier orders, and holds back what it keeps from starting. Returns when it is through.
std::uint64_t Pipeline::State::barrier(Barrier kind, std::uint64_t at) {
  const std::uint64_t complete = std::max({at, retiring.cycle(), loads_done});
  const std::uint64_t visible = std::max(complete, stores.drained());
  std::uint64_t done = 0;
  switch (kind) {
    case Barrier::none:
    case Barrier::locked:
      return at;
    case Barrier::store_fence:
      return at + config.store_fence;
    case Barrier::load_order:
      memory_floor = std::max(memory_floor, loads_done + config.load_fence);
      return at + 1;
    case Barrier::load_fence:
      done = complete + config.load_fence;
      break;
    case Barrier::full_fence:
    case Barrier::full_stop:
      done = visible + config.full_fence;
      break;
    case Barrier::serialise:
      done = visible + config.serialise;
      break;
    case Barrier::pause:
      done = at + config.pause;
      break;
  }
  if (kind != Barrier::pause) memory_floor = std::max(memory_floor, done);
  if (kind != Barrier::full_fence && done > front_ready) {
    front_ready = done;
    front_reason = StallReason::serialise;
  }
  return done;
}

// Cycles that the microcode sequencer needs for a repeated string instruction.
std::uint64_t Pipeline::State::repeat_cycles(const Instruction& in, const Access* first, const Access* last) const {
  std::uint64_t bytes = 0;
  std::uint64_t destination = ~0ULL;
  for (const Access* access = first; access != last; ++access) {
    if (!is_store(*access)) continue;
    bytes += access->size;
    destination = std::min(destination, access->address);
  }
  const RepeatConfig& costs = in.repeat == Repeat::store ? config.rep_stos : config.rep_movs;
  const std::vector<CostStep>& steps = in.element_size == 1 ? costs.byte : costs.wide;
  if (steps.empty()) return 0;
  const bool late = bytes != 0 && destination % kCacheLine >= costs.late_offset;
  const std::uint64_t extra = late ? costs.late_penalty : 0;
  const auto step = std::find_if(steps.begin(), steps.end(), [bytes](const CostStep& s) { return bytes <= s.up_to; });
  if (step != steps.end()) return step->cost + extra;
  return steps.back().cost + (bytes - steps.back().up_to) / costs.bytes_per_cycle + extra;
}

// The microcode sequencer feeds dispatch alone for as long as the table says, and its micro-ops fill the integer units
// for that long: a body that is limited by either pays in full (measured, EPYC Genoa: 15 cycles more for 72 bytes among
// 100 to 400 independent operations), one that waits for something else does not. The stores go on by themselves.
Pipeline::State::Loaded Pipeline::State::repeat(const Instruction& in, InstructionCounts& counted, std::uint64_t dispatched,
                                                std::uint64_t at, const Access* first, const Access* last) {
  Loaded all{0, StallReason::rep};
  std::uint64_t source_line = ~0ULL;
  for (const Access* access = first; access != last; ++access) {
    if (is_store(*access) || access->address / kCacheLine == source_line) continue;
    source_line = access->address / kCacheLine;
    const Loaded loaded = load(*access, counted, calendar.book(Port::load, at, load_ports));
    if (loaded.done > all.done) all = loaded;
  }
  loads_done = std::max(loads_done, all.done);
  const std::uint64_t cycles = repeat_cycles(in, first, last);
  const std::uint64_t executed = calendar.fill(Port::alu, dispatched, cycles * alu_ports, alu_ports);
  front_ready = std::max(front_ready, dispatched + cycles);
  front_reason = StallReason::rep;
  const std::uint64_t done = std::max({dispatched + cycles, executed, at + 1});
  return all.done > done ? all : Loaded{done, StallReason::rep};
}

// One store queue entry for each line that a repeated string instruction wrote.
void Pipeline::State::touch_stored_lines(const Access* first, const Access* last, std::uint64_t data_ready) {
  std::uint64_t stored_line = ~0ULL;
  std::uint64_t low = ~0ULL;
  std::uint64_t high = 0;
  std::uint64_t commit = 0;
  for (const Access* access = first; access != last; ++access) {
    if (!is_store(*access)) continue;
    low = std::min(low, access->address);
    high = std::max(high, access->address + access->size);
    if (access->address / kCacheLine == stored_line) continue;
    stored_line = access->address / kCacheLine;
    ++counts.stores;
    const MemoryAccess owned = memory.store({retiring.cycle()}, access->address, access->size);
    commit = stores.commit(std::max(retiring.cycle(), owned.done.value), stored_line);
    store_queue.push(commit);
  }
  if (high != 0) stores.record_range(low, high, data_ready, commit);
}

std::uint64_t Pipeline::State::complex(const Instruction& in, InstructionCounts& counted, const Access* first,
                                       const Access* last) {
  const bool repeats = in.repeat != Repeat::none;
  const bool locked = in.barrier == Barrier::locked;
  const std::uint64_t micro_ops = repeats ? config.rep_micro_ops : in.micro_ops;
  std::uint64_t room = reorder_buffer.room(micro_ops);
  if (in.loads > 0) room = std::max(room, load_queue.room(in.loads));
  if (limited_registers && in.registers != 0) room = std::max(room, registers.room(in.registers));
  // Those of a repeated instruction come and go while the sequencer runs, which the table of cycles has.
  const std::uint64_t slots = repeats ? 1 : micro_ops;
  Dispatched dispatched = dispatch(slots, room);
  if (in.stores > 0) wait_for_store_queue(in.stores, dispatched);
  Operands operand = operands(in, dispatched.cycle);
  if (!config.in_order) operand.reason = StallReason::dependency;  // more is known on in-order cores only
  const std::uint64_t ready_at = std::max(operand.address, operand.data);

  std::uint64_t at = first == last ? operand.address : std::max(operand.address, memory_floor);
  if (config.in_order || locked) at = std::max(at, operand.data);
  if (locked) at = std::max({at, retiring.cycle(), loads_done, stores.drained()});
  std::uint64_t issued = at;
  Loaded loaded;
  std::uint64_t asked_for = 0;  // a prefetch waits for a fill buffer, but not for its line
  std::uint64_t done = 0;
  StallReason reason = StallReason::base;
  if (repeats) {
    loaded = repeat(in, counted, dispatched.cycle, std::max(ready_at, memory_floor), first, last);
    done = loaded.done;
    reason = loaded.reason;
  } else if (in.barrier != Barrier::none && !locked) {
    done = barrier(in.barrier, ready_at);
    reason = StallReason::serialise;
  } else {
    for (const Access* access = first; access != last; ++access) {
      const bool shared = config.shared_memory_ports;
      if (is_store(*access) && in.loads == 0) {
        issued = calendar.book(shared ? Port::load : Port::store, at, shared ? load_ports : store_ports);
      } else if (!is_store(*access)) {
        issued = calendar.book(Port::load, at, load_ports);
        if (is_prefetch(*access)) {
          const bool for_write = access->kind == AccessKind::prefetch_write;
          const std::uint64_t taken = memory.prefetch({issued}, access->address, for_write).done.value;
          if (!config.in_order) asked_for = std::max(asked_for, taken);  // in order it leaves the pipeline at once, as loads do
          continue;
        }
        const Loaded one = load(*access, counted, issued);
        if (one.done > loaded.done) loaded = one;
      }
    }
    loads_done = std::max(loads_done, loaded.done);
    std::uint64_t start = std::max({issued, loaded.done, operand.data, asked_for});
    if (in.occupancy > 0) {
      start = std::max(start, divider_free);
      divider_free = start + in.occupancy;
    }
    if (in.uses_alu) start = calendar.book(Port::alu, start, alu_ports);
    done = start + in.latency + (locked ? config.locked : 0);
    if (locked) memory_floor = std::max(memory_floor, done);
    if (locked)
      reason = StallReason::serialise;
    else if (loaded.done != 0 && loaded.done >= start)
      reason = loaded.reason;
    else if (start > dispatched.cycle || in.latency > 1)
      reason = operand.reason;
  }

  const std::uint64_t early = repeats ? done : operand.address + in.early_latency;
  const bool from_load = loaded.done != 0;
  results(in, early, done, from_load ? loaded.reason : StallReason::dependency);
  std::uint64_t retires = done;
  if (config.in_order && !repeats && in.barrier == Barrier::none) {
    issue<true>(in, issued);
    // A load leaves the pipeline at once; whoever uses it waits. One from a device does not.
    if (from_load && loaded.reason != StallReason::mmio) {
      retires = issued + 1;
      reason = issued > dispatched.cycle ? operand.reason : StallReason::base;
    }
  }
  const std::uint64_t before = retiring.cycle();
  retire(in, counted, slots, dispatched, issued, retires, [reason] { return reason; });
  reorder_buffer.push(retiring.cycle(), micro_ops - slots);
  if (repeats) hold_back(counted, StallReason::rep, dispatched, before);
  if (in.barrier != Barrier::none) hold_back(counted, StallReason::serialise, dispatched, before);
  for (unsigned i = 0; i < in.loads; ++i) load_queue.push(std::max(retiring.cycle(), loaded.done));
  if (repeats) {
    touch_stored_lines(first, last, done);
  } else {
    const std::uint64_t stored = in.loads > 0 ? done : std::max(issued, operand.data);
    for (const Access* access = first; access != last; ++access)
      if (is_store(*access)) store(*access, stored);
  }
  return done;
}

}  // namespace ringside
