// Published tables as data: they load, refer to what exists, and a platform's file is written from what was fitted.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "model/base/errors.h"
#include "tb/reproduce/calibration.h"
#include "tb/reproduce/reference_table.h"
#include "tb/reproduce/reproduction.h"
#include "tb/scenario/scenario.h"
#include "tb/tests/temporary_folder.h"

namespace ringside {
namespace {

using testing::HasSubstr;
using testing::Not;

const std::filesystem::path kTraces = std::filesystem::path(RINGSIDE_SOURCE_DIR) / "traces";

TEST(ReferenceTable, EveryRowOfEveryTableIsAScenarioThatLoads) {
  const auto names = reference_names(kTraces);
  EXPECT_GE(names.size(), 2U);
  for (const std::string& name : names) {
    const ReferenceTable table = find_reference_table(kTraces, name);
    EXPECT_NE(table.source.empty(), table.question.empty());
    for (const ReferenceRow& row : table.rows) {
      std::vector<std::string> settings = table.settings;
      settings.insert(settings.end(), row.settings.begin(), row.settings.end());
      if (!table.platform.empty()) settings.push_back("platform.name=" + table.platform);
      EXPECT_NO_THROW(load_scenario(table.scenario, settings, kTraces)) << name << ": " << row.id;
    }
  }
}

// Commit b66b76a82c88: two rows without zeroing and before the patch may be fitted, six are predictions.
TEST(ReferenceTable, OnlyTwoRowsOfTheBufferTableAreCalibrated) {
  const ReferenceTable table = find_reference_table(kTraces, "mlx5");
  ASSERT_EQ(table.rows.size(), 8U);
  std::vector<double> fitted;
  for (const ReferenceRow& row : table.rows) {
    if (!row.calibrates.empty()) fitted.push_back(row.published);
  }
  EXPECT_EQ(fitted, (std::vector<double>{31.47, 12.41}));
}

std::string complaint(const std::string& content) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "table.toml";
  std::ofstream(file) << content;
  try {
    read_reference_table(file);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(ReferenceTable, SaysWhereATableIsWrong) {
  const std::string head = "title = \"t\"\nsource = \"s\"\nscenario = \"x\"\n";
  EXPECT_THAT(complaint(head), HasSubstr("no [[row]]"));
  EXPECT_THAT(complaint(head + "[[row]]\nid = \"a\"\nname = \"A\"\npublished = -1\n"), HasSubstr("table.toml:4: no published"));
  EXPECT_THAT(complaint(head + "[[row]]\nid = \"a\"\nname = \"A\"\npublished = 1\n[[effect]]\nname = \"e\"\nfrom = \"a\"\nto = \"b\"\n"),
              HasSubstr("table.toml:8: to \"b\" names nothing"));
  EXPECT_THAT(complaint("title = 1\n"), HasSubstr("table.toml:1: no title"));
  const std::string question = "title = \"t\"\nquestion = \"q\"\nscenario = \"x\"\n[[row]]\nid = \"a\"\nname = \"A\"\n";
  EXPECT_EQ(complaint(question), "");
  EXPECT_THAT(complaint(question + "published = 1\n"), HasSubstr("table.toml:4: a row with a published figure"));
}

TEST(ReferenceTable, UnknownNameSuggestsTheNearest) {
  try {
    find_reference_table(kTraces, "mlx");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("did you mean mlx5"));
  }
}

TEST(Reproduction, ErrorsEffectsAndInteractionsFollowFromTheRates) {
  ReferenceTable table;
  table.title = "t";
  table.source = "s";
  table.rows = {{"a", "A", 25.0, {}, "residual.drop", ""}, {"b", "B", 20.0, {}, "", "why"}};
  table.effects = {{"cost", 0, 1}};
  Reproduction result{table, std::vector<ReproducedRow>(2), 0};
  result.rows[0].simulated = 25.0;
  result.rows[1].simulated = 16.0;
  EXPECT_DOUBLE_EQ(error_percent(table.rows[1], result.rows[1]), -20.0);
  const std::string text = reproduction_text(result, false);
  EXPECT_THAT(text, HasSubstr("+10.00"));  // 1e3/20 - 1e3/25 ns published
  EXPECT_THAT(text, HasSubstr("+22.50"));  // 1e3/16 - 1e3/25 ns simulated
  EXPECT_THAT(text, HasSubstr("calibrated: residual.drop"));
  EXPECT_THAT(text, HasSubstr("B: why"));
}

// Goodput of iperf, and what it means per packet of 1448 bytes: 8 x 1448 / 2.896 = 4000 ns.
TEST(Reproduction, GoodputIsCountedInBytesOfItsPackets) {
  ReferenceTable table;
  table.source = "s";
  table.metric = ReferenceMetric::goodput;
  table.packet_bits = 8 * 1448;
  table.columns = {{"lines", {"memory.cleaned", "memory.invalidated"}}};
  table.rows = {{"a", "A", 2.896, {}, "residual.tcp", ""}};
  Reproduction result{table, std::vector<ReproducedRow>(1), 1};
  result.rows[0].simulated = 5.792;
  result.rows[0].report = {{"result", {{"packets", {{"delivered", 10}}}}},
                           {"counters", {{"memory", {{"cleaned", {{"value", 250}}}, {"invalidated", {{"value", 240}}}}}}}};
  const auto json = reproduction_json(result);
  EXPECT_DOUBLE_EQ(json["rows"][0]["published_gbps"], 2.896);
  EXPECT_DOUBLE_EQ(json["rows"][0]["published_ns"], 4000);
  EXPECT_DOUBLE_EQ(json["rows"][0]["simulated_ns"], 2000);
  EXPECT_DOUBLE_EQ(json["rows"][0]["per_packet"]["lines"], 49);
  const std::string text = reproduction_text(result, false);
  EXPECT_THAT(text, HasSubstr("published Gbit/s"));
  EXPECT_THAT(text, HasSubstr("49.0"));
}

// The table is 2 x 2: how much a first change matters depends on whether a second was made.
TEST(Reproduction, JsonHoldsNanosecondsEffectsAndInteractions) {
  ReferenceTable table;
  table.source = "s";
  table.rows = {{"a", "A", 25.0, {}, "residual.drop", ""}, {"b", "B", 20.0, {}, "", ""}, {"c", "C", 50.0, {}, "", ""}};
  table.effects = {{"one", 0, 1}, {"two", 0, 2}};
  table.interactions = {{"both", 0, 1}};
  Reproduction result{table, std::vector<ReproducedRow>(3), 1.5};
  result.rows[0].simulated = 25.0;
  result.rows[1].simulated = 20.0;
  result.rows[2].simulated = 40.0;
  const auto json = reproduction_json(result);
  EXPECT_EQ(json["rows"][0]["kind"], "calibrated");
  EXPECT_EQ(json["rows"][1]["kind"], "prediction");
  EXPECT_DOUBLE_EQ(json["rows"][1]["published_ns"], 50.0);
  EXPECT_DOUBLE_EQ(json["rows"][2]["simulated_ns"], 25.0);
  EXPECT_DOUBLE_EQ(json["effects"][0]["published_ns"], 10.0);
  EXPECT_DOUBLE_EQ(json["effects"][0]["published_percent"], -20.0);
  EXPECT_DOUBLE_EQ(json["interactions"][0]["published_ns"], 30.0);  // 10 - (-20)
  EXPECT_DOUBLE_EQ(json["interactions"][0]["simulated_ns"], 25.0);  // 10 - (-15)
  EXPECT_DOUBLE_EQ(json["host"]["seconds"], 1.5);
  const std::string markdown = reproduction_text(result, true);
  EXPECT_THAT(markdown, HasSubstr("3 rows in 1.5 s"));
  EXPECT_THAT(markdown, HasSubstr("+30.00"));
}

// Nothing is said of published figures where there are none.
TEST(Reproduction, OfATableThatNobodyHasPublished) {
  ReferenceTable table;
  table.title = "t";
  table.question = "what if";
  table.rows = {{"a", "A", 0, {}, "", ""}, {"b", "B", 0, {}, "", "why"}};
  table.effects = {{"cost", 0, 1}};
  Reproduction result{table, std::vector<ReproducedRow>(2), 0};
  result.rows[0].simulated = 25.0;
  result.rows[1].simulated = 20.0;
  const std::string text = reproduction_text(result, false);
  EXPECT_THAT(text, HasSubstr("published: by nobody. what if"));
  EXPECT_THAT(text, HasSubstr("+10.00"));  // 1e3/20 - 1e3/25 ns
  EXPECT_THAT(text, HasSubstr("-20.0"));
  EXPECT_THAT(text, Not(HasSubstr("error")));
  EXPECT_THAT(text, Not(HasSubstr("published ")));
  const auto json = reproduction_json(result);
  EXPECT_EQ(json["question"], "what if");
  EXPECT_FALSE(json["rows"][0].contains("published_mpps"));
  EXPECT_FALSE(json["effects"][0].contains("published_ns"));
  EXPECT_DOUBLE_EQ(json["effects"][0]["simulated_ns"], 10.0);
}

TEST(Calibration, PlatformFileNamesTheRowOfEachValueAndLoads) {
  ReferenceTable table;
  table.name = "mlx5";
  table.title = "t";
  const std::string text = platform_file(table, {{"residual.drop", "row one", 31.47, 31.4, picoseconds(13'840)}});
  EXPECT_THAT(text, HasSubstr("drop = { value = \"13.84 ns\", source = \"calibrated: fitted to the row \\\"row one\\\" of 31.47 Mpps\" }"));
  EXPECT_THAT(text, HasSubstr("tx = { value = \"0.00 ns\", source = \"no row to fit it to\" }"));
}

}  // namespace
}  // namespace ringside
