#include "tb/tests/support/guest_bench.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>

#include "model/guest/contract.h"
#include "tb/board/bare_core.h"
#include "tb/scenario/data_dir.h"
#include "tb/scenario/scenario.h"

namespace ringside::test {

namespace {

constexpr Time kPatience = milliseconds(50);  // no test needs more

struct Outcome {
  std::uint64_t cycles;
  char failure[480];
};

Outcome simulate_here(const BenchRun& run) {
  std::vector<std::string> overrides{"cpu.model=" + run.cpu};
  if (!run.setting.empty()) overrides.push_back(run.setting);
  const Scenario scenario = load_scenario("", overrides, data_directory());
  const auto file = data_directory() / "test-images" / (run.image + ".elf");
  const BareRun result = run_bare_core(scenario, file, kPatience, [&](PhysicalMemory& memory, const Image&) {
    guest::board_info info{};
    info.magic = guest::kBoardMagic;
    info.version = guest::kContractVersion;
    info.rx_ring = run.count;
    info.mtu = run.argument;
    run.program.copy(info.xdp_program, sizeof info.xdp_program - 1);
    std::memcpy(memory.host(PhysAddr{guest::kRamBase}), &info, sizeof info);
  });
  Outcome outcome{result.cycles, {}};
  result.failure.copy(outcome.failure, sizeof outcome.failure - 1);
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
