// A compiled guest whose calls are known: does the profile by call path find each of them?
#include <gtest/gtest.h>

#include "tb/tests/support/guest_bench.h"

namespace ringside::test {
namespace {

constexpr std::uint32_t kTimes = 500;
constexpr std::uint32_t kDepth = 5;

struct Machine {
  const char* image;
  const char* cpu;
};
constexpr Machine kMachines[] = {{"bench-x86-64-gcc-none", "xeon-8380"},
                                 {"bench-x86-64-clang-none", "epyc-genoa"},
                                 {"bench-aarch64-gcc-none", "cortex-a72"}};

BenchPaths shapes(const Machine& machine, std::uint32_t depth) {
  BenchRun run{machine.image, machine.cpu, "call-shapes", kTimes};
  run.argument = depth;
  return paths_of(run, "call_shapes");
}

TEST(GuestCalls, EveryCallIsOnItsPath) {
  for (const Machine& machine : kMachines) {
    SCOPED_TRACE(machine.image);
    const BenchPaths paths = shapes(machine, kDepth);
    const auto calls = [&](const std::string& path) {
      const auto found = paths.below_root.find(path);
      return found == paths.below_root.end() ? 0 : found->second.calls;
    };
    EXPECT_EQ(calls("calls_twice"), kTimes);
    EXPECT_EQ(calls("calls_twice;leaf"), 2 * kTimes);
    EXPECT_EQ(calls("ends_in_jump"), kTimes);
    EXPECT_EQ(calls("leaf"), 2 * kTimes);  // by the jump and through the pointer
    std::string path;
    for (std::uint32_t level = 1; level <= kDepth; ++level) {
      path += level == 1 ? "descend" : ";descend";
      EXPECT_EQ(calls(path), kTimes) << path;
    }
    EXPECT_EQ(paths.below_root.size(), 4 + kDepth);
  }
}

TEST(GuestCalls, CyclesOfAllPathsAreThoseOfTheRun) {
  for (const Machine& machine : kMachines) {
    for (const std::uint32_t depth : {1u, 200u}) {
      const BenchPaths paths = shapes(machine, depth);
      EXPECT_EQ(paths.cycles_of_all, paths.cycles) << machine.image << " " << depth;
      EXPECT_GT(paths.cycles, 0u);
    }
  }
}

}  // namespace
}  // namespace ringside::test
