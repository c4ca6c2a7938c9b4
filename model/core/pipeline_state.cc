#include "model/core/pipeline_state.h"

namespace ringside {
namespace {

// How many cycles the micro-op queue lets the front end be ahead of dispatch when it comes to taken branches.
constexpr std::uint64_t kFrontEndQueue = 8;

bool is_load(const Access& access) { return access.kind == AccessKind::load || access.kind == AccessKind::mmio_load; }
bool is_store(const Access& access) {
  return access.kind == AccessKind::store || access.kind == AccessKind::mmio_store;
}
bool is_prefetch(const Access& access) {
  return access.kind == AccessKind::prefetch || access.kind == AccessKind::prefetch_write;
}

// End of the accesses that an instruction makes, of those from `first` on.
const Access* accesses_end(const Instruction& in, const Access* first, const Access* last) {
  if (in.repeat != Repeat::none) return last;
  unsigned loads = in.loads;
  unsigned stores = in.stores;
  unsigned prefetches = in.prefetch ? 1 : 0;
  for (; first != last; ++first) {
    unsigned& left = is_load(*first) ? loads : is_store(*first) ? stores : prefetches;
    if (left == 0) break;
    --left;
  }
  return first;
}

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

// Cycles that the microcode sequencer needs for a repeated string instruction.
std::uint64_t repeat_cycles(const RepeatConfig& config, const Instruction& in, std::uint64_t bytes,
                            std::uint64_t destination) {
  const std::vector<CostStep>& steps = in.element_size == 1 ? config.byte : config.wide;
  if (steps.empty()) return 0;
  const auto step = std::find_if(steps.begin(), steps.end(), [bytes](const CostStep& s) { return bytes <= s.up_to; });
  const bool late = config.late_penalty != 0 && destination % kCacheLine >= config.late_offset;
  const std::uint64_t extra = late ? config.late_penalty : 0;
  if (step != steps.end()) return step->cost + extra;
  return steps.back().cost + (bytes - steps.back().up_to) / config.bytes_per_cycle + extra;
}

}  // namespace

Pipeline::State::State(const CoreConfig& core, CorePort& port)
    : config(core),
      memory(port),
      predictor(core.predictor),
      alu_ports(static_cast<std::uint8_t>(core.alu_ports)),
      load_ports(static_cast<std::uint8_t>(core.load_ports)),
      store_ports(static_cast<std::uint8_t>(core.store_ports)),
      reorder_buffer(core.rob_entries),
      load_queue(core.load_queue),
      store_queue(core.store_queue),
      stores(core.store_ports) {}

void Pipeline::State::enter_line(std::uint64_t entered) {
  line = entered;
  // Fetch runs ahead of dispatch by some lines, but not past a redirect.
  const std::uint64_t ahead = line_entered[(lines - config.fetch_ahead) % line_entered.size()];
  const std::uint64_t at = std::max(ahead, redirected);
  const MemoryAccess fetched = memory.fetch({at}, entered * kCacheLine);
  // The latency of a hit is part of the pipeline's depth.
  if (fetched.level != MemoryLevel::l1 && fetched.done.value > front_ready) {
    front_ready = fetched.done.value;
    front_reason = StallReason::front_end;
  }
  line_entered[lines++ % line_entered.size()] = std::max(dispatching.cycle, front_ready);
}

inline void Pipeline::State::dispatch(Step& step, std::uint64_t micro_ops) {
  const Instruction& in = step.in;
  if (front_ready > dispatching.cycle) {
    dispatching.wait(front_ready);
    step.front = front_reason;
  }
  std::uint64_t room = micro_ops > 0 ? reorder_buffer.room(micro_ops) : 0;
  if (in.loads > 0) room = std::max(room, load_queue.room(in.loads));
  if (room > dispatching.cycle) {
    dispatching.wait(room);
    step.front = StallReason::base;
  }
  if (in.stores > 0) {
    const std::uint64_t free = store_queue.room(in.stores);
    if (free > dispatching.cycle) {
      dispatching.wait(free);
      step.front = StallReason::store_buffer;
    }
  }
  dispatching.take(micro_ops, config.dispatch_width);
  counts.micro_ops += micro_ops;
  step.dispatched = dispatching.cycle;
}

inline void Pipeline::State::operands(const Instruction& in, Step& step) const {
  std::uint64_t ready = step.dispatched;
  unsigned i = 0;
  for (; i < in.address_sources; ++i) {
    const Operand& operand = registers[in.source[i]];
    if (operand.ready <= ready) continue;
    ready = operand.ready;
    step.operand_reason = operand.reason;
  }
  step.address_ready = ready;
  ready = step.dispatched;
  for (; i < in.sources; ++i) {
    const Operand& operand = registers[in.source[i]];
    if (operand.ready <= ready) continue;
    ready = operand.ready;
    if (ready > step.address_ready) step.operand_reason = operand.reason;
  }
  step.data_ready = ready;
}

// An in-order core holds everything younger back until this instruction has started.
template <bool in_order>
inline void Pipeline::State::start(Step& step, std::uint64_t at) {
  step.issued = at;
  if constexpr (in_order) {
    if (at > dispatching.cycle) {
      dispatching.wait(at);
      dispatching.take(step.in.micro_ops, config.dispatch_width);
    }
  }
}

inline void Pipeline::State::results(const Instruction& in, std::uint64_t early, std::uint64_t done,
                                     StallReason reason) {
  unsigned i = 0;
  for (; i < in.early_results; ++i) registers[in.result[i]] = {early, StallReason::dependency};
  for (; i < in.results; ++i) registers[in.result[i]] = {done, reason};
}

// Retires in program order and books the gap: the part before dispatch on the front end, the rest on `step.reason`.
template <bool in_order>
inline void Pipeline::State::finish(Step& step, std::uint64_t micro_ops) {
  const std::uint64_t before = retiring.cycle;
  const bool late = step.done > before;
  retiring.wait(step.done);
  retiring.take(micro_ops, config.retire_width);
  const std::uint64_t now = retiring.cycle;
  for (std::uint64_t i = 0; i < micro_ops; ++i) reorder_buffer.push(now);
  std::uint64_t gap = now - before;
  if (gap == 0) return;
  if (step.front != StallReason::base && step.dispatched > before) {
    const std::uint64_t part = std::min(step.dispatched, now) - before;
    step.counts.cycles[static_cast<std::size_t>(step.front)] += part;
    gap -= part;
  }
  step.counts.cycles[static_cast<std::size_t>(late ? step.reason : StallReason::base)] += gap;
}

template <bool in_order>
void Pipeline::State::simple(const Instruction& in, InstructionCounts& counted) {
  Step step{in, counted};
  dispatch(step, in.micro_ops);
  operands(in, step);
  const std::uint64_t ready = step.data_ready;
  const std::uint64_t at = in.uses_alu ? calendar.book(Port::alu, ready, alu_ports) : ready;
  start<in_order>(step, at);
  step.done = at + in.latency;
  if (at > step.dispatched)
    step.reason = in_order ? step.operand_reason : StallReason::dependency;
  else if (in.latency > 1)
    step.reason = StallReason::dependency;
  results(in, at + in.early_latency, step.done, StallReason::dependency);
  finish<in_order>(step, in.micro_ops);
}

void Pipeline::State::load(Step& step, const Access& access) {
  ++counts.loads;
  std::uint64_t done = 0;
  StallReason reason = StallReason::l1;
  if (access.kind == AccessKind::mmio_load) {
    done = std::max(step.issued, mmio_done);
    reason = StallReason::mmio;
  } else {
    const Forwarding forwarding = stores.find(access.address, access.size, step.issued);
    if (forwarding.kind == Forwarding::Kind::covered) {
      ++counts.forwarded_loads;
      done = std::max(step.issued, forwarding.ready) + config.store_forward_latency;
    } else if (forwarding.kind == Forwarding::Kind::partial) {
      done = std::max(step.issued, forwarding.commit) + config.store_forward_fail_penalty;
      reason = StallReason::store_buffer;
    } else {
      const MemoryAccess found = memory.load({step.issued}, access.address, access.size);
      done = found.done.value;
      reason = reason_of(found);
    }
  }
  if (done <= step.loaded) return;
  step.loaded = done;
  step.load_reason = reason;
}

void Pipeline::State::store(const Access& access, std::uint64_t ready) {
  ++counts.stores;
  std::uint64_t owned = 0;
  if (access.kind == AccessKind::mmio_store) owned = std::max(retiring.cycle, mmio_done);
  // Ownership is asked for at retirement, for all retired stores side by side; the commits are in order.
  else
    owned = std::max(retiring.cycle, memory.store({retiring.cycle}, access.address, access.size).done.value);
  const std::uint64_t commit = stores.commit(owned);
  store_queue.push(commit);
  if (access.kind != AccessKind::mmio_store) stores.record(access.address, access.size, ready, commit);
}

// Waits for what the barrier orders, and holds back what it keeps from starting.
void Pipeline::State::barrier(Step& step) {
  const std::uint64_t completed_all = std::max({step.dispatched, step.data_ready, retiring.cycle, loads_done});
  const std::uint64_t visible = std::max(completed_all, stores.drained());
  bool stops = false;
  step.reason = StallReason::serialise;
  switch (step.in.barrier) {
    case Barrier::none:
    case Barrier::locked:
      return;
    case Barrier::store_fence:
      step.done = step.dispatched + config.store_fence;
      return;
    case Barrier::load_order:
      memory_floor = std::max(memory_floor, loads_done + config.load_fence);
      step.done = step.dispatched + 1;
      return;
    case Barrier::full_fence:
      step.done = visible + config.full_fence;
      break;
    case Barrier::load_fence:
      step.done = completed_all + config.load_fence;
      stops = true;
      break;
    case Barrier::full_stop:
      step.done = visible + config.full_fence;
      stops = true;
      break;
    case Barrier::serialise:
      step.done = visible + config.serialise;
      stops = true;
      break;
  }
  memory_floor = std::max(memory_floor, step.done);
  if (stops && step.done > front_ready) {
    front_ready = step.done;
    front_reason = StallReason::serialise;
  }
}

// The microcode sequencer feeds dispatch alone for as long as the table says, and its micro-ops fill the integer units
// for that long: a body that is limited by either pays in full (measured, EPYC Genoa: 15 cycles more for 72 bytes among
// 100 to 400 independent operations), one that waits for something else does not. The stores go on by themselves.
void Pipeline::State::repeat(Step& step, const Access* first, const Access* last) {
  std::uint64_t low = ~0ULL;
  std::uint64_t high = 0;
  std::uint64_t bytes = 0;
  std::uint64_t source_line = ~0ULL;
  const std::uint64_t begin = std::max({step.dispatched, step.address_ready, step.data_ready, memory_floor});
  for (const Access* access = first; access != last; ++access) {
    if (is_store(*access)) {
      low = std::min(low, access->address);
      high = std::max(high, access->address + access->size);
      bytes += access->size;
    } else if (access->address / kCacheLine != source_line) {
      source_line = access->address / kCacheLine;
      step.issued = calendar.book(Port::load, begin, load_ports);
      load(step, *access);
    }
  }
  const RepeatConfig& costs = step.in.repeat == Repeat::store ? config.rep_stos : config.rep_movs;
  const std::uint64_t cycles = repeat_cycles(costs, step.in, bytes, bytes == 0 ? 0 : low);
  const std::uint64_t sequenced = step.dispatched + cycles;
  const std::uint64_t executed = calendar.fill(Port::alu, step.dispatched, cycles * config.alu_ports, alu_ports);
  front_ready = std::max(front_ready, sequenced);
  front_reason = StallReason::rep;
  step.done = std::max({sequenced, executed, begin + 1, step.loaded});
  step.reason = step.loaded == step.done ? step.load_reason : StallReason::rep;
}

// One store queue entry for each line that a repeated string instruction wrote.
void Pipeline::State::touch_stored_lines(const Access* first, const Access* last, std::uint64_t ready) {
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
    const MemoryAccess found = memory.store({retiring.cycle}, access->address, access->size);
    commit = stores.commit(std::max(retiring.cycle, found.done.value));
    store_queue.push(commit);
  }
  if (high != 0) stores.record_range(low, high, ready, commit);
}

