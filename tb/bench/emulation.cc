#include "tb/bench/emulation.h"

#include <fmt/format.h>
#include <unicorn/unicorn.h>

#include <ctime>
#include <memory>
#include <stdexcept>
#include <string>

#include "model/base/timeline.h"
#include "model/core/engine_memory.h"
#include "model/core/image.h"
#include "model/guest/contract.h"
#include "model/memory/physical_memory.h"
#include "model/wire/traffic.h"
#include "tb/bench/device.h"
#include "tb/bench/functional_fabric.h"
#include "tb/board/board_info.h"

namespace ringside::bench {

namespace {

constexpr Time kSettle = microseconds(100);  // the device gets so much time for each thing it is asked to do
constexpr unsigned kPatience = 1000;         // of these, until an interrupt must have come

void check(uc_err error) {
  if (error != UC_ERR_OK) throw std::runtime_error(fmt::format("unicorn: {}", uc_strerror(error)));
}

class Machine {
 public:
  Machine(const Scenario& scenario, std::uint64_t packets, Emulation how)
      : scenario_(scenario),
        target_(packets),
        memory_(PhysAddr{guest::kRamBase}, scenario.memory.ram_size),
        image_(scenario.image.string(), PhysAddr{guest::kRamBase + scenario.memory.ram_size.value}),
        traffic_(make_traffic(scenario.traffic, scenario.run.seed, timeline_)),
        fabric_(timeline_, memory_),
        nic_(make_bench_device(scenario, timeline_, fabric_)) {
    image_.load(memory_);
    const bool x86 = image_.architecture() == Architecture::x86_64;
    check(uc_open(x86 ? UC_ARCH_X86 : UC_ARCH_ARM64, x86 ? UC_MODE_64 : UC_MODE_ARM, &engine_));
    check(uc_ctl_set_cpu_model(engine_, x86 ? static_cast<int>(UC_CPU_X86_ICELAKE_SERVER)
                                            : static_cast<int>(UC_CPU_ARM64_MAX)));
    if (how == Emulation::mapped)
      engine_memory_ = std::make_unique<EngineMemory>(engine_, image_, memory_);
    else
      check(uc_mem_map_ptr(engine_, memory_.base().value, memory_.size().value, UC_PROT_ALL, memory_.host(memory_.base())));
    check(uc_mmio_map(engine_, guest::kBoardRegs, guest::kBoardRegsSize, board_read, this, board_write, this));
    check(uc_mmio_map(engine_, guest::kNicBar, guest::kNicBarSize, nic_read, this, nic_write, this));
    std::uint64_t argument = memory_.base().value;
    std::uint64_t stack = write_board_info(scenario_, image_, memory_) - (x86 ? 8 : 0);
    check(uc_reg_write(engine_, x86 ? static_cast<int>(UC_X86_REG_RSP) : static_cast<int>(UC_ARM64_REG_SP), &stack));
    check(uc_reg_write(engine_, x86 ? static_cast<int>(UC_X86_REG_RDI) : static_cast<int>(UC_ARM64_REG_X0), &argument));
  }
  ~Machine() { uc_close(engine_); }
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  void count_instructions() {
    uc_hook hook;
    check(uc_hook_add(engine_, &hook, UC_HOOK_CODE, reinterpret_cast<void*>(instruction), this, 1, 0));
  }

  Emulated run() {
    const double start = cpu_seconds();
    const uc_err error = uc_emu_start(engine_, image_.entry(), 0, 0, 0);
    const double elapsed = cpu_seconds() - start;
    if (!failure_.empty()) throw std::runtime_error(failure_);
    check(error);
    return {nic_->packets_completed(), instructions_, elapsed - outside_};
  }

 private:
  // Runs `body` for the device: its time is not the guest's, and no exception may pass through Unicorn.
  template <class Body>
  void outside(Body body) {
    const double start = cpu_seconds();
    try {
      body();
    } catch (const std::exception& error) {
      failure_ = error.what();
      uc_emu_stop(engine_);
    }
    outside_ += cpu_seconds() - start;
  }

  // An iteration of a repeated string instruction does not count again.
  static void instruction(uc_engine*, std::uint64_t address, std::uint32_t, void* user) {
    Machine& machine = *static_cast<Machine*>(user);
    machine.instructions_ += address != machine.latest_;
    machine.latest_ = address;
  }

