// What a report is checked against: a TOML file that a person edits in a pull request.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tb/report/run_report.h"

namespace ringside {

// How far a metric may go one way.
struct Allowance {
  double amount = 0;
  bool relative = false;  // a percentage of the baseline's value, else in the metric's unit
};

struct BaselineMetric {
  std::string name;
  double value = 0;
  std::string fingerprint;  // of the metric "fingerprint", whose value is no number
  std::string unit;         // as stated; may be empty
  std::optional<Allowance> fall;  // nothing: any fall is fine
  std::optional<Allowance> rise;
  int line = 0;
};

// Where the cycles went when the values were taken: for messages, nothing of it is checked.
struct BaselineProfile {
  struct Function {
    double cycles = 0;        // per packet
    double instructions = 0;  // per packet
    double code_bytes = 0;    // 0 where it is not known
  };
  std::string fingerprint;
  std::string compiler;
  std::map<std::string, Function> functions;
  RunReport::Figures stalls;  // cycles per packet
};

struct Baseline {
  std::filesystem::path file;
  std::string scenario;               // name, or path relative to the file's folder
  std::vector<std::string> settings;  // "key=value", as for --set
  std::vector<BaselineMetric> metrics;
  BaselineProfile profile;
};

// Throws InputError with file and line.
Baseline read_baseline(const std::filesystem::path& file);

// The text of a new baseline: the usual metrics and tolerances with the values of `report`.
std::string new_baseline_text(const RunReport& report, const std::string& reason);

// The text of `baseline` with the values of `report`: comments, tolerances and order stay, the values that moved and the
// reason are added to the history, the profile is replaced. Where nothing differs, the text stays as it is. Throws InputError when a metric is not in the report.
std::string updated_baseline_text(const Baseline& baseline, const RunReport& report, const std::string& reason);

// Writes that text to the file, unless nothing differs. Returns whether it did.
bool update_baseline(const Baseline& baseline, const RunReport& report, const std::string& reason);

}  // namespace ringside
