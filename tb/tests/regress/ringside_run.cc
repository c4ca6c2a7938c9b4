#include "tb/tests/regress/ringside_run.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <sstream>
#include <thread>

namespace ringside::test {
namespace {

void open_as(int descriptor, const std::string& path, int flags) {
  const int file = ::open(path.c_str(), flags, 0600);
  if (file < 0 || ::dup2(file, descriptor) < 0) ::_exit(126);
}

std::size_t files_in(const std::filesystem::path& folder) {
  return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder), {}));
}

// The address sanitizer does not know the stacks of SystemC's threads, and says so in three lines when an exception is
// thrown on one.
std::string without_sanitizer_notice(const std::string& text) {
  std::istringstream stream(text);
  std::string kept, line;
  while (std::getline(stream, line)) {
    const bool notice = line.find("WARNING: ASan is ignoring requested") != std::string::npos ||
                        line == "False positive error reports may follow" ||
                        line.starts_with("For details see https://github.com/google/sanitizers");
    if (!notice) kept += line + "\n";
  }
  return kept;
}

}  // namespace

RingsideRun& RingsideRun::set(const std::string& assignment) {
  arguments_.insert(arguments_.end(), {"--set", assignment});
  return *this;
}

RingsideRun& RingsideRun::file(const std::string& name, const std::string& content) {
  files_.emplace_back(name, content);
  return *this;
}

RingsideRun& RingsideRun::interrupt_after(unsigned milliseconds) {
  interrupt_after_ms_ = milliseconds;
  return *this;
}

Outcome RingsideRun::run_to(const std::string& path) {
  arguments_.insert(arguments_.end(), {"--out", path});
  return run();
}

Outcome RingsideRun::run() {
  const TemporaryFolder folder;
  for (const auto& [name, content] : files_) folder.write(name, content);
  const TemporaryFolder results;  // nothing but the report may appear in "out"
  std::filesystem::create_directory(results.path() / "out");
  const std::string out = (results.path() / "out" / "report.json").string();
  std::vector<std::string> words{RINGSIDE_PROGRAM, "run"};
  words.insert(words.end(), arguments_.begin(), arguments_.end());
  if (std::find(words.begin(), words.end(), "--out") == words.end()) words.insert(words.end(), {"--out", out});
  std::vector<char*> pointers;
  for (auto& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);

  // Guest images have the hash of all that they are made of in their names, so that runs may share them; ccache, if it is
  // installed, spares what two images have in common.
  const std::string cache = "XDG_CACHE_HOME=" RINGSIDE_TEST_CACHE;
  const std::string path = std::string("PATH=/usr/lib/ccache:") + ::getenv("PATH");
  const pid_t child = ::fork();
  if (child == 0) {
    open_as(STDIN_FILENO, "/dev/null", O_RDONLY);
    open_as(STDOUT_FILENO, (results.path() / "stdout").string(), O_WRONLY | O_CREAT);
    open_as(STDERR_FILENO, (results.path() / "stderr").string(), O_WRONLY | O_CREAT);
    if (::chdir(folder.path().c_str()) != 0) ::_exit(126);
    ::putenv(const_cast<char*>(cache.c_str()));
    ::putenv(const_cast<char*>(path.c_str()));
    ::execv(RINGSIDE_PROGRAM, pointers.data());
    ::_exit(127);
  }
  if (interrupt_after_ms_ != 0) {
    std::this_thread::sleep_for(std::chrono::milliseconds(interrupt_after_ms_));
    ::kill(child, SIGINT);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    ::kill(child, SIGINT);
  }
  int status = 0;
  ::waitpid(child, &status, 0);

  Outcome outcome;
  outcome.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  outcome.output = results.read("stdout");
  outcome.error = without_sanitizer_notice(results.read("stderr"));
  if (std::filesystem::exists(out)) outcome.report = results.read("out/report.json");
  outcome.files = files_in(results.path() / "out");
  return outcome;
}

std::uint64_t scaled(std::uint64_t packets) { return packets / RINGSIDE_TEST_SLOWNESS; }

RingsideRun main_scenario(std::uint64_t packets) {
  RingsideRun run({"mlx5e-xdp-drop", "--quiet"});
  run.set("run.warmup=500").set("run.converge=0").set("run.packets=" + std::to_string(packets));
  return run;
}

RingsideRun finite_scenario(std::uint64_t packets) {
  RingsideRun run = main_scenario(0);
  run.set("run.warmup=0").set("traffic.packets=" + std::to_string(packets));
  return run;
}

std::uint64_t counter(const Report& report, const std::string& group, const std::string& name) {
  const auto& counters = report.at("counters");
  return counters.contains(group) && counters[group].contains(name) ? counters[group][name]["value"].get<std::uint64_t>() : 0;
}

std::uint64_t total(const Report& dropped) {
  std::uint64_t sum = 0;
  for (const auto& [name, packets] : dropped.items()) sum += packets.get<std::uint64_t>();
  return sum;
}

std::string image_path(const std::string& name) { return RINGSIDE_SHARE "/images/" + name + ".elf"; }
std::string test_image_path(const std::string& name) { return RINGSIDE_SHARE "/test-images/" + name + ".elf"; }

void expect_conserved(const Outcome& outcome, bool memory_lasts) {
  ASSERT_TRUE(outcome.report) << outcome.error;
  const Report report = outcome.json();
  const Report& packets = report["result"]["packets"];
  const auto delivered = packets["delivered"].get<std::uint64_t>();
  EXPECT_EQ(packets["offered"].get<std::uint64_t>(),
            delivered + total(packets["dropped"]) + packets["in_flight"].get<std::uint64_t>());
  // Three that count apart: the link, the device and the driver.
  EXPECT_EQ(counter(report, "wire", "wire_frames"), packets["offered"].get<std::uint64_t>());
  for (const auto& [name, lost] : packets["dropped"].items()) {
    EXPECT_TRUE(name.starts_with("rx_")) << name;
    EXPECT_EQ(counter(report, "nic", name), lost.get<std::uint64_t>()) << name;
  }
  std::uint64_t verdicts = 0;
  for (const char* verdict : {"rx_xdp_drop", "rx_packets", "rx_xdp_tx_xmit", "rx_xdp_redirect"}) verdicts += counter(report, "driver", verdict);
  const bool drained = report["result"]["stop_reason"] == "exhausted";
  EXPECT_LE(verdicts, delivered);
  EXPECT_GE(verdicts + (drained ? 0 : 1), delivered) << "the driver may be at work on the last packet it took";
  // Each has one end; only packets of the poll under way may have none yet.
  constexpr std::uint64_t kPoll = 1024;
  const std::uint64_t ended = total(packets["ended"]);
  EXPECT_LE(ended, delivered);
  EXPECT_GE(ended + (drained ? 0 : kPoll), delivered);
  if (drained) {
    EXPECT_EQ(packets["in_flight"], 0);
  }
  EXPECT_EQ(counter(report, "driver", "rx_wqe_err"), 0U);
  if (memory_lasts) {
    EXPECT_EQ(counter(report, "driver", "rx_buff_alloc_err"), 0U);
  }
  EXPECT_EQ(counter(report, "driver", "pp_negative_refs"), 0U);
}

}  // namespace ringside::test
