// The program from its arguments to its exit status and files, with a simulation that is told what to find.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "model/base/errors.h"
#include "tb/cli/commands.h"
#include "tb/cli/progress.h"
#include "tb/tests/temporary_folder.h"

namespace ringside::cli {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

class Program : public testing::Test {
 protected:
  // The data files are the real ones; scenarios and the image are the test's.
  Program() {
    for (const char* data : {"hardware", "drivers"}) {
      std::filesystem::create_directory_symlink(std::filesystem::path(RINGSIDE_SOURCE_DIR) / "traces" / data, folder_.path() / data);
    }
    folder_.write("scenarios/short.toml", "[run]\npackets = 100\n");
    image_ = folder_.write("image.elf", "an image").string();
    ::setenv("RINGSIDE_DATA", folder_.path().c_str(), 1);
  }
  ~Program() override { ::unsetenv("RINGSIDE_DATA"); }

  int run_program(const std::vector<std::string>& arguments) {
    out_.str("");
    error_.str("");
    return program(arguments, [this](auto&... passed) { return simulate(passed...); }, interrupted_, {out_, error_, false});
  }

  RunResult simulate(const Scenario& scenario, Progress& progress, const std::atomic<bool>& interrupted) {
    ++simulations_;
    seen_ = scenario;
    progress.update(microseconds(1), 10);
    if (throws_) throws_();
    RunResult result;
    result.window.packets = scenario.run.packets;
    result.window.frequency = scenario.cpu.frequency;
    if (interrupted) result.stop_reason = StopReason::interrupted;
    if (!broken_.empty()) {
      result.stop_reason = StopReason::error;
      result.error = broken_;
    }
    return result;
  }

  std::string report_file() const { return (folder_.path() / "out" / "report.json").string(); }
  nlohmann::json report() const { return nlohmann::json::parse(folder_.read("out/report.json")); }
  void expect_no_report() const { EXPECT_FALSE(std::filesystem::exists(report_file())); }
  std::vector<std::string> run_arguments(std::vector<std::string> more = {}) {
    std::filesystem::create_directories(folder_.path() / "out");
    std::vector<std::string> arguments{"run", "short", "--image", image_, "--out", report_file()};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }

