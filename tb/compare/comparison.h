// Two or more runs beside each other. Everything that `compare` shows, in whatever format, is in this structure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tb/report/metrics.h"
#include "tb/report/run_report.h"

namespace ringside {

enum class Verdict {
  same_behaviour,     // equal fingerprints: the same events at the same times
  timing_moved,       // the same code ran, and packets met the same kinds of fate
  behaviour_changed,  // other code ran, packets were dropped for other causes, or the run ended for another reason
};

// One figure, of each run; nothing where a run does not have it.
struct ComparedFigure {
  std::string name;
  std::string label;
  std::string unit;
  Better better = Better::neither;
  std::vector<std::optional<double>> values;
};

struct ComparedFunction {
  struct Cost {
    double cycles = 0;        // per packet, as all that follow
    double ns = 0;
    double instructions = 0;
    std::optional<std::uint64_t> code_bytes;
    RunReport::Figures stalls;  // cycles
  };
  std::string name;
  bool code_changed = false;         // its size differs between runs that have it
  bool ran_in_some = false;          // and not in others: inlined there, or never called
  std::vector<Cost> costs;           // of each run; all 0 where it did not run
};

// Cycles that were spent on one thing.
struct ComparedStall {
  std::string name;
  std::vector<double> cycles;  // per packet, of each run
  std::vector<double> ns;
};

struct ComparedSetting {
  std::string name;
  std::vector<std::string> values;  // of each run; empty where it has no such parameter
};

struct Comparison {
  struct Run {
    std::string file;
    std::string scenario;
    std::string fingerprint;
    std::string compiler;
    std::string limit;       // what was used most: "core"
    double limit_used = 0;   // 1 is all of it
  };

  std::vector<Run> runs;  // changes are from the first one
  Verdict verdict = Verdict::same_behaviour;
  std::vector<std::string> reasons;  // for the verdict, in sentences without a full stop
  std::vector<ComparedFigure> headline;
  std::vector<ComparedFunction> functions;  // by change
  std::vector<ComparedStall> stalls;        // by change
  std::vector<ComparedFigure> drops;        // packets, every cause, by change
  std::vector<ComparedFigure> counters;     // whole counts, those whose rate per packet differs, by change of that
  std::vector<std::vector<double>> counter_rates;  // per packet; index as in `counters`, then of each run
  std::vector<ComparedSetting> config;      // those that differ
};

// The largest distance of any run's value from the first one's; missing values count as 0.
double largest_change(const std::vector<double>& values);
std::vector<double> values_or_zero(const ComparedFigure& figure);

// `runs` has two or more. Throws InputError when they cannot be compared.
Comparison compare_runs(const std::vector<RunReport>& runs);

// "A", "B", ..., "Z", "27", ...
std::string run_letter(std::size_t run);

}  // namespace ringside
