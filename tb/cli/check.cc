#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
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

int check_one(const CheckOptions& options, const Terminal& terminal) {
  const RunReport report = read_run_report(options.report);
  if (options.update && !std::filesystem::exists(options.baseline)) {
    write_file_atomically(options.baseline, new_baseline_text(report, *options.update));
    fmt::print(terminal.out, "written: {}\n", printable(options.baseline));
    return kExitOk;
  }
  const Baseline baseline = read_baseline(options.baseline);
  const CheckResult result = check_report(report, baseline);
  if (options.update && result.broken.empty()) {
    write_file_atomically(options.baseline, updated_baseline_text(baseline, report, *options.update));
    fmt::print(terminal.out, "updated: {}\n", printable(options.baseline));
    return kExitOk;
  }
  print_results(options, {result}, terminal);
  return check_status({result});
}

}  // namespace

int check(const CheckOptions& options, const Terminal& terminal) {
  if (!options.junit.empty()) check_writable(options.junit);
  if (options.suite.empty()) return check_one(options, terminal);
  const auto baselines = baselines_in(options.suite);
  const auto results =
      check_suite(baselines, std::filesystem::read_symlink("/proc/self/exe"), options.jobs, options.update);
  if (!options.update) {
    print_results(options, results, terminal);
    return check_status(results);
  }
  bool all = true;
  for (const CheckResult& result : results) {
    const bool updated = result.bad_input.empty() && result.broken.empty();
    all = all && updated;
    terminal.out << (updated ? fmt::format("updated: {}\n", result.baseline_file) : check_text(result, terminal.out_has_colour));
  }
  return all ? kExitOk : check_status(results);
}

}  // namespace ringside::cli
