#include "tb/bench/native/machine.h"

#include <fmt/format.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/mman.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fstream>
#include <numeric>
#include <random>
#include <sstream>
#include <stdexcept>
#include <vector>

#include "tb/bench/native/statistics.h"

namespace ringside::native {

Machine this_machine() {
  std::ifstream cpuinfo("/proc/cpuinfo");
  Machine machine;
  std::string line;
  while (std::getline(cpuinfo, line) && !line.empty()) {  // the first processor's part
    const auto colon = line.find(": ");
    if (colon == std::string::npos) continue;
    const std::string value = line.substr(colon + 2);
    if (line.starts_with("vendor_id")) machine.vendor = value;
    if (line.starts_with("cpu family")) machine.family = static_cast<unsigned>(std::stoul(value));
    if (line.starts_with("model name")) machine.model = value;
    else if (line.starts_with("model")) machine.number = static_cast<unsigned>(std::stoul(value));
  }
  return machine;
}

CoreModel core_model_of(const Machine& machine) {
  struct Known {
    const char* vendor;
    unsigned family, first, last;
    const char* name;
  };
  static const Known known[] = {
      {"AuthenticAMD", 25, 0x10, 0x1f, "epyc-genoa"},
      {"AuthenticAMD", 26, 0x00, 0x1f, "epyc-turin"},
      {"GenuineIntel", 6, 0x4f, 0x4f, "xeon-e5-1650v4"},
      {"GenuineIntel", 6, 0x6a, 0x6a, "xeon-8380"},
      {"GenuineIntel", 6, 0xcf, 0xcf, "xeon-emerald-rapids"},
  };
  for (const Known& k : known) {
    const bool same = machine.vendor == k.vendor && machine.family == k.family;
    if (same && machine.number >= k.first && machine.number <= k.last) return {k.name, true};
  }
  return {machine.vendor == "AuthenticAMD" ? "epyc-genoa" : "xeon-8380", false};
}

void pin_to(unsigned cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(cpu, &set);
  if (sched_setaffinity(0, sizeof set, &set) != 0) {
    throw std::runtime_error(fmt::format("cannot run on processor {}; one of this machine's is allowed", cpu));
  }
}

namespace {

double nanoseconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

double core_clock() {
  constexpr std::uint64_t kPieces = 30, kRounds = 100, kMultiplications = 100, kLatency = 3;
  std::uint64_t x = 3;
  std::vector<double> clocks;
  for (std::uint64_t piece = 0; piece < kPieces; ++piece) {
    const auto start = std::chrono::steady_clock::now();
    for (std::uint64_t i = 0; i < kRounds; ++i) asm volatile(".rept 100\n\timul %0, %0\n\t.endr" : "+r"(x));
    clocks.push_back(static_cast<double>(kRounds * kMultiplications * kLatency) / nanoseconds_since(start));
  }
  return quantile(clocks, 0.5);
}

double front_end_ns() {
  constexpr unsigned kRounds = 50;
  const auto start = std::chrono::steady_clock::now();
  for (unsigned i = 0; i < kRounds; ++i) asm volatile(".rept 256\n\tnopl 0(%rax)\n\t.endr");
  return nanoseconds_since(start);
}

double front_end_cycles() {
  constexpr unsigned kLooks = 4000, kUntilSteady = 10, kTimes = 5;
  constexpr double kSteady = 0.01;
  std::vector<double> cycles;
  double before = core_clock();
  for (unsigned i = 0; i < kLooks; ++i) {
    std::vector<double> ns;
    for (unsigned k = 0; k < kUntilSteady + kTimes; ++k) ns.push_back(front_end_ns());
    ns.erase(ns.begin(), ns.begin() + kUntilSteady);
    const double after = core_clock();
    if (std::abs(after / before - 1) < kSteady) cycles.push_back(quantile(ns, 0.5) * after);
    before = after;
  }
  return quantile(cycles, 0.1);
}

double dram_latency() {
  constexpr std::size_t kBytes = 64 << 20, kPage = 4096, kLargePage = 2 << 20, kLines = 512, kRounds = 40, kOffset = 256;
  void* const map = mmap(nullptr, kBytes + kLargePage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (map == MAP_FAILED) throw std::runtime_error("no memory for measuring DRAM");
  char* const base = reinterpret_cast<char*>((reinterpret_cast<std::uintptr_t>(map) + kLargePage - 1) & ~(kLargePage - 1));
  madvise(base, kBytes, MADV_HUGEPAGE);
  std::vector<std::size_t> pages(kBytes / kPage);
  std::iota(pages.begin(), pages.end(), 0);
  std::mt19937 random;
  std::vector<double> rounds;
  for (std::size_t round = 0; round < kRounds; ++round) {
    std::shuffle(pages.begin(), pages.end(), random);
    const auto line = [&](std::size_t i) { return base + pages[i % kLines] * kPage + kOffset; };
    for (std::size_t i = 0; i < kLines; ++i) *reinterpret_cast<char**>(line(i)) = line(i + 1);
    for (std::size_t i = 0; i < kLines; ++i) asm volatile("clflush (%0)" ::"r"(line(i)) : "memory");
    asm volatile("mfence" ::: "memory");
    const auto start = std::chrono::steady_clock::now();
    char* at = line(0);
    for (std::size_t i = 0; i < kLines; ++i) at = *reinterpret_cast<char* volatile*>(at);
    asm volatile("" ::"r"(at));
    rounds.push_back(nanoseconds_since(start) / kLines);
  }
  munmap(map, kBytes + kLargePage);
  return quantile(rounds, 0.25);
}

std::uint64_t stolen_ticks(unsigned cpu) {
  constexpr std::size_t kSteal = 7;  // proc(5): user nice system idle iowait irq softirq steal
  std::ifstream stat("/proc/stat");
  const std::string wanted = fmt::format("cpu{} ", cpu);
  std::string line;
  while (std::getline(stat, line)) {
    if (!line.starts_with(wanted)) continue;
    std::istringstream fields(line.substr(wanted.size()));
    std::vector<std::uint64_t> ticks;
    for (std::uint64_t value; fields >> value;) ticks.push_back(value);
    return ticks.size() > kSteal ? ticks[kSteal] : 0;
  }
  return 0;
}

double load_average() {
  double average = 0;
  return getloadavg(&average, 1) == 1 ? average : 0;
}

}  // namespace ringside::native