// Starts the loads and prefetches of one instruction and finds out when its operation can begin.
template <bool in_order>
std::uint64_t Pipeline::State::access_memory(Step& step, const Access* first, const Access* last) {
  const Instruction& in = step.in;
  std::uint64_t at = std::max(step.address_ready, memory_floor);
  if (in_order || in.barrier == Barrier::locked) at = std::max(at, step.data_ready);
  if (in.barrier == Barrier::locked) at = std::max({at, retiring.cycle, loads_done, stores.drained()});
  std::uint64_t issued = at;
  for (const Access* access = first; access != last; ++access) {
    if (is_store(*access)) continue;
    step.issued = issued = calendar.book(Port::load, at, load_ports);
    if (is_prefetch(*access))
      memory.prefetch({issued}, access->address, access->kind == AccessKind::prefetch_write);
    else
      load(step, *access);
  }
  if (in.loads == 0 && in.stores > 0 && first != last) {
    const bool shared = config.shared_memory_ports;
    const std::uint8_t ports = shared ? load_ports : store_ports;
    issued = calendar.book(shared ? Port::load : Port::store, at, ports);
  }
  start<in_order>(step, issued);
  loads_done = std::max(loads_done, step.loaded);
  return std::max({issued, step.loaded, step.data_ready});
}

