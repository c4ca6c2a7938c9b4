// What the guest's code cost inside the window, instruction by instruction.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/core/block.h"

namespace ringside {

// Cycles by reason, indexed by StallReason.
using StallCycles = std::array<std::uint64_t, kStallReasons>;

// Where code was written.
struct SourcePlace {
  std::string file;        // "driver/mlx5e/en_rx.cc"; absolute for an image that was built elsewhere
  std::uint64_t line = 0;  // 1 is the first
  std::string inlined;     // the function, where it became part of another one; else empty
  std::string text;        // of the line; empty where the file was not found
};

// One instruction that was executed.
struct InstructionCost {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
  std::string text;                  // as a disassembler prints it
  std::optional<std::size_t> place;  // among Profile::places
  std::uint64_t executed = 0;
  StallCycles stalls{};
  std::uint64_t l1_misses = 0;   // loads that did not find their line there
  std::uint64_t l2_misses = 0;   // ... nor in the second level
  std::uint64_t llc_misses = 0;  // ... nor in the last one
  std::uint64_t mispredicts = 0;

  std::uint64_t cycles() const;
};

struct FunctionProfile {
  std::string name;
  std::vector<InstructionCost> instructions;  // by address
};

// Of the functions that took enough to matter.
struct Profile {
  std::vector<SourcePlace> places;
  std::vector<FunctionProfile> functions;  // most cycles first
};

}  // namespace ringside
