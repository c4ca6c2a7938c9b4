// Reports against baselines: tolerances, files that a person edits, and what is printed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/property_tree/ptree.hpp>
#include <boost/property_tree/xml_parser.hpp>
#include <random>
#include <sstream>

#include "model/base/errors.h"
#include "tb/check/check_text.h"
#include "tb/check/suite.h"
#include "tb/cli/commands.h"
#include "tb/tests/unit/sample_report.h"

namespace ringside {
namespace {

using test::Json;
using test::read;
using test::sample_report;
using test::slower_report;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::string baseline_text(const std::string& metrics) {
  return "version = 1\nscenario = \"sample\"\n[metrics]\n" + metrics;
}

class Check : public testing::Test {
 protected:
  Baseline baseline(const std::string& text) { return read_baseline(folder_.write("base.toml", text)); }

  CheckResult check(const Json& report, const std::string& metrics) {
    return check_report(read(report), baseline(baseline_text(metrics)));
  }
  bool fails(const Json& report, const std::string& metrics) { return check(report, metrics).failed(); }

  std::string refusal(const std::string& text) {
    try {
      check_report(read(sample_report()), baseline(text));
    } catch (const InputError& error) {
      const std::string message = error.what();
      EXPECT_TRUE(message.starts_with((folder_.path() / "base.toml").string())) << message;
      for (const char c : message) EXPECT_GE(static_cast<unsigned char>(c), 0x20U) << "a control character in: " << message;
      return message;
    }
    return "";
  }

  int run(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "check");
    out_.str("");
    error_.str("");
    return cli::program(arguments, {}, interrupted_, {out_, error_});
  }
  std::string report_file(const Json& report) { return folder_.write("report.json", report.dump()).string(); }
  std::string path(const std::string& name) const { return (folder_.path() / name).string(); }

  TemporaryFolder folder_;
  std::ostringstream out_, error_;
  std::atomic<bool> interrupted_{false};
};

Json with_mpps(double mpps) {
  Json report = sample_report();
  report["result"]["mpps"] = mpps;
  return report;
}

// 0.5 % fewer packets where 0.2 % are allowed.
TEST_F(Check, FailsOnALossBeyondTheTolerance) {
  const std::string allowed = "mpps = { value = 20.0, max_fall = \"0.2 %\" }\n";
  EXPECT_TRUE(fails(with_mpps(19.9), allowed));
  EXPECT_FALSE(fails(with_mpps(19.96), allowed)) << "exactly the tolerance";
  EXPECT_FALSE(fails(with_mpps(20.0), allowed));
  EXPECT_FALSE(fails(with_mpps(25.0), allowed)) << "one-sided";
}

// 0.5 % of the packets lost where it were 0.2 %.
TEST_F(Check, FailsOnPacketsLost) {
  Json lossy = sample_report();
  lossy["result"]["packets"]["dropped"]["rx_out_of_buffer"] = 50;
  const std::string allowed = "loss = { value = 0.2, max_rise = 0.1 }\n";
  EXPECT_TRUE(fails(lossy, allowed));
  EXPECT_FALSE(fails(sample_report(), allowed));
  EXPECT_TRUE(fails(lossy, "drops.rx_out_of_buffer = { value = 0.2, max_rise = 0 }\n"));
}

TEST_F(Check, PassesOnAnIdenticalRunOfAnotherMachine) {
  Json other = sample_report();
  other["host"] = {{"wall_s", 99.0}, {"packets_per_s", 1.0}, {"guest_mips", 0.1}};
  const auto text = new_baseline_text(read(sample_report()), "first");
  const auto result = check_report(read(other), baseline(text));
  EXPECT_FALSE(result.failed());
  EXPECT_TRUE(result.identical);
  EXPECT_EQ(check_text(result, false), "ok      sample: 5 metrics within tolerance; the same run as the baseline's\n");
}

TEST_F(Check, TolerancesOfEveryKind) {
  EXPECT_TRUE(fails(with_mpps(20.3), "mpps = { value = 20.0, max_change = \"1 %\" }\n")) << "two-sided";
  EXPECT_TRUE(fails(with_mpps(19.7), "mpps = { value = 20.0, max_change = \"1 %\" }\n"));
  EXPECT_FALSE(fails(with_mpps(20.2), "mpps = { value = 20.0, max_change = \"1 %\" }\n"));
  EXPECT_TRUE(fails(with_mpps(20.3), "mpps = { value = 20.0, max_fall = 1, max_rise = 0.25 }\n")) << "in the metric's unit";
  EXPECT_FALSE(fails(with_mpps(19.1), "mpps = { value = 20.0, max_fall = 1, max_rise = 0.25 }\n"));
  EXPECT_TRUE(fails(with_mpps(20.0001), "mpps = { value = 20.0, max_change = 0 }\n"));
}

TEST_F(Check, MetricsOfEveryKind) {
  const std::string all = R"(
ns_per_packet = { value = 50.0, unit = "ns", max_change = 0 }
cycles_per_packet = { value = 100.0, unit = "cycles", max_change = 0 }
busy_cycles_per_packet = { value = 90.0, max_change = 0 }
instructions_per_packet = { value = 300, max_change = 0 }
ipc = { value = 3, max_change = 0 }
latency.p50 = { value = 900.0, unit = "ns", max_change = 0 }
latency.p999 = { value = 2500.0, max_change = 0 }
stalls.l2 = { value = 20, max_change = 0 }
stalls.mmio = { value = 0, max_change = 0 }
functions.handle.cycles_per_packet = { value = 70, max_change = 0 }
functions.poll.instructions_per_packet = { value = 80, max_change = 0 }
"functions"."poll".code_bytes = { value = 300, unit = "bytes", max_change = 0 }
counters.core.branch_misses = { value = 900, unit = "branches", max_change = 0 }
fingerprint = { value = "00000000000000aa" }
)";
  const auto result = check(sample_report(), all);
  EXPECT_FALSE(result.failed()) << check_text(result, false);
  EXPECT_EQ(result.metrics.size(), 14U);
  EXPECT_TRUE(fails(slower_report(1), "fingerprint = { value = \"00000000000000aa\" }\n"));
  Json gone = sample_report();
  gone["guest"]["functions"].erase(1);
  EXPECT_TRUE(fails(gone, "functions.poll.code_bytes = { value = 300, max_rise = 0 }\n")) << "what is gone did not stay small";
}

