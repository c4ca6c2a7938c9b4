// A board with several CPUs: the process that reads runs on another one than the driver.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "tb/tests/regress/ringside_run.h"

namespace ringside::test {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;

constexpr std::uint64_t kMss = 1448;

struct Machine {
  const char* name;
  const char* scenario;
  std::vector<const char*> settings;
};
void PrintTo(const Machine& machine, std::ostream* out) { *out << machine.name; }

const Machine kMachines[] = {
    {"Stmmac", "stmmac-tcp", {}},
    {"StmmacClang", "stmmac-tcp", {"driver.compiler=clang"}},
    {"StmmacCoherent", "stmmac-tcp", {"memory.dma_snoops=true", "driver.dma_coherent=true"}},
    {"StmmacDiscarding", "stmmac-tcp", {"memory.invalidate=discard"}},
    {"StmmacEvicting", "stmmac-tcp", {"memory.evict_dma_lines=true", "memory.eviction_interval=0.05 us"}},
    {"Mlx5", "mlx5e-tcp", {}},
    {"Mlx5Clang", "mlx5e-tcp", {"driver.compiler=clang"}},
    {"Mlx5Legacy", "mlx5e-tcp", {"driver.rx_striding_rq=false", "wire.rate=100 Gbps"}},
};

RingsideRun on_two(const Machine& machine, std::uint64_t reader) {
  RingsideRun run({machine.scenario, "--quiet"});
  for (const char* setting : machine.settings) run.set(setting);
  run.set("cpu.cores=2").set(fmt::format("driver.reader_cpu={}", reader));
  return run;
}

RingsideRun transfer(const Machine& machine, std::uint64_t segments) {
  RingsideRun run = on_two(machine, 1);
  run.set("run.warmup=0").set("run.packets=0").set("driver.reader=verify");
  run.set(fmt::format("traffic.packets={}", segments));
  return run;
}

// Cycles below the root of a core, of paths that end in the function.
std::uint64_t cycles_of(const Report& report, const std::string& core, const std::string& function) {
  std::uint64_t sum = 0;
  for (const auto& entry : report["guest"]["stacks"]) {
    if (entry["stack"].front() == core && entry["stack"].back() == function) sum += entry["cycles"].get<std::uint64_t>();
  }
  return sum;
}

class ReaderElsewhere : public testing::TestWithParam<Machine> {};
INSTANTIATE_TEST_SUITE_P(Machines, ReaderElsewhere, testing::ValuesIn(kMachines), [](const auto& info) { return info.param.name; });

TEST_P(ReaderElsewhere, GetsEveryByteAndCopiesThem) {
  const std::uint64_t segments = scaled(3000);
  const Outcome outcome = transfer(GetParam(), segments).run();
  ASSERT_EQ(outcome.status, 0) << outcome.error;
  EXPECT_EQ(outcome.error, "");
  const Report report = outcome.json();
  const Report& packets = report["result"]["packets"];
  EXPECT_EQ(report["result"]["stop_reason"], "exhausted");
  EXPECT_EQ(packets["delivered"], segments);
  EXPECT_EQ(packets["in_flight"], 0);
  EXPECT_EQ(total(packets["ended"]), segments);
  EXPECT_EQ(counter(report, "driver", "pp_negative_refs"), 0U);
  EXPECT_EQ(counter(report, "driver", "tcp_read_bytes"), segments * kMss);
  EXPECT_EQ(counter(report, "driver", "tcp_corrupt_bytes"), 0U);
  EXPECT_EQ(counter(report, "peer", "peer_retransmissions"), 0U);
  EXPECT_EQ(counter(report, "peer", "peer_ignored_frames"), 0U);
  EXPECT_EQ(cycles_of(report, "core0", "copy_to_user"), 0U);
  EXPECT_GT(cycles_of(report, "core1", "copy_to_user"), 0U);
  EXPECT_EQ(cycles_of(report, "core1", "napi_gro_receive"), 0U);
}

std::string without_host(const Outcome& outcome) {
  Report report = outcome.json();
  report.erase("host");
  return report.dump();
}

TEST_P(ReaderElsewhere, RunsTheSameEveryTime) {
  const auto run = [] { return transfer(GetParam(), scaled(800)).run(); };
  const Outcome first = run();
  ASSERT_EQ(first.status, 0) << first.error;
  EXPECT_EQ(without_host(first), without_host(run()));
}

// What is out of the pool when all has been read: what the ring has, and what still waits to be freed by the CPU that it
// came from. More packets leave no more.
std::uint64_t pages_out(std::uint64_t segments) {
  const Outcome outcome = transfer(kMachines[0], segments).run();
  EXPECT_EQ(outcome.status, 0) << outcome.error;
  const Report report = outcome.json();
  std::uint64_t out = 0;
  for (const char* name : {"fast", "slow", "refill"}) out += counter(report, "driver", std::string("rx_pp_alloc_") + name);
  for (const char* name : {"cached", "ring", "ring_full", "released_ref"}) out -= counter(report, "driver", std::string("rx_pp_recycle_") + name);
  return out;
}

TEST(ReaderOnAnotherCpu, GivesAllPagesBack) {
  constexpr std::uint64_t kRing = 512, kDeferred = 64 * 45;  // pages; a packet of GRO has up to 45 segments of 1448 B
  for (const std::uint64_t segments : {scaled(2000), scaled(8000)}) {
    EXPECT_LE(pages_out(segments), 2 * kRing + kDeferred) << segments;
    EXPECT_GE(pages_out(segments), 2 * kRing) << segments;
  }
}

// CPU 0 is what limits: a second one takes the copy off it.
TEST(ReaderOnAnotherCpu, RaisesTheGoodputThatOneCpuLimits) {
  const auto goodput = [](std::uint64_t reader) {
    const Outcome outcome = on_two(kMachines[0], reader).set("run.warmup=2000").set(fmt::format("run.packets={}", scaled(6000))).run();
    EXPECT_EQ(outcome.status, 0) << outcome.error;
    const Report report = outcome.json();
    for (const auto& limit : report["result"]["limits"]) {
      if (limit["resource"] == "core0") {
        EXPECT_GT(limit["used"].get<double>(), 0.98) << reader;
      }
    }
    return report["result"]["goodput_gbps"].get<double>();
  };
  EXPECT_GT(goodput(1), 1.2 * goodput(0));
}

TEST(ReaderOnAnotherCpu, EachCpuIsAccountedForWhole) {
  const Outcome outcome = on_two(kMachines[5], 1).set("run.warmup=1000").set(fmt::format("run.packets={}", scaled(6000))).run();
  ASSERT_EQ(outcome.status, 0) << outcome.error;
  const Report report = outcome.json();
  std::uint64_t of_stacks = 0;
  for (const auto& entry : report["guest"]["stacks"]) of_stacks += entry["cycles"].get<std::uint64_t>();
  const std::uint64_t all = counter(report, "core", "core0_cycles") + counter(report, "core", "core1_cycles");
  EXPECT_EQ(report["guest"]["cycles"].get<std::uint64_t>(), all);
  EXPECT_EQ(of_stacks, all);
  const std::uint64_t window = report["result"]["window"]["end_ps"].get<std::uint64_t>() - report["result"]["window"]["start_ps"].get<std::uint64_t>();
  for (const char* core : {"core0_cycles", "core1_cycles"}) {
    const double ghz = static_cast<double>(counter(report, "core", core)) * 1e3 / static_cast<double>(window);
    EXPECT_NEAR(ghz, 3.4, 0.01) << core;
  }
  EXPECT_GT(counter(report, "core", "core1_idle_cycles"), 0U);
}

TEST(SeveralCpus, ThreeFlowsOnTheThirdCpu) {
  RingsideRun run({"mlx5e-tcp", "--quiet"});
  run.set("cpu.cores=3").set("driver.reader_cpu=2").set("traffic.flows=3").set("run.warmup=0").set("run.packets=0");
  const std::uint64_t segments = scaled(1500);
  const Outcome outcome = run.set("driver.reader=verify").set(fmt::format("traffic.packets={}", segments)).run();
  ASSERT_EQ(outcome.status, 0) << outcome.error;
  expect_conserved(outcome);
  const Report report = outcome.json();
  EXPECT_EQ(counter(report, "driver", "tcp_read_bytes"), 3 * segments * kMss);
  EXPECT_EQ(counter(report, "driver", "tcp_corrupt_bytes"), 0U);
  EXPECT_GT(cycles_of(report, "core2", "copy_to_user"), 0U);
  EXPECT_EQ(counter(report, "core", "core1_instructions"), 0U);
}

// An idle CPU takes nothing from the one that works.
TEST(SeveralCpus, CostAProgramThatDropsPacketsNothing) {
  const auto mpps = [](const char* cores) {
    const Outcome outcome = main_scenario(scaled(10'000)).set(cores).run();
    EXPECT_EQ(outcome.status, 0) << outcome.error;
    expect_conserved(outcome);
    return outcome.json()["result"]["mpps"].get<double>();
  };
  const double one = mpps("cpu.cores=1");
  EXPECT_NEAR(mpps("cpu.cores=2"), one, 0.03 * one);
}

TEST(SeveralCpus, TheSummarySaysHowBusyEachIs) {
  const Outcome outcome = RingsideRun({"mlx5e-tcp"}).set("cpu.cores=2").set("driver.reader_cpu=1").set("run.warmup=200").set("run.packets=1000").run();
  ASSERT_EQ(outcome.status, 0) << outcome.error;
  EXPECT_THAT(outcome.output, ContainsRegex("cores: core0 [0-9.]+ % busy, core1 [0-9.]+ % busy"));
}

// A lock that is never released is found by whoever waits for it.
class LockForEver : public testing::TestWithParam<const char*> {
 protected:
  Outcome stuck(const char* program) const {
    const std::string isa = GetParam();
    RingsideRun run({"mlx5e-xdp-drop", "--quiet", "--image", test_image_path("bench-" + isa + "-gcc-none")});
    run.set(isa == "x86-64" ? "cpu.model=xeon-8380" : "cpu.model=cortex-a72");
    return run.set("cpu.cores=2").set("run.watchdog=1 ms").set(std::string("driver.xdp=") + program).run();
  }
};
INSTANTIATE_TEST_SUITE_P(Isa, LockForEver, testing::Values("x86-64", "aarch64"),
                         [](const auto& info) { return std::string(info.param) == "aarch64" ? "AArch64" : "X86"; });

TEST_P(LockForEver, NamesTheBootCpuThatWaits) {
  const Outcome outcome = stuck("other-keeps-lock");
  EXPECT_EQ(outcome.status, 3);
  EXPECT_EQ(std::count(outcome.error.begin(), outcome.error.end(), '\n'), 1) << outcome.error;
  EXPECT_THAT(outcome.error, HasSubstr("run.watchdog: core0 is in _raw_spin_lock+0x"));
  EXPECT_THAT(outcome.error, ContainsRegex(", called from take_lock_for_ever.*; core1 waits for an interrupt"));
  ASSERT_TRUE(outcome.report);
}

TEST_P(LockForEver, NamesTheOtherCpuThatWaits) {
  const Outcome outcome = stuck("other-wants-lock");
  EXPECT_EQ(outcome.status, 3);
  EXPECT_THAT(outcome.error, ContainsRegex("^ringside: at [0-9.]+ us: core1: .*run\\.watchdog: core0 waits for an interrupt; core1 is in _raw_spin_lock"));
  ASSERT_TRUE(outcome.report);
}

TEST(BadCpu, IsRefused) {
  const auto refused = [](const std::vector<std::string>& settings, const std::string& message) {
    RingsideRun run({"mlx5e-tcp", "--quiet"});
    for (const auto& setting : settings) run.set(setting);
    const Outcome outcome = run.run();
    EXPECT_EQ(outcome.status, 2);
    EXPECT_THAT(outcome.error, HasSubstr(message));
    EXPECT_EQ(std::count(outcome.error.begin(), outcome.error.end(), '\n'), 1) << outcome.error;
    EXPECT_FALSE(outcome.report);
  };
  refused({"driver.reader_cpu=1"}, "there is no CPU 1; with cpu.cores = 1, 0 is allowed");
  refused({"cpu.cores=2", "driver.reader_cpu=2"}, "there is no CPU 2; with cpu.cores = 2, 0 to 1 is allowed");
  refused({"cpu.cores=2", "driver.reader_cpu=1", "traffic.pattern=constant", "driver.stack=sink"}, "driver.reader_cpu has no effect with driver.stack = \"sink\"");
  refused({"run.quantum=5 ns"}, "run.quantum has no effect with cpu.cores = 1; allowed with cpu.cores other than 1");
  refused({"memory.snoop_latency=90 ns"}, "memory.snoop_latency has no effect with cpu.cores = 1");
  refused({"cpu.ipi_latency=90 ns"}, "cpu.ipi_latency has no effect with cpu.cores = 1");
  refused({"cpu.cores=0"}, "cpu.cores");
  refused({"cpu.cores=5"}, "cpu.cores");
}

}  // namespace
}  // namespace ringside::test
