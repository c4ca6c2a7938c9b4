// LLVM's machine-code layer for one core, kept behind the decoder: nothing else includes LLVM headers.
#pragma once

#include <llvm/MC/MCAsmInfo.h>
#include <llvm/MC/MCContext.h>
#include <llvm/MC/MCDisassembler/MCDisassembler.h>
#include <llvm/MC/MCInst.h>
#include <llvm/MC/MCInstPrinter.h>
#include <llvm/MC/MCInstrAnalysis.h>
#include <llvm/MC/MCInstrInfo.h>
#include <llvm/MC/MCRegisterInfo.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/MCTargetOptions.h>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/core/architecture.h"

namespace ringside {

// What LLVM says about one instruction on this core, before any of our corrections.
struct ScheduleFacts {
  unsigned micro_ops;
  unsigned latency;    // cycles, with the L1 load-to-use latency if it loads
  unsigned occupancy;  // cycles for which a unit of which there is one is taken, if it is not pipelined
  bool executes;       // takes any execution resource
  bool known;          // false for the instructions that LLVM gives a filler of 100
};

class LlvmTarget {
 public:
  // Throws InputError if LLVM does not know the core.
  LlvmTarget(Architecture architecture, const std::string& cpu);

  // Decodes the instruction at the start of `code`. Gives nothing if the bytes are none.
  std::optional<llvm::MCInst> decode(std::span<const std::uint8_t> code, std::uint64_t address,
                                     std::uint64_t& length) const;

  ScheduleFacts schedule(const llvm::MCInst& inst) const;
  llvm::StringRef opcode(const llvm::MCInst& inst) const { return instructions_->getName(inst.getOpcode()); }
  const llvm::MCInstrDesc& description(const llvm::MCInst& inst) const { return instructions_->get(inst.getOpcode()); }
  bool breaks_dependency(const llvm::MCInst& inst) const;
  std::string print(const llvm::MCInst& inst, std::uint64_t address) const;
  std::optional<std::uint64_t> branch_target(const llvm::MCInst& inst, std::uint64_t address, std::uint64_t length) const;

  // Storage that a register name stands for, or nothing if it carries no dependency (zero register, program counter,
  // ...).
  std::optional<std::uint8_t> storage(llvm::MCRegister reg) const;
  // Whether a register is kept in the integer register file. Flags are not.
  bool is_integer(llvm::MCRegister reg) const { return integer_[reg.id()]; }
  // An x86 register name whose write leaves the rest of its register as it was.
  bool writes_in_part(llvm::MCRegister reg) const { return partial_[reg.id()]; }
  std::span<const llvm::MCPhysReg> stack_pointer() const { return stack_pointer_; }
  std::string register_name(llvm::MCRegister reg) const { return registers_->getName(reg); }
  // The class of AArch64 base registers of addresses.
  bool is_base_operand(const llvm::MCOperandInfo& info) const {
    return info.RegClass >= 0 && info.RegClass == base_class_;
  }

  Architecture architecture() const { return architecture_; }
  const llvm::MCSchedModel& model() const { return subtarget_->getSchedModel(); }
  unsigned load_latency() const { return load_latency_; }
  // Conditional jumps join a preceding compare (every fusing core), or also an add, sub, inc, dec (`arithmetic`).
  bool fuses_compare() const { return fuses_compare_; }
  bool fuses_arithmetic() const { return fuses_arithmetic_; }

 private:
  void classify_registers();
  unsigned class_of(const llvm::MCInst& inst) const;
  unsigned find_opcode(llvm::StringRef name) const;

  Architecture architecture_;
  std::unique_ptr<const llvm::MCRegisterInfo> registers_;
  llvm::MCTargetOptions options_;
  std::unique_ptr<const llvm::MCAsmInfo> assembly_;
  std::unique_ptr<const llvm::MCSubtargetInfo> subtarget_;
  std::unique_ptr<const llvm::MCInstrInfo> instructions_;
  std::unique_ptr<const llvm::MCInstrAnalysis> analysis_;
  std::unique_ptr<llvm::MCContext> context_;
  std::unique_ptr<const llvm::MCDisassembler> disassembler_;
  std::unique_ptr<llvm::MCInstPrinter> printer_;

  static constexpr std::uint16_t kNoStorage = 0xffff;
  std::vector<std::uint16_t> storage_;          // by register
  std::vector<bool> integer_;                   // by register
  std::vector<bool> partial_;                   // by register
  std::vector<llvm::MCPhysReg> stack_pointer_;  // rsp on x86
  int base_class_ = -1;
  unsigned load_latency_ = 0;
  unsigned adder_class_ = 0;
  bool fuses_compare_ = false;
  bool fuses_arithmetic_ = false;
};

}  // namespace ringside
