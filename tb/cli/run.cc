#include <fmt/format.h>
#include <fmt/ostream.h>

#include "model/base/errors.h"
#include "tb/cli/commands.h"
#include "tb/cli/guest_image.h"
#include "tb/cli/progress.h"
#include "tb/report/atomic_file.h"
#include "tb/report/report.h"
#include "tb/report/summary.h"
#include "tb/scenario/data_dir.h"

namespace ringside::cli {
namespace {

// A broken invariant that nobody caught on the way leaves a report without measurements.
RunResult simulate_guarded(const Simulate& simulate, const Scenario& scenario, Progress& progress,
                           const std::atomic<bool>& interrupted) {
  try {
    return simulate(scenario, progress, interrupted);
  } catch (const InvariantError& error) {
    RunResult result;
    result.stop_reason = StopReason::error;
    result.error = error.what();
    result.simulated = error.at();
    return result;
  }
}

int exit_status(StopReason reason) {
  if (reason == StopReason::error) return kExitBrokenRun;
  return reason == StopReason::interrupted ? kExitInterrupted : kExitOk;
}

}  // namespace

int run(const RunOptions& options, const Simulate& simulate, const std::atomic<bool>& interrupted,
        const Terminal& terminal) {
  auto overrides = options.overrides;
  if (!options.image.empty()) overrides.push_back("driver.image=" + options.image);
  auto scenario = load_scenario(options.scenario, overrides, data_directory());
  const bool to_stdout = options.out == "-";
  if (!options.out.empty() && !to_stdout) check_writable(options.out);
  scenario.image = guest_image(scenario);

  LiveLine line(terminal.error, scenario.run, terminal.error_is_tty && !options.quiet);
  const auto result = simulate_guarded(simulate, scenario, line, interrupted);
  const HostResult host{line.elapsed_us(), result.packets.delivered, result.total_instructions};
  line.finish();

  const auto report = report_text(make_report(scenario, result, host));
  if (to_stdout) {
    terminal.out << report;
  } else if (!options.out.empty()) {
    write_file_atomically(options.out, report);
  }
  if (!options.quiet && !to_stdout) {
    print_summary(terminal.out, scenario.name, result, host);
    if (!options.out.empty()) fmt::print(terminal.out, "report: {}\n", options.out);
  }
  if (result.stop_reason == StopReason::error) fmt::print(terminal.error, "ringside: {}\n", result.error);
  return exit_status(result.stop_reason);
}

}  // namespace ringside::cli
