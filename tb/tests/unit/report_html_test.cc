// Reports inside a page: nothing in them ends the element that they are in.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/base/errors.h"
#include "tb/report/html_page.h"
#include "tb/tests/temporary_folder.h"
#include "tb/tests/unit/sample_report.h"

namespace ringside {
namespace {

using test::Json;
using testing::HasSubstr;
using testing::Not;

constexpr std::string_view kBefore = "<p><script type=\"application/json\">";
constexpr std::string_view kAfter = "</script></p>";

std::string page_text() { return std::string(kBefore) + "@REPORT@" + std::string(kAfter); }

// What the browser finds in the element.
std::string inside(const std::string& page) {
  EXPECT_TRUE(page.starts_with(kBefore) && page.ends_with(kAfter)) << page;
  return page.substr(kBefore.size(), page.size() - kBefore.size() - kAfter.size());
}

TEST(HtmlPage, HasTheWholeReport) {
  const TemporaryFolder folder;
  const auto page = folder.write("page.html", page_text());
  const Json report = test::sample_report();
  EXPECT_EQ(Json::parse(inside(html_report(page, report))).dump(), report.dump());
}

TEST(HtmlPage, LetsNothingEndTheElement) {
  const TemporaryFolder folder;
  const auto page = folder.write("page.html", page_text());
  Json report = test::sample_report();
  const std::string attack = "</script><script>alert(1)</script><!-- & \xe2\x80\xa8 \xe2\x80\xae @REPORT@ \xff";
  report["scenario"]["description"] = attack;
  report["counters"]["<b>"] = Json::object();
  const std::string data = inside(html_report(page, report));
  for (const char c : data) {
    EXPECT_TRUE(c >= ' ' && c <= '~') << static_cast<int>(c);
    EXPECT_TRUE(c != '<' && c != '>' && c != '&');
  }
  const std::string read = Json::parse(data)["scenario"]["description"];
  EXPECT_THAT(read, HasSubstr("</script><script>alert(1)</script><!-- & \xe2\x80\xa8 \xe2\x80\xae @REPORT@"));
}

TEST(HtmlPage, OfTwoRunsHasBothAndTheComparison) {
  const TemporaryFolder folder;
  const auto page = folder.write("page.html", page_text());
  const Json data = Json::parse(inside(html_comparison(page, {{"verdict", "x"}}, test::sample_report(), test::slower_report(5))));
  EXPECT_EQ(data["schema"], "ringside-comparison-page");
  EXPECT_EQ(data["comparison"]["verdict"], "x");
  EXPECT_EQ(data["reports"][0], test::sample_report());
  EXPECT_EQ(data["reports"][1], test::slower_report(5));
}

// Functions of 100 KB each, hottest first.
Json large_report(std::size_t functions) {
  Json report = test::sample_report();
  for (std::size_t i = 0; i < functions; ++i) {
    report["guest"]["profile"]["functions"].push_back({{"name", fmt::format("function {}", i)}, {"text", std::string(100'000, '.')}});
  }
  report["guest"]["stacks"] = Json::array({{{"stack", {"handle"}}, {"cycles", 1}}});
  return report;
}

TEST(HtmlPage, LeavesOutTheColdestCodeWhereThereIsTooMuch) {
  const TemporaryFolder folder;
  const auto page = folder.write("page.html", page_text());
  const std::string all = html_report(page, large_report(40));
  EXPECT_EQ(Json::parse(inside(all))["guest"]["profile"]["functions"].size(), 40u);
  EXPECT_FALSE(Json::parse(inside(all)).contains("left_out"));

  const std::string some = html_report(page, large_report(80));
  EXPECT_LE(some.size(), kLargestPage);
  EXPECT_GE(some.size(), kLargestPage - 100'200);
  const Json data = Json::parse(inside(some));
  EXPECT_EQ(data["guest"]["profile"]["functions"].size(), 49u);
  EXPECT_EQ(data["guest"]["profile"]["functions"].back()["name"], "function 48");
  EXPECT_EQ(data["left_out"], (Json{{"profile", 31}}));
  EXPECT_EQ(data["guest"]["stacks"].size(), 1u);

  const std::string two = html_comparison(page, Json::object(), large_report(80), large_report(10));
  EXPECT_LE(two.size(), kLargestPage);
  EXPECT_EQ(Json::parse(inside(two))["reports"][0]["guest"]["profile"]["functions"].size(), 24u);
  EXPECT_EQ(Json::parse(inside(two))["reports"][1]["guest"]["profile"]["functions"].size(), 10u);
}

TEST(HtmlPage, RefusesWhatCannotBecomeSmallEnough) {
  const TemporaryFolder folder;
  const auto page = folder.write("page.html", page_text());
  Json report = large_report(1);
  report["scenario"]["description"] = std::string(6'000'000, '.');
  EXPECT_THROW(html_report(page, report), InputError);
}

TEST(HtmlPage, RefusesWhatIsNoPage) {
  const TemporaryFolder folder;
  const auto refused = [&](const std::filesystem::path& page) {
    try {
      html_report(page, test::sample_report());
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_THAT(refused(folder.write("none.html", "<p></p>")), HasSubstr("none.html: @REPORT@"));
  EXPECT_THAT(refused(folder.write("two.html", "@REPORT@ @REPORT@")), HasSubstr("two.html: @REPORT@"));
  EXPECT_THAT(refused("/no/such/page.html"), HasSubstr("cannot be read"));
}

}  // namespace
}  // namespace ringside
