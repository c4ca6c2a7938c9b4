#include "tb/report/report_document.h"

#include <fmt/format.h>

#include "model/base/errors.h"
#include "tb/report/bounded_file.h"
#include "tb/report/printable.h"
#include "tb/report/report.h"

namespace ringside {

ReportDocument::ReportDocument(const std::filesystem::path& file)
    : file_(printable(file.string())), json_(read_bounded_json(file, "a report")) {
  const bool is_object = json_.is_object();
  if (!is_object || !json_.contains("schema") || json_["schema"] != "ringside-report") {
    const std::string found = !is_object                  ? "the document is " + root().description()
                              : !json_.contains("schema") ? "it has no schema"
                                                          : "schema is " + root().at("schema").description();
    throw InputError(fmt::format("{}: not a report: {}; a file that `ringside run SCENARIO --out FILE` wrote is allowed", file_,
                                 found));
  }
  const ReportNode version = root().at("version");
  if (version.value() != kReportVersion) {
    version.fail(version.description(), fmt::format("{}, which this Ringside writes,", kReportVersion));
  }
}

}  // namespace ringside
