#include <fmt/format.h>

#include "model/base/errors.h"
#include "tb/cli/commands.h"
#include "tb/compare/comparison_text.h"
#include "tb/report/atomic_file.h"
#include "tb/report/bounded_file.h"
#include "tb/report/html_page.h"

namespace ringside::cli {

int compare(const CompareOptions& options, const Terminal& terminal) {
  if (options.reports.size() < 2) {
    throw InputError("compare: one report; two or more are required, the first one is what the others are compared with");
  }
  const bool to_stdout = options.out.empty() || options.out == "-";
  if (!to_stdout) check_writable(options.out);
  const bool html = options.format == "html";
  if (html && options.reports.size() != 2) {
    throw InputError(fmt::format("compare: {} reports; --format html shows two", options.reports.size()));
  }
  std::vector<nlohmann::ordered_json> documents;
  std::vector<RunReport> runs;
  for (const auto& report : options.reports) {
    documents.push_back(read_bounded_ordered_json(report, "a report"));
    runs.push_back(read_run_report(documents.back(), report));
  }
  const Comparison comparison = compare_runs(runs);
  std::string text;
  if (html) {
    text = html_comparison(html_page_file(), comparison_json(comparison), documents[0], documents[1]);
  } else if (options.format == "json") {
    text = comparison_json(comparison).dump(2) + "\n";
  } else if (options.format == "markdown") {
    text = comparison_text(comparison, TextFormat::markdown);
  } else {
    const bool coloured = terminal.out_has_colour && to_stdout;
    text = comparison_text(comparison, coloured ? TextFormat::coloured_terminal : TextFormat::terminal);
  }
  if (to_stdout) {
    terminal.out << text;
  } else {
    write_file_atomically(options.out, text);
  }
  return kExitOk;
}

}  // namespace ringside::cli
