#include "tb/check/suite.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "model/base/errors.h"
#include "tb/batch/batch.h"
#include "tb/report/printable.h"

namespace ringside {
namespace {

namespace fs = std::filesystem;

constexpr int kBrokenRun = 3;

// A name is one that comes with Ringside; a path is relative to the baseline.
std::string scenario_argument(const Baseline& baseline) {
  const fs::path scenario = baseline.scenario;
  const bool is_path = scenario.has_parent_path() || scenario.extension() == ".toml";
  return is_path ? (baseline.file.parent_path() / scenario).string() : baseline.scenario;
}

CheckResult check_scenario(const fs::path& file, const fs::path& program, const fs::path& out,
                           const std::optional<std::string>& update_reason) {
  const Baseline baseline = read_baseline(file);
  const ChildRun run = run_child(program, scenario_argument(baseline), baseline.settings, out);
  if (run.status != 0 && run.status != kBrokenRun) throw InputError(printable(run.message, 1'000));
  const RunReport report = read_run_report(out);
  CheckResult result = check_report(report, baseline);
  result.report_file.clear();
  if (update_reason && result.broken.empty()) result.updated = update_baseline(baseline, report, *update_reason);
  return result;
}

}  // namespace

std::vector<fs::path> baselines_in(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (entry.path().extension() == ".toml") files.push_back(entry.path());
  }
  if (error || files.empty()) {
    throw InputError(fmt::format("{}: {}; a folder with baselines (*.toml) is required", printable(folder.string()),
                                 error ? error.message() : "no baseline in it"));
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::vector<CheckResult> check_suite(const std::vector<fs::path>& baselines, const fs::path& program, unsigned jobs,
                                     const std::optional<std::string>& update_reason) {
  using Clock = std::chrono::steady_clock;
  const ScratchFolder scratch;
  std::vector<CheckResult> results(baselines.size());
  in_parallel(baselines.size(), jobs, [&](std::size_t i) {
    const auto start = Clock::now();
    CheckResult& result = results[i];
    try {
      result = check_scenario(baselines[i], program, scratch / fmt::format("{}.json", i), update_reason);
    } catch (const std::exception& error) {
      result.bad_input = error.what();
      result.scenario = printable(baselines[i].stem().string());
      result.baseline_file = printable(baselines[i].string());
    }
    result.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  });
  return results;
}

}  // namespace ringside