  TemporaryFolder folder_;
  std::string image_;
  std::ostringstream out_;
  std::ostringstream error_;
  std::atomic<bool> interrupted_{false};
  std::string broken_;
  std::function<void()> throws_;
  int simulations_ = 0;
  Scenario seen_;
};

TEST_F(Program, RunsAScenarioByNameAndWritesTheReport) {
  EXPECT_EQ(run_program(run_arguments({"--set", "run.seed=7", "--set", "driver.mtu=1400"})), kExitOk);
  EXPECT_EQ(seen_.run.packets, 100U);
  EXPECT_EQ(seen_.run.seed, 7U);
  EXPECT_EQ(seen_.driver.mtu, 1400U);
  EXPECT_EQ(seen_.image, image_);
  EXPECT_EQ(report()["version"], 1);
  EXPECT_EQ(report()["config"]["run.seed"]["from"], "command line");
  EXPECT_EQ(report()["config"]["run.packets"]["where"], "short.toml:2");
  EXPECT_THAT(out_.str(), AllOf(HasSubstr("rx/s"), EndsWith("report: " + report_file() + "\n")));
  EXPECT_EQ(error_.str(), "");
}

TEST_F(Program, RunsAScenarioByPath) {
  const auto path = folder_.write("elsewhere/mine.toml", "[run]\nseed = 3\n").string();
  EXPECT_EQ(run_program({"run", path, "--image", image_, "--quiet"}), kExitOk);
  EXPECT_EQ(seen_.run.seed, 3U);
  EXPECT_EQ(out_.str(), "");
}

TEST_F(Program, BuildsTheImageThatTheScenarioAsksFor) {
  folder_.write("src/driver/image.toml",
                "sources = [\"driver/start.cc\"]\nlinker_script = \"driver/image.ld\"\nlink = [\"-nostdlib\", \"-static\"]\n"
                "[[toolchain]]\narchitecture = \"x86-64\"\ncompiler = \"gcc\"\ncommand = \"g++\"\n");
  folder_.write("src/driver/image.ld", "ENTRY(_start)\nSECTIONS { . = 0x200000; .text : { *(.text*) } }\n");
  folder_.write("src/driver/start.cc", "extern \"C\" void _start() {}\n");
  ::setenv("XDG_CACHE_HOME", (folder_.path() / "cache").c_str(), 1);
  EXPECT_EQ(run_program({"run", "short", "--quiet"}), kExitOk) << error_.str();
  EXPECT_EQ(seen_.image.parent_path(), folder_.path() / "cache/ringside");
  EXPECT_TRUE(std::filesystem::exists(seen_.image));
  EXPECT_EQ(run_program({"run", "short", "--quiet", "--set", "driver.flags=-fbogus"}), kExitBadInput);
  EXPECT_THAT(error_.str(), HasSubstr("-fbogus"));
  ::unsetenv("XDG_CACHE_HOME");
}

TEST_F(Program, ReportsToStandardOutput) {
  EXPECT_EQ(run_program({"run", "short", "--image", image_, "--out", "-"}), kExitOk);
  EXPECT_EQ(nlohmann::json::parse(out_.str())["schema"], "ringside-report");
}

TEST_F(Program, BadInputIsOneLineAndNoFile) {
  const auto expect_bad = [&](const std::vector<std::string>& arguments, const std::string& part) {
    EXPECT_EQ(run_program(arguments), kExitBadInput);
    const auto message = error_.str();
    EXPECT_THAT(message, AllOf(StartsWith("ringside: "), HasSubstr(part)));
    EXPECT_EQ(message.find('\n'), message.size() - 1) << message;
    expect_no_report();
  };
  expect_bad(run_arguments({"--set", "run.pakets=1"}), "did you mean run.packets?");
  expect_bad(run_arguments({"--set", "driver.rx_ring=1000"}), "a power of two is allowed, such as 512");
  expect_bad({"run", "shrot"}, "did you mean short?");
  expect_bad({"run", "short", "--image", "none.elf", "--out", report_file()}, "none.elf");
  expect_bad({"run", "short", "--image", image_, "--out", "/no/such/folder/x.json"}, "/no/such/folder/x.json");
  expect_bad({"run"}, "scenario is required");
  expect_bad({"rnu", "short"}, "unknown command rnu; run, ");
  expect_bad({"rnu", "short"}, "are allowed; did you mean run?");
  EXPECT_EQ(simulations_, 0);
  throws_ = [] { throw InputError("x.pcap: truncated"); };
  expect_bad(run_arguments(), "x.pcap: truncated");
}

TEST_F(Program, WritesPages) {
  folder_.write("html/page.html", "<script>@REPORT@</script>");
  const std::string page = (folder_.path() / "out" / "page.html").string();
  EXPECT_EQ(run_program(run_arguments({"--html", page})), kExitOk) << error_.str();
  EXPECT_THAT(out_.str(), EndsWith("page: " + page + "\n"));
  const std::string written = folder_.read("out/page.html");
  EXPECT_EQ(written, "<script>" + nlohmann::ordered_json::parse(folder_.read("out/report.json")).dump() + "</script>");
  EXPECT_EQ(run_program({"report", report_file(), "--html", "--out", page}), kExitOk) << error_.str();
  EXPECT_EQ(folder_.read("out/page.html"), written) << "the same from the file";
  EXPECT_EQ(run_program({"compare", report_file(), report_file(), "--format", "html", "--out", page}), kExitOk) << error_.str();
  EXPECT_THAT(folder_.read("out/page.html"), HasSubstr("\"verdict\":\"same behaviour\""));
}

TEST_F(Program, SaysWhatIsWrongWithPagesBeforeItSimulates) {
  const std::string page = (folder_.path() / "out" / "page.html").string();
  EXPECT_EQ(run_program(run_arguments({"--html", page})), kExitBadInput);
  EXPECT_THAT(error_.str(), HasSubstr("html/page.html: no such file"));
  folder_.write("html/page.html", "@REPORT@");
  EXPECT_EQ(run_program(run_arguments({"--html", "/no/such/folder/x.html"})), kExitBadInput);
  EXPECT_EQ(simulations_, 0);
  EXPECT_EQ(run_program({"report", image_, "--html", "--out", page}), kExitBadInput);
  EXPECT_THAT(error_.str(), HasSubstr("image.elf: line 1, column 1: not valid JSON; a report is required"));
  EXPECT_EQ(run_program({"report", folder_.write("x.json", "{}").string(), "--html", "--out", page}), kExitBadInput);
  EXPECT_THAT(error_.str(), HasSubstr("x.json: not a report"));
  EXPECT_EQ(run_program({"compare", image_, image_, image_, "--format", "html"}), kExitBadInput);
  EXPECT_THAT(error_.str(), HasSubstr("3 reports with --format html; two are allowed"));
  EXPECT_FALSE(std::filesystem::exists(page));
}

TEST_F(Program, ReportPrintsTheSummaryAgain) {
  ASSERT_EQ(run_program(run_arguments()), kExitOk);
  std::string summary = out_.str();
  summary.erase(summary.rfind("host: "));
  ASSERT_EQ(run_program({"report", report_file()}), kExitOk) << error_.str();
  EXPECT_THAT(out_.str(), StartsWith(summary));
  const auto file = (folder_.path() / "out" / "summary.txt").string();
  const std::string printed = out_.str();
  ASSERT_EQ(run_program({"report", report_file(), "--out", file}), kExitOk);
  EXPECT_EQ(out_.str(), "");
  EXPECT_EQ(folder_.read("out/summary.txt"), printed);
}

TEST_F(Program, ViewsOfAReportRefuseWhatIsNone) {
  ASSERT_EQ(run_program(run_arguments()), kExitOk);
  const auto expect_bad = [&](const std::vector<std::string>& arguments, const std::string& part) {
    EXPECT_EQ(run_program(arguments), kExitBadInput);
    EXPECT_THAT(error_.str(), AllOf(StartsWith("ringside: "), HasSubstr(part)));
    EXPECT_EQ(error_.str().find('\n'), error_.str().size() - 1) << error_.str();
    EXPECT_EQ(out_.str(), "");
  };
  expect_bad({"report", "none.json"}, "none.json: cannot be read");
  expect_bad({"report", image_}, "not valid JSON");
  expect_bad({"report", report_file(), "--ethtool", "--folded"}, "excludes");
  expect_bad({"annotate", report_file(), "poll"}, "no function poll in the profile; one of its 0 functions is allowed");
  expect_bad({"annotate", report_file(), "poll", "--top", "2"}, "excludes");
  expect_bad({"compare", report_file(), report_file(), report_file(), "--format", "folded"}, "3 reports with --format folded; two");
}

TEST_F(Program, ABrokenGuestGivesAPartialReport) {
  broken_ = "at 1.000000 us: mlx5e_poll_rx_cq, driver/mlx5e/en_rx.cc:12: read of unmapped memory";
  EXPECT_EQ(run_program(run_arguments()), kExitBrokenRun);
  EXPECT_EQ(error_.str(), "ringside: " + broken_ + "\n");
  EXPECT_EQ(report()["result"]["stop_reason"], "error");
  EXPECT_EQ(report()["result"]["error"], broken_);
}

TEST_F(Program, ABrokenInvariantGivesAPartialReport) {
  throws_ = [] { throw InvariantError(microseconds(2), "nic.rq", "packets are conserved"); };
  EXPECT_EQ(run_program(run_arguments()), kExitBrokenRun);
  EXPECT_EQ(report()["result"]["error"], "at 2.000000 us: nic.rq: packets are conserved");
  EXPECT_EQ(report()["result"]["simulated_ps"], 2'000'000);
}

TEST_F(Program, AnInterruptedRunGivesACompleteReport) {
  interrupted_ = true;
  EXPECT_EQ(run_program(run_arguments()), kExitInterrupted);
  EXPECT_EQ(report()["result"]["stop_reason"], "interrupted");
}

TEST_F(Program, ParamsListsEveryParameterOnce) {
  ASSERT_EQ(run_program({"params"}), kExitOk);
  const auto text = "\n" + out_.str();
  Scenario scenario;
  const auto parameters = list_parameters([&](ParameterVisitor& v) { scenario.visit(v); });
  ASSERT_GT(parameters.all().size(), 15U);
  for (const auto& parameter : parameters.all()) {
    const auto line = "\n" + parameter.name + " = ";
    const auto first = text.find(line);
    ASSERT_NE(first, std::string::npos) << parameter.name;
    EXPECT_EQ(text.find(line, first + 1), std::string::npos) << parameter.name;
    EXPECT_FALSE(parameter.help.empty()) << parameter.name;
    EXPECT_TRUE(parameter.required || !parameter.source.empty()) << parameter.name;
  }
}

TEST_F(Program, ParamsFilters) {
  ASSERT_EQ(run_program({"params", "driver.rx_ring", "--set", "driver.rx_ring=256"}), kExitOk);
  EXPECT_THAT(out_.str(), AllOf(StartsWith("driver.rx_ring = 256 entries\n"), HasSubstr("16 to 8192 entries")));
  ASSERT_EQ(run_program({"params", "--markdown", "driver.rx_ring"}), kExitOk);
  EXPECT_THAT(out_.str(), HasSubstr("| `driver.rx_ring` | number | 1024 entries | 16 to 8192 entries |"));
  EXPECT_EQ(run_program({"params", "no such thing"}), kExitBadInput);
}

TEST_F(Program, TeachesItsUse) {
  EXPECT_EQ(run_program({"--help"}), kExitOk);
  EXPECT_THAT(out_.str(), AllOf(HasSubstr("ringside run mlx5e-xdp-drop"), HasSubstr("Exit status")));
  EXPECT_EQ(run_program({"run", "--help"}), kExitOk);
  EXPECT_THAT(out_.str(), AllOf(HasSubstr("--set KEY=VALUE"), HasSubstr("Ctrl-C")));
  EXPECT_EQ(run_program({"--version"}), kExitOk);
  EXPECT_THAT(out_.str(), StartsWith("ringside "));
}

TEST_F(Program, HelpIsACommandToo) {
  EXPECT_EQ(run_program({"help"}), kExitOk);
  EXPECT_THAT(out_.str(), HasSubstr("Subcommands:"));
  EXPECT_EQ(run_program({"help", "run"}), kExitOk);
  EXPECT_THAT(out_.str(), HasSubstr("--set KEY=VALUE"));
}

TEST_F(Program, SaysWhatIsWrongWithACommandLine) {
  const auto error_of = [this](const std::vector<std::string>& arguments) {
    EXPECT_EQ(run_program(arguments), kExitBadInput);
    return error_.str();
  };
  EXPECT_EQ(error_of({"run", "x", "--sett", "a=b"}), "ringside: unknown option --sett; did you mean --set?; see ringside run --help\n");
  EXPECT_EQ(error_of({"run", "x", "y"}), "ringside: y is one argument too many; see ringside run --help\n");
  EXPECT_EQ(error_of({"run"}), "ringside: scenario is required; see ringside run --help\n");
  EXPECT_EQ(error_of({"compare", "a.json", "b.json", "--format", "jsn"}),
            "ringside: --format is jsn; one of text, markdown, json, html, folded is allowed; did you mean json?; see ringside "
            "compare --help\n");
  EXPECT_THAT(error_of({"rnu"}), StartsWith("ringside: unknown command rnu; run, "));
}

TEST(LiveLine, EstimatesFromTheNearerLimit) {
  RunConfig run;
  run.warmup = 0;
  run.packets = 1'000;
  EXPECT_THAT(live_text(run, microseconds(10), 250, 25.0, 2.0),
              AllOf(HasSubstr("0.010 ms simulated"), HasSubstr("25.00 Mpps"), HasSubstr("0 k packets"), HasSubstr("ETA 6.0 s")));
  run.time = microseconds(20);
  EXPECT_THAT(live_text(run, microseconds(10), 250, 25.0, 2.0), HasSubstr("ETA 2.0 s"));
  run.packets = 0;
  run.time = {};
  EXPECT_THAT(live_text(run, microseconds(10), 250, 25.0, 2.0), HasSubstr("ETA unknown"));
}

TEST(LiveLine, IsSilentWhereNobodyWatches) {
  std::ostringstream stream;
  const RunConfig run;
  LiveLine line(stream, run, false);
  line.update(microseconds(10), 250);
  line.finish();
  EXPECT_EQ(stream.str(), "");
}

}  // namespace
}  // namespace ringside::cli
