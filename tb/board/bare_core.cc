#include "tb/board/bare_core.h"

#include <systemc>

#include "model/base/kernel_bridge.h"
#include "model/base/timeline.h"
#include "model/guest/contract.h"
#include "model/memory/memory_system.h"
#include "tb/board/guest_profile.h"
#include "tb/board/processors.h"

namespace ringside {

namespace {

class NoDevices : public MmioFabric {
 public:
  Time mmio_write(Time at, std::uint64_t, std::uint32_t, std::uint64_t) override { return at; }
  ReadResult mmio_read(Time at, std::uint64_t, std::uint32_t) override { return {0, at}; }
};

class Watcher : public CoreObserver {
 public:
  Watcher(BareRun& run, Time patience) : run_(run), patience_(patience) {}
  void observe(const Core& core) { core_ = &core; }
  void console(char byte) override { run_.marks.push_back({byte, core_->cycles().value}); }
  bool keep_running(Time now) override { return now < patience_; }

 private:
  BareRun& run_;
  Time patience_;
  const Core* core_ = nullptr;
};

}  // namespace

std::uint64_t bare_stack_top() { return guest::kRamBase + 0x1'1000; }

BareRun run_bare_core(const Scenario& scenario, const std::filesystem::path& file, Time patience,
                      const std::function<void(PhysicalMemory&, const Image&)>& prepare,
                      const std::function<void(PhysicalMemory&)>& finish) {
  const PhysAddr end{guest::kRamBase + scenario.memory.ram_size.value};
  const Image image(file.string(), end);
  Timeline timeline;
  KernelBridge bridge("bridge", timeline);
  PhysicalMemory memory(PhysAddr{guest::kRamBase}, scenario.memory.ram_size);
  MemorySystem caches(memory, scenario.memory);
  image.load(memory);
  prepare(memory, image);

  BareRun run;
  NoDevices devices;
  Watcher watcher(run, patience);
  Processors cpus(scenario, image, memory, caches, devices, timeline, bridge, watcher);
  Core& core = cpus.boot_core();
  watcher.observe(core);
  core.boot(image.entry(), guest::kRamBase, bare_stack_top());
  sc_core::sc_report_handler::set_actions("/OSCI/SystemC", sc_core::SC_INFO, sc_core::SC_DO_NOTHING);
  sc_core::sc_start();
  run.cycles = core.cycles().value;
  run.stacks = call_stacks(core.call_tree(), image);
  if (!cpus.exited()) run.failure = "the guest did not leave";
  try {
    cpus.rethrow_failure();
  } catch (const std::exception& error) {
    run.failure = error.what();
  }
  if (finish) finish(memory);
  return run;
}

}  // namespace ringside
