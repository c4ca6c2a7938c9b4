// Runs one of the test guests of driver/bench on a core and its memory, without devices.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ringside::test {

struct BenchRun {
  std::string image;                     // "bench-x86-64-gcc-none"
  std::string cpu;                       // name of the core's data files
  std::string program;                   // of driver/bench
  std::uint32_t count = 1000;            // iterations
  std::uint32_t argument = 0;            // what the program makes of it
  std::vector<std::string> settings = {};  // more of them, as "key=value"
};

// Cycles of the whole run, in a process of its own. Fails the test and returns 0 when the guest does not leave cleanly.
std::uint64_t cycles_of(const BenchRun& run);

// Cycles of one iteration: the difference of two runs of different length over their difference.
double cycles_per_iteration(BenchRun run, std::uint32_t fewer, std::uint32_t more);

// Call paths below `root`: "calls_twice;leaf" for what calls_twice() called there.
struct BenchPath {
  std::uint64_t cycles = 0;
  std::uint64_t calls = 0;
};
struct BenchPaths {
  std::map<std::string, BenchPath> below_root;
  std::uint64_t cycles_of_all = 0;  // of every path, those elsewhere included
  std::uint64_t cycles = 0;         // of the run
};
BenchPaths paths_of(const BenchRun& run, const std::string& root);

// The message with which a guest run ends badly.
std::string failure_of(const BenchRun& run);

}  // namespace ringside::test
