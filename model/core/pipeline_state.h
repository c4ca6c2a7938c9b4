// What a pipeline remembers between instructions. Internal to the pipeline.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "model/core/calendar.h"
#include "model/core/pipeline.h"
#include "model/core/predictor.h"
#include "model/core/store_buffer.h"

namespace ringside {

// A queue of which only the release times of its entries matter: entry n cannot be taken before entry n - capacity is
// free.
class Window {
 public:
  explicit Window(std::uint64_t capacity)
      : capacity_(capacity), mask_(std::bit_ceil(capacity + kLargestGroup) - 1), released_(mask_ + 1) {}

  // When there is room for `count` more entries.
  std::uint64_t room(std::uint64_t count) const { return released_[(next_ + count - 1 - capacity_) & mask_]; }
  void push(std::uint64_t released) { released_[next_++ & mask_] = released; }

 private:
  static constexpr std::uint64_t kLargestGroup = 256;
  std::uint64_t capacity_;
  std::uint64_t mask_;
  std::vector<std::uint64_t> released_;
  std::uint64_t next_ = 0;
};

// A point that moves forward through cycles, `width` micro-ops at a time.
struct Stage {
  std::uint64_t cycle = 0;
  std::uint64_t used = 0;

  void wait(std::uint64_t at) {
    if (at <= cycle) return;
    cycle = at;
    used = 0;
  }
  void take(std::uint64_t micro_ops, std::uint64_t width) {
    used += micro_ops;
    while (used > width) {
      used -= width;
      ++cycle;
    }
  }
};

struct Pipeline::State {
  State(const CoreConfig& core, CorePort& port);

  // Runs instructions [resume, last) of the block; the last one of a block leads to `next_address`.
  void run(Block& block, std::size_t last, std::span<const Access> accesses, std::uint64_t next_address);
  Cycle run_to_mmio(Block& block, std::span<const Access> accesses);

  struct Step;
  template <bool in_order>
  void execute(Block& block, std::size_t last, std::span<const Access> accesses, std::uint64_t next_address);
  template <bool in_order>
  void simple(const Instruction& in, InstructionCounts& counts);
  template <bool in_order>
  const Access* complex(const Instruction& in, InstructionCounts& counts, const Access* first, const Access* last);
  void enter_line(std::uint64_t line);
  void dispatch(Step& step, std::uint64_t micro_ops);
  template <bool in_order>
  void start(Step& step, std::uint64_t ready);
  void operands(const Instruction& in, Step& step) const;
  void load(Step& step, const Access& access);
  template <bool in_order>
  std::uint64_t access_memory(Step& step, const Access* first, const Access* last);
  void barrier(Step& step);
  void repeat(Step& step, const Access* first, const Access* last);
  void touch_stored_lines(const Access* first, const Access* last, std::uint64_t ready);
  void store(const Access& access, std::uint64_t ready);
  template <bool in_order>
  void finish(Step& step, std::uint64_t micro_ops);
  void results(const Instruction& in, std::uint64_t early, std::uint64_t done, StallReason reason);
  void resolve_branch(const Instruction& in, std::uint64_t done, std::uint64_t next_address);

  struct Operand {
    std::uint64_t ready = 0;
    StallReason reason = StallReason::dependency;  // what a consumer waits for
  };

  const CoreConfig config;
  CorePort& memory;
  Predictor predictor;
  PipelineCounts counts;
  const std::uint8_t alu_ports;
  const std::uint8_t load_ports;
  const std::uint8_t store_ports;

  // Front end.
  Stage dispatching;
  std::uint64_t front_ready = 0;
  StallReason front_reason = StallReason::base;
  std::uint64_t line = ~0ULL;
  std::uint64_t redirected = 0;
  std::uint64_t next_taken = 0;
  std::array<std::uint64_t, 8> line_entered{};  // dispatch cycle in which the latest lines were entered
  std::uint64_t lines = 0;

  // Window.
  Window reorder_buffer;
  Window load_queue;
  Window store_queue;
  std::array<Operand, 256> registers{};
  Calendar calendar;
  StoreBuffer stores;
  std::uint64_t divider_free = 0;
  std::uint64_t memory_floor = 0;  // no access starts before, by a barrier
  std::uint64_t loads_done = 0;    // latest completion of a load
  std::uint64_t completed = 0;     // when the latest instruction with memory, branch or barrier was executed
  Stage retiring;

  // A block that is being run in pieces.
  std::size_t resume = 0;
  std::size_t accesses_used = 0;
  std::uint64_t mmio_done = 0;

  InstructionCounts* latest = nullptr;  // of the instruction that retired last
};

// One instruction on its way through the pipeline.
struct Pipeline::State::Step {
  const Instruction& in;
  InstructionCounts& counts;
  std::uint64_t dispatched = 0;
  StallReason front = StallReason::base;  // what made the dispatch late
  std::uint64_t address_ready = 0;
  std::uint64_t data_ready = 0;
  StallReason operand_reason = StallReason::dependency;
  std::uint64_t issued = 0;
  std::uint64_t loaded = 0;
  StallReason load_reason = StallReason::l1;
  std::uint64_t done = 0;
  StallReason reason = StallReason::base;
};

}  // namespace ringside
