// What a pipeline remembers between instructions, and the stages that all instructions share. Internal to the pipeline.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <memory>

#include "model/core/calendar.h"
#include "model/core/dispatch_delay.h"
#include "model/core/pipeline.h"
#include "model/core/predictor.h"
#include "model/core/store_buffer.h"
#include "model/memory/first_level.h"

namespace ringside {

// A queue of which only the release times of its entries matter: entry n cannot be taken before entry n - capacity is
// free.
class Window {
 public:
  explicit Window(std::uint64_t capacity) : released_(new std::uint64_t[capacity]()), end_(released_.get() + capacity), next_(released_.get()) {}

  // When there is room for one more entry, or for `count`.
  std::uint64_t room() const { return *next_; }
  std::uint64_t room(std::uint64_t count) const {
    const auto capacity = static_cast<std::uint64_t>(end_ - released_.get());
    const std::uint64_t* last = next_ + std::min(count, capacity) - 1;
    return last < end_ ? *last : *(last - capacity);
  }
  void push(std::uint64_t released) { push(next_, released); }
  void push(std::uint64_t released, std::uint64_t count) {
    for (; count > 0; --count) push(released);
  }

  // The next entry, for who pushes many: it is passed to push(), and back at the end.
  using Cursor = std::uint64_t*;
  Cursor cursor() const { return next_; }
  void push(Cursor& cursor, std::uint64_t released) const {
    *cursor++ = released;
    if (cursor == end_) cursor = released_.get();
  }
  void move_to(Cursor cursor) { next_ = cursor; }

 private:
  std::unique_ptr<std::uint64_t[]> released_;  // of the latest entries, the oldest at next_
  std::uint64_t* const end_;
  Cursor next_;
};

// A point that moves forward through cycles, so many micro-ops at a time. The cycle and how many of its slots are taken are
// one number, so that what comes later is the greater one. Without branches where it matters: which of two times is later
// is what the machine that simulates cannot predict.
class Stage {
 public:
  static constexpr unsigned kSlotBits = 10;  // more than one instruction and one cycle take
  static constexpr std::uint64_t kSlots = (1u << kSlotBits) - 1;

  // How many micro-ops a cycle takes, and the way from the last of them to the next cycle.
  struct Width {
    explicit Width(std::uint64_t micro_ops) : slots(micro_ops), step(kSlots + 1 - micro_ops) {}
    std::uint64_t slots;
    std::uint64_t step;
  };

  std::uint64_t cycle() const { return position_ >> kSlotBits; }
  // The cycle in which there is a slot.
  std::uint64_t next(const Width& width) const { return cycle() + ((position_ & kSlots) >= width.slots ? 1 : 0); }

  void wait(std::uint64_t at) { position_ = std::max(position_, at << kSlotBits); }
  // Returns the cycle of the last micro-op.
  std::uint64_t take(std::uint64_t micro_ops, const Width& width) {
    std::uint64_t position = after(micro_ops, width);
    while ((position & kSlots) > width.slots) [[unlikely]]
      position += width.step;
    position_ = position;
    return position >> kSlotBits;
  }
  // The same for a single micro-op, which fits into the next cycle at the latest.
  std::uint64_t take_one(const Width& width) {
    position_ = after(1, width);
    return position_ >> kSlotBits;
  }

 private:
  // Where so many micro-ops lead to, if that is no further than into the next cycle.
  std::uint64_t after(std::uint64_t micro_ops, const Width& width) const {
    const std::uint64_t position = position_ + micro_ops;
    return position + (width.step & -static_cast<std::uint64_t>((position & kSlots) > width.slots));
  }

  std::uint64_t position_ = 0;
};

struct Pipeline::State {
  // When an instruction left the front end, and what made that late, if anything did.
  struct Dispatched {
    std::uint64_t cycle;
    StallReason front;
  };
  // When the operands are there, and what the youngest of them waited for (kept on in-order cores only).
  struct Operands {
    std::uint64_t address;
    std::uint64_t data;
    StallReason reason;
  };
  // When the data of a load is there, and where it was found.
  struct Loaded {
    std::uint64_t done = 0;
    StallReason reason = StallReason::l1;
  };