  static std::uint64_t board_read(uc_engine*, std::uint64_t offset, unsigned size, void* user) {
    return static_cast<Machine*>(user)->read_board(offset, size);
  }
  static void board_write(uc_engine*, std::uint64_t offset, unsigned, std::uint64_t value, void* user) {
    static_cast<Machine*>(user)->write_board(offset, value);
  }
  static std::uint64_t nic_read(uc_engine*, std::uint64_t offset, unsigned size, void* user) {
    Machine& machine = *static_cast<Machine*>(user);
    std::uint64_t value = 0;
    machine.outside([&] { value = machine.nic_->mmio().mmio_read(machine.timeline_.now(), offset, size); });
    return value;
  }
  static void nic_write(uc_engine*, std::uint64_t offset, unsigned size, std::uint64_t value, void* user) {
    static_cast<Machine*>(user)->write_nic(offset, size, value);
  }

  // Unicorn cuts an access of eight bytes into halves, the lower one first. All board registers have eight bytes, and
  // of the device's, those that say so.
  std::uint64_t read_board(std::uint64_t offset, unsigned size) {
    const bool upper = offset % 8 == 4;
    if (!upper) pending_ = fabric_.take_pending();
    if (upper) return pending_ >> 32;
    return size == 8 ? pending_ : pending_ & 0xffff'ffff;
  }

  void write_board(std::uint64_t offset, std::uint64_t value) {
    if (offset == static_cast<std::uint64_t>(guest::BoardReg::idle)) outside([&] { wait_for_interrupt(); });
    if (offset == static_cast<std::uint64_t>(guest::BoardReg::panic)) {
      failure_ = fmt::format("the guest panicked: {}", reinterpret_cast<const char*>(memory_.host(PhysAddr{value})));
      uc_emu_stop(engine_);
    }
  }

  void write_nic(std::uint64_t offset, unsigned size, std::uint64_t value) {
    if (size == 4 && nic_->eight_bytes(offset)) {
      lower_ = value;
      return;
    }
    if (size == 4 && nic_->eight_bytes(offset - 4)) {
      offset -= 4;
      size = 8;
      value = lower_ | value << 32;
    }
    outside([&] {
      nic_->mmio().mmio_write(timeline_.now(), offset, size, value);
      timeline_.run_until(timeline_.now() + kSettle);
    });
  }

  void wait_for_interrupt() {
    if (nic_->packets_completed() >= target_) {
      uc_emu_stop(engine_);
      return;
    }
    for (std::uint64_t i = 0; i < scenario_.driver.rx_ring; ++i) {
      TrafficSource::Offer offer;
      if (!traffic_->next(offer)) throw std::runtime_error("the traffic ends before the measurement");
      timeline_.run_until(timeline_.now() + nic_->interval());
      nic_->port().on_frame(timeline_.now(), {frames_++, timeline_.now(), offer.bytes});
    }
    for (unsigned i = 0; i < kPatience && fabric_.pending() == 0; ++i) timeline_.run_until(timeline_.now() + kSettle);
    if (fabric_.pending() == 0) throw std::runtime_error("no interrupt comes; " + nic_->waiting_for());
  }

  const Scenario& scenario_;
  const std::uint64_t target_;
  Timeline timeline_;
  PhysicalMemory memory_;
  Image image_;
  std::unique_ptr<TrafficSource> traffic_;
  FunctionalFabric fabric_;
  std::unique_ptr<BenchDevice> nic_;
  uc_engine* engine_ = nullptr;
  std::unique_ptr<EngineMemory> engine_memory_;
  std::uint64_t frames_ = 0;
  std::uint64_t pending_ = 0;  // of the read under way
  std::uint64_t lower_ = 0;    // of the write under way
  std::uint64_t instructions_ = 0;
  std::uint64_t latest_ = 0;
  double outside_ = 0;
  std::string failure_;
};

}  // namespace

double cpu_seconds() {
  timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

Emulated emulate(const Scenario& scenario, std::uint64_t packets, Emulation how) {
  Machine machine(scenario, packets, how);
  if (how == Emulation::counted) machine.count_instructions();
  return machine.run();
}

}  // namespace ringside::bench
