// A run as its report tells of it: what the views of a report are made from.
#pragma once

#include <filesystem>
#include <string>

#include "tb/report/run_result.h"

namespace ringside {

struct SavedRun {
  std::string file;  // as it was given
  std::string scenario;
  RunResult result;  // all text has gone through printable(); ratios that the report rounds are so here, too
  HostResult host;
};

// Throws InputError naming file, key, what was found and what is allowed.
SavedRun read_saved_run(const std::filesystem::path& file);

}  // namespace ringside
