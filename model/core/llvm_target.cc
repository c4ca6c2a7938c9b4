#include "model/core/llvm_target.h"

#include <fmt/format.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>

#include <algorithm>

#include "model/base/errors.h"
#include "model/core/instruction.h"

namespace ringside {
namespace {

// LLVM marks what it knows nothing about with 100 micro-ops or a latency of 100 cycles.
constexpr unsigned kFiller = 100;
// Shortest time in a unit that counts as not pipelined: multipliers are below, dividers above.
constexpr unsigned kUnpipelined = 4;

void initialise_once() {
  static const bool done = [] {
    llvm::InitializeAllTargetInfos();
    llvm::InitializeAllTargetMCs();
    llvm::InitializeAllDisassemblers();
    return true;
  }();
  static_cast<void>(done);
}

int class_named(const llvm::MCRegisterInfo& registers, llvm::StringRef name) {
  for (unsigned id = 0; id < registers.getNumRegClasses(); ++id)
    if (name == registers.getRegClassName(&registers.getRegClass(id))) return static_cast<int>(id);
  return -1;
}

}  // namespace

LlvmTarget::LlvmTarget(Architecture architecture, const std::string& cpu) : architecture_(architecture) {
  initialise_once();
  const bool x86 = architecture == Architecture::x86_64;
  const std::string triple = x86 ? "x86_64-linux-gnu" : "aarch64-linux-gnu";
  std::string error;
  const llvm::Target* target = llvm::TargetRegistry::lookupTarget(triple, error);
  if (target == nullptr)
    throw InputError(fmt::format("cpu.architecture: LLVM has no back end for {}: {}", triple, error));
  registers_.reset(target->createMCRegInfo(triple));
  assembly_.reset(target->createMCAsmInfo(*registers_, triple, options_));
  // Every AArch64 extension is decoded: what the guest may use is the emulator's business.
  const std::unique_ptr<llvm::MCSubtargetInfo> plain(target->createMCSubtargetInfo(triple, "", ""));
  if (!plain->isCPUStringValid(cpu))
    throw InputError(fmt::format("cpu.llvm: LLVM knows no {} core named '{}'", name(architecture), cpu));
  subtarget_.reset(target->createMCSubtargetInfo(triple, cpu, x86 ? "" : "+all"));
  if (!subtarget_->getSchedModel().hasInstrSchedModel())
    throw InputError(fmt::format("cpu.llvm: LLVM has no instruction latencies for '{}'", cpu));
  instructions_.reset(target->createMCInstrInfo());
  analysis_.reset(target->createMCInstrAnalysis(instructions_.get()));
  context_ =
      std::make_unique<llvm::MCContext>(llvm::Triple(triple), assembly_.get(), registers_.get(), subtarget_.get());
  disassembler_.reset(target->createMCDisassembler(*subtarget_, *context_));
  const unsigned intel_syntax = x86 ? 1 : 0;
  printer_.reset(
      target->createMCInstPrinter(llvm::Triple(triple), intel_syntax, *assembly_, *instructions_, *registers_));
  // As objdump and perf print it.
  printer_->setPrintBranchImmAsAddress(true);
  printer_->setPrintImmHex(true);

  classify_registers();
  const llvm::MCSchedModel& sched = model();
  const unsigned load = instructions_->get(find_opcode(x86 ? "MOV64rm" : "LDRXui")).getSchedClass();
  load_latency_ = llvm::MCSchedModel::computeInstrLatency(*subtarget_, *sched.getSchedClassDesc(load));
  adder_class_ = instructions_->get(find_opcode(x86 ? "ADD64rr" : "ADDXri")).getSchedClass();
  if (x86) {
    fuses_arithmetic_ = subtarget_->checkFeatures("+macrofusion");
    fuses_compare_ = fuses_arithmetic_ || subtarget_->checkFeatures("+branchfusion");
  }
}

unsigned LlvmTarget::find_opcode(llvm::StringRef name) const {
  for (unsigned opcode = 0; opcode < instructions_->getNumOpcodes(); ++opcode)
    if (instructions_->getName(opcode) == name) return opcode;
  throw InputError(fmt::format("LLVM has no instruction {}", name.str()));
}

void LlvmTarget::classify_registers() {
  const bool x86 = architecture_ == Architecture::x86_64;
  base_class_ = class_named(*registers_, "GPR64sp");
  const int byte = x86 ? class_named(*registers_, "GR8") : -1;
  const int word = x86 ? class_named(*registers_, "GR16") : -1;
  const int whole = class_named(*registers_, x86 ? "GR64" : "GPR64all");
  const int half = class_named(*registers_, x86 ? "GR32" : "GPR32all");
  static constexpr std::array<llvm::StringRef, 22> kIgnored{
      "RIP", "EIP", "IP", "SSP", "DF",  "MXCSR", "FPCW", "FPSW", "CS", "DS",   "ES",
      "FS",  "GS",  "SS", "XZR", "WZR", "FPCR",  "FPSR", "FFR",  "VG", "FPMR", "NoRegister"};
  if (registers_->getNumRegUnits() > kRegisterNowhere)
    throw InputError("cpu.llvm: this release of LLVM has more registers than the decoder can number");
  const unsigned count = registers_->getNumRegs();
  storage_.assign(count, kNoStorage);
  partial_.assign(count, false);
  integer_.assign(count, false);
  for (unsigned reg = 1; reg < count; ++reg) {
    const llvm::StringRef name = registers_->getName(reg);
    if (std::find(kIgnored.begin(), kIgnored.end(), name) != kIgnored.end()) continue;
    if (x86 && name == "RSP") stack_pointer_.push_back(static_cast<llvm::MCPhysReg>(reg));
    auto units = registers_->regunits(reg);
    if (units.begin() == units.end()) continue;
    unsigned unit = *units.begin();
    // al and ah have storage of their own in LLVM; cores keep both in the register that they are parts of.
    if (x86)
      for (const auto whole : registers_->superregs_inclusive(reg))
        for (const auto part : registers_->regunits(whole)) unit = std::min<unsigned>(unit, part);
    storage_[reg] = static_cast<std::uint16_t>(unit);
    for (const int id : {byte, word})
      if (id >= 0 && registers_->getRegClass(id).contains(reg)) partial_[reg] = true;
    for (const int id : {byte, word, half, whole})
      if (id >= 0 && registers_->getRegClass(id).contains(reg)) integer_[reg] = true;
  }
}

std::optional<llvm::MCInst> LlvmTarget::decode(std::span<const std::uint8_t> code, std::uint64_t address,
                                               std::uint64_t& length) const {
  llvm::MCInst inst;
  const auto status = disassembler_->getInstruction(
      inst, length, llvm::ArrayRef<std::uint8_t>(code.data(), code.size()), address, llvm::nulls());
  if (status != llvm::MCDisassembler::Success || length == 0) return std::nullopt;
  return inst;
}

unsigned LlvmTarget::class_of(const llvm::MCInst& inst) const {
  unsigned id = description(inst).getSchedClass();
  while (id != 0 && model().getSchedClassDesc(id)->isVariant())
    id = subtarget_->resolveVariantSchedClass(id, &inst, instructions_.get(), model().getProcessorID());
  return id;
}

ScheduleFacts LlvmTarget::schedule(const llvm::MCInst& inst) const {
  const llvm::MCSchedClassDesc& sched = *model().getSchedClassDesc(class_of(inst));
  if (!sched.isValid() || sched.isVariant()) return {1, 1, 0, true, false};
  int latency = llvm::MCSchedModel::computeInstrLatency(*subtarget_, sched);
  // In-order models give the whole pipeline as latency and shorten it for a consumer that is forwarded to; take what
  // a dependent add sees.
  if (sched.NumWriteLatencyEntries > 0) {
    const llvm::MCSchedClassDesc& adder = *model().getSchedClassDesc(adder_class_);
    const unsigned write = subtarget_->getWriteLatencyEntry(&sched, 0)->WriteResourceID;
    latency -= subtarget_->getReadAdvanceCycles(&adder, 0, write);
  }
  unsigned occupancy = 0;
  bool executes = false;
  for (const auto* entry = subtarget_->getWriteProcResBegin(&sched); entry != subtarget_->getWriteProcResEnd(&sched);
       ++entry) {
    executes = true;
    const llvm::MCProcResourceDesc& resource = *model().getProcResource(entry->ProcResourceIdx);
    if (resource.NumUnits == 1) occupancy = std::max<unsigned>(occupancy, entry->ReleaseAtCycle);
  }
  const bool known = sched.NumMicroOps != kFiller && latency != static_cast<int>(kFiller);
  if (!known || occupancy < kUnpipelined) occupancy = 0;
  return {sched.NumMicroOps, static_cast<unsigned>(std::max(latency, 0)), occupancy, executes, known};
}

bool LlvmTarget::breaks_dependency(const llvm::MCInst& inst) const {
  llvm::APInt mask;
  if (analysis_->isDependencyBreaking(inst, mask, model().getProcessorID())) return true;
  if (architecture_ != Architecture::x86_64) return false;
  const llvm::StringRef name = opcode(inst);
  const bool clears = name == "XOR32rr" || name == "XOR64rr" || name == "SUB32rr" || name == "SUB64rr";
  return clears && inst.getOperand(1).getReg() == inst.getOperand(2).getReg();
}

std::string LlvmTarget::print(const llvm::MCInst& inst, std::uint64_t address) const {
  std::string text;
  llvm::raw_string_ostream stream(text);
  printer_->printInst(&inst, address, "", *subtarget_, stream);
  return text;
}

std::optional<std::uint64_t> LlvmTarget::branch_target(const llvm::MCInst& inst, std::uint64_t address,
                                                       std::uint64_t length) const {
  std::uint64_t target = 0;
  if (!analysis_->evaluateBranch(inst, address, length, target)) return std::nullopt;
  return target;
}

std::optional<std::uint8_t> LlvmTarget::storage(llvm::MCRegister reg) const {
  const std::uint16_t unit = storage_[reg.id()];
  if (unit == kNoStorage) return std::nullopt;
  return static_cast<std::uint8_t>(unit);
}

}  // namespace ringside
