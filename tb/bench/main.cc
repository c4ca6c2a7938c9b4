// ringside-bench: how fast the simulation is, as a ratio to Unicorn alone on the same image, how much memory it takes,
// and what an event log costs. All times are processor time. Still a core that shares its units or its clock with
// others is slower for seconds on end, so a ratio is taken of two measurements that follow each other, and of several
// such ratios the median. Each measurement has a process of its own: SystemC runs one simulation per process.
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "tb/bench/emulation.h"
#include "tb/board/board.h"
#include "tb/cli/guest_image.h"
#include "tb/log/log_reader.h"
#include "tb/log/perfetto_view.h"
#include "tb/log/trace_builder.h"
#include "tb/scenario/data_dir.h"
#include "tb/scenario/scenario.h"

extern "C" int sc_main(int, char*[]) { return 0; }

namespace ringside::bench {

namespace {

constexpr double kAim = 0.5;           // not reached yet: docs/accuracy.md
constexpr double kMostMemory = 300;    // MB
constexpr double kMostGrowth = 8;      // MB between the short and the long run
constexpr double kMostLogged = 1.5;    // times as long with an event log
constexpr double kMostLogBytes = 200;  // per packet
constexpr double kMostView = 5;        // s, to make a timeline of kViewed packets
constexpr std::uint64_t kViewed = 100'000;
constexpr std::uint64_t kShortRun = 50'000;
constexpr std::uint64_t kLongRun = 400'000;

struct Measured {
  std::uint64_t packets;
  std::uint64_t instructions;
  double seconds;
  double megabytes;  // peak
};

struct Silent : Progress {
  void update(Time, std::uint64_t) override {}
};

Measured simulated(const Scenario& scenario) {
  Silent progress;
  const std::atomic<bool> interrupted{false};
  Board board(scenario, progress, interrupted);
  const double start = cpu_seconds();
  const RunResult result = board.run();
  const double seconds = cpu_seconds() - start;
  if (result.stop_reason == StopReason::error) throw std::runtime_error(result.error);
  return {result.packets.delivered, result.total_instructions, seconds, 0};
}

template <class Measurement>
Measured in_child(Measurement measurement) {
  int channel[2];
  if (pipe(channel) != 0) throw std::runtime_error("pipe");
  const pid_t child = fork();
  if (child == 0) {
    Measured measured{};
    try {
      measured = measurement();
    } catch (const std::exception& error) {
      fmt::print(stderr, "ringside-bench: {}\n", error.what());
      _exit(1);
    }
    _exit(write(channel[1], &measured, sizeof measured) == sizeof measured ? 0 : 1);
  }
  close(channel[1]);
  Measured measured{};
  const bool received = read(channel[0], &measured, sizeof measured) == sizeof measured;
  close(channel[0]);
  int status = 0;
  rusage usage{};
  wait4(child, &status, 0, &usage);
  if (!received) throw std::runtime_error("a measurement failed");
  measured.megabytes = static_cast<double>(usage.ru_maxrss) * 1024e-6;  // Linux gives KiB
  return measured;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

struct Options {
  std::string scenario = "mlx5e-xdp-drop";
  std::vector<std::string> overrides;
  std::uint64_t packets = 60'000;
  unsigned rounds = 9;
  double least_ratio = 0.25;  // below it something has become slower than it was
  bool check = false;
};

Scenario loaded(const Options& options, std::uint64_t packets) {
  auto overrides = options.overrides;
  overrides.push_back(fmt::format("run.packets={}", packets));
  overrides.push_back("run.converge=0");  // or it would end the longer run early
  Scenario scenario = load_scenario(options.scenario, overrides, data_directory());
  scenario.image = cli::guest_image(scenario);
  return scenario;
}

// Nanoseconds of each guest instruction.
struct Cost {
  std::vector<double> samples;
  double add(double seconds, std::uint64_t instructions) {
    return samples.emplace_back(seconds * 1e9 / static_cast<double>(instructions));
  }
  double each() const { return median(samples); }
  std::string text() const {
    return fmt::format("{:6.1f} M guest instructions/s  {:5.1f} ns each", 1e3 / each(), each());
  }
};

// The yardstick is Unicorn with RAM mapped as it comes. How the simulation maps it makes stores cheaper, and so Unicorn
// alone, too: that is shown beside it.
double measure_ratio(const Options& options) {
  const Scenario scenario = loaded(options, options.packets);
  const std::uint64_t packets = options.packets;
  const auto emulated = [&](Emulation how) {
    return in_child([&] {
      const Emulated e = emulate(scenario, packets, how);
      return Measured{e.packets, e.instructions, e.guest_seconds, 0};
    });
  };
  const Measured counted = emulated(Emulation::counted);
  Cost full, alone, mapped;
  std::vector<double> ratios, mapped_ratios;
  for (unsigned i = 0; i < options.rounds; ++i) {
    const auto ratio_of = [&](Cost& cost, Emulation how) {
      const Measured emulation = emulated(how);
      if (emulation.packets != counted.packets) throw std::runtime_error("two emulations of the same guest differ");
      return cost.add(emulation.seconds, counted.instructions) / full.samples.back();
    };
    const Measured simulation = in_child([&] { return simulated(scenario); });
    full.add(simulation.seconds, simulation.instructions);
    ratios.push_back(ratio_of(alone, Emulation::plain));
    mapped_ratios.push_back(ratio_of(mapped, Emulation::mapped));
  }
  const double ratio = median(ratios);
  fmt::print("unicorn alone    {}, {:.1f} per packet\n", alone.text(),
             static_cast<double>(counted.instructions) / static_cast<double>(counted.packets));
  fmt::print("full simulation  {}\n", full.text());
  fmt::print("ratio            {:6.2f}                           aim {}, fails below {}\n", ratio, kAim,
             options.least_ratio);
  fmt::print("its RAM, alone   {}, ratio {:.2f}\n", mapped.text(), median(mapped_ratios));
  return ratio;
}

bool measure_memory(const Options& options) {
  auto peak = [&](std::uint64_t packets) {
    const Scenario scenario = loaded(options, packets);
    return in_child([&] { return simulated(scenario); }).megabytes;
  };
  const double brief = peak(kShortRun);
  const double lengthy = peak(kLongRun);
  fmt::print("peak memory      {:6.1f} MB for {} packets, {:.1f} MB for {}; at most {} MB, and {} MB apart\n", brief,
             kShortRun, lengthy, kLongRun, kMostMemory, kMostGrowth);
  return std::max(brief, lengthy) < kMostMemory && lengthy - brief < kMostGrowth;
}

// A file that goes when the measurement is over.
class TemporaryLog {
 public:
  TemporaryLog() {
    const int descriptor = ::mkstemps(name_.data(), 5);
    if (descriptor < 0) throw std::runtime_error("no temporary file");
    ::close(descriptor);
  }
  ~TemporaryLog() {
    ::unlink(name_.c_str());
    ::unlink(trace().c_str());
  }
  TemporaryLog(const TemporaryLog&) = delete;
  TemporaryLog& operator=(const TemporaryLog&) = delete;
  const std::string& name() const { return name_; }
  std::string trace() const { return name_ + ".json"; }

 private:
  std::string name_ = (std::filesystem::temp_directory_path() / "ringside-bench-XXXXXX.rlog").string();
};

bool measure_log_cost(const Options& options, const TemporaryLog& log) {
  Scenario scenario = loaded(options, options.packets);
  std::vector<double> plain, ratios;
  for (unsigned i = 0; i < options.rounds; ++i) {
    scenario.event_log.clear();
    plain.push_back(in_child([&] { return simulated(scenario); }).seconds);
    scenario.event_log = log.name();
    ratios.push_back(in_child([&] { return simulated(scenario); }).seconds / plain.back());
  }
  const double ratio = median(ratios);
  fmt::print("event log        {:6.2f} times the processor time of a run without, {:.2f} s; at most {}\n", ratio,
             median(plain), kMostLogged);
  return ratio <= kMostLogged;
}

bool measure_views(const Options& options, const TemporaryLog& log) {
  Scenario scenario = loaded(options, kViewed);
  scenario.event_log = log.name();
  in_child([&] { return simulated(scenario); });
  const Measured view = in_child([&] {
    const double start = cpu_seconds();
    const LogReader reader(log.name());
    const std::uint64_t events = write_perfetto(reader, build_trace(reader, {}), log.trace());
    return Measured{reader.directory().totals.offered, events, cpu_seconds() - start, 0};
  });
  const double each = static_cast<double>(std::filesystem::file_size(log.name())) / static_cast<double>(view.packets);
  fmt::print("event log        {:6.1f} bytes for each of {} packets; at most {}\n", each, view.packets, kMostLogBytes);
  fmt::print(
      "timeline of it   {:6.2f} s, {:.1f} million events, {:.0f} MB; at most {} s for {} packets; {:.0f} MB of "
      "memory\n",
      view.seconds, static_cast<double>(view.instructions) / 1e6,
      static_cast<double>(std::filesystem::file_size(log.trace())) / 1e6, kMostView, kViewed, view.megabytes);
  return each <= kMostLogBytes && view.seconds <= kMostView;
}

}  // namespace

}  // namespace ringside::bench

int main(int argc, char* argv[]) {
  using namespace ringside::bench;
  Options options;
  CLI::App app("Measures the speed and the memory of the simulation, and the cost of an event log.");
  app.add_option("scenario", options.scenario, "scenario file, or name of one that comes with Ringside")
      ->capture_default_str();
  app.add_option("--set", options.overrides, "parameters to set, key=value");
  app.add_option("--packets", options.packets, "measured packets of each run")->capture_default_str();
  app.add_option("--rounds", options.rounds, "measurements of each side")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--least-ratio", options.least_ratio,
                 "slowest simulation that --check lets pass, as a ratio to Unicorn alone")
      ->capture_default_str();
  app.add_flag("--check", options.check, "exit with 1 if a limit is not kept");
  CLI11_PARSE(app, argc, argv);
  try {
    const bool fast = measure_ratio(options) >= options.least_ratio;
    const bool small = measure_memory(options);
    const TemporaryLog log;
    const bool cheap = measure_log_cost(options, log);
    const bool viewed = measure_views(options, log);
    return options.check && !(fast && small && cheap && viewed) ? 1 : 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "ringside-bench: {}\n", error.what());
    return 2;
  }
}
