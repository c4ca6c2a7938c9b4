// The subcommands of the program `ringside`.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "tb/board/simulate.h"
#include "tb/manual/command_help.h"

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
  std::string html;   // the report as a page; file, or "" for none
  std::string log;    // event log, "" for none
  std::string image;  // guest image; "" builds the scenario's
  bool quiet = false;
};

// Simulates a scenario, prints the summary and writes the report. Throws InputError.
int run(const RunOptions& options, const Simulate& simulate, const std::atomic<bool>& interrupted, const Terminal& terminal);

// What pages are made from, in the data directory. Throws InputError where Ringside was built without it.
std::filesystem::path html_page_file();

// What `report` makes of a report.
enum class ReportView { summary, ethtool, folded, html };

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

struct ViewOptions {
  std::string log;  // event log that run() wrote
  std::string perfetto, vcd, pcap, csv;  // what to make: files, a prefix of files for pcap; "" for none
  std::string from, to;                  // quantities of time; "" for the whole run
};

// Makes views of an event log, or prints what is in it. Throws InputError.
int view(const ViewOptions& options, const Terminal& terminal);

struct CompareOptions {
  std::vector<std::string> reports;  // two or more
  std::string format = "text";       // or "markdown", "json"; of two reports "html", "folded"
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
  std::string table;  // name of a table, or "all" for those that were published
  std::string out;    // prefix of the two files written; "" is "reproduce-TABLE"
  unsigned jobs = 0;  // processes at a time; 0 is one per processor
  bool list = false;
};

// Runs tables and prints what was published beside what was simulated; writes a JSON and a Markdown file. Throws InputError.
int reproduce(const ReproduceOptions& options, std::ostream& out);

struct CalibrateOptions {
  std::string table;  // name of a published table
  std::string out;    // the platform's data file; "" prints it
};

// Fits a platform's residuals to the rows that the table names for it. Throws InputError.
int calibrate(const CalibrateOptions& options, std::ostream& out);

struct CountersOptions {
  std::string filter;  // shows names, groups and meanings that contain it
  bool markdown = false;
};

// Prints every counter that reports of the drivers hold. Throws InputError.
int counters(const CountersOptions& options, std::ostream& out);

struct CompletionOptions {
  std::string shell;  // "bash", "zsh" or "fish"
};

// Prints the shell's completion script.
int completion(const CompletionOptions& options, std::ostream& out);

struct CompleteOptions {
  std::vector<std::string> words;  // after the program's name; the last one is completed
};

// Prints what may stand for the last word. Never fails: a shell has no place for a message.
int complete(const CompleteOptions& options, const CommandHelp& program, std::ostream& out);

struct ManualOptions {
  std::string page;  // "commands", "man", or the name of a schema of the data directory
};

// Prints a page that describes the program. Throws InputError.
int manual(const ManualOptions& options, const CommandHelp& program, std::ostream& out);

// Parses the command line, runs the subcommand and turns exceptions into a line on standard error and an exit status.
int program(const std::vector<std::string>& arguments, const Simulate& simulate, const std::atomic<bool>& interrupted,
            const Terminal& terminal);

}  // namespace ringside::cli