template <bool in_order>
const Access* Pipeline::State::complex(const Instruction& in, InstructionCounts& counted, const Access* first,
                                       const Access* last) {
  const Access* const end = accesses_end(in, first, last);
  Step step{in, counted};
  const std::uint64_t micro_ops = in.repeat == Repeat::none ? in.micro_ops : config.rep_micro_ops;
  dispatch(step, micro_ops);
  operands(in, step);
  std::uint64_t early = step.dispatched + in.early_latency;
  if (in.repeat != Repeat::none) {
    repeat(step, first, end);
    early = step.done;
  } else if (in.barrier != Barrier::none && in.barrier != Barrier::locked) {
    barrier(step);
  } else {
    const std::uint64_t ready = access_memory<in_order>(step, first, end);
    std::uint64_t at = ready;
    if (in.occupancy > 0) {
      at = std::max(at, divider_free);
      divider_free = at + in.occupancy;
    }
    if (in.uses_alu) at = calendar.book(Port::alu, at, alu_ports);
    early = std::max(step.address_ready, step.dispatched) + in.early_latency;
    step.done = at + in.latency;
    if (in.barrier == Barrier::locked) {
      step.done += config.locked;
      memory_floor = std::max(memory_floor, step.done);
      step.reason = StallReason::serialise;
    } else if (step.loaded != 0 && step.loaded >= at) {
      step.reason = step.load_reason;
    } else if (at > step.dispatched || in.latency > 1) {
      step.reason = in_order && step.issued > step.dispatched ? step.operand_reason : StallReason::dependency;
    }
  }
  completed = step.done;
  results(in, early, step.done,
          step.loaded != 0 && step.loaded + in.latency >= step.done ? step.load_reason : StallReason::dependency);
  if constexpr (in_order) {
    // A load leaves the pipeline at once; whoever uses it waits.
    if (step.loaded != 0 && in.repeat == Repeat::none && in.barrier == Barrier::none &&
        step.load_reason != StallReason::mmio) {
      step.done = step.issued + 1;
      step.reason = step.issued > step.dispatched ? step.operand_reason : StallReason::base;
    }
  }
  const std::uint64_t stored = step.done;
  finish<in_order>(step, micro_ops);
  for (unsigned i = 0; i < in.loads; ++i) load_queue.push(std::max(retiring.cycle, step.loaded));
  if (in.repeat != Repeat::none) {
    touch_stored_lines(first, end, stored);
  } else {
    for (const Access* access = first; access != end; ++access)
      if (is_store(*access)) store(*access, in.loads == 0 ? stored - in.latency : stored);
  }
  return end;
}

