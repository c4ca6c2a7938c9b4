// Turns machine code into what the timing model needs, with LLVM's knowledge of the core.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/core/architecture.h"
#include "model/core/block.h"

namespace ringside {

// What LLVM says about the core as a whole. The data files hold the values that are used; this is for comparing.
struct MachineModel {
  unsigned issue_width;         // micro-ops per cycle
  unsigned reorder_buffer;      // micro-ops, 0 for an in-order core
  unsigned load_latency;        // cycles, of a load that hits the first level
  unsigned mispredict_penalty;  // cycles
};

enum class CacheOperationKind : std::uint8_t { prefetch, prefetch_write, clean, invalidate, clean_invalidate, zero };

// A prefetch or cache-maintenance instruction, which an emulator executes without touching memory. Its address is
// base + (index << shift) + displacement; a register that takes no part has an empty name. Register names are LLVM's:
// "RDI", "X3"; "W3" is a 32-bit index, extended as `index_signed` says.
struct CacheOperation {
  std::uint64_t address;  // of the instruction
  std::uint8_t length;
  CacheOperationKind kind;
  std::string base;
  std::string index;
  unsigned shift = 0;
  bool index_signed = false;
  std::int64_t displacement = 0;  // for code-relative operands, the whole address
};

class Decoder {
 public:
  // `llvm_cpu` is LLVM's name of the core ("icelake-server"). Throws InputError if LLVM does not know it.
  Decoder(Architecture architecture, const std::string& llvm_cpu);
  ~Decoder();
  Decoder(Decoder&&) noexcept;
  Decoder& operator=(Decoder&&) noexcept;

  // Decodes the straight-line code of one block. Bytes that LLVM cannot decode become one instruction of one micro-op.
  Block decode(std::span<const std::uint8_t> code, std::uint64_t address) const;

  // One instruction as text, "(bad)" if it is none.
  std::string disassemble(std::span<const std::uint8_t> code, std::uint64_t address) const;

  // Where a direct branch or call leads; nothing for other instructions.
  std::optional<std::uint64_t> branch_target(std::span<const std::uint8_t> code, std::uint64_t address) const;

  // Every prefetch and cache-maintenance instruction in `code`, by a linear sweep.
  std::vector<CacheOperation> find_cache_operations(std::span<const std::uint8_t> code, std::uint64_t address) const;

  MachineModel machine() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace ringside