  State(const CoreConfig& core, CorePort& port);

  // Runs the instructions of the block from `resume` on. The last one leads to `next_address`.
  void run(Block& block, std::span<const Access> accesses, std::uint64_t next_address);
  Cycle run_to_mmio(Block& block, std::span<const Access> accesses);

  // Runs instructions [first, last) from the given access on, and returns the first access that is left. A whole run of
  // a block is counted once for all its instructions, a part by instruction.
  const Access* run_part(Block& block, std::size_t first, std::size_t last, const Access* access, const Access* end);
  template <bool in_order, bool counting>
  const Access* execute(Block& block, std::size_t first, std::size_t last, const Access* access, const Access* end);

  // Runs the block from instruction `first` on, for as long as nothing needs more than the short ways of pipeline_calm.cc. Returns
  // which instruction is next, and moves `access` on. calm() must hold.
  struct Flow;
  bool calm(const Block& block) const;
  std::size_t run_calmly(Block& block, std::size_t first, const Access*& access, const Access* end);
  const Access* run_whole(Block& block, const Access* access, const Access* end);
  template <unsigned sources>
  std::uint64_t data_ready(const Instruction& in, std::uint64_t at) const;
  template <unsigned sources>
  std::uint64_t address_ready(const Instruction& in, std::uint64_t at) const;
  template <unsigned results>
  void give_results(const Instruction& in, std::uint64_t done);
  template <unsigned slots, class Reason>
  void retire_calmly(Flow& flow, const Instruction& in, InstructionCounts& counted, std::uint64_t done, Reason reason);
  template <unsigned slots, unsigned sources, unsigned results, bool alu>
  std::uint64_t calm_simple(Flow& flow, const Instruction& in, InstructionCounts& counted);
  template <unsigned slots, unsigned address_sources, unsigned sources, unsigned results, bool early>
  std::uint64_t calm_load(Flow& flow, const Instruction& in, InstructionCounts& counted);
  std::uint64_t calm_store(Flow& flow, const Instruction& in, InstructionCounts& counted);
  template <unsigned loads, unsigned stores>
  std::uint64_t calm_two(Flow& flow, const Instruction& in, InstructionCounts& counted);

  // One instruction, by what it needs; each returns when it was executed.
  template <bool in_order>
  std::uint64_t simple(const Instruction& in, InstructionCounts& counted);
  template <bool in_order>
  std::uint64_t plain_load(const Instruction& in, InstructionCounts& counted, const Access& access);
  template <bool in_order>
  std::uint64_t plain_store(const Instruction& in, InstructionCounts& counted, const Access& access);
  std::uint64_t complex(const Instruction& in, InstructionCounts& counted, const Access* first, const Access* last);

  void deliver(std::uint64_t parts);
  void hold_back(InstructionCounts& counted, StallReason reason, Dispatched dispatched, std::uint64_t before);
  void deliver_fragment(bool alone);
  void enter_line(std::uint64_t line, std::uint64_t place);
  void resolve_branch(const Instruction& in, InstructionCounts& counted, std::uint64_t done, std::uint64_t next_address);

  Loaded load(const Access& access, InstructionCounts& counted, std::uint64_t at);
  Loaded load_cached(const Access& access, InstructionCounts& counted, std::uint64_t at);
  [[gnu::noinline]] Loaded load_slowly(const Access& access, InstructionCounts& counted, std::uint64_t at);
  void store(const Access& access, std::uint64_t ready);
  void store_cached(const Access& access, std::uint64_t ready, std::uint64_t retired);
  std::uint64_t barrier(Barrier kind, std::uint64_t ready);
  std::uint64_t repeat_cycles(const Instruction& in, const Access* first, const Access* last) const;
  Loaded repeat(const Instruction& in, InstructionCounts& counted, std::uint64_t dispatched, std::uint64_t ready, const Access* first,
                const Access* last);
  void touch_stored_lines(const Access* first, const Access* last, std::uint64_t ready);

