#include "model/core/core.h"

#include <fmt/format.h>
#include <unicorn/unicorn.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "model/base/errors.h"
#include "model/core/engine_memory.h"
#include "model/core/engine_registers.h"

namespace ringside {

namespace {

// How far a core runs ahead of the kernel before it lets it catch up. Events of the timeline are not affected: a core
// looks at memory only after those due by its local time have fired.
constexpr Time kQuantum = microseconds(2);
constexpr std::size_t kThreadStack = 8u << 20;  // Unicorn's generated code and its hooks run on the thread's stack

void check(uc_err error, const char* what) {
  if (error != UC_ERR_OK) throw std::runtime_error(fmt::format("unicorn: {}: {}", what, uc_strerror(error)));
}

// What the emulator does not report as a memory event.
std::optional<AccessKind> access_of(CacheOperationKind kind) {
  switch (kind) {
    case CacheOperationKind::prefetch: return AccessKind::prefetch;
    case CacheOperationKind::prefetch_write: return AccessKind::prefetch_write;
    case CacheOperationKind::clean: return AccessKind::clean;
    case CacheOperationKind::invalidate: return AccessKind::invalidate;
    case CacheOperationKind::clean_invalidate: return AccessKind::clean_invalidate;
    case CacheOperationKind::zero: break;
  }
  return std::nullopt;
}

// Functions of the guest that do nothing but copy.
bool copies_bytes(std::string_view function) {
  return function == "memcpy" || function == "memmove" || function == "copy_to_user";
}

}  // namespace

// Unicorn is C: nothing may be thrown through it.
struct Core::Hooks {
  template <class Body>
  static void guarded(Core& core, Body body) {
    try {
      body();
    } catch (...) {
      core.fail(std::current_exception());
    }
  }
  static void block(uc_engine*, std::uint64_t address, std::uint32_t size, void* user) {
    Core& core = *static_cast<Core*>(user);
    guarded(core, [&] { core.on_block(address, size); });
  }
  static void memory(uc_engine*, uc_mem_type type, std::uint64_t address, int size, std::int64_t, void* user) {
    Core& core = *static_cast<Core*>(user);
    const bool store = type == UC_MEM_WRITE;
    core.accesses_.push_back({address, static_cast<std::uint32_t>(size), store ? AccessKind::store : AccessKind::load});
    if (store && core.current_ != nullptr && core.current_->copies) core.copied_bytes_ += static_cast<std::uint64_t>(size);
    if (core.image_of_dram_ != nullptr) core.on_cached_access(address, static_cast<std::uint32_t>(size), store);
    if (!store && address - core.watch_begin_ < core.watch_size_) {
      if (!core.watched_hit_) core.watched_ = address;
      core.watched_hit_ = true;
    }
  }
  static bool invalid(uc_engine*, uc_mem_type type, std::uint64_t address, int, std::int64_t, void* user) {
    const char* what = "access to";
    if (type == UC_MEM_READ_UNMAPPED || type == UC_MEM_READ_PROT) what = "read from";
    if (type == UC_MEM_WRITE_UNMAPPED) what = "write to";
    if (type == UC_MEM_FETCH_UNMAPPED || type == UC_MEM_FETCH_PROT) what = "jump to";
    static_cast<Core*>(user)->on_fault(what, address);
    return false;
  }
  // Unicorn cuts an access of eight bytes into halves, the lower one first; the memory hook has seen it whole.
  static std::uint64_t mmio_read(uc_engine*, std::uint64_t offset, unsigned size, void* user) {
    Window& window = *static_cast<Window*>(user);
    Core& core = *window.core;
    const Access access = core.accesses_.back();
    const std::uint64_t address = window.base + offset;
    if (address == access.address) {
      window.value = 0;
      guarded(core, [&] { window.value = core.on_mmio_read(address, access.size); });
      return size == 4 ? window.value & 0xffff'ffff : window.value;
    }
    return window.value >> 32;
  }
  static void mmio_write(uc_engine*, std::uint64_t offset, unsigned size, std::uint64_t value, void* user) {
    Window& window = *static_cast<Window*>(user);
    Core& core = *window.core;
    const Access access = core.accesses_.back();
    const std::uint64_t address = window.base + offset;
    window.value = address == access.address ? value : window.value | value << 32;
    if (address + size < access.address + access.size) return;
    guarded(core, [&] { core.on_mmio_write(access.address, access.size, window.value); });
  }
  static void line_operation(uc_engine* engine, std::uint64_t, std::uint32_t, void* user) {
    const LineOperation& site = *static_cast<LineOperation*>(user);
    std::uint64_t base = 0, index = 0;
    if (site.base_register != 0) uc_reg_read(engine, site.base_register, &base);
    if (site.index_register != 0) uc_reg_read(engine, site.index_register, &index);
    const std::uint64_t address = base + (index << site.shift) + site.displacement;
    site.core->accesses_.push_back({address, 1, site.kind});
    if (site.core->image_of_dram_ != nullptr) site.core->on_maintenance(address, site.kind);
  }

