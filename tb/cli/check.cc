#include <fmt/format.h>
#include <fmt/ostream.h>

#include <filesystem>

#include "model/base/errors.h"
#include "tb/check/check_text.h"
#include "tb/check/suite.h"
#include "tb/cli/commands.h"
#include "tb/report/atomic_file.h"
#include "tb/report/printable.h"

namespace ringside::cli {
namespace {

void print_results(const CheckOptions& options, const std::vector<CheckResult>& results, const Terminal& terminal) {
  for (const CheckResult& result : results) {
    terminal.out << check_text(result, terminal.out_has_colour);
    if (options.github) terminal.out << github_annotations(result);
  }
  if (!options.junit.empty()) write_file_atomically(options.junit, junit_xml(results));
}

// What became of the baselines that were to take new values.
int print_updates(const std::vector<CheckResult>& results, const Terminal& terminal) {
  bool all = true;
  for (const CheckResult& result : results) {
    const bool could = result.bad_input.empty() && result.broken.empty();
    all = all && could;
    terminal.out << (could ? fmt::format("{}: {}\n", result.updated ? "updated" : "unchanged", result.baseline_file)
                           : check_text(result, terminal.out_has_colour));
  }
  return all ? kExitOk : check_status(results);
}

std::vector<CheckResult> check_one(const CheckOptions& options) {
  const RunReport report = read_run_report(options.report);
  const Baseline baseline = read_baseline(options.baseline);
  CheckResult result = check_report(report, baseline);
  if (options.update && result.broken.empty()) result.updated = update_baseline(baseline, report, *options.update);
  return {result};
}

}  // namespace

int check(const CheckOptions& options, const Terminal& terminal) {
  if (!options.junit.empty()) check_writable(options.junit);
  if (options.suite.empty() && options.update && !std::filesystem::exists(options.baseline)) {
    write_file_atomically(options.baseline, new_baseline_text(read_run_report(options.report), *options.update));
    fmt::print(terminal.out, "written: {}\n", printable(options.baseline));
    return kExitOk;
  }
  const auto results = options.suite.empty() ? check_one(options)
                                             : check_suite(baselines_in(options.suite), std::filesystem::read_symlink("/proc/self/exe"),
                                                           options.jobs, options.update);
  if (options.update) return print_updates(results, terminal);
  print_results(options, results, terminal);
  return check_status(results);
}

}  // namespace ringside::cli