TEST_F(Check, ABrokenRunFailsAndAnInterruptedOneIsBadInput) {
  Json broken = sample_report();
  broken["result"]["stop_reason"] = "error";
  broken["result"]["error"] = "at 1.0 us: mlx5e_poll_rx_cq: read of unmapped memory";
  const std::string allowed = "mpps = { value = 20.0, max_fall = 1 }\n";
  const auto result = check(broken, allowed);
  EXPECT_TRUE(result.failed());
  EXPECT_EQ(check_text(result, false), "FAILED  sample: the run broke: at 1.0 us: mlx5e_poll_rx_cq: read of unmapped memory\n");
  Json interrupted = sample_report();
  interrupted["result"]["stop_reason"] = "interrupted";
  EXPECT_THROW(check(interrupted, allowed), InputError);
  Json other = sample_report();
  other["scenario"]["name"] = "another";
  EXPECT_THROW(check(other, allowed), InputError);
}

TEST_F(Check, BadBaselinesAreOneLine) {
  const auto metric = [&](const std::string& line) { return refusal(baseline_text(line + "\n")); };
  EXPECT_THAT(refusal(""), HasSubstr("no version; version = 1 is allowed"));
  EXPECT_THAT(refusal("version = 2\n"), HasSubstr("version 2; version = 1 is allowed"));
  EXPECT_THAT(refusal("version = 1\nscenario = "), HasSubstr("base.toml:2: "));
  EXPECT_THAT(refusal("version = 1\nscenario = \"sample\"\n"), HasSubstr("no [metrics]"));
  EXPECT_THAT(refusal("version = 1\nmetric = 1\n"), HasSubstr("base.toml:2: unknown key metric in a baseline"));
  EXPECT_THAT(metric("mpps = 20.0"), HasSubstr("base.toml:4: mpps is a bare value"));
  EXPECT_THAT(metric("mpps = { value = 20.0 }"), HasSubstr("mpps has no tolerance"));
  EXPECT_THAT(metric("mpps = { value = 20.0, max_fal = 1 }"), HasSubstr("did you mean max_fall?"));
  EXPECT_THAT(metric("mpsp = { value = 20.0, max_fall = 1 }"), HasSubstr("did you mean mpps?"));
  EXPECT_THAT(metric("stalls.depndency = { value = 0, max_rise = 1 }"), HasSubstr("is not in")) << "a typo must not pass for 0";
  EXPECT_THAT(metric("drops.rx_out_of_bufer = { value = 0, max_rise = 1 }"), HasSubstr("is not in"));
  EXPECT_THAT(metric("mpps = { value = 20.0, unit = \"Gbps\", max_fall = 1 }"), HasSubstr("mpps is in Gbps here and in Mpps in"));
  EXPECT_THAT(metric("mpps = { value = \"NaN\", max_fall = 1 }"), HasSubstr("mpps.value is the string \"NaN\""));
  EXPECT_THAT(metric("mpps = { value = nan, max_fall = 1 }"), HasSubstr("mpps.value is nan"));
  EXPECT_THAT(metric("mpps = { value = inf, max_fall = 1 }"), HasSubstr("mpps.value is inf"));
  EXPECT_THAT(metric("mpps = { value = 1e400, max_fall = 1 }"), HasSubstr("base.toml:4: "));
  EXPECT_THAT(metric("mpps = { value = 1208925819614629174706176, max_fall = 1 }"), HasSubstr("not representable"));
  EXPECT_THAT(metric("mpps = { value = 20.0, max_fall = \"-1 %\" }"), HasSubstr("max_fall is \"-1 %\""));
  EXPECT_THAT(metric("mpps = { value = 20.0, max_fall = \"%\" }"), HasSubstr("max_fall is \"%\""));
  EXPECT_THAT(metric("mpps = { value = 20.0, max_fall = \"1.2.3 %\" }"), HasSubstr("max_fall is \"1.2.3 %\""));
  EXPECT_THAT(metric("mpps = { value = 20.0, max_fall = \"1\" }"), HasSubstr("a percentage such as"));
  EXPECT_THAT(metric("loss = { value = 0.2, max_rise = \"0.2 %\" }"), HasSubstr("a number of percentage points such as 0.2"));
  EXPECT_THAT(metric("mpps = { value = 20.0, max_change = 1, max_fall = 1 }"), HasSubstr("one of them is allowed"));
  EXPECT_THAT(metric("\"\\u001b[2J\" = 1"), HasSubstr("\\x1b[2J is a bare value"));
}

