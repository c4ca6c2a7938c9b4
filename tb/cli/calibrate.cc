#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <filesystem>

#include "model/base/errors.h"
#include "tb/cli/commands.h"
#include "tb/report/atomic_file.h"
#include "tb/reproduce/calibration.h"
#include "tb/scenario/data_dir.h"

namespace ringside::cli {

int calibrate(const CalibrateOptions& options, std::ostream& out) {
  const ReferenceTable table = find_reference_table(data_directory(), options.table);
  const bool calibrates =
      std::any_of(table.rows.begin(), table.rows.end(), [](const ReferenceRow& row) { return !row.calibrates.empty(); });
  if (table.platform.empty() || !calibrates) {
    throw InputError(fmt::format("{}: the table calibrates nothing; one with a platform and rows that calibrate is allowed",
                                 options.table));
  }
  if (!options.out.empty()) check_writable(options.out);
  const auto fitted = fit_residuals(table, std::filesystem::read_symlink("/proc/self/exe"));
  for (const FittedResidual& f : fitted) {
    fmt::print(out, "{:<15} {:>8.2f} ns   {} (published {:.2f}, simulated {:.2f} {})\n", f.parameter, to_ns(f.value), f.row,
               f.published, f.simulated, table.unit());
  }
  const std::string text = platform_file(table, fitted);
  if (options.out.empty()) {
    fmt::print(out, "\n{}", text);
  } else {
    write_file_atomically(options.out, text);
    fmt::print(out, "written: {}\n", options.out);
  }
  return kExitOk;
}

}  // namespace ringside::cli
