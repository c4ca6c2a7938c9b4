// ringside-native-bench: the driver's poll loop on this machine's own core, and what the simulated core says about it.
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <sched.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>

#include "model/base/errors.h"
#include "tb/bench/native/comparison.h"
#include "tb/bench/native/misses.h"
#include "tb/bench/native/prediction.h"
#include "tb/bench/native/silicon.h"
#include "tb/bench/native/statistics.h"
#include "tb/report/atomic_file.h"

extern "C" int sc_main(int, char*[]) { return 0; }

namespace ringside::native {

namespace {

constexpr std::uint32_t kBatches = 150;  // of a repetition
constexpr double kSteadyClock = 0.03;    // a repetition counts if the clock moves by less meanwhile,
constexpr std::size_t kLeast = 20;       // and if of so many batches, at least,
constexpr double kShared = 1.1;          // the front end took no longer than this, compared with a core that has no other work: on
                                         // Zen 5 it takes 1.3 to 1.45 beside another thread
constexpr unsigned kAttempts = 40;       // at a repetition that counts

struct Options {
  unsigned repetitions = 25;
  int cpu = -1;
  std::string core;
  std::string filter;
  std::string out;
  bool smoke = false;
  bool misses = false;
};

struct Samples {
  std::vector<double> cycles;  // per packet, of each repetition
  unsigned rejected = 0;
};

struct Bench {
  double front_end_cycles = 0;                                  // of a core that has no other work
  std::map<std::string, std::unique_ptr<SiliconGuest>> guests;  // by image
  std::vector<Samples> samples;                                 // by cell
  std::vector<double> clocks;                                   // GHz
  bool large_pages = true;
};

SiliconGuest& guest_of(Bench& bench, const Cell& cell) {
  auto& guest = bench.guests[cell.image()];
  if (guest == nullptr) guest = std::make_unique<SiliconGuest>(cell.file());
  return *guest;
}

// One repetition: the median of its batches, in cycles of the clock that the core has just then.
void measure(benchmark::State& state, Bench& bench, const Cell& cell, Samples& samples) {
  SiliconGuest& guest = guest_of(bench, cell);
  for (auto _ : state) {
    for (unsigned attempt = 0; attempt < kAttempts; ++attempt) {
      const double before = core_clock();
      const SiliconRun run = guest.run(cell, kBatches);
      const double after = core_clock(), clock = (before + after) / 2;
      bench.large_pages = bench.large_pages && run.large_pages;
      std::vector<double> ns;
      for (std::size_t i = 0; i < run.ns.size(); ++i) {
        if (run.front_end_ns[i] * clock <= kShared * bench.front_end_cycles) ns.push_back(run.ns[i]);
      }
      const double median = quantile(ns, 0.5);
      state.SetIterationTime(median * 1e-9);
      if (ns.size() >= kLeast && std::abs(after / before - 1) <= kSteadyClock) {
        bench.clocks.push_back(clock);
        samples.cycles.push_back(median * clock);
        break;
      }
      ++samples.rejected;
    }
  }
}

// The table is printed when predictions are there.
class Quiet : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>&) override {}
};

std::vector<Cell> chosen_cells(const std::string& filter) {
  std::vector<Cell> cells = all_cells();
  std::erase_if(cells, [&](const Cell& cell) { return cell.name().find(filter) == std::string::npos; });
  if (cells.empty()) throw InputError(fmt::format("--filter {}: no such cell; a part of \"{}\" is allowed", filter, all_cells()[0].name()));
  return cells;
}

void run_benchmarks(const std::vector<Cell>& cells, unsigned repetitions, Bench& bench) {
  bench.samples.resize(cells.size());
  for (std::size_t i = 0; i < cells.size(); ++i) {
    benchmark::RegisterBenchmark(cells[i].name().c_str(),
                                 [&bench, cell = cells[i], i](benchmark::State& s) { measure(s, bench, cell, bench.samples[i]); })
        ->UseManualTime()
        ->Iterations(1)
        ->Repetitions(static_cast<int>(repetitions));
  }
  // Repetitions of all cells are mixed, so that what disturbs the machine for a while disturbs all alike.
  std::vector<std::string> arguments{"ringside-native-bench", "--benchmark_enable_random_interleaving=true"};
  std::vector<char*> pointers;
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  int count = static_cast<int>(pointers.size());
  benchmark::Initialize(&count, pointers.data());
  Quiet quiet;
  benchmark::RunSpecifiedBenchmarks(&quiet);
  benchmark::Shutdown();
}

