#include <sstream>

#include "tb/cli/commands.h"
#include "tb/report/atomic_file.h"
#include "tb/report/ethtool_text.h"
#include "tb/report/folded_stacks.h"
#include "tb/report/saved_run.h"
#include "tb/report/summary.h"

namespace ringside::cli {
namespace {

std::string view_of(const SavedRun& run, ReportView view) {
  switch (view) {
    case ReportView::ethtool: return ethtool_text(run.result);
    case ReportView::folded: return folded_stacks(run);
    case ReportView::summary: break;
  }
  std::ostringstream summary;
  print_summary(summary, run.scenario, run.result, run.host);
  return summary.str();
}

}  // namespace

int report(const ReportOptions& options, const Terminal& terminal) {
  const bool to_stdout = options.out.empty() || options.out == "-";
  if (!to_stdout) check_writable(options.out);
  const std::string text = view_of(read_saved_run(options.report), options.view);
  if (to_stdout) {
    terminal.out << text;
  } else {
    write_file_atomically(options.out, text);
  }
  return kExitOk;
}

}  // namespace ringside::cli
