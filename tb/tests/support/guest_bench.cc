#include "tb/tests/support/guest_bench.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <systemc>

#include "model/base/errors.h"
#include "model/base/kernel_bridge.h"
#include "model/base/timeline.h"
#include "model/core/core.h"
#include "model/core/image.h"
#include "model/guest/contract.h"
#include "model/memory/memory_system.h"
#include "tb/scenario/data_dir.h"
#include "tb/scenario/scenario.h"

namespace ringside::test {

namespace {

// There is no device: the guests use board registers only.
class NoDevices : public MmioFabric {
 public:
  Time mmio_write(Time at, std::uint64_t, std::uint32_t, std::uint64_t) override { return at; }
  ReadResult mmio_read(Time at, std::uint64_t, std::uint32_t) override { return {0, at}; }
};

// Ends a guest that runs for longer than any test needs.
class Patience : public CoreObserver {
 public:
  bool keep_running(Time now) override { return now < milliseconds(50); }
};

struct Outcome {
  std::uint64_t cycles;
  char failure[480];
};

Outcome simulate_here(const BenchRun& run) {
  std::vector<std::string> overrides{"cpu.model=" + run.cpu};
  if (!run.setting.empty()) overrides.push_back(run.setting);
  const Scenario scenario = load_scenario("", overrides, data_directory());
  const PhysAddr end{guest::kRamBase + scenario.memory.ram_size.value};
  const Image image((data_directory() / "test-images" / (run.image + ".elf")).string(), end);
  Timeline timeline;
  KernelBridge bridge("bridge", timeline);
  PhysicalMemory memory(PhysAddr{guest::kRamBase}, scenario.memory.ram_size);
  MemorySystem caches(memory, scenario.memory);
  image.load(memory);
  NoDevices devices;
  Patience patience;
  Core core("core0", scenario.cpu, image, memory, caches.add_core(scenario.cpu.frequency), devices, timeline, bridge, patience);

  guest::board_info info{};
  info.magic = guest::kBoardMagic;
  info.version = guest::kContractVersion;
  info.rx_ring = run.count;
  info.mtu = run.argument;
  run.program.copy(info.xdp_program, sizeof info.xdp_program - 1);
  std::memcpy(memory.host(PhysAddr{guest::kRamBase}), &info, sizeof info);
  core.boot(image.entry(), guest::kRamBase, guest::kRamBase + 0x1'1000);

  Outcome outcome{};
  sc_core::sc_report_handler::set_actions("/OSCI/SystemC", sc_core::SC_INFO, sc_core::SC_DO_NOTHING);
  sc_core::sc_start();
  outcome.cycles = core.cycles().value;
  std::string failure = core.ended() == Core::Ended::exited ? "" : "the guest did not leave";
  try {
    if (core.failure() != nullptr) std::rethrow_exception(core.failure());
  } catch (const std::exception& error) {
    failure = error.what();
  }
  failure.copy(outcome.failure, sizeof outcome.failure - 1);
  return outcome;
}

// A process runs one simulation; tests want several.
Outcome simulate_apart(const BenchRun& run) {
  int channel[2];
  if (pipe(channel) != 0) throw std::runtime_error("pipe");
  const pid_t child = fork();
  if (child == 0) {
    Outcome outcome{};
    try {
      outcome = simulate_here(run);
    } catch (const std::exception& error) {
      std::strncpy(outcome.failure, error.what(), sizeof outcome.failure - 1);
    }
    const bool sent = write(channel[1], &outcome, sizeof outcome) == sizeof outcome;
    _exit(sent ? 0 : 1);
  }
  close(channel[1]);
  Outcome outcome{};
  const bool received = read(channel[0], &outcome, sizeof outcome) == sizeof outcome;
  close(channel[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (!received) std::strcpy(outcome.failure, "the simulation died");
  return outcome;
}

}  // namespace

std::uint64_t cycles_of(const BenchRun& run) {
  const Outcome outcome = simulate_apart(run);
  EXPECT_STREQ(outcome.failure, "") << run.program;
  return outcome.failure[0] == '\0' ? outcome.cycles : 0;
}

double cycles_per_iteration(BenchRun run, std::uint32_t fewer, std::uint32_t more) {
  run.count = fewer;
  const std::uint64_t few = cycles_of(run);
  run.count = more;
  const std::uint64_t many = cycles_of(run);
  return (static_cast<double>(many) - static_cast<double>(few)) / (more - fewer);
}

std::string failure_of(const BenchRun& run) { return simulate_apart(run).failure; }

}  // namespace ringside::test
