// Prefetches and cache maintenance in decoded instructions. Internal to the decoder.
#pragma once

#include <optional>

#include "model/core/decoder.h"
#include "model/core/llvm_target.h"

namespace ringside {

// What the instruction does to the caches, or nothing if it is an ordinary one.
std::optional<CacheOperationKind> cache_operation_kind(const LlvmTarget& target, const llvm::MCInst& inst);

// How it forms its address.
CacheOperation cache_operation(const LlvmTarget& target, const llvm::MCInst& inst, CacheOperationKind kind,
                               std::uint64_t address, std::uint64_t length);

}  // namespace ringside
