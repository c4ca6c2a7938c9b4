// Several cores that share memory: what it costs to hand a line over, and to wake another core.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tb/scenario/data_dir.h"
#include "tb/scenario/scenario.h"
#include "tb/tests/support/guest_bench.h"

namespace ringside::test {
namespace {

using testing::HasSubstr;

struct Machine {
  const char* name;
  const char* image;
  const char* cpu;
};
void PrintTo(const Machine& machine, std::ostream* out) { *out << machine.name; }

class GuestCpus : public testing::TestWithParam<Machine> {
 protected:
  // Two cores, with one more setting.
  static BenchRun two(const char* program, const std::string& setting = "run.quantum=2 ns") {
    BenchRun run{GetParam().image, GetParam().cpu, program};
    run.settings = {"cpu.cores=2", setting};
    return run;
  }
  static Scenario scenario() { return load_scenario("", {std::string("cpu.model=") + GetParam().cpu}, data_directory()); }
};
INSTANTIATE_TEST_SUITE_P(Machines, GuestCpus,
                         testing::Values(Machine{"IceLake", "bench-x86-64-gcc-none", "xeon-8380"},
                                         Machine{"Broadwell", "bench-x86-64-clang-none", "xeon-e5-1650v4"},
                                         Machine{"A76", "bench-aarch64-gcc-none", "cortex-a76"},
                                         Machine{"A65", "bench-aarch64-clang-none", "cortex-a65"}),
                         [](const auto& info) { return info.param.name; });

// There and back the line moves twice. Each move is a load of what the other core has modified and a store that takes away
// the copy that is left there.
TEST_P(GuestCpus, APingPongCostsTwoTransfersOfTheLine) {
  const Scenario board = scenario();
  const double ns = static_cast<double>((board.memory.snoop_latency + board.memory.llc_latency).value) / 1e3;
  const double transfer = ns * static_cast<double>(board.cpu.frequency.value) / 1e6;
  const double round_trip = cycles_per_iteration(two("ping-pong"), 200, 1200);
  EXPECT_GT(round_trip, 2 * transfer);
  // The loops around them: a turn of the wait that was in vain, and barriers.
  EXPECT_LT(round_trip, 2 * transfer + 2 * (60 + static_cast<double>(board.cpu.pause)));
}

TEST_P(GuestCpus, CountersInOneLineCostWhatThoseInLinesOfTheirOwnDoNot) {
  BenchRun shared = two("count-apart");
  shared.argument = 1;
  BenchRun apart = two("count-apart");
  apart.argument = 8;
  const double together = cycles_per_iteration(shared, 1000, 5000);
  const double alone = cycles_per_iteration(apart, 1000, 5000);
  EXPECT_LT(alone, 80);
  EXPECT_GT(together, 2 * alone);
}

// The latency of the interrupt and of the wake-up, then the answer.
TEST_P(GuestCpus, AnInterruptWakesAnotherCore) {
  const Scenario board = scenario();
  const double us = static_cast<double>((board.cpu.ipi_latency + board.cpu.interrupt_latency).value) / 1e6;
  const double wake = us * static_cast<double>(board.cpu.frequency.value) / 1e3;
  const double round_trip = cycles_per_iteration(two("interrupt-other"), 20, 120);
  EXPECT_GT(round_trip, wake);
  EXPECT_LT(round_trip, 1.15 * wake + 500);
}

TEST_P(GuestCpus, RunsTheSameWithEveryRepetition) {
  BenchRun run = two("ping-pong", "run.quantum=20 ns");
  run.count = 500;
  EXPECT_EQ(cycles_of(run), cycles_of(run));
}

TEST_P(GuestCpus, OnlyCoresThatExistAndAreOffStart) {
  BenchRun run = two("start-cpu");
  run.argument = 2;
  EXPECT_THAT(failure_of(run), HasSubstr("the guest starts CPU 2 in "));
  run.argument = 0;
  EXPECT_THAT(failure_of(run), HasSubstr("it is on"));
  run = two("interrupt-cpu");
  run.argument = 5;
  EXPECT_THAT(failure_of(run), HasSubstr("the guest interrupts CPU 5 in "));
}

}  // namespace
}  // namespace ringside::test
