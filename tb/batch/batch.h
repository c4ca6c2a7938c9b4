// Many runs at a time, each a process of its own.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace ringside {

// A temporary folder that goes with its object.
class ScratchFolder {
 public:
  ScratchFolder();
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  std::filesystem::path operator/(const std::string& name) const { return std::filesystem::path(path_) / name; }

 private:
  std::string path_;
};

struct ChildRun {
  int status = 0;
  std::string message;  // the last line that it printed, when the status is not 0
};

// `program run SCENARIO --quiet --out OUT --set SETTING...`; what it prints goes to OUT with the extension ".log".
ChildRun run_child(const std::filesystem::path& program, const std::string& scenario, const std::vector<std::string>& settings,
                   const std::filesystem::path& out);

// Calls work(0) ... work(count - 1), `jobs` at a time; 0 jobs are one per processor. `work` must not throw.
void in_parallel(std::size_t count, unsigned jobs, const std::function<void(std::size_t)>& work);

}  // namespace ringside
