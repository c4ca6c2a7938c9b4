#include "tb/batch/batch.h"

#include <stdlib.h>

#include <algorithm>
#include <atomic>
#include <fstream>
#include <stdexcept>
#include <thread>

#include "tb/image/process.h"

namespace ringside {
namespace {

namespace fs = std::filesystem;

std::string last_line(const fs::path& log) {
  std::ifstream stream(log);
  std::string line, last;
  while (std::getline(stream, line)) {
    if (!line.empty()) last = line;
  }
  return last;
}

}  // namespace

ScratchFolder::ScratchFolder() : path_((fs::temp_directory_path() / "ringside-XXXXXX").string()) {
  if (::mkdtemp(path_.data()) == nullptr) throw std::runtime_error("cannot make a temporary folder at " + path_);
}

ScratchFolder::~ScratchFolder() {
  std::error_code error;
  fs::remove_all(path_, error);
}

ChildRun run_child(const fs::path& program, const std::string& scenario, const std::vector<std::string>& settings,
                   const fs::path& out) {
  std::vector<std::string> argv{program.string(), "run", scenario, "--quiet", "--out", out.string()};
  for (const std::string& setting : settings) argv.insert(argv.end(), {"--set", setting});
  const fs::path log = fs::path(out).replace_extension(".log");
  ChildRun run{run_process(argv, fs::current_path(), log), ""};
  if (run.status != 0) run.message = last_line(log);
  return run;
}

void in_parallel(std::size_t count, unsigned jobs, const std::function<void(std::size_t)>& work) {
  std::atomic<std::size_t> next{0};
  const unsigned threads = jobs != 0 ? jobs : std::max(1U, std::thread::hardware_concurrency());
  std::vector<std::jthread> workers;
  for (std::size_t i = 0; i < std::min<std::size_t>(threads, count); ++i) {
    workers.emplace_back([&] {
      for (std::size_t index = next++; index < count; index = next++) work(index);
    });
  }
}

}  // namespace ringside
