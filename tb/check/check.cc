#include "tb/check/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "model/base/errors.h"
#include "tb/report/printable.h"
#include "tb/scenario/nearest.h"

namespace ringside {
namespace {

std::string place(const Baseline& baseline, const BaselineMetric& metric) {
  return fmt::format("{}:{}", printable(baseline.file.string()), metric.line);
}

// The most that a metric may move, in its unit. Figures have six digits: what differs by less is equal.
double limit(const Allowance& allowance, double value) {
  const double amount = allowance.relative ? value * allowance.amount / 100 : allowance.amount;
  return amount + std::abs(value) * 1e-9;
}

MetricOutcome judge(const CheckedMetric& metric) {
  const auto& baseline = metric.baseline;
  const double change = *metric.now - baseline.value;
  if (change < 0 && baseline.fall && -change > limit(*baseline.fall, baseline.value)) return MetricOutcome::failed;
  if (change > 0 && baseline.rise && change > limit(*baseline.rise, baseline.value)) return MetricOutcome::failed;
  const auto& opposite = change > 0 ? baseline.fall : baseline.rise;
  const bool better = (change > 0) == (metric.better == Better::higher) && metric.better != Better::neither;
  if (change != 0 && better && opposite && std::abs(change) > limit(*opposite, baseline.value)) return MetricOutcome::improved;
  return MetricOutcome::within;
}

CheckedMetric check_metric(const RunReport& report, const Baseline& baseline, const BaselineMetric& expected) {
  CheckedMetric checked;
  checked.baseline = expected;
  if (expected.name == "fingerprint") {
    checked.now_fingerprint = report.fingerprint;
    if (report.fingerprint != expected.fingerprint) checked.outcome = MetricOutcome::failed;
    return checked;
  }
  const auto metric = find_metric(report, expected.name);
  if (!metric && expected.name.starts_with("functions.")) {
    // Inlined, renamed or no longer called: news, not a mistake in the baseline.
    checked.unit = expected.unit;
    checked.outcome = MetricOutcome::failed;
    return checked;
  }
  if (!metric) {
    throw InputError(fmt::format("{}: {} is not in {}; mpps, loss, latency.p99, functions.NAME.cycles_per_packet and so on are "
                                 "allowed{}",
                                 place(baseline, expected), expected.name, report.file,
                                 did_you_mean(expected.name, metric_names(report))));
  }
  if (!expected.unit.empty() && expected.unit != metric->unit) {
    throw InputError(fmt::format("{}: {} is in {} here and in {} in {}; the same unit is required", place(baseline, expected),
                                 expected.name, expected.unit, metric->unit, report.file));
  }
  checked.unit = metric->unit;
  checked.better = metric->better;
  checked.now = metric->value;
  checked.outcome = judge(checked);
  return checked;
}

void sort_by_change(std::vector<MovedCycles>& moved) {
  std::stable_sort(moved.begin(), moved.end(), [](const MovedCycles& a, const MovedCycles& b) {
    return std::abs(a.change()) > std::abs(b.change());
  });
}

std::vector<MovedCycles> moved_functions(const BaselineProfile& profile, const RunReport& report) {
  std::map<std::string, MovedCycles> moved;
  for (const auto& [name, before] : profile.functions) moved[name] = {name, before.cycles, 0, -before.instructions, 0};
  for (const auto& [name, now] : report.functions) {
    MovedCycles& entry = moved[name];
    entry.name = name;
    entry.now = now.cycles_per_packet;
    entry.instructions = six_digits(entry.instructions + now.instructions_per_packet);
    const auto before = profile.functions.find(name);
    const bool sized = before != profile.functions.end() && before->second.code_bytes != 0 && now.code_bytes;
    if (sized) entry.code_bytes = static_cast<double>(*now.code_bytes) - before->second.code_bytes;
  }
  std::vector<MovedCycles> result;
  for (const auto& [name, entry] : moved) result.push_back(entry);
  sort_by_change(result);
  return result;
}

std::vector<MovedCycles> moved_stalls(const BaselineProfile& profile, const RunReport& report) {
  std::map<std::string, MovedCycles> moved;
  for (const auto& [name, before] : profile.stalls) moved[name] = {name, before, 0, 0, 0};
  for (const auto& [name, now] : report.stalls) {
    moved[name].name = name;
    moved[name].now = now;
  }
  std::vector<MovedCycles> result;
  for (const auto& [name, entry] : moved) result.push_back(entry);
  sort_by_change(result);
  return result;
}

void add_profile(const RunReport& report, const BaselineProfile& profile, CheckResult& result) {
  result.identical = !profile.fingerprint.empty() && profile.fingerprint == report.fingerprint;
  if (!profile.functions.empty()) result.functions = moved_functions(profile, report);
  if (!profile.stalls.empty()) result.stalls = moved_stalls(profile, report);
  if (!profile.compiler.empty() && !report.compiler.empty() && profile.compiler != report.compiler) {
    result.compiler_before = profile.compiler;
    result.compiler_now = report.compiler;
  }
}

}  // namespace

bool CheckResult::failed() const {
  return !broken.empty() || std::any_of(metrics.begin(), metrics.end(),
                                        [](const CheckedMetric& m) { return m.outcome == MetricOutcome::failed; });
}

CheckResult check_report(const RunReport& report, const Baseline& baseline) {
  CheckResult result;
  result.scenario = report.scenario;
  result.baseline_file = printable(baseline.file.string());
  result.report_file = report.file;
  const auto expected = std::filesystem::path(baseline.scenario).stem().string();
  if (report.scenario != expected && report.scenario != baseline.scenario) {
    throw InputError(fmt::format("{}: of the scenario {}, and {} is of {}; a report of the same one is required",
                                 result.baseline_file, baseline.scenario, report.file, report.scenario));
  }
  if (report.stop_reason == "interrupted") {
    throw InputError(fmt::format("{}: the run was interrupted; a run that came to its end is required", report.file));
  }
  if (report.stop_reason == "error") {
    result.broken = report.error;
    return result;
  }
  for (const auto& metric : baseline.metrics) result.metrics.push_back(check_metric(report, baseline, metric));
  add_profile(report, baseline.profile, result);
  return result;
}

int check_status(const std::vector<CheckResult>& results) {
  int status = 0;
  for (const auto& result : results) status = std::max(status, !result.bad_input.empty() ? 2 : result.failed() ? 1 : 0);
  return status;
}

}  // namespace ringside
