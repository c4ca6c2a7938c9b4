#include "model/core/cache_operations.h"

#include <bit>

namespace ringside {
namespace {

using llvm::MCInst;
using llvm::StringRef;

std::optional<CacheOperationKind> x86_kind(StringRef name) {
  if (name == "PREFETCHW" || name == "PREFETCHWT1") return CacheOperationKind::prefetch_write;
  if (name.starts_with("PREFETCH") && !name.starts_with("PREFETCHIT")) return CacheOperationKind::prefetch;
  if (name == "CLWB") return CacheOperationKind::clean;
  if (name == "CLFLUSH" || name == "CLFLUSHOPT") return CacheOperationKind::clean_invalidate;
  return std::nullopt;
}

// Arm ARM, "System instruction encodings": dc operations are SYS with CRn = 7; the operands are op1, CRn, CRm, op2.
std::optional<CacheOperationKind> aarch64_system(const MCInst& inst) {
  const auto field = [&inst](unsigned i) { return inst.getOperand(i).getImm(); };
  if (field(1) != 7) return std::nullopt;
  const std::int64_t op1 = field(0);
  const std::int64_t crm = field(2);
  const std::int64_t op2 = field(3);
  if (op1 == 3 && crm == 4 && op2 == 1) return CacheOperationKind::zero;
  if (op1 == 0 && crm == 6 && op2 == 1) return CacheOperationKind::invalidate;
  if (op1 == 3 && (crm == 10 || crm == 11 || crm == 12 || crm == 13) && op2 == 1) return CacheOperationKind::clean;
  if (op1 == 3 && crm == 14 && op2 == 1) return CacheOperationKind::clean_invalidate;
  return std::nullopt;
}

std::optional<CacheOperationKind> aarch64_kind(StringRef name, const MCInst& inst) {
  if (name == "SYSxt") return aarch64_system(inst);
  if (!name.starts_with("PRFM") && !name.starts_with("PRFUM")) return std::nullopt;
  // prfop, bits 4:3: load, instruction, store.
  const auto type = static_cast<unsigned>(inst.getOperand(0).getImm()) >> 3 & 3;
  if (type == 0) return CacheOperationKind::prefetch;
  if (type == 2) return CacheOperationKind::prefetch_write;
  return std::nullopt;
}

void x86_address(const LlvmTarget& target, const MCInst& inst, CacheOperation& out) {
  // The address is the only operand: base, scale, index, displacement, segment.
  out.displacement = inst.getOperand(3).getImm();
  const llvm::MCRegister base = inst.getOperand(0).getReg();
  if (base.isValid()) {
    const std::string name = target.register_name(base);
    if (name == "RIP")
      out.displacement += static_cast<std::int64_t>(out.address + out.length);
    else
      out.base = name;
  }
  const llvm::MCRegister index = inst.getOperand(2).getReg();
  if (!index.isValid()) return;
  out.index = target.register_name(index);
  out.shift = std::countr_zero(static_cast<std::uint64_t>(inst.getOperand(1).getImm()));
}

void aarch64_address(const LlvmTarget& target, const MCInst& inst, CacheOperation& out) {
  constexpr std::int64_t kWord = 4;        // prfm's literal offset counts instructions
  constexpr std::int64_t kDoubleWord = 8;  // and its scaled offset 64-bit words
  constexpr unsigned kDoubleWordShift = 3;
  const StringRef name = target.opcode(inst);
  if (name == "SYSxt") {
    out.base = target.register_name(inst.getOperand(4).getReg());
    return;
  }
  if (name == "PRFMl") {
    out.displacement = static_cast<std::int64_t>(out.address) + inst.getOperand(1).getImm() * kWord;
    return;
  }
  out.base = target.register_name(inst.getOperand(1).getReg());
  if (name == "PRFMroX" || name == "PRFMroW") {
    out.index = target.register_name(inst.getOperand(2).getReg());
    out.index_signed = inst.getOperand(3).getImm() != 0;
    out.shift = inst.getOperand(4).getImm() != 0 ? kDoubleWordShift : 0;
  } else {
    out.displacement = inst.getOperand(2).getImm() * (name == "PRFMui" ? kDoubleWord : 1);
  }
}

}  // namespace

std::optional<CacheOperationKind> cache_operation_kind(const LlvmTarget& target, const MCInst& inst) {
  const StringRef name = target.opcode(inst);
  return target.architecture() == Architecture::x86_64 ? x86_kind(name) : aarch64_kind(name, inst);
}

CacheOperation cache_operation(const LlvmTarget& target, const MCInst& inst, CacheOperationKind kind,
                               std::uint64_t address, std::uint64_t length) {
  CacheOperation out{address, static_cast<std::uint8_t>(length), kind, {}, {}};
  if (target.architecture() == Architecture::x86_64)
    x86_address(target, inst, out);
  else
    aarch64_address(target, inst, out);
  return out;
}

}  // namespace ringside
