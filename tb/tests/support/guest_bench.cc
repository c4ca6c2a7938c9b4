#include "tb/tests/support/guest_bench.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <sstream>

#include "model/guest/contract.h"
#include "tb/board/bare_core.h"
#include "tb/scenario/data_dir.h"
#include "tb/scenario/scenario.h"

namespace ringside::test {

namespace {

constexpr Time kPatience = milliseconds(50);  // no test needs more

BareRun simulate_here(const BenchRun& run) {
  std::vector<std::string> overrides{"cpu.model=" + run.cpu};
  overrides.insert(overrides.end(), run.settings.begin(), run.settings.end());
  const Scenario scenario = load_scenario("", overrides, data_directory());
  const auto file = data_directory() / "test-images" / (run.image + ".elf");
  return run_bare_core(scenario, file, kPatience, [&](PhysicalMemory& memory, const Image&) {
    guest::board_info info{};
    info.magic = guest::kBoardMagic;
    info.version = guest::kContractVersion;
    info.rx_ring = run.count;
    info.mtu = run.argument;
    run.program.copy(info.xdp_program, sizeof info.xdp_program - 1);
    std::memcpy(memory.host(PhysAddr{guest::kRamBase}), &info, sizeof info);
  });
}

// One line for the cycles, one for the failure, then "cycles calls path" for each call path.
std::string to_text(const BareRun& run) {
  std::string text = fmt::format("{}\n{}\n", run.cycles, run.failure);
  for (const StackCost& stack : run.stacks) text += fmt::format("{} {} {}\n", stack.cycles, stack.calls, fmt::join(stack.functions, ";"));
  return text;
}

BareRun from_text(const std::string& text) {
  BareRun run;
  std::istringstream lines(text);
  std::string path;
  lines >> run.cycles;
  lines.ignore();
  if (!std::getline(lines, run.failure)) run.failure = "the simulation died";
  for (StackCost stack; lines >> stack.cycles >> stack.calls >> path;) {
    stack.functions = {path};
    run.stacks.push_back(stack);
  }
  return run;
}

// A process runs one simulation; tests want several.
BareRun simulate_apart(const BenchRun& run) {
  int channel[2];
  if (pipe(channel) != 0) throw std::runtime_error("pipe");
  const pid_t child = fork();
  if (child == 0) {
    BareRun result;
    try {
      result = simulate_here(run);
    } catch (const std::exception& error) {
      result.failure = error.what();
    }
    const std::string text = to_text(result);
    const bool sent = write(channel[1], text.data(), text.size()) == static_cast<ssize_t>(text.size());
    _exit(sent ? 0 : 1);
  }
  close(channel[1]);
  std::string text;
  char part[4096];
  for (ssize_t got; (got = read(channel[0], part, sizeof part)) > 0;) text.append(part, static_cast<std::size_t>(got));
  close(channel[0]);
  int status = 0;
  waitpid(child, &status, 0);
  return from_text(text);
}

BareRun clean(const BenchRun& run) {
  BareRun result = simulate_apart(run);
  EXPECT_EQ(result.failure, "") << run.program;
  return result.failure.empty() ? result : BareRun();
}

}  // namespace

std::uint64_t cycles_of(const BenchRun& run) { return clean(run).cycles; }

double cycles_per_iteration(BenchRun run, std::uint32_t fewer, std::uint32_t more) {
  run.count = fewer;
  const std::uint64_t few = cycles_of(run);
  run.count = more;
  const std::uint64_t many = cycles_of(run);
  return (static_cast<double>(many) - static_cast<double>(few)) / (more - fewer);
}

BenchPaths paths_of(const BenchRun& run, const std::string& root) {
  const BareRun result = clean(run);
  BenchPaths paths;
  paths.cycles = result.cycles;
  for (const StackCost& stack : result.stacks) {
    paths.cycles_of_all += stack.cycles;
    const std::string& path = stack.functions.front();
    const auto at = path.find(root + ";");
    if (at != std::string::npos) paths.below_root[path.substr(at + root.size() + 1)] = {stack.cycles, stack.calls};
  }
  return paths;
}

std::string failure_of(const BenchRun& run) { return simulate_apart(run).failure; }

}  // namespace ringside::test
