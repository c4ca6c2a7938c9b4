// Reports that are read back: what is refused, and that nothing in one reaches a terminal as it is.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <chrono>
#include <random>

#include "model/base/errors.h"
#include "tb/report/bounded_file.h"
#include "tb/report/printable.h"
#include "tb/tests/unit/sample_report.h"

namespace ringside {
namespace {

using test::Json;
using test::sample_report;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// The message with which the text is refused as a report; "" when it is not.
std::string refusal(const std::string& text) {
  const TemporaryFolder folder;
  try {
    read_run_report(folder.write("hostile.json", text));
  } catch (const InputError& error) {
    const std::string message = error.what();
    for (const char c : message) EXPECT_GE(static_cast<unsigned char>(c), 0x20U) << "a control character in: " << message;
    return message;
  }
  return "";
}

std::string with(const std::string& pointer, const Json& value) {
  Json report = sample_report();
  report[Json::json_pointer(pointer)] = value;
  return report.dump();
}

TEST(ReportReading, KeepsWhatTheReportSays) {
  const RunReport run = test::read(sample_report());
  EXPECT_EQ(run.scenario, "sample");
  EXPECT_EQ(run.mpps, 20.0);
  EXPECT_EQ(run.offered, 10'000U);
  EXPECT_EQ(run.dropped.at("rx_out_of_buffer"), 20U);
  EXPECT_EQ(run.functions.at("handle").code_bytes, 400U);
  EXPECT_EQ(run.functions.at("handle").stalls.at("l2"), 20.0);
  EXPECT_EQ(run.counters.at("core").at("branch_misses").unit, "branches");
  EXPECT_EQ(run.latency_ps.at("p99.9"), 2'500'000U);
  EXPECT_EQ(run.limits.front().resource, "core");
  EXPECT_EQ(run.compiler, "GNU C++20 12.2.0");
}

TEST(ReportReading, KeysThatCameLaterMayBeMissing) {
  Json report = sample_report();
  report["guest"].erase("compiler");
  report["guest"]["functions"][0].erase("code_bytes");
  const RunReport run = test::read(report);
  EXPECT_EQ(run.compiler, "");
  EXPECT_FALSE(run.functions.at("handle").code_bytes);
}

TEST(ReportReading, RefusesWhatIsNoReport) {
  EXPECT_THAT(refusal(""), HasSubstr("hostile.json: empty; a report is required"));
  EXPECT_THAT(refusal("[]"), HasSubstr("not a report: the document is an array"));
  EXPECT_THAT(refusal(R"({"schema": "ringside-reproduction"})"), HasSubstr("schema is the string \"ringside-reproduction\""));
  EXPECT_THAT(refusal("{\"a\":\n 1,, }"), HasSubstr("line 2, column 4: not valid JSON"));
  EXPECT_THAT(refusal("\x7f" "ELF\x02\x01"), HasSubstr("not valid JSON"));
  EXPECT_THAT(refusal("{\"schema\": \"\xff\xfe\"}"), HasSubstr("not valid JSON"));
}

TEST(ReportReading, RefusesAnotherVersion) {
  EXPECT_THAT(refusal(with("/version", 2)), HasSubstr("version is 2; 1, which this Ringside writes, is allowed"));
  EXPECT_THAT(refusal(with("/version", "1")), HasSubstr("version is the string \"1\""));
}

TEST(ReportReading, RefusesATruncatedReport) {
  const std::string whole = sample_report().dump(2);
  for (std::size_t size = 1; size < whole.size() - 1; size += 97) {
    EXPECT_THAT(refusal(whole.substr(0, size)), HasSubstr("the file ends in the middle of the document")) << size;
  }
  Json partial = sample_report();
  partial["result"].erase("packets");
  EXPECT_THAT(refusal(partial.dump()), HasSubstr("result.packets is missing; a complete report is required"));
}

TEST(ReportReading, RefusesNumbersThatAreNone) {
  const std::string whole = sample_report().dump();
  const auto replaced = [&](const std::string& number) {
    std::string text = whole;
    const std::string key = "\"mpps\":";
    const auto at = text.find(key) + key.size();
    return text.replace(at, text.find(',', at) - at, number);
  };
  EXPECT_THAT(refusal(replaced("1e400")), HasSubstr("the number 1e400 is too large"));
  EXPECT_THAT(refusal(replaced("1e300")), HasSubstr("result.mpps is 1e+300; a number from 0 to 1e18 is allowed"));
  EXPECT_THAT(refusal(replaced("-1")), HasSubstr("result.mpps is -1"));
  EXPECT_THAT(refusal(replaced("NaN")), HasSubstr("not valid JSON"));
  EXPECT_THAT(refusal(replaced("\"NaN\"")), HasSubstr("result.mpps is the string \"NaN\"; a number is allowed"));
  EXPECT_THAT(refusal(replaced("null")), HasSubstr("result.mpps is null"));
  EXPECT_THAT(refusal(replaced(std::string(5'000, '9'))), HasSubstr("too large"));
  EXPECT_THAT(refusal(with("/result/packets/offered", 1208925819614629174706176.0)), HasSubstr("a whole number from 0 to 2^64-1"));
  EXPECT_THAT(refusal(with("/result/packets/offered", -1)), HasSubstr("a whole number"));
  EXPECT_THAT(refusal(with("/guest/functions", 3)), HasSubstr("guest.functions is 3; an array is allowed"));
}

// 100 MB of nesting, and less that is as bad for whoever recurses or lets an array grow: within a second, in bounded memory.
TEST(ReportReading, RefusesHostileSizesAtOnce) {
  const auto start = std::chrono::steady_clock::now();
  struct rusage before {};
  ::getrusage(RUSAGE_SELF, &before);
  {
    const TemporaryFolder folder;
    const auto sparse = folder.path() / "huge.json";
    folder.write("huge.json", "[[[[");
    std::filesystem::resize_file(sparse, 100'000'000);
    EXPECT_THROW(read_run_report(sparse), InputError);
  }
  EXPECT_THAT(refusal(std::string(10'000'000, '[')), HasSubstr("nested more than 32 deep"));
  EXPECT_THAT(refusal("{\"a\":[" + std::string(1'000'000, '[')), HasSubstr("nested more than 32 deep"));
  std::string wide = "[0";
  for (int i = 0; i < 1'000'000; ++i) wide += ",0";
  EXPECT_THAT(refusal(wide + "]"), HasSubstr("more than 500000 values"));
  struct rusage after {};
  ::getrusage(RUSAGE_SELF, &after);
  EXPECT_LT(after.ru_maxrss - before.ru_maxrss, 400'000) << "KiB";
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5)) << "for four files";
  EXPECT_THROW(read_run_report("/dev/zero"), InputError);
  EXPECT_THROW(read_run_report("/"), InputError);
}

// Whatever a few wrong bytes make of a report: it is read, or refused in one line.
TEST(ReportReading, SurvivesDamage) {
  const std::string whole = sample_report().dump();
  std::mt19937 random(1);
  std::size_t refused = 0;
  for (int i = 0; i < 1'000; ++i) {
    std::string damaged = whole;
    for (int bytes = 0; bytes < 3; ++bytes) damaged[random() % damaged.size()] = static_cast<char>(random());
    refused += refusal(damaged).empty() ? 0 : 1;
  }
  EXPECT_GT(refused, 500U);
}

TEST(ReportReading, OddStringsLoseTheirPower) {
  Json report = sample_report();
  report["scenario"]["name"] = "\x1b]0;title\x07";
  report["guest"]["functions"][0]["name"] = "evil\u202e\x1b[31m\u009b2J";
  const RunReport run = test::read(report);
  EXPECT_EQ(run.scenario, "\\x1b]0;title\\x07");
  EXPECT_TRUE(run.functions.contains("evil\\u202e\\x1b[31m\\u009b2J"));
  EXPECT_THAT(refusal(with("/schema", "\x1b[2J")), HasSubstr("\\x1b[2J"));
}

TEST(Printable, SpellsOutWhatCommands) {
  EXPECT_EQ(printable("plain \u00b5s \u65e5\u672c"), "plain \u00b5s \u65e5\u672c");
  EXPECT_EQ(printable("a\tb\nc\x7f"), "a\\x09b\\x0ac\\x7f");
  EXPECT_EQ(printable("\xc0\x80\xff\xe2\x82"), "\\xc0\\x80\\xff\\xe2\\x82");
  EXPECT_EQ(printable("\u2066x\ufeff"), "\\u2066x\\ufeff");
  EXPECT_EQ(printable(std::string(300, 'x'), 10), "xxxxxxxxxx...");
  EXPECT_EQ(printable("\u00b5\u00b5\u00b5", 5), "\u00b5\u00b5...") << "no character is cut in two";
}

}  // namespace
}  // namespace ringside