  struct Window {
    Core* core;
    std::uint64_t base;
    std::uint64_t value;  // of the access under way
  };
  struct LineOperation {
    Core* core;
    int base_register, index_register;
    unsigned shift;
    std::uint64_t displacement;
    AccessKind kind;
  };
  std::vector<Window> windows;
  std::vector<LineOperation> line_operations;
};

Core::Core(sc_core::sc_module_name name, const CoreConfig& config, const Image& image, PhysicalMemory& memory,
           CorePort& port, MmioFabric& mmio, Timeline& timeline, KernelBridge& bridge, CoreObserver& observer)
    : sc_module(name),
      config_(config),
      image_(image),
      memory_(memory),
      mmio_(mmio),
      timeline_(timeline),
      bridge_(bridge),
      observer_(observer),
      decoder_(image.architecture(), config.llvm),
      pipeline_(config, port),
      calls_(config.frequency),
      hooks_(std::make_unique<Hooks>()) {
  SC_HAS_PROCESS(Core);
  blocks_.resize(image.text_end() - image.text_begin());
  open_engine();
  SC_THREAD(run);
  set_stack_size(kThreadStack);
}

Core::~Core() {
  if (engine_ != nullptr) uc_close(engine_);
}

void Core::open_engine() {
  const bool x86 = image_.architecture() == Architecture::x86_64;
  check(uc_open(x86 ? UC_ARCH_X86 : UC_ARCH_ARM64, x86 ? UC_MODE_64 : UC_MODE_ARM, &engine_), "open");
  check(uc_ctl_set_cpu_model(engine_, x86 ? static_cast<int>(UC_CPU_X86_ICELAKE_SERVER) : static_cast<int>(UC_CPU_ARM64_MAX)),
        "CPU model");
  map_engine_memory(engine_, image_, memory_);

  hooks_->windows = {{this, guest::kBoardRegs, 0}, {this, guest::kNicBar, 0}};
  const std::uint64_t sizes[] = {guest::kBoardRegsSize, guest::kNicBarSize};
  for (std::size_t i = 0; i < hooks_->windows.size(); ++i) {
    Hooks::Window& window = hooks_->windows[i];
    check(uc_mmio_map(engine_, window.base, sizes[i], Hooks::mmio_read, &window, Hooks::mmio_write, &window), "MMIO");
  }

  uc_hook hook;
  check(uc_hook_add(engine_, &hook, UC_HOOK_BLOCK, reinterpret_cast<void*>(Hooks::block), this, 1, 0), "block hook");
  check(uc_hook_add(engine_, &hook, UC_HOOK_MEM_READ | UC_HOOK_MEM_WRITE, reinterpret_cast<void*>(Hooks::memory), this, 1, 0),
        "memory hook");
  constexpr int kFaults = UC_HOOK_MEM_INVALID & ~UC_HOOK_MEM_WRITE_PROT;
  check(uc_hook_add(engine_, &hook, kFaults, reinterpret_cast<void*>(Hooks::invalid), this, 1, 0), "fault hook");
  hook_line_operations();
}

// Prefetches and cache maintenance make no memory event: each gets a code hook of its own that computes its address.
void Core::hook_line_operations() {
  const std::uint64_t begin = image_.text_begin();
  const std::span<const std::uint8_t> text(memory_.host(PhysAddr{begin}), image_.text_end() - begin);
  std::vector<std::uint64_t> addresses;
  for (const CacheOperation& op : decoder_.find_cache_operations(text, begin)) {
    const std::optional<AccessKind> kind = access_of(op.kind);
    if (!kind) continue;
    const Architecture isa = image_.architecture();
    hooks_->line_operations.push_back({this, engine_register(isa, op.base), engine_register(isa, op.index), op.shift,
                                       static_cast<std::uint64_t>(op.displacement), *kind});
    addresses.push_back(op.address);
  }
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    uc_hook hook;
    check(uc_hook_add(engine_, &hook, UC_HOOK_CODE, reinterpret_cast<void*>(Hooks::line_operation), &hooks_->line_operations[i],
                      addresses[i], addresses[i]),
          "line operation hook");
  }
}

