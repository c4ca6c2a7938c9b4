// The subcommands of the program `ringside`.
#pragma once

#include <atomic>
#include <functional>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "tb/board/simulate.h"

namespace ringside::cli {

inline constexpr int kExitOk = 0;
inline constexpr int kExitRegression = 1;     // check: a metric is out of tolerance, or the run broke
inline constexpr int kExitBadInput = 2;       // one line on standard error, no output file
inline constexpr int kExitBrokenRun = 3;      // guest fault or broken invariant; the partial report is written
inline constexpr int kExitInterrupted = 130;  // Ctrl-C; the report is complete and marked interrupted

using Simulate = std::function<RunResult(const Scenario&, Progress&, const std::atomic<bool>&)>;

// Where a command prints, and whether a person watches.
struct Terminal {
  std::ostream& out;
  std::ostream& error;
  bool error_is_tty = false;
  bool out_has_colour = false;
};

struct RunOptions {
  std::string scenario;
  std::vector<std::string> overrides;
  std::string out;    // report file, "-" for standard output, "" for none
  std::string image;  // guest image; "" builds the scenario's
  bool quiet = false;
};

// Simulates a scenario, prints the summary and writes the report. Throws InputError.
int run(const RunOptions& options, const Simulate& simulate, const std::atomic<bool>& interrupted, const Terminal& terminal);

// What `report` makes of a report.
enum class ReportView { summary, ethtool, folded };

struct ReportOptions {
  std::string report;
  ReportView view = ReportView::summary;
  std::string out;  // file; "" or "-" is standard output
};

// Prints a view of a report. Throws InputError.
int report(const ReportOptions& options, const Terminal& terminal);

struct AnnotateOptions {
  std::string report;
  std::string function;  // "" for the hottest ones
  unsigned top = 3;      // of these so many
  bool per_call = false;
  std::string out;  // file; "" or "-" is standard output
};

// Prints the guest's code with its cost. Throws InputError.
int annotate(const AnnotateOptions& options, const Terminal& terminal);

struct CompareOptions {
  std::vector<std::string> reports;  // two or more
  std::string format = "text";       // or "markdown", "json", "folded"
  std::string out;                   // file; "" or "-" is standard output
};

// Prints what differs between runs. Throws InputError.
int compare(const CompareOptions& options, const Terminal& terminal);

struct CheckOptions {
  std::string report;
  std::string baseline;               // file
  std::string suite;                  // folder of baselines, instead of the two
  std::optional<std::string> update;  // the reason to take the values that were found
  std::string junit;                  // file, or ""
  bool github = false;                // annotations for GitHub on standard output
  unsigned jobs = 0;                  // of a suite, at a time; 0 is one per processor
};

// Checks a report, or the scenarios of a folder, against baselines. Throws InputError.
int check(const CheckOptions& options, const Terminal& terminal);

struct ParamsOptions {
  std::string filter;  // shows names and help that contain it
  std::vector<std::string> overrides;
  bool markdown = false;
};

// Prints every parameter with unit, default, range and source. Throws InputError.
int params(const ParamsOptions& options, std::ostream& out);

struct ReproduceOptions {
  std::string table;  // name of a published table, or "all"
  std::string out;    // prefix of the two files written; "" is "reproduce-TABLE"
  unsigned jobs = 0;  // processes at a time; 0 is one per processor
  bool list = false;
};

// Runs published tables and prints them beside what was simulated; writes a JSON and a Markdown file. Throws InputError.
int reproduce(const ReproduceOptions& options, std::ostream& out);

struct CalibrateOptions {
  std::string table;  // name of a published table
  std::string out;    // the platform's data file; "" prints it
};

// Fits a platform's residuals to the rows that the table names for it. Throws InputError.
int calibrate(const CalibrateOptions& options, std::ostream& out);

// Parses the command line, runs the subcommand and turns exceptions into a line on standard error and an exit status.
int program(const std::vector<std::string>& arguments, const Simulate& simulate, const std::atomic<bool>& interrupted,
            const Terminal& terminal);

}  // namespace ringside::cli
