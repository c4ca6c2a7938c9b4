// A report is read back into what it was made from, whatever its author meant by it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <sstream>

#include "model/base/errors.h"
#include "tb/report/report.h"
#include "tb/report/saved_run.h"
#include "tb/report/summary.h"
#include "tb/tests/temporary_folder.h"
#include "tb/tests/unit/sample_run.h"

namespace ringside {
namespace {

using testing::HasSubstr;

constexpr HostResult kHost{500'000, 1'200, 1'000'000};

// With everything that a report can tell of.
RunResult full_result() {
  RunResult run = test::sample_result();
  run.window.read = bytes(312'500);
  run.stale_loads = {{microseconds(20), 0x1234, "stmmac_rx+0x1c (stmmac_main.cc:123)"}};
  run.overwritten_lines = {0x4000, 0x4040};
  run.unbalanced_returns = 2;
  run.packets.dropped = {{"z_first", 250}, {"a_second", 30}};
  return run;
}

Json full_report() { return make_report(test::sample_scenario(), full_result(), kHost); }

SavedRun saved(const std::string& text) {
  const TemporaryFolder folder;
  return read_saved_run(folder.write("run.json", text));
}

std::string refusal(const std::string& text) {
  try {
    saved(text);
  } catch (const InputError& error) {
    const std::string message = error.what();
    for (const char c : message) EXPECT_GE(static_cast<unsigned char>(c), 0x20U) << "a control character in: " << message;
    return message;
  }
  return "";
}

std::string with(const std::string& pointer, const Json& value) {
  Json report = full_report();
  report[Json::json_pointer(pointer)] = value;
  return report.dump();
}

TEST(SavedRun, MakesTheSameReportAgain) {
  const SavedRun run = saved(report_text(full_report()));
  EXPECT_EQ(run.scenario, "sample");
  Json again = make_report(test::sample_scenario(), run.result, run.host);
  // The views have no use for these.
  const Json first = full_report();
  again["fingerprint"] = first["fingerprint"];
  again["result"]["bounds"] = first["result"]["bounds"];
  again["timeline"] = first["timeline"];
  again["latency"]["stages"] = first["latency"]["stages"];
  EXPECT_EQ(report_text(again), report_text(full_report()));
}

TEST(SavedRun, PrintsTheSameSummaryAgain) {
  std::ostringstream first, again;
  RunResult result = full_result();
  Scenario scenario = test::sample_scenario();
  Setting clock = *scenario.settings.find("wire.rate");
  clock.name = "cpu.frequency";
  clock.value = std::string("3.4 GHz");
  scenario.settings.add(clock);
  print_summary(first, "sample", result, kHost);
  const SavedRun run = saved(report_text(make_report(scenario, result, kHost)));
  print_summary(again, run.scenario, run.result, run.host);
  EXPECT_EQ(again.str(), first.str());
}

TEST(SavedRun, RefusesAProfileThatIsNone) {
  const std::string profile = "/guest/profile";
  EXPECT_THAT(refusal(with(profile, 1)), HasSubstr("guest.profile is 1; an object is allowed"));
  EXPECT_THAT(refusal(with(profile + "/columns/2", "txet")), HasSubstr("guest.profile.columns[2] is the string \"txet\"; \"text\" is allowed"));
  EXPECT_THAT(refusal(with(profile + "/files", Json::array())), HasSubstr("places[0][0] is 0; the number of one of 0 files, from 0, is allowed"));
  const std::string row = profile + "/functions/0/instructions/0";
  EXPECT_THAT(refusal(with(row, Json::array({1, 2}))), HasSubstr("guest.profile.functions[0].instructions[0][2] is missing"));
  EXPECT_THAT(refusal(with(row + "/3", 2)), HasSubstr("is 2; the number of one of 2 places"));
  EXPECT_THAT(refusal(with(row + "/4", -1)), HasSubstr("is -1; a whole number"));
  EXPECT_THAT(refusal(with(row + "/6", Json{{"sleepy", 1}})), HasSubstr("the reason \"sleepy\""));
  EXPECT_THAT(refusal(with("/guest/stacks/0/stack", "start")), HasSubstr("guest.stacks[0].stack is the string \"start\"; an array"));
  EXPECT_THAT(refusal(with("/result/stop_reason", "tired")), HasSubstr("result.stop_reason is the string \"tired\""));
  EXPECT_THAT(refusal(with("/result/window/start_ps", 70'000'000)), HasSubstr("ends before it starts"));
  Json old = full_report();
  old["guest"].erase("profile");
  EXPECT_THAT(refusal(old.dump()), HasSubstr("guest.profile is missing; a complete report is required"));
}

TEST(SavedRun, OddStringsLoseTheirPower) {
  const SavedRun run = saved(with("/guest/profile/functions/0/instructions/0/2", "mov\x1b[31m\n"));
  EXPECT_EQ(run.result.profile.functions[0].instructions[0].text, "mov\\x1b[31m\\x0a");
  EXPECT_EQ(saved(with("/guest/profile/places/0/3", "\u202e")).result.profile.places[0].text, "\\u202e");
}

// One object with very many members would take an ordered parser for ever.
TEST(SavedRun, RefusesHostileObjectsAtOnce) {
  std::string wide = "{\"k\":0";
  for (int i = 0; i < 400'000; ++i) wide += ",\"" + std::to_string(i) + "\":0";
  EXPECT_THAT(refusal(wide + "}"), HasSubstr("more than 2000 members in one object; a report has fewer"));
}

// Whatever a few wrong bytes make of a report: it is read, or refused in one line.
TEST(SavedRun, SurvivesDamage) {
  const std::string whole = full_report().dump();
  std::mt19937 random(1);
  std::size_t refused = 0;
  for (int i = 0; i < 1'000; ++i) {
    std::string damaged = whole;
    for (int bytes = 0; bytes < 3; ++bytes) damaged[random() % damaged.size()] = static_cast<char>(random());
    refused += refusal(damaged).empty() ? 0 : 1;
  }
  EXPECT_GT(refused, 500U);
}

}  // namespace
}  // namespace ringside
