// A report as a checked document.
#pragma once

#include <filesystem>
#include <string>

#include "tb/report/report_node.h"

namespace ringside {

class ReportDocument {
 public:
  // Throws InputError for a file that is no report of this version.
  explicit ReportDocument(const std::filesystem::path& file);

  const std::string& file() const { return file_; }  // made safe to show
  ReportNode root() const { return {json_, file_, ""}; }

 private:
  std::string file_;
  ReportNode::Json json_;
};

}  // namespace ringside
