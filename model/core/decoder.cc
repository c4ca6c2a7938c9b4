#include "model/core/decoder.h"

#include <algorithm>
#include <utility>

#include "model/base/units.h"
#include "model/core/cache_operations.h"
#include "model/core/instruction_ways.h"
#include "model/core/llvm_target.h"

namespace ringside {
namespace {

using llvm::MCInst;
using llvm::MCInstrDesc;
using llvm::MCOperandInfo;
using llvm::StringRef;

constexpr unsigned kX86AddressOperands = 5;  // base, scale, index, displacement, segment
constexpr unsigned kRepeatFlags = 4 | 8;     // LLVM's marks of the prefixes repne and rep
constexpr unsigned kAnyNumber = 255;         // as many accesses as the emulator reports

// Position of the address among the operands of an x86 instruction, or -1.
int x86_address_operand(const MCInstrDesc& desc) {
  const auto is_memory = [](const MCOperandInfo& info) { return info.OperandType == llvm::MCOI::OPERAND_MEMORY; };
  const auto operands = desc.operands();
  for (unsigned i = 0; i + kX86AddressOperands <= operands.size(); ++i)
    if (std::all_of(operands.begin() + i, operands.begin() + i + kX86AddressOperands, is_memory))
      return static_cast<int>(i);
  return -1;
}

bool starts_with_any(StringRef name, std::initializer_list<StringRef> prefixes) {
  return std::any_of(prefixes.begin(), prefixes.end(), [name](StringRef prefix) { return name.starts_with(prefix); });
}

// Collects the operands of one instruction, each storage once.
class Operands {
 public:
  Operands(const LlvmTarget& target, Instruction& out) : target_(target), out_(out) {}

  void address(llvm::MCRegister reg) { add_source(reg, true); }
  void data(llvm::MCRegister reg) { add_source(reg, false); }

  void result(llvm::MCRegister reg) {
    if (!reg.isValid()) return;
    const auto storage = target_.storage(reg);
    if (!storage) return;
    if (target_.writes_in_part(reg)) data(reg);
    if (add_result(*storage) && target_.is_integer(reg)) ++out_.registers;
  }

  // Moves a result to the early ones, which do not wait for the access.
  void early(llvm::MCRegister reg) {
    const auto storage = target_.storage(reg);
    if (!storage) return;
    add_result(*storage);
    const auto begin = out_.result.begin();
    const auto found = std::find(begin, begin + out_.results, *storage);
    if (found == begin + out_.results || found - begin < out_.early_results) return;
    std::iter_swap(found, begin + out_.early_results++);
  }

  void forget_sources() { out_.sources = out_.address_sources = 0; }

 private:
  void add_source(llvm::MCRegister reg, bool address) {
    if (!reg.isValid()) return;
    const auto storage = target_.storage(reg);
    if (!storage || out_.sources == Instruction::kMaxSources) return;
    const auto begin = out_.source.begin();
    const unsigned known = address ? out_.address_sources : out_.sources;
    if (std::find(begin, begin + known, *storage) != begin + known) return;
    out_.source[out_.sources++] = *storage;
    if (address) std::iter_swap(begin + out_.address_sources++, begin + out_.sources - 1);
  }

  // Whether it was not one before.
  bool add_result(std::uint8_t storage) {
    const auto begin = out_.result.begin();
    if (out_.results == Instruction::kMaxResults ||
        std::find(begin, begin + out_.results, storage) != begin + out_.results)
      return false;
    out_.result[out_.results++] = storage;
    return true;
  }

  const LlvmTarget& target_;
  Instruction& out_;
};

}  // namespace

struct Decoder::Impl {
  LlvmTarget target;