void Pipeline::State::resolve_branch(const Instruction& in, std::uint64_t done, std::uint64_t next_address) {
  ++counts.branches;
  const std::uint64_t fall_through = in.address + in.length;
  const bool taken = next_address != fall_through;
  bool right = true;
  switch (in.branch) {
    case BranchKind::conditional:
      right = predictor.conditional(in.address, taken);
      break;
    case BranchKind::indirect_jump:
      right = predictor.indirect(in.address, next_address);
      break;
    case BranchKind::indirect_call:
      right = predictor.indirect(in.address, next_address);
      predictor.call(fall_through);
      break;
    case BranchKind::direct_call:
      predictor.call(fall_through);
      break;
    case BranchKind::function_return:
      right = predictor.function_return(next_address);
      break;
    case BranchKind::direct_jump:
    case BranchKind::none:
      break;
  }
  if (!right) {
    ++counts.mispredicts;
    redirected = done;
    front_ready = std::max(front_ready, done + config.mispredict_penalty);
    front_reason = StallReason::mispredict;
    next_taken = front_ready;
    return;
  }
  if (!taken) return;
  // Taken branches come at a rate; the queue behind the front end evens out where they stand.
  const std::uint64_t behind = dispatching.cycle - std::min(dispatching.cycle, kFrontEndQueue);
  next_taken = std::max(next_taken, behind) + config.taken_branch_cycles;
  if (next_taken > front_ready) {
    front_ready = next_taken;
    front_reason = StallReason::front_end;
  }
}

