// Timing of one core: takes the instructions that the emulator executed, in program order with the addresses they touched,
// and says when each was dispatched, executed and retired.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "model/base/units.h"
#include "model/core/block.h"
#include "model/core/config.h"
#include "model/memory/ports.h"

namespace ringside {

enum class AccessKind : std::uint8_t {
  load,
  store,
  prefetch,
  prefetch_write,
  mmio_load,
  mmio_store,
  clean,  // cache maintenance, which goes the way of stores
  invalidate,
  clean_invalidate,
};

// One memory access of the emulated program, in program order.
struct Access {
  std::uint64_t address;
  std::uint32_t size;
  AccessKind kind;
};

class Pipeline {
 public:
  Pipeline(const CoreConfig& config, CorePort& memory);
  ~Pipeline();

  // The usual case: the whole block ran, with these accesses, and control went to `next_address`, which resolves the
  // block's last branch. A block that ends in a repeated string instruction is passed once, with the accesses of all
  // iterations.
  void run(Block& block, std::span<const Access> accesses, std::uint64_t next_address);

  // A block that reaches device memory is run in pieces. run_to_mmio() accounts for the instructions before the one that
  // makes the last access of `accesses` (all accesses of the block so far), and returns when that access leaves the core:
  // a load when everything older has completed, a store when everything older has drained, as uncached accesses do.
  // finish_mmio() says when the load's value is back or the store's buffer is free. run() then accounts for the rest,
  // and must be given all accesses of the block again.
  Cycle run_to_mmio(Block& block, std::span<const Access> accesses);
  void finish_mmio(Cycle done);

  // Dispatch time of the next instruction: what happened in memory by then is visible to it.
  Cycle front() const;

  // Retire time of the youngest instruction so far; never decreases.
  Cycle retired() const;

  // Nothing is executed until `until` (an idle core); the cycles are booked on StallReason::idle.
  void sleep(Cycle until);

  // Dispatch is taken by work that the guest does not contain for `cycles`, booked on StallReason::residual as far as it
  // shows. Older instructions go on meanwhile.
  void occupy(Cycle cycles);

  // Where the caller counts the cycles that retire from now on. Cycles that are booked on an instruction of earlier are taken
  // from there and added to what was set when that one retired. Both must stay valid.
  void count_cycles_in(std::uint64_t& account);

  const PipelineCounts& counts() const;
  void reset_counts();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace ringside