  Dispatched dispatch(std::uint64_t micro_ops, std::uint64_t room);
  void wait_for_store_queue(std::uint64_t stores, Dispatched& dispatched);
  Operands operands(const Instruction& in, std::uint64_t dispatched) const;
  template <bool in_order>
  Operands short_operands(const Instruction& in, std::uint64_t dispatched) const;
  std::uint64_t room_in_window(const Instruction& in) const;
  template <bool in_order>
  void issue(const Instruction& in, std::uint64_t at);
  void results(const Instruction& in, std::uint64_t early, std::uint64_t done, StallReason reason);
  template <bool in_order>
  void short_results(const Instruction& in, std::uint64_t early, std::uint64_t done, StallReason reason);
  template <class Reason>
  void retire(const Instruction& in, InstructionCounts& counted, std::uint64_t micro_ops, Dispatched dispatched, std::uint64_t started,
              std::uint64_t done, Reason reason);
  void book_wait(InstructionCounts& counted, StallReason reason, Dispatched dispatched, std::uint64_t started,
                 std::uint64_t before);

  const CoreConfig config;
  CorePort& memory;
  FirstLevel* const first_level;  // of the memory, or null
  Predictor predictor;
  PipelineCounts counts;
  const Stage::Width dispatch_width;
  const Stage::Width retire_width;
  const std::uint8_t alu_ports;
  const std::uint8_t load_ports;
  const std::uint8_t store_ports;

  // Front end.
  Stage dispatching;
  std::uint64_t front_ready = 0;
  StallReason front_reason = StallReason::base;
  std::uint64_t line = ~0ULL;
  std::uint64_t redirected = 0;
  std::uint64_t next_fragment = 0;  // in parts of a cycle
  std::uint64_t next_group = 0;     // the same at dispatch, where no queue hides it
  std::uint64_t group_began = 0;    // cycle in which dispatch came to the fragment at hand
  bool jumped = false;  // the line that is entered next is a jump's target
  std::uint64_t fragment = 0;     // instructions since the latest jump or new line, less the `place` of the one at hand
  enum class Entry : std::uint8_t { line, jump, function_return } fragment_entry = Entry::line;  // how control came to it
  std::array<std::uint64_t, 8> line_entered{};  // dispatch cycle in which the latest lines were entered
  std::uint64_t lines = 0;

  // Window.
  Window reorder_buffer;
  Window load_queue;
  Window store_queue;
  Window registers;            // for results of integer instructions
  const bool limited_registers;
  Stage retiring;
  std::array<std::uint64_t, kRegisters> ready{};       // by register: when its value is there
  std::array<StallReason, kRegisters> ready_reason{};  // by register: what a consumer waits for
  Calendar calendar;
  StoreBuffer stores;
  std::uint64_t divider_free = 0;
  std::uint64_t memory_floor = 0;  // no access starts before, by a barrier
  std::uint64_t loads_done = 0;    // latest completion of a load

  // A block that is being run in pieces.
  std::size_t resume = 0;
  std::size_t accesses_used = 0;
  std::uint64_t mmio_done = 0;

  // Whose fault a wait is, where it is not that of the instruction that waits.
  DispatchDelay delay;
  Booking redirected_by;  // the branch that was predicted wrongly last
  std::uint64_t no_account = 0;
  std::uint64_t* account = &no_account;  // where the caller counts what retires now