void Pipeline::State::run(Block& block, std::size_t last, std::span<const Access> accesses,
                          std::uint64_t next_address) {
  if (config.in_order)
    execute<true>(block, last, accesses, next_address);
  else
    execute<false>(block, last, accesses, next_address);
}

template <bool in_order>
void Pipeline::State::execute(Block& block, std::size_t last, std::span<const Access> accesses,
                              std::uint64_t next_address) {
  const Access* access = accesses.data() + accesses_used;
  const Access* const end = accesses.data() + accesses.size();
  if (resume >= last) return;
  const std::size_t first = resume;
  for (std::size_t i = first; i < last; ++i) {
    const Instruction& in = block.instructions[i];
    InstructionCounts& counted = block.counts[i];
    ++counted.executed;
    if (in.new_line && in.address / kCacheLine != line) enter_line(in.address / kCacheLine);
    if (in.simple) {
      simple<in_order>(in, counted);
      continue;
    }
    access = complex<in_order>(in, counted, access, end);
    if (in.branch != BranchKind::none && i + 1 == block.instructions.size())
      resolve_branch(in, completed, next_address);
  }
  counts.instructions += last - first;
  latest = &block.counts[last - 1];
  resume = last;
  accesses_used = static_cast<std::size_t>(access - accesses.data());
}

Cycle Pipeline::State::run_to_mmio(Block& block, std::span<const Access> accesses) {
  const Access* access = accesses.data() + accesses_used;
  const Access* const end = accesses.data() + accesses.size();
  std::size_t i = resume;
  for (; i < block.instructions.size(); ++i) {
    access = accesses_end(block.instructions[i], access, end);
    if (access == end) break;
  }
  if (i == block.instructions.size()) --i;
  run(block, i, accesses, block.address);
  const Instruction& in = block.instructions[i];
  Step step{in, block.counts[i]};
  step.dispatched = dispatching.cycle;
  operands(in, step);
  std::uint64_t leaves = std::max({retiring.cycle, loads_done, memory_floor, step.address_ready, front_ready});
  if (!accesses.empty() && is_store(accesses.back())) leaves = std::max({leaves, step.data_ready, stores.drained()});
  return {leaves};
}

}  // namespace ringside
