// Two or more reports beside each other: the verdict, what comes first, and how it is printed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "model/base/errors.h"
#include "tb/cli/commands.h"
#include "tb/compare/comparison_text.h"
#include "tb/tests/unit/sample_report.h"

namespace ringside {
namespace {

using test::Json;
using test::read;
using test::sample_report;
using test::slower_report;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

Comparison compare(const std::vector<Json>& reports) {
  std::vector<RunReport> runs;
  for (std::size_t i = 0; i < reports.size(); ++i) runs.push_back(read(reports[i], run_letter(i) + ".json"));
  return compare_runs(runs);
}

std::string text_of(const std::vector<Json>& reports, TextFormat format = TextFormat::terminal) {
  return comparison_text(compare(reports), format);
}

std::vector<std::string> function_names(const Comparison& comparison) {
  std::vector<std::string> names;
  for (const auto& function : comparison.functions) names.push_back(function.name);
  return names;
}

TEST(Verdict, SameBehaviourIsAnEqualFingerprint) {
  Json other_host = sample_report();
  other_host["host"]["wall_s"] = 77;
  const auto comparison = compare({sample_report(), other_host});
  EXPECT_EQ(comparison.verdict, Verdict::same_behaviour);
  EXPECT_THAT(text_of({sample_report(), other_host}), HasSubstr("\nsame behaviour: equal fingerprints, 00000000000000aa\n"));
}

TEST(Verdict, TimingMovedWhenTheSameCodeRan) {
  const auto comparison = compare({sample_report(), slower_report(10)});
  EXPECT_EQ(comparison.verdict, Verdict::timing_moved);
  EXPECT_THAT(text_of({sample_report(), slower_report(10)}),
              HasSubstr("\ntiming moved: 20.00 -> 18.18 Mpps (-9.09 %); the same functions ran"));
}

TEST(Verdict, BehaviourChangedByCodeByDropsAndByTheEnd) {
  Json code = slower_report(10);
  code["guest"]["functions"][1]["code_bytes"] = 310;
  EXPECT_EQ(compare({sample_report(), code}).verdict, Verdict::behaviour_changed);
  EXPECT_THAT(compare({sample_report(), code}).reasons, ElementsAre("other code in poll"));

  Json absent = slower_report(10);
  absent["guest"]["functions"].erase(2);
  EXPECT_THAT(compare({sample_report(), absent}).reasons, ElementsAre("not in every run: sleep"));

  Json drops = slower_report(10);
  drops["result"]["packets"]["dropped"]["rx_discards_phy"] = 1;
  EXPECT_THAT(compare({sample_report(), drops}).reasons, ElementsAre("packets not dropped in every run: rx_discards_phy"));

  Json broken = slower_report(10);
  broken["result"]["stop_reason"] = "error";
  broken["result"]["error"] = "at 1 us: a fault";
  EXPECT_THAT(compare({sample_report(), broken}).reasons, ElementsAre("the runs ended differently: converged and error: at 1 us: a fault"));

  Json longer = slower_report(10);
  longer["result"]["stop_reason"] = "packets";
  EXPECT_EQ(compare({sample_report(), longer}).verdict, Verdict::timing_moved) << "a longer run is no other behaviour";
}

TEST(Comparison, SortsFunctionsByChange) {
  Json other = slower_report(10);
  other["guest"]["functions"][1]["cycles_per_packet"] = 24.0;
  other["guest"]["functions"][1]["code_bytes"] = 310;
  EXPECT_THAT(function_names(compare({sample_report(), other})), ElementsAre("handle", "poll", "sleep"));
  other["guest"]["functions"][1]["cycles_per_packet"] = 9.0;
  EXPECT_THAT(function_names(compare({sample_report(), other})), ElementsAre("poll", "handle", "sleep"));
}

TEST(Comparison, SaysWhichCodeDiffers) {
  Json other = slower_report(10);
  other["guest"]["functions"][0]["code_bytes"] = 412;
  other["guest"]["functions"][1]["name"] = "poll_again";
  const std::string text = text_of({sample_report(), other});
  EXPECT_THAT(text, testing::ContainsRegex("\nhandle .* \\+12 B "));
  EXPECT_THAT(text, testing::ContainsRegex("\npoll .* only in A"));
  EXPECT_THAT(text, testing::ContainsRegex("\npoll_again .* only in B"));
}

TEST(Comparison, GivesCyclesAndNanoseconds) {
  const auto comparison = compare({sample_report(), slower_report(10)});
  const auto& handle = comparison.functions.front();
  EXPECT_EQ(handle.costs[0].ns, 35.0);  // 70 of 100 cycles, in 50 ns
  EXPECT_EQ(handle.costs[1].ns, 40.0);  // 80 of 110 cycles, in 55 ns
  EXPECT_EQ(comparison.stalls.front().name, "l2");
  EXPECT_EQ(comparison.stalls.front().ns[1] - comparison.stalls.front().ns[0], 5.0);
}

TEST(Comparison, CountersAreComparedPerPacket) {
  Json longer = slower_report(0);
  longer["result"]["packets"]["delivered"] = 19'800;
  longer["result"]["window"]["packets"] = 18'000;
  longer["counters"]["nic"]["rx_packets_phy"]["value"] = 20'000;  // twice of both: the same rate
  longer["counters"]["nic"]["rx_out_of_buffer"]["value"] = 80;
  longer["counters"]["core"]["branch_misses"]["value"] = 1'800;   // the core counts in the window
  const auto comparison = compare({sample_report(), longer});
  ASSERT_EQ(comparison.counters.size(), 1U);
  EXPECT_EQ(comparison.counters[0].name, "nic.rx_out_of_buffer");
  EXPECT_NEAR(comparison.counter_rates[0][1] / comparison.counter_rates[0][0], 2.0, 1e-5);
}

TEST(Comparison, ShowsConfigurationThatDiffers) {
  Json other = slower_report(1);
  other["config"]["driver.flags"]["value"] = {"-fone", "-ftwo"};
  other["config"]["new.parameter"] = {{"value", "1 GHz"}, {"from", "default"}};
  const auto comparison = compare({sample_report(), other});
  ASSERT_EQ(comparison.config.size(), 2U);
  EXPECT_THAT(comparison.config[0].values, ElementsAre("(none)", "-fone -ftwo"));
  EXPECT_THAT(comparison.config[1].values, ElementsAre("", "1 GHz"));
}

TEST(Comparison, RefusesOtherUnitsAndEmptyRuns) {
  const auto refusal = [](const Json& other) {
    try {
      compare({sample_report(), other});
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  Json unit = sample_report();
  unit["counters"]["core"]["branch_misses"]["unit"] = "ps";
  EXPECT_EQ(refusal(unit), "B.json cannot be compared with A.json: counter core branch_misses is in branches there and in ps "
                           "here; reports with the same units are allowed");
  Json setting = sample_report();
  setting["config"]["driver.rx_ring"]["unit"] = "bytes";
  EXPECT_THAT(refusal(setting), HasSubstr("driver.rx_ring is in entries there and in bytes here"));
  Json empty = sample_report();
  empty["result"]["window"]["packets"] = 0;
  EXPECT_THAT(refusal(empty), HasSubstr("B.json: measured no packet"));
}

TEST(ComparisonText, TwoRuns) {
  Json other = slower_report(10);
  other["guest"]["functions"][0]["code_bytes"] = 416;
  const auto text = text_of({sample_report(), other});
  EXPECT_THAT(text, HasSubstr("\nMpps                        20.00     18.18   -1.82   -9.09 %\n"));
  EXPECT_THAT(text, HasSubstr("\n  without idle ones         90.00    100.00  +10.00  +11.11 %\n"));
  EXPECT_THAT(text, HasSubstr("\nhandle                70.00  80.00  +10.00  +5.00         +16 B  l2 +10.00\n"));
  EXPECT_THAT(text, HasSubstr("\nlimited by: A core (90.0 %), B core (90.0 %)\n"));
  EXPECT_THAT(text, Not(HasSubstr("\x1b"))) << "colour is for terminals";
}

TEST(ComparisonText, ManyRunsHaveALineEach) {
  const auto text = text_of({sample_report(), slower_report(10), slower_report(50)});
  EXPECT_THAT(text, HasSubstr("\nA  20.00             50.00      100.00     300.00  3.00    0.20  2,000.00\n"));
  EXPECT_THAT(text, HasSubstr("\nC  13.33  -33.33 %   75.00      150.00     300.00  3.00    0.20  2,000.00\n"));
  EXPECT_THAT(text, HasSubstr("\nhandle                70.00  80.00  120.00\n"));
}

TEST(ComparisonText, ColourMarksGoodAndBad) {
  const auto text = text_of({sample_report(), slower_report(10)}, TextFormat::coloured_terminal);
  EXPECT_THAT(text, HasSubstr("\x1b[31m -1.82\x1b[0m"));
  EXPECT_THAT(text_of({slower_report(10), sample_report()}, TextFormat::coloured_terminal), HasSubstr("\x1b[32m +1.82\x1b[0m"));
}

TEST(ComparisonText, MarkdownShowsNamesAsTheyAre) {
  Json other = slower_report(10);
  other["guest"]["functions"][0]["name"] = "__handle<int>|x";
  const auto text = text_of({sample_report(), other}, TextFormat::markdown);
  EXPECT_THAT(text, HasSubstr("| \\_\\_handle&lt;int>\\|x | 0.00 | 80.00 |"));
  EXPECT_THAT(text, HasSubstr("| Mpps | 20.00 | 18.18 | -1.82 | -9.09 % |"));
}

TEST(ComparisonJson, HasEverything) {
  const auto json = comparison_json(compare({sample_report(), slower_report(10)}));
  EXPECT_EQ(json["schema"], "ringside-comparison");
  EXPECT_EQ(json["version"], 1);
  EXPECT_EQ(json["verdict"], "timing moved");
  EXPECT_EQ(json["headline"][0]["name"], "mpps");
  EXPECT_EQ(json["functions"][0]["name"], "handle");
  EXPECT_EQ(json["functions"][0]["cycles_per_packet"], Json({70.0, 80.0}));
  EXPECT_EQ(json["functions"].size(), 3U);
  EXPECT_EQ(json["stalls"][0]["ns_per_packet"], Json({10.0, 15.0}));
}

class CompareCommand : public testing::Test {
 protected:
  int run(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "compare");
    return cli::program(arguments, {}, interrupted_, {out_, error_});
  }
  std::string file(const std::string& name, const Json& report) { return folder_.write(name, report.dump()).string(); }

  TemporaryFolder folder_;
  std::ostringstream out_, error_;
  std::atomic<bool> interrupted_{false};
};

TEST_F(CompareCommand, WritesWhatIsAskedFor) {
  const auto a = file("a.json", sample_report()), b = file("b.json", slower_report(10));
  EXPECT_EQ(run({a, b}), 0);
  EXPECT_THAT(out_.str(), HasSubstr("timing moved"));
  const auto out = (folder_.path() / "out.json").string();
  EXPECT_EQ(run({a, b, "--format", "json", "--out", out}), 0);
  EXPECT_EQ(Json::parse(folder_.read("out.json"))["verdict"], "timing moved");
  EXPECT_EQ(error_.str(), "");
}

TEST_F(CompareCommand, RefusesInOneLine) {
  const auto a = file("a.json", sample_report());
  EXPECT_EQ(run({a}), 2);
  EXPECT_THAT(error_.str(), HasSubstr("two or more are required"));
  EXPECT_EQ(run({a, "/no/such/file"}), 2);
  EXPECT_THAT(error_.str(), HasSubstr("/no/such/file: cannot be read: No such file or directory"));
  EXPECT_EQ(run({a, a, "--format", "yaml"}), 2);
  EXPECT_EQ(out_.str(), "");
}

}  // namespace
}  // namespace ringside