  Instruction decode_one(const MCInst& inst) const;
  void find_operands(const MCInst& inst, Instruction& out) const;
  void find_branch(const MCInst& inst, Instruction& out) const;
  void find_costs(const MCInst& inst, Instruction& out) const;
  void refine_x86(const MCInst& inst, Instruction& out) const;
  void refine_x86_stack(const MCInst& inst, Instruction& out) const;
  void refine_aarch64(const MCInst& inst, Instruction& out) const;
  bool fuses(const MCInst& first, const MCInst& branch) const;
};

void Decoder::Impl::find_operands(const MCInst& inst, Instruction& out) const {
  const MCInstrDesc& desc = target.description(inst);
  const bool x86 = target.architecture() == Architecture::x86_64;
  Operands operands(target, out);
  const int x86_address = x86 ? x86_address_operand(desc) : -1;
  const unsigned defs = desc.getNumDefs();
  bool after_base = false;
  // AArch64 has the base, then the offset register, behind the data.
  for (unsigned i = defs; i < inst.getNumOperands() && i < desc.getNumOperands(); ++i) {
    if (!inst.getOperand(i).isReg()) continue;
    const llvm::MCRegister reg = inst.getOperand(i).getReg();
    const bool in_x86_address = x86_address >= 0 && i >= unsigned(x86_address) && i < x86_address + kX86AddressOperands;
    const bool accesses = desc.mayLoad() || desc.mayStore() || out.prefetch || out.maintains;
    if (!x86 && accesses && target.is_base_operand(desc.operands()[i])) after_base = true;
    if (in_x86_address || after_base)
      operands.address(reg);
    else
      operands.data(reg);
  }
  for (const llvm::MCPhysReg reg : desc.implicit_uses()) operands.data(reg);
  for (unsigned i = 0; i < defs && i < inst.getNumOperands(); ++i)
    if (inst.getOperand(i).isReg()) operands.result(inst.getOperand(i).getReg());
  for (const llvm::MCPhysReg reg : desc.implicit_defs()) operands.result(reg);
  // A base register that is updated: the first result of an AArch64 access is tied to its base.
  if (!x86 && defs > 0 && (desc.mayLoad() || desc.mayStore()) && target.is_base_operand(desc.operands()[0])) {
    operands.early(inst.getOperand(0).getReg());
    out.early_latency = 1;
  }
  if (target.breaks_dependency(inst)) operands.forget_sources();
}

void Decoder::Impl::find_branch(const MCInst& inst, Instruction& out) const {
  const MCInstrDesc& desc = target.description(inst);
  const auto is_relative = [](const MCOperandInfo& info) { return info.OperandType == llvm::MCOI::OPERAND_PCREL; };
  const bool direct = std::any_of(desc.operands().begin(), desc.operands().end(), is_relative);
  if (desc.isReturn())
    out.branch = BranchKind::function_return;
  else if (desc.isCall())
    out.branch = direct ? BranchKind::direct_call : BranchKind::indirect_call;
  else if (desc.isIndirectBranch())
    out.branch = BranchKind::indirect_jump;
  else if (desc.isConditionalBranch())
    out.branch = BranchKind::conditional;
  else if (desc.isUnconditionalBranch())
    out.branch = BranchKind::direct_jump;
}

void Decoder::Impl::find_costs(const MCInst& inst, Instruction& out) const {
  const ScheduleFacts facts = target.schedule(inst);
  const unsigned load = target.load_latency();
  unsigned latency = facts.known ? facts.latency : 1;
  unsigned micro_ops = facts.known ? facts.micro_ops : 1;
  if (out.loads > 0) {
    // Operands or flags besides the address: an operation follows the load; a store behind it costs one cycle in LLVM.
    const bool operates = out.sources > out.address_sources || (out.stores > 0 && out.results > 0);
    const unsigned behind = latency > load ? latency - load : 0;
    latency = out.stores > 0 && behind > 0 ? behind - 1 : behind;
    if (operates) latency = std::max(latency, 1U);
    if (target.architecture() == Architecture::x86_64) {
      // LLVM counts unfused micro-ops for Intel; load and operation, and both halves of a store, take one slot.
      if (out.stores > 0)
        micro_ops = std::min(micro_ops, std::max(2U, micro_ops - 2));
      else if (micro_ops > 1)
        --micro_ops;
    }
  } else if (out.stores > 0) {
    latency = 1;
  }
  const bool accesses = out.loads > 0 || out.stores > 0 || out.prefetch;
  out.latency = static_cast<std::uint16_t>(latency);
  out.micro_ops = static_cast<std::uint8_t>(std::clamp(micro_ops, 1U, 32U));
  out.occupancy = accesses ? 0 : static_cast<std::uint16_t>(facts.occupancy);
  out.uses_alu = facts.executes && latency > 0 && !(out.stores > 0 && out.loads == 0) && !out.prefetch;
}

Instruction Decoder::Impl::decode_one(const MCInst& inst) const {
  Instruction out;
  const MCInstrDesc& desc = target.description(inst);
  out.loads = desc.mayLoad() ? 1 : 0;
  out.stores = desc.mayStore() ? 1 : 0;
  const std::optional<CacheOperationKind> operation = cache_operation_kind(target, inst);
  out.prefetch = operation == CacheOperationKind::prefetch || operation == CacheOperationKind::prefetch_write;
  if (operation) out.loads = out.stores = 0;
  out.maintains = operation && !out.prefetch && operation != CacheOperationKind::zero;
  if (out.maintains) out.stores = 1;
  find_operands(inst, out);
  find_branch(inst, out);
  if (target.architecture() == Architecture::x86_64)
    refine_x86(inst, out);
  else
    refine_aarch64(inst, out);
  find_costs(inst, out);
  if (target.architecture() == Architecture::x86_64) refine_x86_stack(inst, out);
  // What renaming does alone takes no register: a move, or a clearing to zero.
  const bool accesses = out.loads > 0 || out.stores > 0;
  if (!accesses && (out.latency == 0 || target.breaks_dependency(inst))) out.registers = 0;
  // What has been loaded lies in one, also for those that only compare it or store it again.
  if (out.loads > 0 && out.registers == 0) out.registers = 1;
  return out;
}

// String instructions, barriers, and what LLVM's flags say wrongly about memory.
void Decoder::Impl::refine_x86(const MCInst& inst, Instruction& out) const {
  const StringRef name = target.opcode(inst);
  if (starts_with_any(name, {"NOOP", "ENDBR", "PAUSE", "TRAP", "INT3", "HLT"})) out.loads = out.stores = 0;
  if (name == "LFENCE")
    out.barrier = Barrier::load_fence;
  else if (name == "SFENCE")
    out.barrier = Barrier::store_fence;
  else if (name == "MFENCE")
    out.barrier = Barrier::full_fence;
  else if (starts_with_any(name, {"CPUID", "WRMSR", "IRET", "SERIALIZE", "INVLPG", "LGDT", "LIDT"}) ||
           starts_with_any(name, {"MOV64cr", "MOV64dr"}))
    out.barrier = Barrier::serialise;
  else if (name.starts_with("XCHG") && name.ends_with("rm"))
    out.barrier = Barrier::locked;
  else if (name == "PAUSE")
    out.barrier = Barrier::pause;
  if (out.barrier != Barrier::none && out.barrier != Barrier::locked) out.loads = out.stores = 0;

  const bool stores = starts_with_any(name, {"STOS"});
  const bool moves = name == "MOVSB" || name == "MOVSW" || name == "MOVSL" || name == "MOVSQ";
  const bool scans = name.starts_with("LODS") || name.starts_with("SCAS") || name.starts_with("CMPS");
  const bool string = (stores && name.size() == 5) || moves || (scans && name.size() == 5);
  if (string) {
    out.loads = moves || scans ? (name.starts_with("CMPS") ? 2 : 1) : 0;
    out.stores = stores || moves ? 1 : 0;
    switch (name.back()) {
      case 'B':
        out.element_size = 1;
        break;
      case 'W':
        out.element_size = 2;
        break;
      case 'L':
        out.element_size = 4;
        break;
      default:
        out.element_size = 8;
        break;
    }
    if ((inst.getFlags() & kRepeatFlags) != 0) {
      if (stores)
        out.repeat = Repeat::store;
      else if (moves)
        out.repeat = Repeat::move;
      else
        out.loads = kAnyNumber;
    }
  } else if (name.starts_with("CMPXCHG16B")) {
    out.loads = out.stores = 2;
  } else if (target.description(inst).mayLoad() || target.description(inst).mayStore()) {
    // The emulator reports 128-bit accesses as two of 64 bits.
    if (target.print(inst, 0).find("xmmword ptr") != std::string::npos) {
      out.loads *= 2;
      out.stores *= 2;
    }
  }
}

// The stack engine keeps rsp ahead of the instructions that move it, and the slots that LLVM counts for it are not
// taken. Micro-ops: Fog, instruction tables (push, pop 1; call 2, through memory 3; ret 2; leave 3).
void Decoder::Impl::refine_x86_stack(const MCInst& inst, Instruction& out) const {
  const StringRef name = target.opcode(inst);
  const bool push = name.starts_with("PUSH");
  const bool pop = name.starts_with("POP") && !name.starts_with("POPCNT");
  const bool call = out.branch == BranchKind::direct_call || out.branch == BranchKind::indirect_call;
  const bool ret = out.branch == BranchKind::function_return;
  if (!push && !pop && !call && !ret) {
    if (name.starts_with("NOOP") || name.starts_with("ENDBR")) {
      out.latency = 0;
      out.uses_alu = false;
    }
    return;
  }
  const int memory = x86_address_operand(target.description(inst));
  const bool indirect = memory >= 0;
  out.loads = pop || ret || indirect ? 1 : 0;
  out.stores = push || call || (pop && indirect) ? 1 : 0;
  const bool flags = name.starts_with("PUSHF") || name.starts_with("POPF");
  if (!flags) out.micro_ops = static_cast<std::uint8_t>((call || ret ? 2 : 1) + (indirect ? 1 : 0));
  out.latency = call || ret || push ? 1 : 0;
  out.uses_alu = call || ret;
  Operands operands(target, out);
  for (const llvm::MCPhysReg reg : target.stack_pointer()) {
    operands.address(reg);
    operands.early(reg);
    if (out.registers > 0) --out.registers;
  }
  out.early_latency = 0;
}

void Decoder::Impl::refine_aarch64(const MCInst& inst, Instruction& out) const {
  const StringRef name = target.opcode(inst);
  const auto barrier_domain = [&inst] { return inst.getOperand(0).getImm() & 3; };  // 1 loads, 2 stores, 3 all
  if (name == "HINT") out.loads = out.stores = 0;
  if (name == "DMB") {
    out.barrier = barrier_domain() == 1   ? Barrier::load_order
                  : barrier_domain() == 2 ? Barrier::store_fence
                                          : Barrier::full_fence;
  } else if (name == "DSB" || name == "DSBnXS") {
    out.barrier = Barrier::full_stop;
  } else if (name == "ISB" || name == "ERET") {
    out.barrier = Barrier::serialise;
  }
  if (out.barrier != Barrier::none) out.loads = out.stores = 0;
  if (starts_with_any(name, {"LDXR", "LDAXR", "LDXP", "LDAXP"})) out.stores = 0;
  if (starts_with_any(name, {"STXR", "STLXR", "STXP", "STLXP"})) out.loads = 0;
  // The emulator reports the accesses of a pair one by one, and 128-bit ones as two of 64 bits.
  unsigned accesses =
      starts_with_any(name, {"LDP", "STP", "LDNP", "STNP", "LDXP", "LDAXP", "STXP", "STLXP", "CASP"}) ? 2 : 1;
  if (starts_with_any(name, {"LDRQ", "STRQ", "LDURQ", "STURQ", "LDPQ", "STPQ", "LDNPQ", "STNPQ"})) accesses *= 2;
  out.loads = static_cast<std::uint8_t>(out.loads * accesses);
  out.stores = static_cast<std::uint8_t>(out.stores * accesses);
}

// Whether a conditional jump joins the instruction before it. Intel optimisation manual, "Macro-Fusion"; AMD's cores
// join compares and tests, and from Zen 3 on the same arithmetic.
bool Decoder::Impl::fuses(const MCInst& first, const MCInst& branch) const {
  if (!target.fuses_compare() || !target.description(branch).isConditionalBranch() || target.opcode(branch) != "JCC_1")
    return false;
  const StringRef name = target.opcode(first);
  const MCInstrDesc& desc = target.description(first);
  if (desc.mayStore()) return false;
  const bool immediate = name.contains("mi");
  if (immediate) return false;
  if (starts_with_any(name, {"CMP8", "CMP16", "CMP32", "CMP64", "TEST8", "TEST16", "TEST32", "TEST64"})) return true;
  return target.fuses_arithmetic() &&
         starts_with_any(name, {"AND8", "AND16", "AND32", "AND64", "ADD8", "ADD16", "ADD32", "ADD64", "SUB8", "SUB16",
                                "SUB32", "SUB64", "INC", "DEC"});
}

Decoder::Decoder(Architecture architecture, const std::string& llvm_cpu)
    : impl_(new Impl{LlvmTarget(architecture, llvm_cpu)}) {}
Decoder::~Decoder() = default;
Decoder::Decoder(Decoder&&) noexcept = default;
Decoder& Decoder::operator=(Decoder&&) noexcept = default;

Block Decoder::decode(std::span<const std::uint8_t> code, std::uint64_t address) const {
  Block block{.address = address, .size = code.size(), .instructions = {}, .counts = {}};
  std::optional<MCInst> previous;
  std::uint64_t offset = 0;
  bool locked = false;
  while (offset < code.size()) {
    std::uint64_t length = 0;
    const std::optional<MCInst> inst = impl_->target.decode(code.subspan(offset), address + offset, length);
    if (!inst) length = impl_->target.architecture() == Architecture::aarch64 ? 4 : 1;
    length = std::min<std::uint64_t>(length, code.size() - offset);
    // LLVM decodes the lock prefix as an instruction of its own.
    if (inst && impl_->target.opcode(*inst) == "LOCK_PREFIX") {
      locked = true;
      offset += length;
      continue;
    }
    Instruction decoded = inst ? impl_->decode_one(*inst) : Instruction{};
    decoded.address = address + offset - (locked ? 1 : 0);
    decoded.length = static_cast<std::uint8_t>(length + (locked ? 1 : 0));
    if (locked) decoded.barrier = Barrier::locked;
    locked = false;
    const bool fused = inst && previous && impl_->fuses(*previous, *inst);
    if (fused) {
      decoded.micro_ops = 0;
      decoded.latency = 0;
      decoded.uses_alu = false;
    }
    const std::uint64_t line = decoded.address / kCacheLine;
    decoded.new_line = block.instructions.empty() || block.instructions.back().address / kCacheLine != line;
    choose_ways(decoded);
    decoded.place = static_cast<std::uint16_t>(block.places);
    if (!fused) ++block.places;
    block.micro_ops += decoded.micro_ops;
    block.registers += decoded.registers;
    block.instructions.push_back(decoded);
    previous = inst;
    offset += length;
  }
  block.counts.resize(block.instructions.size());
  const BranchKind last = block.instructions.empty() ? BranchKind::none : block.instructions.back().branch;
  block.ends_in_call = last == BranchKind::direct_call || last == BranchKind::indirect_call;
  block.ends_in_return = last == BranchKind::function_return;
  block.repeats = !block.instructions.empty() && block.instructions.back().repeat != Repeat::none;
  return block;
}

std::string Decoder::disassemble(std::span<const std::uint8_t> code, std::uint64_t address) const {
  std::uint64_t length = 0;
  const std::optional<MCInst> inst = impl_->target.decode(code, address, length);
  if (!inst) return "(bad)";
  // Distances of branches count from the next instruction on x86. Words are one space apart.
  const bool x86 = impl_->target.architecture() == Architecture::x86_64;
  std::string text;
  for (const char c : impl_->target.print(*inst, x86 ? address + length : address)) {
    const bool space = c == ' ' || c == '\t';
    if (!space)
      text += c;
    else if (!text.empty() && text.back() != ' ')
      text += ' ';
  }
  // A prefix that LLVM decodes as an instruction of its own.
  const bool prefix = impl_->target.opcode(*inst) == "LOCK_PREFIX" && length < code.size();
  return prefix ? text + " " + disassemble(code.subspan(length), address + length) : text;
}

std::optional<std::uint64_t> Decoder::branch_target(std::span<const std::uint8_t> code, std::uint64_t address) const {
  std::uint64_t length = 0;
  const std::optional<MCInst> inst = impl_->target.decode(code, address, length);
  return inst ? impl_->target.branch_target(*inst, address, length) : std::nullopt;
}

std::vector<CacheOperation> Decoder::find_cache_operations(std::span<const std::uint8_t> code,
                                                           std::uint64_t address) const {
  std::vector<CacheOperation> found;
  const std::uint64_t step = impl_->target.architecture() == Architecture::aarch64 ? 4 : 1;
  for (std::uint64_t offset = 0; offset < code.size();) {
    std::uint64_t length = 0;
    const std::optional<MCInst> inst = impl_->target.decode(code.subspan(offset), address + offset, length);
    if (inst)
      if (const auto kind = cache_operation_kind(impl_->target, *inst))
        found.push_back(cache_operation(impl_->target, *inst, *kind, address + offset, length));
    offset += inst ? length : step;
  }
  return found;
}

MachineModel Decoder::machine() const {
  const llvm::MCSchedModel& model = impl_->target.model();
  return {model.IssueWidth, model.MicroOpBufferSize, impl_->target.load_latency(), model.MispredictPenalty};
}

}  // namespace ringside