void Core::boot(std::uint64_t entry, std::uint64_t boot_argument, std::uint64_t stack_top) {
  entry_ = entry;
  const bool x86 = image_.architecture() == Architecture::x86_64;
  if (x86) stack_top -= 8;
  check(uc_reg_write(engine_, x86 ? static_cast<int>(UC_X86_REG_RSP) : static_cast<int>(UC_ARM64_REG_SP), &stack_top), "SP");
  check(uc_reg_write(engine_, x86 ? static_cast<int>(UC_X86_REG_RDI) : static_cast<int>(UC_ARM64_REG_X0), &boot_argument),
        "argument");
}

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
  set_next_sync();
  const uc_err error = uc_emu_start(engine_, entry_, 0, 0, 0);
  if (failure_ == nullptr && error != UC_ERR_OK && !stop_) {
    const bool instruction = error == UC_ERR_INSN_INVALID || error == UC_ERR_EXCEPTION;
    fault(where(), instruction ? "an undefined instruction or an exception" : uc_strerror(error));
  }
  if (failure_ != nullptr) ended_ = Ended::failed;
  if (ended_ == Ended::running) ended_ = Ended::stopped;
  sc_core::sc_stop();
}

void Core::on_block(std::uint64_t address, std::uint32_t size) {
  Block* const from = current_;
  if (from != nullptr) {
    // Each iteration of a repeated string instruction is reported as a block of its own at the instruction.
    const Instruction& last = from->instructions.back();
    if (last.repeat != Repeat::none && last.address == address) return;
    finish_block(address);
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

void Core::on_cached_access(std::uint64_t address, std::uint32_t size, bool store) {
  if (store) return image_of_dram_->stored(address, size);
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
  pipeline_.run(*current_, accesses_, next);
  accesses_.clear();
}

void Core::synchronise(Cycle now) {
  const Time local = to_time(now, config_.frequency);
  timeline_.run_until(local);
  const Time kernel = KernelBridge::now();
  if (local >= kernel + kQuantum) {
    sc_core::wait(sc_core::sc_time::from_value((local - kernel).value));
    if (!observer_.keep_running(local)) stop();
  }
  set_next_sync();
}

void Core::set_next_sync() {
  const Time next = std::min(timeline_.next(), KernelBridge::now() + kQuantum);
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
    case guest::BoardReg::pending: break;
  }
  throw InvariantError(local_time(), name(), fmt::format("the guest writes board register {:#x}, which does not exist", offset));
}

void Core::wait_for_interrupt() {
  Time local = to_time(pipeline_.retired(), config_.frequency);
  timeline_.run_until(local);
  observer_.idle(local);
  if (pending_ == 0) {
    const Time kernel = KernelBridge::now();
    if (local > kernel) sc_core::wait(sc_core::sc_time::from_value((local - kernel).value));
    idle_ = true;
    while (pending_ == 0 && !stop_) bridge_.sleep_until(wake_);
    idle_ = false;
    local = std::max(local, KernelBridge::now());
  }
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
