#include "model/base/errors.h"
#include "tb/cli/commands.h"
#include "tb/report/atomic_file.h"
#include "tb/report/bounded_file.h"
#include "tb/report/html_page.h"
#include "tb/report/run_report.h"

namespace ringside::cli {

int report(const ReportOptions& options, const Terminal&) {
  check_writable(options.html);
  const auto page = html_page_file();
  const auto document = read_bounded_ordered_json(options.report, "a report");
  read_run_report(document, options.report);  // refuses what is no report
  write_file_atomically(options.html, html_report(page, document));
  return kExitOk;
}

}  // namespace ringside::cli