TEST_F(Check, HostileBaselinesAreRefusedAtOnce) {
  std::string dots = "a";
  for (int i = 0; i < 8'000; ++i) dots += ".a";
  EXPECT_THAT(refusal(baseline_text(dots + " = 1\n")), HasSubstr("too many levels")) << "must not exhaust the stack";
  EXPECT_THAT(refusal(baseline_text(dots + dots + " = 1\n")), HasSubstr("more than 8192 dots"));
  EXPECT_THAT(refusal("a = " + std::string(100'000, '[')), HasSubstr("base.toml:1: "));
  EXPECT_THAT(refusal(std::string(2'000'000, '[')), HasSubstr("larger than 1024 KiB"));
}

TEST_F(Check, BaselinesSurviveDamage) {
  const std::string whole = new_baseline_text(read(sample_report()), "first");
  std::mt19937 random(1);
  for (int i = 0; i < 1'000; ++i) {
    std::string damaged = whole;
    damaged[random() % damaged.size()] = static_cast<char>(random());
    refusal(damaged);  // checks that a message is one line
  }
}

TEST_F(Check, TheMessageIsEnoughToActOn) {
  const auto text = new_baseline_text(read(sample_report()), "first");
  Json worse = slower_report(10);
  worse["guest"]["functions"][0]["code_bytes"] = 416;
  worse["guest"]["compiler"] = "GNU C++20 13.1.0";
  const auto result = check_report(read(worse), baseline(text));
  const auto message = check_text(result, false);
  EXPECT_THAT(message, HasSubstr("FAILED  sample: 2 of 5 metrics out of tolerance\n"));
  EXPECT_THAT(message, HasSubstr("\nmpps                       20.00   18.18   -1.82   -9.09 %  may fall 0.5 %\n"));
  EXPECT_THAT(message, HasSubstr("\nbusy_cycles_per_packet     90.00  100.00  +10.00  +11.11 %  may rise 0.5 %\n"));
  EXPECT_THAT(message, HasSubstr("\nhandle                   70.00  80.00  +10.00         +16 B\n"));
  EXPECT_THAT(message, HasSubstr("\nspent on: l2 +10.00\n"));
  EXPECT_THAT(message, HasSubstr("compiled by GNU C++20 13.1.0, that of the baseline by GNU C++20 12.2.0"));
  EXPECT_THAT(message, HasSubstr("--update \"why\""));
  EXPECT_THAT(message, Not(HasSubstr("instructions_per_packet"))) << "only what failed";
}

TEST_F(Check, AnImprovementIsSaidAndDoesNotFail) {
  const auto text = new_baseline_text(read(slower_report(10)), "first");
  const auto result = check_report(read(sample_report()), baseline(text));
  EXPECT_FALSE(result.failed());
  EXPECT_THAT(check_text(result, false), AllOf(HasSubstr("better than the baseline:\n"), HasSubstr("+1.82  +10.00 %")));
}

TEST_F(Check, UpdateKeepsThePersonsFileAndTheOldValues) {
  const auto file = folder_.write("base.toml",
                                  "# \u00b5s matter here\nversion = 1\nscenario = \"sample\"\n\n[metrics]\n"
                                  "latency.p99 = { unit = \"ns\", value = 1800, max_rise = \"1 %\" } # \u00b5s: see above\n"
                                  "\"loss\" = { value = 0.2, max_rise = 0 }\n\n[metrics.functions.handle]\n"
                                  "cycles_per_packet = { max_rise = 1, value = 71.5 }\n");
  EXPECT_EQ(run({report_file(sample_report()), "--baseline", file.string(), "--update", "The \"wire\" is longer"}), 0);
  EXPECT_EQ(out_.str(), "updated: " + file.string() + "\n");
  const auto text = folder_.read("base.toml");
  EXPECT_THAT(text, HasSubstr("# \u00b5s matter here\n"));
  EXPECT_THAT(text, HasSubstr("latency.p99 = { unit = \"ns\", value = 2000.0, max_rise = \"1 %\" } # \u00b5s: see above\n"));
  EXPECT_THAT(text, HasSubstr("cycles_per_packet = { max_rise = 1, value = 70.0 }\n"));
  EXPECT_THAT(text, HasSubstr("[[history]]\nreason = \"The \\\"wire\\\" is longer\"\nchanged = [\n"
                              "  \"latency.p99: 1800.0 -> 2000.0\",\n"
                              "  \"functions.handle.cycles_per_packet: 71.5 -> 70.0\",\n]\n"));
  EXPECT_THAT(text, HasSubstr("handle = { cycles = 70.0, instructions = 220.0, code_bytes = 400 }\n"));

  // Again, now with its profile; and the file that results is one that check reads.
  EXPECT_EQ(run({report_file(slower_report(10)), "--baseline", file.string(), "--update", "Slower, but right"}), 0);
  const auto second = folder_.read("base.toml");
  EXPECT_LT(second.find("longer"), second.find("Slower, but right")) << "the newest reason comes last";
  EXPECT_EQ(second.find("[profile]"), second.rfind("[profile]"));
  EXPECT_EQ(run({report_file(slower_report(10)), "--baseline", file.string()}), 0);
  EXPECT_EQ(run({report_file(slower_report(10)), "--baseline", file.string(), "--update", "Nothing"}), 0);
  EXPECT_EQ(out_.str(), "unchanged: " + file.string() + "\n");
  EXPECT_EQ(folder_.read("base.toml"), second);
}

TEST_F(Check, UpdateRefusesToLoseWhatAPersonWroteBelowTheProfile) {
  const auto text = new_baseline_text(read(sample_report()), "first") + "\n[metrics.functions.handle]\n" +
                    "cycles_per_packet = { value = 1, max_rise = 1 }\n";
  const auto file = folder_.write("base.toml", text);
  EXPECT_EQ(run({report_file(slower_report(10)), "--baseline", file.string(), "--update", "why"}), 2);
  EXPECT_THAT(error_.str(), HasSubstr("below the profile"));
  EXPECT_EQ(folder_.read("base.toml"), text);
}

TEST_F(Check, UpdateFindsValuesBehindOtherScripts) {
  Json report = sample_report();
  report["guest"]["functions"][0]["name"] = "\u00b5handle\u65e5";
  const auto file = folder_.write(
      "base.toml", baseline_text("functions.\"\u00b5handle\u65e5\".cycles_per_packet = { value = 71.5, max_rise = 1 } # kept\n"));
  EXPECT_EQ(run({report_file(report), "--baseline", file.string(), "--update", "why"}), 0) << error_.str();
  EXPECT_THAT(folder_.read("base.toml"), HasSubstr("\".cycles_per_packet = { value = 70.0, max_rise = 1 } # kept\n"));
}

TEST_F(Check, UpdateNeedsNoComment) {
  const auto file = folder_.write("base.toml", baseline_text("mpps = { value = 21.0, max_fall = 2 }\n\n[profile]\n"
                                                             "fingerprint = \"1\"\n[profile.stalls]\nl2 = 3.0\n"));
  EXPECT_EQ(run({report_file(sample_report()), "--baseline", file.string(), "--update", "why"}), 0) << error_.str();
  EXPECT_EQ(read_baseline(file).profile.stalls.at("l2"), 20.0);
  EXPECT_EQ(read_baseline(file).metrics.front().value, 20.0);
}

TEST_F(Check, UpdateWritesANewBaselineWithItsSettings) {
  Json report = sample_report();
  report["config"]["driver.flags"] = {{"value", {"-fone", "-ftwo"}}, {"from", "command line"}};
  report["config"]["run.converge"] = {{"value", 2'000}, {"unit", "ppm"}, {"from", "command line"}};
  EXPECT_EQ(run({report_file(report), "--baseline", path("new.toml"), "--update", "First measured"}), 0);
  const Baseline written = read_baseline(path("new.toml"));
  EXPECT_EQ(written.settings, (std::vector<std::string>{"driver.flags=[\"-fone\",\"-ftwo\"]", "run.converge=0.2 %"}));
  EXPECT_EQ(run({report_file(report), "--baseline", path("new.toml")}), 0);
  EXPECT_THAT(folder_.read("new.toml"), HasSubstr("reason = \"First measured\""));
  EXPECT_EQ(run({report_file(report), "--baseline", path("newer.toml"), "--update", " "}), 2);
  EXPECT_FALSE(std::filesystem::exists(path("newer.toml")));
}

TEST_F(Check, ExitStatus) {
  folder_.write("base.toml", baseline_text("mpps = { value = 20.0, max_fall = \"0.2 %\" }\n"));
  EXPECT_EQ(run({report_file(sample_report()), "--baseline", path("base.toml")}), 0);
  EXPECT_EQ(run({report_file(with_mpps(19.9)), "--baseline", path("base.toml")}), 1);
  EXPECT_EQ(run({report_file(sample_report()), "--baseline", path("none.toml")}), 2);
  EXPECT_EQ(run({report_file(sample_report())}), 2);
  EXPECT_EQ(run({"--suite", path("nowhere")}), 2);
  EXPECT_EQ(run({"--suite", path(""), "--baseline", path("base.toml")}), 2);
}

TEST_F(Check, JunitIsWellFormedWhateverTheNames) {
  folder_.write("base.toml", baseline_text("mpps = { value = 20.0, max_fall = \"0.2 %\" }\nipc = { value = 3, max_fall = 1 }\n"
                                           "functions.\"a<b&\\\"c\\\">\".code_bytes = { value = 3, max_rise = 0 }\n"));
  EXPECT_EQ(run({report_file(with_mpps(19.9)), "--baseline", path("base.toml"), "--junit", path("junit.xml")}), 1);
  boost::property_tree::ptree document;
  boost::property_tree::read_xml(path("junit.xml"), document);
  const auto& suite = document.get_child("testsuites.testsuite");
  EXPECT_EQ(suite.get<std::string>("<xmlattr>.name"), "sample");
  EXPECT_EQ(suite.get<std::string>("<xmlattr>.tests"), "3");
  EXPECT_EQ(suite.get<std::string>("<xmlattr>.failures"), "2");
  std::vector<std::string> failed;
  for (const auto& [element, test] : suite) {
    if (element == "testcase" && test.count("failure") == 1) failed.push_back(test.get<std::string>("<xmlattr>.name"));
  }
  EXPECT_EQ(failed, (std::vector<std::string>{"mpps", "functions.a<b&\"c\">.code_bytes"}));
}

TEST_F(Check, GithubAnnotationsNameFileAndLine) {
  const auto file = folder_.write("base.toml", baseline_text("\nmpps = { value = 20.0, max_fall = \"0.2 %\" }\n")).string();
  EXPECT_EQ(run({report_file(with_mpps(19.9)), "--baseline", file, "--github"}), 1);
  EXPECT_THAT(out_.str(), HasSubstr("::error file=" + file + ",line=5,title=ringside%3A sample mpps out of tolerance::mpps is 19.90 Mpps, "
                                    "baseline 20.00 (-0.50 %25, may fall 0.2 %25)\n"));
}

TEST_F(Check, ASuiteSaysWhatItCannotCheck) {
  folder_.write("suite/bad.toml", "version = 3\n");
  folder_.write("suite/good.toml", baseline_text("mpps = { value = 20.0, max_fall = 1 }\n"));
  folder_.write("run.json", sample_report().dump());
  // A program that writes a report as `ringside run SCENARIO --quiet --out FILE` does.
  const auto program = folder_.write("fake", "#!/bin/sh\n[ \"$2\" = sample ] && cp " + path("run.json") + " \"$5\"\n");
  std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  const auto results = check_suite(baselines_in(path("suite")), program, 2, std::nullopt);
  ASSERT_EQ(results.size(), 2U);
  EXPECT_THAT(results[0].bad_input, HasSubstr("version 3"));
  EXPECT_EQ(results[1].bad_input, "");
  EXPECT_FALSE(results[1].failed());
  EXPECT_EQ(check_status(results), 2);
}

}  // namespace
}  // namespace ringside
