// The run of a block through a calm pipeline: an out-of-order core whose queues have room for the whole block and whose front
// end holds nothing back. Nearly all instructions are executed like that. Times are exactly those of execute(), which is the
// rule; what cannot matter in a calm run is left out, and what every instruction moves is kept in registers.
#include "model/core/pipeline_state.h"

namespace ringside {

// What every instruction moves.
struct Pipeline::State::Flow {
  Stage dispatching;
  Stage retiring;
  Window::Cursor entry;   // of the reorder buffer
  std::uint64_t retired;  // cycle in which the latest instruction retired
  const Access* access;
};

bool Pipeline::State::calm(const Block& block) const {
  const std::uint64_t now = dispatching.cycle();
  // One more, since what takes no entry asks for room all the same.
  return delay.cycles() == 0 && front_ready <= now && reorder_buffer.room(block.micro_ops + 1) <= now &&
         (!limited_registers || registers.room(block.registers + 1) <= now);
}

template <unsigned sources>
[[gnu::always_inline]] inline std::uint64_t Pipeline::State::data_ready(const Instruction& in, std::uint64_t at) const {
  for (unsigned i = 0; i < sources; ++i) at = std::max(at, ready[in.short_data[i]]);
  return at;
}

template <unsigned sources>
[[gnu::always_inline]] inline std::uint64_t Pipeline::State::address_ready(const Instruction& in, std::uint64_t at) const {
  for (unsigned i = 0; i < sources; ++i) at = std::max(at, ready[in.short_address[i]]);
  return at;
}

template <unsigned results>
[[gnu::always_inline]] inline void Pipeline::State::give_results(const Instruction& in, std::uint64_t done) {
  for (unsigned i = 0; i < results; ++i) ready[in.short_result[i]] = done;
}

// Takes the instruction through a stage. `slots` is one, or zero for what the instruction says.
template <unsigned slots>
[[gnu::always_inline]] inline std::uint64_t take(Stage& stage, const Instruction& in, const Stage::Width& width) {
  return slots == 1 ? stage.take_one(width) : stage.take(in.micro_ops, width);
}

// Retires the instruction, and books the gap, if there is one, on `reason()` as far as the instruction is what made it.
template <unsigned slots, class Reason>
[[gnu::always_inline]] inline void Pipeline::State::retire_calmly(Flow& flow, const Instruction& in, InstructionCounts& counted,
                                                                  std::uint64_t done, Reason reason) {
  flow.retiring.wait(done);
  const std::uint64_t now = take<slots>(flow.retiring, in, retire_width);
  const std::uint64_t micro_ops = slots == 0 ? in.micro_ops : slots;
  for (std::uint64_t i = 0; i < micro_ops; ++i) reorder_buffer.push(flow.entry, now);
  if (limited_registers) registers.push(now, in.registers);
  // Whether there is a gap, and whose, is what the machine that simulates cannot predict: so no branch asks.
  const auto waited = -static_cast<std::size_t>(done > flow.retired);
  static_assert(static_cast<std::size_t>(StallReason::base) == 0);
  counted.cycles[static_cast<std::size_t>(reason()) & waited] += now - flow.retired;
  flow.retired = now;
}

template <unsigned slots, unsigned sources, unsigned results, bool alu>
[[gnu::always_inline]] inline std::uint64_t Pipeline::State::calm_simple(Flow& flow, const Instruction& in, InstructionCounts& counted) {
  const std::uint64_t dispatched = take<slots>(flow.dispatching, in, dispatch_width);
  std::uint64_t at = data_ready<sources>(in, dispatched);
  if (slots == 0 ? in.uses_alu : alu) at = calendar.book(Port::alu, at, alu_ports);
  const std::uint64_t done = at + in.latency;
  give_results<results>(in, done);
  retire_calmly<slots>(flow, in, counted, done,
                [&] { return ((at > dispatched) | (in.latency > 1)) ? StallReason::dependency : StallReason::base; });
  return done;
}

template <unsigned slots, unsigned address_sources, unsigned sources, unsigned results, bool early>
[[gnu::always_inline]] inline std::uint64_t Pipeline::State::calm_load(Flow& flow, const Instruction& in, InstructionCounts& counted) {
  const std::uint64_t dispatched = take<slots>(flow.dispatching, in, dispatch_width);
  const std::uint64_t address = address_ready<address_sources>(in, dispatched);
  const std::uint64_t issued = calendar.book(Port::load, std::max(address, memory_floor), load_ports);
  const Loaded loaded = load_cached(*flow.access++, counted, issued);
  loads_done = std::max(loads_done, loaded.done);
  std::uint64_t at = std::max(loaded.done, data_ready<sources>(in, dispatched));
  if (slots == 0 && in.uses_alu) at = calendar.book(Port::alu, at, alu_ports);
  const std::uint64_t done = at + in.latency;
  give_results<results>(in, done);
  if (early) ready[in.short_early] = address + in.early_latency;
  retire_calmly<slots>(flow, in, counted, done, [&] { return loaded.done >= at ? loaded.reason : StallReason::dependency; });
  load_queue.push(flow.retired);
  return done;
}

[[gnu::always_inline]] inline std::uint64_t Pipeline::State::calm_store(Flow& flow, const Instruction& in, InstructionCounts& counted) {
  const std::uint64_t dispatched = take<0>(flow.dispatching, in, dispatch_width);
  const std::uint64_t address = address_ready<2>(in, dispatched);
  const bool shared = config.shared_memory_ports;
  const std::uint64_t issued =
      calendar.book(shared ? Port::load : Port::store, std::max(address, memory_floor), shared ? load_ports : store_ports);
  const std::uint64_t stored = std::max(issued, data_ready<3>(in, dispatched));
  const std::uint64_t done = stored + in.latency;
  give_results<2>(in, done);
  ready[in.short_early] = address + in.early_latency;
  retire_calmly<0>(flow, in, counted, done, [&] { return stored > dispatched ? StallReason::dependency : StallReason::base; });
  store_cached(*flow.access++, stored, flow.retired);
  return done;
}

// Two accesses: a pair of loads or of stores, or a load and a store of its result. As complex() has it.
template <unsigned loads, unsigned written>
std::uint64_t Pipeline::State::calm_two(Flow& flow, const Instruction& in, InstructionCounts& counted) {
  const std::uint64_t dispatched = take<0>(flow.dispatching, in, dispatch_width);
  const std::uint64_t address = address_ready<2>(in, dispatched);
  const std::uint64_t data = data_ready<3>(in, dispatched);
  const std::uint64_t from = std::max(address, memory_floor);
  std::uint64_t issued = from;
  Loaded loaded;
  for (unsigned i = 0; i < loads; ++i) {
    issued = calendar.book(Port::load, from, load_ports);
    const Loaded one = load_cached(*flow.access++, counted, issued);
    if (one.done > loaded.done) loaded = one;
  }
  // A store of what has been loaded takes no slot of its own.
  const bool shared = config.shared_memory_ports;
  for (unsigned i = 0; loads == 0 && i < written; ++i)
    issued = calendar.book(shared ? Port::load : Port::store, from, shared ? load_ports : store_ports);
  if (loads != 0) loads_done = std::max(loads_done, loaded.done);
  std::uint64_t start = std::max({issued, loaded.done, data});
  if (in.uses_alu) start = calendar.book(Port::alu, start, alu_ports);
  const std::uint64_t done = start + in.latency;
  give_results<2>(in, done);
  ready[in.short_early] = address + in.early_latency;
  retire_calmly<0>(flow, in, counted, done, [&] {
    if (loads != 0 && loaded.done >= start) return loaded.reason;
    return ((start > dispatched) | (in.latency > 1)) ? StallReason::dependency : StallReason::base;
  });
  for (unsigned i = 0; i < loads; ++i) load_queue.push(flow.retired);
  for (unsigned i = 0; i < written; ++i) store_cached(*flow.access++, loads != 0 ? done : std::max(issued, data), flow.retired);
  return done;
}

std::size_t Pipeline::State::run_calmly(Block& block, std::size_t first, const Access*& access, const Access* end) {
  calendar.advance(dispatching.cycle());
  Flow flow{dispatching, retiring, reorder_buffer.cursor(), retiring.cycle(), access};
  InstructionCounts* counted = block.counts.data() + first;
  const Instruction* in = block.instructions.data() + first;
  const Instruction* const begin = block.instructions.data();
  const Instruction* const stop = begin + block.instructions.size();
  std::uint64_t done = executed;
  for (; in != stop; ++in, ++counted) {
    if (in->new_line && in->address / kCacheLine != line) [[unlikely]] {
      dispatching = flow.dispatching;
      enter_line(in->address / kCacheLine, in->place);
      if (front_ready > dispatching.cycle()) break;
    }
    const auto may = [&](AccessKind kind, const Window& queue) {
      return flow.access != end && flow.access->kind == kind && queue.room() <= flow.dispatching.cycle();
    };
    const auto may_both = [&](AccessKind one, AccessKind other) {
      return end - flow.access >= 2 && flow.access[0].kind == one && flow.access[1].kind == other &&
             load_queue.room(2) <= flow.dispatching.cycle() && store_queue.room(2) <= flow.dispatching.cycle();
    };
    switch (in->shape) {
      case Shape::fused: done = calm_simple<0, 3, 0, false>(flow, *in, *counted); continue;
      case Shape::move_1_1: done = calm_simple<1, 1, 1, false>(flow, *in, *counted); continue;
      case Shape::move_2_1: done = calm_simple<1, 2, 1, false>(flow, *in, *counted); continue;
      case Shape::alu_1_1: done = calm_simple<1, 1, 1, true>(flow, *in, *counted); continue;
      case Shape::alu_1_2: done = calm_simple<1, 1, 2, true>(flow, *in, *counted); continue;
      case Shape::alu_2_1: done = calm_simple<1, 2, 1, true>(flow, *in, *counted); continue;
      case Shape::alu_2_2: done = calm_simple<1, 2, 2, true>(flow, *in, *counted); continue;
      case Shape::simple: done = calm_simple<0, 3, 2, false>(flow, *in, *counted); continue;
      case Shape::load_1:
        if (!may(AccessKind::load, load_queue)) break;
        done = calm_load<1, 1, 0, 1, false>(flow, *in, *counted);
        continue;
      case Shape::load_2:
        if (!may(AccessKind::load, load_queue)) break;
        done = calm_load<1, 2, 0, 1, false>(flow, *in, *counted);
        continue;
      case Shape::pop:
        if (!may(AccessKind::load, load_queue)) break;
        done = calm_load<1, 1, 0, 1, true>(flow, *in, *counted);
        continue;
      case Shape::load:
        if (!may(AccessKind::load, load_queue)) break;
        done = calm_load<0, 2, 3, 2, true>(flow, *in, *counted);
        continue;
      case Shape::store:
        if (!may(AccessKind::store, store_queue)) break;
        done = calm_store(flow, *in, *counted);
        continue;
      case Shape::load_pair:
        if (!may_both(AccessKind::load, AccessKind::load)) break;
        done = calm_two<2, 0>(flow, *in, *counted);
        continue;
      case Shape::store_pair:
        if (!may_both(AccessKind::store, AccessKind::store)) break;
        done = calm_two<0, 2>(flow, *in, *counted);
        continue;
      case Shape::update:
        if (!may_both(AccessKind::load, AccessKind::store)) break;
        done = calm_two<1, 1>(flow, *in, *counted);
        continue;
      case Shape::other: break;
    }
    break;
  }
  dispatching = flow.dispatching;
  retiring = flow.retiring;
  reorder_buffer.move_to(flow.entry);
  access = flow.access;
  executed = done;
  const auto next = static_cast<std::size_t>(in - begin);
  if (next != first) latest = counted - 1;
  return next;
}

}  // namespace ringside
