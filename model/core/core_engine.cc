// The emulator behind a core: what it is set up with, and what it calls.
#include <fmt/format.h>
#include <unicorn/unicorn.h>

#include <optional>

#include "model/core/core.h"
#include "model/core/engine_registers.h"

namespace ringside {

namespace {

// How far a core that is alone runs ahead of the kernel before it lets it catch up. Events of the timeline are not affected:
// a core looks at memory only after those due by its local time have fired.
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
  static void load(uc_engine*, uc_mem_type, std::uint64_t address, int size, std::int64_t, void* user) {
    Core& core = *static_cast<Core*>(user);
    core.accesses_.push_back({address, static_cast<std::uint32_t>(size), AccessKind::load});
    if (core.image_of_dram_ != nullptr) core.on_cached_load(address, static_cast<std::uint32_t>(size));
    if (address - core.watch_begin_ < core.watch_size_) {
      if (!core.watched_hit_) core.watched_ = address;
      core.watched_hit_ = true;
    }
  }
  static void store(uc_engine*, uc_mem_type, std::uint64_t address, int size, std::int64_t, void* user) {
    Core& core = *static_cast<Core*>(user);
    core.accesses_.push_back({address, static_cast<std::uint32_t>(size), AccessKind::store});
    if (core.image_of_dram_ != nullptr) core.image_of_dram_->stored(address, static_cast<std::uint32_t>(size));
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
      port_(port),
      mmio_(mmio),
      timeline_(timeline),
      bridge_(bridge),
      observer_(observer),
      decoder_(image.architecture(), config.llvm),
      pipeline_(config, port),
      calls_(config.frequency),
      quantum_(kQuantum),
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
  engine_memory_ = std::make_unique<EngineMemory>(engine_, image_, memory_);

  hooks_->windows = {{this, guest::kBoardRegs, 0}, {this, guest::kNicBar, 0}};
  const std::uint64_t sizes[] = {guest::kBoardRegsSize, guest::kNicBarSize};
  for (std::size_t i = 0; i < hooks_->windows.size(); ++i) {
    Hooks::Window& window = hooks_->windows[i];
    check(uc_mmio_map(engine_, window.base, sizes[i], Hooks::mmio_read, &window, Hooks::mmio_write, &window), "MMIO");
  }

  uc_hook hook;
  check(uc_hook_add(engine_, &hook, UC_HOOK_BLOCK, reinterpret_cast<void*>(Hooks::block), this, 1, 0), "block hook");
  check(uc_hook_add(engine_, &hook, UC_HOOK_MEM_READ, reinterpret_cast<void*>(Hooks::load), this, 1, 0), "load hook");
  check(uc_hook_add(engine_, &hook, UC_HOOK_MEM_WRITE, reinterpret_cast<void*>(Hooks::store), this, 1, 0), "store hook");
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
  if (sc_core::sc_is_running()) wake_.notify(sc_core::SC_ZERO_TIME);
}

}  // namespace ringside
