// The usual instructions: arithmetic, branches, one load or one store. Everything else is in pipeline_complex.cc.
#include "model/core/pipeline_state.h"

namespace ringside {
namespace {

constexpr std::uint64_t kParts = 12;  // of a cycle, in which times of the front end are counted: halves, thirds and quarters

}  // namespace

Pipeline::State::State(const CoreConfig& core, CorePort& port)
    : config(core),
      memory(port),
      first_level(port.first_level()),
      predictor(core.predictor),
      dispatch_width(core.dispatch_width),
      retire_width(core.retire_width),
      alu_ports(static_cast<std::uint8_t>(core.alu_ports)),
      load_ports(static_cast<std::uint8_t>(core.load_ports)),
      store_ports(static_cast<std::uint8_t>(core.store_ports)),
      reorder_buffer(core.rob_entries),
      load_queue(core.load_queue),
      store_queue(core.store_queue),
      registers(std::max<std::uint64_t>(core.integer_registers, 1)),
      limited_registers(core.integer_registers != 0),
      stores(core.store_ports, core.commit_same_line) {}

template <bool in_order>
[[gnu::always_inline]] inline std::uint64_t Pipeline::State::simple(const Instruction& in, InstructionCounts& counted) {
  const Dispatched dispatched = dispatch(in.micro_ops, room_in_window(in));
  const Operands operand = short_operands<in_order>(in, dispatched.cycle);
  std::uint64_t at = operand.data;
  if (in.uses_alu) at = calendar.book(Port::alu, at, alu_ports);
  issue<in_order>(in, at);
  const std::uint64_t done = at + in.latency;
  short_results<in_order>(in, at, done, StallReason::dependency);
  retire(in, counted, in.micro_ops, dispatched, at, done, [&] {
    if (at > dispatched.cycle) return operand.reason;
    return in.latency > 1 ? StallReason::dependency : StallReason::base;
  });
  return done;
}

template <bool in_order>
[[gnu::always_inline]] inline std::uint64_t Pipeline::State::plain_load(const Instruction& in, InstructionCounts& counted,
                                                 const Access& access) {
  const std::uint64_t room = std::max(room_in_window(in), load_queue.room());
  const Dispatched dispatched = dispatch(in.micro_ops, room);
  const Operands operand = short_operands<in_order>(in, dispatched.cycle);
  std::uint64_t issued = std::max(operand.address, memory_floor);
  if constexpr (in_order) issued = std::max(issued, operand.data);
  issued = calendar.book(Port::load, issued, load_ports);
  issue<in_order>(in, issued);
  const Loaded loaded = load_cached(access, counted, issued);
  loads_done = std::max(loads_done, loaded.done);
  std::uint64_t at = std::max(loaded.done, operand.data);
  if (in.uses_alu) at = calendar.book(Port::alu, at, alu_ports);
  const std::uint64_t done = at + in.latency;
  short_results<in_order>(in, operand.address + in.early_latency, done, loaded.reason);
  if constexpr (in_order) {
    // A load leaves the pipeline at once; whoever uses it waits.
    retire(in, counted, in.micro_ops, dispatched, issued, issued + 1,
           [&] { return issued > dispatched.cycle ? operand.reason : StallReason::base; });
    load_queue.push(std::max(retiring.cycle(), loaded.done));
  } else {
    retire(in, counted, in.micro_ops, dispatched, issued, done,
           [&] { return loaded.done >= at ? loaded.reason : StallReason::dependency; });
    load_queue.push(retiring.cycle());
  }
  return done;
}

template <bool in_order>
[[gnu::always_inline]] inline std::uint64_t Pipeline::State::plain_store(const Instruction& in, InstructionCounts& counted,
                                                  const Access& access) {
  Dispatched dispatched = dispatch(in.micro_ops, room_in_window(in));
  wait_for_store_queue(1, dispatched);
  const Operands operand = short_operands<in_order>(in, dispatched.cycle);
  std::uint64_t issued = std::max(operand.address, memory_floor);
  if constexpr (in_order) issued = std::max(issued, operand.data);
  const bool shared = config.shared_memory_ports;
  issued = calendar.book(shared ? Port::load : Port::store, issued, shared ? load_ports : store_ports);
  issue<in_order>(in, issued);
  const std::uint64_t stored = std::max(issued, operand.data);
  const std::uint64_t done = stored + in.latency;
  short_results<in_order>(in, operand.address + in.early_latency, done, StallReason::dependency);
  retire(in, counted, in.micro_ops, dispatched, stored, done,
         [&] { return stored > dispatched.cycle ? operand.reason : StallReason::base; });
  store_cached(access, stored, retiring.cycle());
  return done;
}

template <bool in_order, bool counting>
const Access* Pipeline::State::execute(Block& block, std::size_t first, std::size_t last, const Access* access,
                                       const Access* end) {
  InstructionCounts* counted = block.counts.data() + first;
  const Instruction* const stop = block.instructions.data() + last;
  std::uint64_t done = executed;
  for (const Instruction* in = block.instructions.data() + first; in != stop; ++in, ++counted) {
    if constexpr (counting) ++counted->executed;
    if (in->new_line && in->address / kCacheLine != line) enter_line(in->address / kCacheLine, in->place);
    if (in->path == Path::simple) {
      done = simple<in_order>(*in, *counted);
    } else if (in->path == Path::load && access != end && access->kind == AccessKind::load) {
      done = plain_load<in_order>(*in, *counted, *access++);
    } else if (in->path == Path::store && access != end && access->kind == AccessKind::store) {
      done = plain_store<in_order>(*in, *counted, *access++);
    } else {
      const Access* const next = accesses_end(*in, access, end);
      done = complex(*in, *counted, access, next);
      access = next;
    }
  }
  executed = done;
  latest = counted - 1;
  return access;
}

const Access* Pipeline::State::run_part(Block& block, std::size_t first, std::size_t last, const Access* access,
                                        const Access* end) {
  if (first == last) return access;
  return config.in_order ? execute<true, true>(block, first, last, access, end)
                         : execute<false, true>(block, first, last, access, end);
}

const Access* Pipeline::State::run_whole(Block& block, const Access* access, const Access* end) {
  if (const std::uint64_t entered = block.address / kCacheLine; entered != line) enter_line(entered, 0);
  const std::size_t last = block.instructions.size();
  std::size_t next = 0;
  while (calm(block)) {
    next = run_calmly(block, next, access, end);
    if (next == last) return access;
    if (block.instructions[next].shape != Shape::other) break;
    access = execute<false, false>(block, next, next + 1, access, end);
    if (++next == last) return access;
  }
  return execute<false, false>(block, next, last, access, end);
}

void Pipeline::State::run(Block& block, std::span<const Access> accesses, std::uint64_t next_address) {
  const std::size_t last = block.instructions.size();
  const Access* access = accesses.data();
  const Access* const end = access + accesses.size();
  if (resume == 0 && accesses_used == 0 && last != 0) [[likely]] {
    ++block.whole_runs;
    config.in_order ? execute<true, false>(block, 0, last, access, end) : run_whole(block, access, end);
  } else {
    run_part(block, resume, last, access + accesses_used, end);
    resume = 0;
    accesses_used = 0;
  }
  counts.instructions += last;
  counts.micro_ops += block.micro_ops;
  fragment += block.places;
  if (last != 0) resolve_branch(block.instructions.back(), block.counts.back(), executed, next_address);
}

Cycle Pipeline::State::run_to_mmio(Block& block, std::span<const Access> accesses) {
  const Access* const end = accesses.data() + accesses.size();
  const Access* access = accesses.data() + accesses_used;
  std::size_t i = resume;
  while (i + 1 < block.instructions.size()) {
    access = accesses_end(block.instructions[i], access, end);
    if (access == end) break;
    ++i;
  }
  access = run_part(block, resume, i, accesses.data() + accesses_used, end);
  resume = i;
  latest = &block.counts[i];  // what the access leads to, such as sleep, is booked on it
  accesses_used = static_cast<std::size_t>(access - accesses.data());
  const Operands operand = operands(block.instructions[i], std::max(dispatching.cycle(), front_ready));
  std::uint64_t leaves = std::max({retiring.cycle(), loads_done, memory_floor, operand.address});
  if (!accesses.empty() && is_store(accesses.back())) leaves = std::max({leaves, operand.data, stores.drained()});
  return {leaves};
}

// The front end hands over no more than one fragment of code at a time: what lies in one line, up to a taken branch. The
// queue behind it evens out where fragments begin.
void Pipeline::State::deliver(std::uint64_t parts) {
  const std::uint64_t behind = dispatching.cycle() - std::min(dispatching.cycle(), config.front_end_queue);
  next_fragment = std::max(next_fragment, behind * kParts) + parts;
  const std::uint64_t delivered = (next_fragment + kParts - 1) / kParts;
  if (delivered <= front_ready) return;
  front_ready = delivered;
  front_reason = StallReason::front_end;
}

// The instruction that has just retired holds dispatch back until front_ready. What it kept retirement waiting for itself,
// from `before` on, is booked already.
void Pipeline::State::hold_back(InstructionCounts& counted, StallReason reason, Dispatched dispatched, std::uint64_t before) {
  if (config.in_order || front_ready <= dispatched.cycle) return;
  const std::uint64_t held = front_ready - dispatched.cycle;
  const std::uint64_t shown = retiring.cycle() - std::min(retiring.cycle(), std::max(before, dispatched.cycle));
  delay.add({&counted, account}, reason, held - std::min(held, shown));
}

// Hands over the fragment that ends here, where what that takes depends on how many instructions it has. The time of a fragment as such
// passes at dispatch, and no queue hides it: few instructions pass two fragments at a time, as two jumps do. More than the limit come in
// another round of the front end, which is whole if a jump led into the fragment, and else as long as they fill it. Behind a return it passes
// while that does. One that is to be `alone` shares its time with no other, however short.
void Pipeline::State::deliver_fragment(bool alone) {
  const std::uint64_t limit = config.line_instructions, half = std::max<std::uint64_t>(limit / 2, 1), extra = config.line_extra_cycles * kParts;
  const bool returned = fragment_entry == Entry::function_return, few = returned || (fragment <= half && !alone);
  const std::uint64_t parts = few ? config.taken_branch_cycles * kParts / config.taken_branches : config.code_line_cycles * kParts;
  next_group = std::max(next_group, group_began * kParts) + parts;
  group_began = dispatching.cycle();
  if (next_group / kParts > front_ready) {
    front_ready = next_group / kParts;
    front_reason = StallReason::front_end;
  }
  const std::uint64_t over = returned ? 0 : fragment - std::min(fragment, limit);
  const std::uint64_t rounds = fragment_entry == Entry::jump ? (over + limit - 1) / limit * half : over / limit * half + std::min(over % limit, half);
  deliver(parts + rounds * extra / half);
}

void Pipeline::State::enter_line(std::uint64_t entered, std::uint64_t place) {
  line = entered;
  fragment += place;
  if (!jumped) {
    if (config.line_instructions == 0)
      deliver(config.code_line_cycles * kParts);
    else
      deliver_fragment(fragment_entry == Entry::line);
    fragment_entry = Entry::line;
  }
  fragment = -place;
  jumped = false;
  // Fetch runs ahead of dispatch by some lines, but not past a redirect.
  const std::uint64_t ahead = line_entered[(lines - config.fetch_ahead) % line_entered.size()];
  const std::uint64_t at = std::max(ahead, redirected);
  // The latency of a hit is part of the pipeline's depth.
  const bool hit = first_level != nullptr && first_level->fetch_hits(at, entered * kCacheLine);
  const MemoryAccess fetched = hit ? MemoryAccess{{}, MemoryLevel::l1, false} : memory.fetch({at}, entered * kCacheLine);
  if (fetched.level != MemoryLevel::l1 && fetched.done.value > front_ready) {
    front_ready = fetched.done.value;
    front_reason = StallReason::front_end;
  }
  line_entered[lines++ % line_entered.size()] = std::max(dispatching.cycle(), front_ready);
}

void Pipeline::State::resolve_branch(const Instruction& in, InstructionCounts& counted, std::uint64_t done,
                                     std::uint64_t next_address) {
  if (in.branch == BranchKind::none) return;
  ++counts.branches;
  const std::uint64_t fall_through = in.address + in.length;
  const bool taken = next_address != fall_through;
  jumped = taken && next_address / kCacheLine != line;
  const bool returns = in.branch == BranchKind::function_return;
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
    ++counted.mispredicts;
    redirected = done;
    front_ready = std::max(front_ready, done + config.mispredict_penalty);
    front_reason = StallReason::mispredict;
    next_fragment = front_ready * kParts;
    redirected_by = {&counted, account};
    fragment = 0;
    fragment_entry = Entry::jump;
    group_began = front_ready;
    return;
  }
  if (!taken) return;
  if (returns) {
    next_fragment = (next_fragment + kParts - 1) / kParts * kParts;  // a return passes in no other branch's cycle
    group_began = dispatching.cycle();
    deliver(config.return_cycles * kParts);
  } else if (config.line_instructions == 0) {
    deliver(config.taken_branch_cycles * kParts / config.taken_branches);
  } else {
    deliver_fragment(in.branch == BranchKind::indirect_jump || in.branch == BranchKind::indirect_call);
  }
  fragment = 0;
  fragment_entry = returns ? Entry::function_return : Entry::jump;
}

}  // namespace ringside
