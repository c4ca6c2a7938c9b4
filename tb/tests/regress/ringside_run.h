// Runs the program `ringside` as a person would, and looks at what it prints, returns and leaves behind.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "tb/tests/temporary_folder.h"

namespace ringside::test {

using Report = nlohmann::ordered_json;

struct Outcome {
  int status = -1;     // exit status; -1 after a signal
  std::string output;  // standard output
  std::string error;   // standard error
  std::optional<std::string> report;
  std::size_t files = 0;  // in the folder of the report

  // The report as JSON; a null value where there is none.
  Report json() const { return report ? Report::parse(*report) : Report(); }
};

// One run in a folder of its own, which is its working directory.
class RingsideRun {
 public:
  explicit RingsideRun(std::vector<std::string> arguments) : arguments_(std::move(arguments)) {}

  // "key=value"
  RingsideRun& set(const std::string& assignment);
  RingsideRun& file(const std::string& name, const std::string& content);
  // Sends SIGINT once the run is so old, and again at once, as timeout(1) does.
  RingsideRun& interrupt_after(unsigned milliseconds);

  Outcome run();
  // With the report somewhere else.
  Outcome run_to(const std::string& path);

 private:
  std::vector<std::string> arguments_;
  std::vector<std::pair<std::string, std::string>> files_;  // name and content
  unsigned interrupt_after_ms_ = 0;
};

// `packets` where the build is fast, fewer where sanitizers slow it down.
std::uint64_t scaled(std::uint64_t packets);

// The main scenario with a short warm-up, `packets` measured packets and no other end.
RingsideRun main_scenario(std::uint64_t packets);
// The same with exactly `packets` sent; ends when the last is accounted for.
RingsideRun finite_scenario(std::uint64_t packets);

// Of the report's group of counters; 0 for one that is absent.
std::uint64_t counter(const Report& report, const std::string& group, const std::string& name);
std::uint64_t total(const Report& dropped);
std::string image_path(const std::string& name);       // of the driver
std::string test_image_path(const std::string& name);  // of the test guests

// Fails unless offered = delivered + dropped + in flight, every drop has a name, driver and device agree, and no page lost
// more references than it had. `memory_lasts`: the driver must always have got the pages that it wanted.
void expect_conserved(const Outcome& outcome, bool memory_lasts = true);

}  // namespace ringside::test
