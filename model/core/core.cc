#include "model/core/core.h"

#include <fmt/format.h>
#include <unicorn/unicorn.h>

#include <algorithm>
#include <cstring>

#include "model/base/errors.h"

namespace ringside {

namespace {

// Functions of the guest that do nothing but copy.
bool copies_bytes(std::string_view function) {
  return function == "memcpy" || function == "memmove" || function == "copy_to_user";
}

}  // namespace

void Core::occupy(Time duration) {
  owed_ += duration;
  Cycle whole = to_cycles(owed_, config_.frequency);
  if (to_time(whole, config_.frequency) > owed_) whole -= Cycle{1};
  owed_ -= to_time(whole, config_.frequency);
  pipeline_.occupy(whole);
}

void Core::watch(std::uint64_t begin, std::uint64_t end) {
  watch_begin_ = begin;
  watch_size_ = end - begin;
}

Time Core::local_time() const { return to_time(pipeline_.front(), config_.frequency); }

void Core::run() {
  if (!wait_for_boot()) return;
  set_next_sync();
  const uc_err error = uc_emu_start(engine_, entry_, 0, 0, 0);
  if (failure_ == nullptr && error != UC_ERR_OK && !stop_) {
    const bool instruction = error == UC_ERR_INSN_INVALID || error == UC_ERR_EXCEPTION;
    fault(where(), instruction ? "an undefined instruction or an exception" : uc_strerror(error));
  }
  if (failure_ != nullptr) ended_ = Ended::failed;
  if (ended_ == Ended::running) ended_ = Ended::stopped;
  bridge_.stop();
}

void Core::on_block(std::uint64_t address, std::uint32_t size) {
  Block* const from = current_;
  if (from != nullptr) {
    // Each iteration of a repeated string instruction is reported as a block of its own at the instruction.
    if (from->repeats && from->instructions.back().address == address) return;
    finish_block(address);
    if (shared_ && port_.snooped_lines() != snooped_lines_) wait_for_others_data();
  }
  const Cycle now = pipeline_.front();
  if (now >= next_sync_) synchronise(now);
  if (from != nullptr && from->next != nullptr && from->next->address == address && from->next->size == size) {
    current_ = from->next;
  } else {
    current_ = &block_at(address, size);
    if (from != nullptr) from->next = current_;
  }
  const bool stays = from != nullptr && !from->ends_in_call && !from->ends_in_return && current_->function == calls_.function();
  if (!stays) follow(from);
}

// Tells the call tree how control came from `from`, if from anywhere, to the current block.
void Core::follow(const Block* from) {
  const CallTree::Place to{current_->address, current_->function, current_->starts_function};
  if (from == nullptr)
    calls_.start(to, progress());
  else if (from->ends_in_call)
    calls_.call(to, from->address + from->size, progress());
  else if (from->ends_in_return)
    calls_.return_to(to, progress());
  else
    calls_.jump(to, progress());
  pipeline_.count_cycles_in(calls_.running_cycles());
}

void Core::set_dram_image(DramImage& image, DramImage::Invalidate invalidate) {
  image_of_dram_ = &image;
  invalidate_ = invalidate;
}

void Core::on_cached_load(std::uint64_t address, std::uint32_t size) {
  if (image_of_dram_->loaded(address, size) || current_ == nullptr) return;
  observer_.stale_load(local_time(), address, image_.describe(current_->address));
}

void Core::on_maintenance(std::uint64_t address, AccessKind kind) {
  if (kind == AccessKind::clean) image_of_dram_->clean(address);
  if (kind == AccessKind::invalidate) image_of_dram_->invalidate(address, invalidate_);
  if (kind == AccessKind::clean_invalidate) image_of_dram_->invalidate(address, DramImage::Invalidate::clean);
}

// What the observer adds to a packet (occupy()) comes before the load that finds it, and so hides nothing of its latency.
void Core::finish_block(std::uint64_t next) {
  if (watched_hit_) {
    watched_hit_ = false;
    observer_.watched_load(timeline_.now(), watched_);
  }
  if (current_->copies) [[unlikely]] count_copied_bytes();
  pipeline_.run(*current_, accesses_, next);
  accesses_.clear();
}

void Core::count_copied_bytes() {
  for (const Access& access : accesses_)
    if (access.kind == AccessKind::store) copied_bytes_ += access.size;
}

void Core::synchronise(Cycle now) {
  const Time local = to_time(now, config_.frequency);
  if (shared_) return synchronise_with_others(local);
  timeline_.run_until(local);
  const Time kernel = KernelBridge::now();
  if (local >= kernel + quantum_) {
    sc_core::wait(sc_core::sc_time::from_value((local - kernel).value));
    if (!observer_.keep_running(local)) stop();
  }
  set_next_sync();
}

void Core::set_next_sync() {
  const Time next = std::min(timeline_.next(), KernelBridge::now() + quantum_);
  next_sync_ = to_cycles(next, config_.frequency);
}

Block& Core::block_at(std::uint64_t address, std::uint32_t size) {
  const std::uint64_t offset = address - image_.text_begin();
  if (offset >= blocks_.size()) {
    const std::string from = current_ != nullptr ? image_.describe(current_->instructions.back().address) : "its entry";
    throw InvariantError(local_time(), name(), fmt::format("the guest faulted in {}: jump to {:#x}, outside its code", from, address));
  }
  std::unique_ptr<Block>& slot = blocks_[offset];
  if (slot != nullptr && slot->size == size) return *slot;
  // The emulator may cut the same code into blocks of another length after it was interrupted inside one.
  if (slot != nullptr) replaced_.push_back(std::move(slot));
  slot = std::make_unique<Block>(decoder_.decode({memory_.host(PhysAddr{address}), size}, address));
  if (const GuestFunction* function = image_.find_function(address); function != nullptr) {
    slot->function = function->id;
    slot->starts_function = function->address == address;
    slot->copies = copies_bytes(function->name);
  }
  return *slot;
}

void Core::on_fault(const char* what, std::uint64_t address) {
  // After a jump into nothing the program counter names no code; the block before it is where the guest went wrong.
  const bool lost = !image_.contains_code(program_counter()) && current_ != nullptr;
  fault(lost ? image_.describe(current_->instructions.back().address) : where(), fmt::format("{} {:#x}", what, address));
}

void Core::fault(const std::string& place, const std::string& what) {
  fail(std::make_exception_ptr(InvariantError(local_time(), name(), fmt::format("the guest faulted in {}: {}", place, what))));
}

std::uint64_t Core::on_mmio_read(std::uint64_t address, std::uint32_t size) {
  accesses_.back().kind = AccessKind::mmio_load;
  const Cycle at = pipeline_.run_to_mmio(*current_, accesses_);
  if (shared_) catch_up(to_time(at, config_.frequency));
  std::uint64_t value;
  if (address - guest::kBoardRegs < guest::kBoardRegsSize) {
    value = read_board(address - guest::kBoardRegs);
    pipeline_.finish_mmio(at);
  } else {
    const auto result = mmio_.mmio_read(to_time(at, config_.frequency), address, size);
    value = result.value;
    pipeline_.finish_mmio(to_cycles(result.done, config_.frequency));
  }
  set_next_sync();
  return value;
}

void Core::on_mmio_write(std::uint64_t address, std::uint32_t size, std::uint64_t value) {
  accesses_.back().kind = AccessKind::mmio_store;
  const Cycle at = pipeline_.run_to_mmio(*current_, accesses_);
  if (shared_) catch_up(to_time(at, config_.frequency));
  if (address - guest::kBoardRegs < guest::kBoardRegsSize) {
    pipeline_.finish_mmio(at);
    write_board(address - guest::kBoardRegs, value);
  } else {
    const Time done = mmio_.mmio_write(to_time(at, config_.frequency), address, size, value);
    pipeline_.finish_mmio(to_cycles(done, config_.frequency));
  }
  set_next_sync();
}

std::uint64_t Core::read_board(std::uint64_t offset) {
  if (offset != static_cast<std::uint64_t>(guest::BoardReg::pending)) {
    throw InvariantError(local_time(), name(), fmt::format("the guest reads board register {:#x}; only 0x8 can be read", offset));
  }
  const std::uint64_t pending = pending_;
  pending_ = 0;
  return pending;
}

void Core::write_board(std::uint64_t offset, std::uint64_t value) {
  switch (static_cast<guest::BoardReg>(offset)) {
    case guest::BoardReg::idle: return wait_for_interrupt();
    case guest::BoardReg::stats: return observer_.statistics_table(value);
    case guest::BoardReg::console: return observer_.console(static_cast<char>(value));
    case guest::BoardReg::panic:
      throw InvariantError(local_time(), name(), fmt::format("the guest panicked in {}: {}", where(), guest_string(value)));
    case guest::BoardReg::exit:
      ended_ = Ended::exited;
      return stop();
    case guest::BoardReg::cpu_on: return start_cpu(value);
    case guest::BoardReg::ipi:
      return observer_.send_interrupt(local_time(), value >> 32, static_cast<std::uint32_t>(value & 63));
    case guest::BoardReg::pending: break;
  }
  throw InvariantError(local_time(), name(), fmt::format("the guest writes board register {:#x}, which does not exist", offset));
}

void Core::wait_for_interrupt() {
  Time local = to_time(pipeline_.retired(), config_.frequency);
  if (shared_) catch_up(local);
  timeline_.run_until(local);
  idle_ = true;
  observer_.idle(local);
  if (pending_ == 0) {
    catch_up(local);
    while (pending_ == 0 && !stop_) bridge_.sleep_until(wake_);
    local = std::max(local, KernelBridge::now());
  }
  idle_ = false;
  if (stop_) return sleep(local);
  ++interrupts_taken_;
  sleep(local + config_.interrupt_latency);
  if (!observer_.keep_running(local)) stop();
}

void Core::sleep(Time until) {
  const Cycle from = pipeline_.retired();
  const Cycle to = to_cycles(until, config_.frequency);
  if (to > from) idle_cycles_ += to - from;
  asleep_until_ = to;
  pipeline_.sleep(to);
}

// The core may be ahead of `now`, busy or asleep.
Cycle Core::busy_cycles(Time now) const {
  const Cycle until = to_cycles(now, config_.frequency);
  const Cycle still_asleep = asleep_until_ > until ? asleep_until_ - until : Cycle{};
  return std::min(cycles(), until) + still_asleep - idle_cycles_;
}

void Core::interrupt(Time, std::uint32_t vector) {
  pending_ |= std::uint64_t{1} << (vector & 63);
  wake_.notify(sc_core::SC_ZERO_TIME);
}

void Core::stop() {
  stop_ = true;
  uc_emu_stop(engine_);
  wake_.notify(sc_core::SC_ZERO_TIME);
}

void Core::fail(std::exception_ptr failure) {
  if (failure_ == nullptr) failure_ = std::move(failure);
  stop();
}

std::uint64_t Core::program_counter() const {
  std::uint64_t pc = 0;
  const bool x86 = image_.architecture() == Architecture::x86_64;
  uc_reg_read(engine_, x86 ? static_cast<int>(UC_X86_REG_RIP) : static_cast<int>(UC_ARM64_REG_PC), &pc);
  return pc;
}

std::string Core::where() const { return image_.describe(program_counter()); }

std::string Core::guest_string(std::uint64_t address) const {
  std::string text;
  while (text.size() < 200 && memory_.contains(PhysAddr{address}, 1)) {
    const char byte = static_cast<char>(*memory_.host(PhysAddr{address++}));
    if (byte == '\0') break;
    text += byte >= ' ' ? byte : '?';
  }
  return text;
}

}  // namespace ringside