Comparison compare(const std::vector<Cell>& cells, const Options& options) {
  Comparison c;
  c.machine = this_machine();
  c.core = core_model_of(c.machine);
  if (!options.core.empty()) c.core = {options.core, options.core == c.core.name && c.core.exact};
  c.cpu = options.cpu >= 0 ? static_cast<unsigned>(options.cpu) : static_cast<unsigned>(sched_getcpu());
  c.repetitions = options.repetitions;
  cpu_set_t everywhere;
  sched_getaffinity(0, sizeof everywhere, &everywhere);
  pin_to(c.cpu);
  const std::uint64_t stolen = stolen_ticks(c.cpu);
  c.dram_ns = dram_latency();
  Bench bench;
  bench.front_end_cycles = front_end_cycles();
  run_benchmarks(cells, options.repetitions, bench);
  c.stolen_ticks = stolen_ticks(c.cpu) - stolen;
  c.load = load_average();
  c.ghz = quantile(bench.clocks, 0.5);
  c.large_pages = bench.large_pages;

  sched_setaffinity(0, sizeof everywhere, &everywhere);
  const std::vector<double> predicted = predict(cells, {c.core.name, c.ghz, c.dram_ns, c.large_pages});
  for (std::size_t i = 0; i < cells.size(); ++i) {
    std::vector<double> ns = bench.samples[i].cycles;
    if (ns.empty()) throw std::runtime_error(fmt::format("{}: in none of {} repetitions the core did nothing else at a steady clock", cells[i].name(), bench.samples[i].rejected));
    for (double& value : ns) value /= c.ghz;
    c.cells.push_back({cells[i], summarised(ns, bench.samples[i].rejected), predicted[i]});
  }
  return c;
}

// Every image once on silicon, and one on the simulated core: all packets must come through.
void smoke() {
  constexpr std::uint32_t kFew = 2;
  for (const Cell& cell : all_cells()) SiliconGuest(cell.file()).run(cell, kFew);
  const std::vector<Cell> first{all_cells().front()};
  predict(first, {core_model_of(this_machine()).name, 3, 100, true});
  fmt::print("{} cells: all packets dropped\n", all_cells().size());
}

void print_misses(const Options& options) {
  const unsigned cpu = options.cpu >= 0 ? static_cast<unsigned>(options.cpu) : static_cast<unsigned>(sched_getcpu());
  pin_to(cpu);
  const Machine machine = this_machine();
  const double dram_ns = dram_latency();
  const Misses misses = measure_misses(dram_ns);
  fmt::print("{}, family {}, model {}, at {:.2f} GHz, DRAM {:.0f} ns, processor {}, load average {:.2f}\n{}", machine.model, machine.family,
             machine.number, core_clock(), dram_ns, cpu, load_average(), misses_text(misses));
}

int run(const Options& options) {
  if (options.smoke) {
    smoke();
    return 0;
  }
  if (options.misses) {
    print_misses(options);
    return 0;
  }
  if (!options.out.empty()) check_writable(options.out);
  const Comparison comparison = compare(chosen_cells(options.filter), options);
  fmt::print("{}", comparison_text(comparison));
  if (!options.out.empty()) write_file_atomically(options.out, comparison_json(comparison).dump(2) + "\n");
  return 0;
}

}  // namespace

}  // namespace ringside::native

int main(int argc, char* argv[]) {
  using namespace ringside::native;
  Options options;
  CLI::App app("Measures the driver's poll loop on this machine and compares the simulated core with it.");
  app.add_option("--repetitions", options.repetitions, "of each cell")->check(CLI::PositiveNumber)->capture_default_str();
  app.add_option("--cpu", options.cpu, "processor to run on; the current one if not given");
  app.add_option("--core", options.core, "data file of the simulated core; this machine's, or the nearest, if not given");
  app.add_option("--filter", options.filter, "only cells with this in their name");
  app.add_option("--out", options.out, "write JSON here");
  app.add_flag("--misses", options.misses, "measure this core's fill buffers and prefetchers instead, and simulate nothing");
  app.add_flag("--smoke", options.smoke, "measure nothing: run every cell and count the packets");
  CLI11_PARSE(app, argc, argv);
  try {
    return run(options);
  } catch (const std::exception& error) {
    fmt::print(stderr, "ringside-native-bench: {}\n", error.what());
    return 2;
  }
}
