// Parameters of one core. All are hardware: traces/hardware/cpu/*.toml holds the values with their sources.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/base/parameter.h"
#include "model/base/units.h"
#include "model/core/architecture.h"

namespace ringside {

// Cost of a repeated string instruction in the microcode sequencer, by the bytes it moves. Beyond the last step it
// grows by one cycle for every `bytes_per_cycle`.
struct RepeatConfig {
  std::vector<CostStep> wide;  // word, double word and quad word elements
  std::vector<CostStep> byte;  // byte elements
  std::uint64_t bytes_per_cycle = 0;
  std::uint64_t late_offset = 0;   // a destination at or beyond this offset in its line ...
  std::uint64_t late_penalty = 0;  // ... costs so many cycles more
};

struct PredictorConfig {
  std::uint64_t bimodal_entries = 0;
  std::uint64_t tagged_entries = 0;  // of each table with history
  std::uint64_t loop_entries = 0;
  std::uint64_t indirect_entries = 0;
  std::uint64_t return_entries = 0;

  void visit(ParameterVisitor& v);
};

struct CoreConfig {
  std::string architecture;
  std::string llvm;
  Frequency frequency{};
  Time interrupt_latency{};
  Time ipi_latency{};

  std::uint64_t dispatch_width = 0;
  std::uint64_t retire_width = 0;
  std::uint64_t rob_entries = 0;
  std::uint64_t load_queue = 0;
  std::uint64_t store_queue = 0;
  std::uint64_t alu_ports = 0;
  std::uint64_t load_ports = 0;
  std::uint64_t store_ports = 0;
  bool shared_memory_ports = false;
  bool commit_same_line = false;
  bool in_order = false;

  std::uint64_t fetch_ahead = 0;
  std::uint64_t taken_branch_cycles = 0;
  std::uint64_t return_cycles = 0;
  std::uint64_t taken_branches = 1;  // in taken_branch_cycles
  std::uint64_t code_line_cycles = 0;
  std::uint64_t line_instructions = 0;
  std::uint64_t line_extra_cycles = 0;
  std::uint64_t front_end_queue = 0;
  std::uint64_t integer_registers = 0;
  std::uint64_t mispredict_penalty = 0;
  PredictorConfig predictor;

  std::uint64_t store_forward_latency = 0;
  std::uint64_t store_forward_fail_penalty = 0;

  std::uint64_t load_fence = 0;
  std::uint64_t store_fence = 0;
  std::uint64_t full_fence = 0;
  std::uint64_t locked = 0;
  std::uint64_t serialise = 0;
  std::uint64_t pause = 0;

  std::uint64_t rep_micro_ops = 0;
  RepeatConfig rep_stos;
  RepeatConfig rep_movs;

  // Which decoder the core needs; visit() admits no other names.
  Architecture isa() const { return architecture == "aarch64" ? Architecture::aarch64 : Architecture::x86_64; }

  void visit(ParameterVisitor& v);
};

}  // namespace ringside
