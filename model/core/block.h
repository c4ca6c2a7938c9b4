// A basic block as the core model sees it: decoded once, executed many times.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "model/core/function_id.h"
#include "model/core/instruction.h"

namespace ringside {

// What a retirement gap is booked on. The sum over all reasons and instructions is the core's cycles.
enum class StallReason : std::uint8_t {
  base,          // limited by the width of the core
  front_end,     // instruction cache or taken-branch bandwidth
  mispredict,    // refilling after a wrong prediction
  dependency,    // waiting for a result of the execution units
  l1,            // waiting for a load that hit the first level (includes store forwarding)
  l2,            // ... that was found in the second level
  llc,           // ... in the last-level cache
  dram,          // ... in memory
  tlb,           // ... a page walk
  store_buffer,  // store queue full, or a drain
  rep,           // start-up and throughput of a repeated string instruction
  serialise,     // barriers and serialising instructions
  mmio,          // device registers
  idle,          // waiting for an interrupt
  residual,      // declared work of a kernel that the guest does not contain
  count
};
inline constexpr std::size_t kStallReasons = static_cast<std::size_t>(StallReason::count);

// The name as reports print it: "front_end".
std::string_view name(StallReason reason);
std::optional<StallReason> stall_reason(std::string_view name);

// What one instruction cost so far.
struct InstructionCounts {
  std::uint64_t executed = 0;
  std::array<std::uint64_t, kStallReasons> cycles{};
  std::uint64_t loads_from_l2 = 0;  // that found their line there
  std::uint64_t loads_from_llc = 0;
  std::uint64_t loads_from_dram = 0;
  std::uint64_t mispredicts = 0;

  bool operator==(const InstructionCounts&) const = default;
};

struct PipelineCounts {
  std::uint64_t instructions = 0;
  std::uint64_t micro_ops = 0;
  std::uint64_t branches = 0;
  std::uint64_t mispredicts = 0;
  std::uint64_t loads = 0;
  std::uint64_t stores = 0;
  std::uint64_t forwarded_loads = 0;
};

// Straight-line code with at most one branch, its last instruction. Must stay where it is while a pipeline runs it.
struct Block {
  std::uint64_t address = 0;
  std::uint64_t size = 0;       // bytes
  std::uint64_t micro_ops = 0;  // of one run
  std::uint64_t registers = 0;  // of one run, as if none were given back
  std::uint64_t places = 0;     // instructions, a fused pair counted once
  FunctionId function = kUnknownFunction;  // that the block is part of
  bool starts_function = false;
  bool ends_in_call = false, ends_in_return = false;
  bool repeats = false;  // its last instruction is a repeated string instruction
  std::vector<Instruction> instructions;
  std::vector<InstructionCounts> counts;  // one for each instruction
  std::uint64_t whole_runs = 0;           // not yet in counts
  Block* next = nullptr;                  // ran after this one last time
  bool copies = false;                    // of a function whose stores are copies of bytes

  // Adds the whole runs to each instruction's count.
  void settle_counts() {
    for (InstructionCounts& one : counts) one.executed += whole_runs;
    whole_runs = 0;
  }

  // Cycles booked on this block for any reason.
  std::uint64_t cycles() const;
};

}  // namespace ringside
