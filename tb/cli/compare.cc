#include <fmt/format.h>

#include "model/base/errors.h"
#include "tb/cli/commands.h"
#include "tb/compare/comparison_text.h"
#include "tb/report/atomic_file.h"
#include "tb/report/folded_stacks.h"

namespace ringside::cli {
namespace {

std::string folded(const std::vector<std::string>& reports) {
  if (reports.size() != 2) {
    throw InputError(fmt::format("compare: {} reports with --format folded; two are allowed", reports.size()));
  }
  const SavedRun before = read_saved_run(reports[0]);
  return folded_difference(before, read_saved_run(reports[1]));
}

int print(const CompareOptions& options, const std::string& text, const Terminal& terminal) {
  if (options.out.empty() || options.out == "-") {
    terminal.out << text;
  } else {
    write_file_atomically(options.out, text);
  }
  return kExitOk;
}

}  // namespace

int compare(const CompareOptions& options, const Terminal& terminal) {
  if (options.reports.size() < 2) {
    throw InputError("compare: one report; two or more are required, the first one is what the others are compared with");
  }
  const bool to_stdout = options.out.empty() || options.out == "-";
  if (!to_stdout) check_writable(options.out);
  if (options.format == "folded") return print(options, folded(options.reports), terminal);
  std::vector<RunReport> runs;
  for (const auto& report : options.reports) runs.push_back(read_run_report(report));
  const Comparison comparison = compare_runs(runs);
  std::string text;
  if (options.format == "json") {
    text = comparison_json(comparison).dump(2) + "\n";
  } else if (options.format == "markdown") {
    text = comparison_text(comparison, TextFormat::markdown);
  } else {
    const bool coloured = terminal.out_has_colour && to_stdout;
    text = comparison_text(comparison, coloured ? TextFormat::coloured_terminal : TextFormat::terminal);
  }
  return print(options, text, terminal);
}

}  // namespace ringside::cli