  std::uint64_t executed = 0;           // when the latest instruction was executed
  InstructionCounts* latest = nullptr;  // of the instruction that retired last, or that reaches a device
};

// Whether an access is cache maintenance.
inline bool is_maintenance(const Access& access) { return access.kind >= AccessKind::clean; }

// Whether an access is of the kind that a store instruction makes, or goes the same way.
inline bool is_store(const Access& access) {
  return access.kind == AccessKind::store || access.kind == AccessKind::mmio_store || is_maintenance(access);
}
inline bool is_load(const Access& access) {
  return access.kind == AccessKind::load || access.kind == AccessKind::mmio_load;
}

// End of the accesses that an instruction makes, of those from `first` on.
const Access* accesses_end(const Instruction& in, const Access* first, const Access* last);

// Takes the instruction through the front end; `room` says when the queues have place for it.
inline Pipeline::State::Dispatched Pipeline::State::dispatch(std::uint64_t micro_ops, std::uint64_t room) {
  StallReason front = StallReason::base;
  std::uint64_t cycle = dispatching.cycle();
  if (front_ready > cycle) [[unlikely]] {
    front = front_reason;
    dispatching.wait(cycle = front_ready);
  }
  // A full window is the fault of what it waits for, which is booked when that retires.
  if (room > cycle) [[unlikely]] {
    front = StallReason::base;
    dispatching.wait(cycle = room);
  }
  delay.limit(cycle, room);
  calendar.advance(cycle);
  return {dispatching.take(micro_ops, dispatch_width), front};
}

// A load from memory that is no device's.
[[gnu::always_inline]] inline Pipeline::State::Loaded Pipeline::State::load_cached(const Access& access,
                                                                                InstructionCounts& counted, std::uint64_t at) {
  ++counts.loads;
  const StoreBuffer::Usual usual = stores.find_usual(access.address, access.size, at);
  if (usual.nothing) [[likely]] {
    if (first_level != nullptr && first_level->load_hits(at, access.address, access.size)) [[likely]]
      return {at + first_level->load_to_use(), StallReason::l1};
  } else if (usual.covered) {
    ++counts.forwarded_loads;
    return {std::max(at, usual.ready) + config.store_forward_latency, StallReason::l1};
  }
  return load_slowly(access, counted, at);
}

// Ownership is asked for at retirement, for all retired stores side by side; the commits are in order.
[[gnu::always_inline]] inline void Pipeline::State::store_cached(const Access& access, std::uint64_t data_ready,
                                                                  std::uint64_t retired) {
  ++counts.stores;
  std::uint64_t owned = retired;
  if (first_level == nullptr || !first_level->store_hits(owned, access.address, access.size))
    owned = std::max(owned, memory.store({owned}, access.address, access.size).done.value);
  const std::uint64_t commit = stores.commit(owned, access.address / kCacheLine);
  store_queue.push(commit);
  stores.record(access.address, access.size, data_ready, commit);
}

inline void Pipeline::State::wait_for_store_queue(std::uint64_t count, Dispatched& dispatched) {
  const std::uint64_t room = store_queue.room(count);
  delay.limit(dispatched.cycle, std::min(room, dispatched.cycle));
  if (room <= dispatched.cycle) return;
  dispatching.wait(room);
  dispatching.take(1, dispatch_width);
  dispatched = {room, StallReason::store_buffer};
}

// Room for an instruction of a short path; a jump that is fused with what precedes it needs none, but asks all the
// same.
inline std::uint64_t Pipeline::State::room_in_window(const Instruction& in) const {
  const std::uint64_t room = in.micro_ops <= 1 ? reorder_buffer.room() : reorder_buffer.room(in.micro_ops);
  return limited_registers && in.registers != 0 ? std::max(room, registers.room(in.registers)) : room;
}

inline Pipeline::State::Operands Pipeline::State::operands(const Instruction& in, std::uint64_t dispatched) const {
  std::uint64_t address = dispatched;
  std::uint64_t data = dispatched;
  StallReason reason = StallReason::dependency;
  for (unsigned i = 0; i < in.sources; ++i) {
    const std::uint64_t at = ready[in.source[i]];
    if (at > std::max(address, data)) reason = ready_reason[in.source[i]];
    if (i < in.address_sources)
      address = std::max(address, at);
    else
      data = std::max(data, at);
  }
  return {address, data, reason};
}

template <bool in_order>
inline Pipeline::State::Operands Pipeline::State::short_operands(const Instruction& in,
                                                                 std::uint64_t dispatched) const {
  if constexpr (in_order) return operands(in, dispatched);
  const std::uint64_t address = std::max(ready[in.short_address[0]], ready[in.short_address[1]]);
  const std::uint64_t data = std::max({ready[in.short_data[0]], ready[in.short_data[1]], ready[in.short_data[2]]});
  return {std::max(address, dispatched), std::max(data, dispatched), StallReason::dependency};
}

// An in-order core holds everything younger back until this instruction has started.
template <bool in_order>
inline void Pipeline::State::issue(const Instruction& in, std::uint64_t at) {
  if constexpr (in_order) {
    if (at <= dispatching.cycle()) return;
    dispatching.wait(at);
    dispatching.take(in.micro_ops, dispatch_width);
  }
}

inline void Pipeline::State::results(const Instruction& in, std::uint64_t early, std::uint64_t done,
                                     StallReason reason) {
  for (unsigned i = 0; i < in.results; ++i) {
    const bool beside = i < in.early_results;
    ready[in.result[i]] = beside ? early : done;
    ready_reason[in.result[i]] = beside ? StallReason::dependency : reason;
  }
}

template <bool in_order>
inline void Pipeline::State::short_results(const Instruction& in, std::uint64_t early, std::uint64_t done,
                                           StallReason reason) {
  if constexpr (in_order) return results(in, early, done, reason);
  ready[in.short_result[0]] = done;
  ready[in.short_result[1]] = done;
  ready[in.short_early] = early;
}

// Retires in program order and books the gap, if there is one, on what `reason()` says the instruction waited for after it
// was dispatched. `started` is when its operands and a unit were there.
template <class Reason>
inline void Pipeline::State::retire(const Instruction& in, InstructionCounts& counted, std::uint64_t micro_ops,
                                    Dispatched dispatched, std::uint64_t started, std::uint64_t done, Reason reason) {
  const std::uint64_t before = retiring.cycle();
  retiring.wait(done);
  const std::uint64_t now = retiring.take(micro_ops, retire_width);
  if (micro_ops == 1) [[likely]]
    reorder_buffer.push(now);
  else
    reorder_buffer.push(now, micro_ops);
  if (limited_registers) registers.push(now, in.registers);
  if (now == before) return;
  if (done > before)
    book_wait(counted, reason(), dispatched, started, before);
  else
    counted.cycles[static_cast<std::size_t>(StallReason::base)] += now - before;
}

// Books the gap that ends now. First what is due to instructions that made the dispatch late, as far as the instruction did
// not wait for its operands anyway; then the part before dispatch on the front end; then the reason.
inline void Pipeline::State::book_wait(InstructionCounts& counted, StallReason reason, Dispatched dispatched,
                                       std::uint64_t started, std::uint64_t before) {
  std::uint64_t gap = retiring.cycle() - before;
  if (delay.cycles() != 0) {
    const std::uint64_t waited = started - dispatched.cycle;
    gap -= delay.charge(std::min(gap, delay.cycles() - std::min(delay.cycles(), waited)), account);
  }
  if (dispatched.front != StallReason::base && dispatched.cycle > before) {
    const std::uint64_t part = std::min(gap, std::min(dispatched.cycle, retiring.cycle()) - before);
    Booking by = dispatched.front == StallReason::mispredict ? redirected_by : Booking{&counted, account};
    by.take(dispatched.front, part, account);
    gap -= part;
  }
  counted.cycles[static_cast<std::size_t>(reason)] += gap;
}

}  // namespace ringside
