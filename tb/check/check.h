// A report against its baseline.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tb/check/baseline.h"
#include "tb/report/metrics.h"

namespace ringside {

enum class MetricOutcome {
  within,    // of its tolerance
  improved,  // to the better by more than it may go to the worse, which no limit forbids
  failed,
};

struct CheckedMetric {
  BaselineMetric baseline;
  std::string unit;
  Better better = Better::neither;
  std::optional<double> now;    // nothing when the report has none: it failed
  std::string now_fingerprint;  // of the metric "fingerprint"
  MetricOutcome outcome = MetricOutcome::within;
};

// What takes other cycles per packet than in the baseline's profile.
struct MovedCycles {
  std::string name;
  double before = 0;
  double now = 0;
  double instructions = 0;  // that it executes more, per packet
  double code_bytes = 0;    // that its code is longer; 0 where that is not known

  double change() const { return now - before; }
};

struct CheckResult {
  std::string scenario;
  std::string baseline_file;  // as given, printable
  std::string report_file;    // as given, or empty when `check` ran the scenario
  std::string bad_input;      // why nothing could be checked
  std::string broken;         // why the run broke
  std::vector<CheckedMetric> metrics;
  bool identical = false;     // the fingerprint is that of the baseline's run
  std::vector<MovedCycles> functions;  // most moved first
  std::vector<MovedCycles> stalls;     // most moved first
  std::string compiler_before;  // of the guest; both empty when they are alike or unknown
  std::string compiler_now;
  bool updated = false;         // the baseline's file was written
  double seconds = 0;           // that the run took on this machine

  bool failed() const;
};

// Throws InputError when they do not belong together, or a metric cannot be compared.
CheckResult check_report(const RunReport& report, const Baseline& baseline);

// 0 fine, 1 a metric failed or a run broke, 2 something could not be checked; the highest of all.
int check_status(const std::vector<CheckResult>& results);

}  // namespace ringside
