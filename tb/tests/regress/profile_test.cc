// The profile of whole runs, and the views of it that the program prints.
#include <gmock/gmock.h>

#include <map>
#include <sstream>

#include "tb/image/process.h"
#include "tb/tests/regress/ringside_run.h"

namespace ringside::test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

// What the program prints about `report`.
std::string view(const std::string& report, std::vector<std::string> arguments, int expected_status = 0) {
  const TemporaryFolder folder;
  folder.write("run.json", report);
  arguments.insert(arguments.begin(), RINGSIDE_PROGRAM);
  EXPECT_EQ(run_process(arguments, folder.path(), folder.path() / "log"), expected_status);
  return folder.read("log");
}

std::uint64_t sum(const Report& counts) {
  std::uint64_t total = 0;
  for (const auto& count : counts) total += count.get<std::uint64_t>();
  return total;
}

// Every view of the cycles adds up to the same.
void expect_one_truth(const Report& report) {
  const Report& guest = report["guest"];
  const std::uint64_t cycles = guest["cycles"];
  EXPECT_GT(cycles, 0u);
  EXPECT_EQ(sum(guest["stall_cycles"]), cycles);
  std::map<std::string, std::uint64_t> functions, stacks, profile;
  std::uint64_t all = 0;
  for (const auto& function : guest["functions"]) {
    all += functions[function["name"]] = function["cycles"];
  }
  EXPECT_EQ(all, cycles);
  for (const auto& stack : guest["stacks"]) stacks[stack["stack"].back()] += stack["cycles"].get<std::uint64_t>();
  for (const auto& [name, own] : functions) EXPECT_EQ(stacks[name], own) << name;
  for (const auto& function : guest["profile"]["functions"]) {
    std::uint64_t own = 0;
    for (const auto& row : function["instructions"]) {
      own += row[5].get<std::uint64_t>();
      EXPECT_EQ(sum(row[6]), row[5].get<std::uint64_t>());
    }
    EXPECT_EQ(functions[function["name"]], own) << function["name"];
    EXPECT_GE(own * 200, cycles) << function["name"];
  }
}

TEST(Profile, EveryViewAddsUpToTheCyclesOfTheWindow) {
  for (const char* scenario : {"mlx5e-xdp-drop-zeroed", "mlx5e-tcp", "stmmac-tcp"}) {
    SCOPED_TRACE(scenario);
    const Outcome outcome = RingsideRun({scenario})
                                .set("run.warmup=500")
                                .set("run.packets=" + std::to_string(scaled(5000)))
                                .set("run.converge=0")
                                .run();
    ASSERT_EQ(outcome.status, 0) << outcome.error;
    expect_one_truth(outcome.json());
    EXPECT_LT(outcome.report->size(), 500'000u);
  }
}

class ZeroedRun : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    RingsideRun run({"mlx5e-xdp-drop-zeroed", "--quiet"});
    run.set("run.warmup=500").set("run.converge=0").set("run.packets=" + std::to_string(scaled(5000)));
    const Outcome outcome = run.run();
    ASSERT_EQ(outcome.status, 0) << outcome.error;
    report_ = *outcome.report;
  }
  static std::string report_;
};
std::string ZeroedRun::report_;

TEST_F(ZeroedRun, AnnotateShowsTheRepBelowTheDeclarationWithItsCost) {
  const std::string text = view(report_, {"annotate", "run.json", "mlx5e_skb_from_cqe_linear"});
  EXPECT_THAT(text, StartsWith("mlx5e_skb_from_cqe_linear\n"));
  const auto declaration = text.find("MLX5E_DECLARE_MXBUF(mxbuf, rq);");
  const auto rep = text.find("rep stosq qword ptr es:[rdi], rax");
  ASSERT_NE(declaration, std::string::npos) << text;
  ASSERT_NE(rep, std::string::npos) << text;
  EXPECT_LT(declaration, rep);
  const auto begin = text.rfind('\n', rep) + 1;
  double percent = 0, cycles = 0;
  std::istringstream(text.substr(begin, rep - begin)) >> percent >> cycles;
  EXPECT_GT(cycles, 15) << "the Xeon's microcode takes 29 cycles for it";
  EXPECT_LT(cycles, 31);
  EXPECT_THAT(text.substr(begin, rep - begin), HasSubstr("rep  "));
}

TEST_F(ZeroedRun, AnnotateNamesTheNearestFunction) {
  const std::string text = view(report_, {"annotate", "run.json", "mlx5e_skb_from_cqe_lineal"}, 2);
  EXPECT_THAT(text, HasSubstr("did you mean mlx5e_skb_from_cqe_linear?"));
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1);
}

TEST_F(ZeroedRun, FoldedStacksAddUp) {
  std::istringstream lines(view(report_, {"report", "run.json", "--folded"}));
  std::uint64_t total = 0;
  for (std::string line; std::getline(lines, line);) {
    EXPECT_THAT(line, StartsWith("_start"));
    total += std::stoull(line.substr(line.rfind(' ')));
  }
  EXPECT_EQ(total, Report::parse(report_)["guest"]["cycles"].get<std::uint64_t>());
  EXPECT_THAT(view(report_, {"compare", "run.json", "run.json", "--format", "folded"}), testing::MatchesRegex("(_start[^ ]* [0-9]+ [0-9]+\n)+"));
}

TEST_F(ZeroedRun, EthtoolPrintsTheCountersOfNicAndDriver) {
  const Report report = Report::parse(report_);
  const std::string text = view(report_, {"report", "run.json", "--ethtool"});
  EXPECT_THAT(text, StartsWith("NIC statistics:\n     rx_packets: 0\n"));
  for (const std::string name : {"rx_out_of_buffer", "rx_packets_phy"}) {
    EXPECT_THAT(text, HasSubstr("\n     " + name + ": " + std::to_string(counter(report, "nic", name)) + "\n"));
  }
  EXPECT_THAT(text, HasSubstr("\n     rx_xdp_drop: " + std::to_string(counter(report, "driver", "rx_xdp_drop")) + "\n"));
  EXPECT_THAT(text, Not(testing::ContainsRegex("kfree_skb|device|Ip|softnet")));
}

// Sources are told by their place in the tree, and their text comes along.
TEST_F(ZeroedRun, ReportIsSelfContained) {
  const Report profile = Report::parse(report_)["guest"]["profile"];
  for (const auto& file : profile["files"]) {
    EXPECT_TRUE(file.get<std::string>().starts_with("driver/") || file.get<std::string>().starts_with("model/")) << file;
  }
  for (const auto& place : profile["places"]) EXPECT_NE(place[3], "") << place;
}

}  // namespace
}  // namespace ringside::test
