// Comparing and checking whole runs, through the program.
#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tb/image/process.h"
#include "tb/tests/regress/ringside_run.h"
#include "tb/tests/temporary_folder.h"

namespace ringside::test {
namespace {

using testing::HasSubstr;
using testing::Not;

class Gate : public testing::Test {
 protected:
  // What the program prints, on either stream; its status is left in `status_`.
  std::string ringside(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), RINGSIDE_PROGRAM);
    status_ = run_process(arguments, folder_.path(), folder_.path() / "log");
    return folder_.read("log");
  }

  void simulate(const std::string& scenario, const std::string& out, std::vector<std::string> settings = {}) {
    std::vector<std::string> arguments{"run", scenario, "--quiet", "--out", out};
    for (const std::string& setting :
         {"run.warmup=" + std::to_string(scaled(4000)), std::string("run.converge=0"), "run.packets=" + std::to_string(scaled(10'000))}) {
      arguments.insert(arguments.end(), {"--set", setting});
    }
    for (const auto& setting : settings) arguments.insert(arguments.end(), {"--set", setting});
    const std::string output = ringside(arguments);
    ASSERT_EQ(status_, 0) << output;
  }

  Report comparison(const std::string& a, const std::string& b) {
    ringside({"compare", a, b, "--format", "json", "--out", "comparison.json"});
    return Report::parse(folder_.read("comparison.json"));
  }

  TemporaryFolder folder_;
  int status_ = 0;
};

// The function that declares the object which is now cleared comes first, and with all that the run takes longer: the cycles
// are booked on what holds the others up.
TEST_F(Gate, ComparePutsTheFunctionThatDeclaresTheBufferFirst) {
  struct Case {
    const char* function;
    std::vector<std::string> settings;
    double apart = 0.25;  // at most, what is booked on it and what the run takes longer
  };
  // The first one is also slower for the places in the window, which nobody is charged for.
  const std::vector<Case> cases{{"mlx5e_skb_from_cqe_linear", {}, 0.27},
                                {"mlx5e_skb_from_cqe_linear", {"cpu.model=epyc-genoa"}},
                                {"mlx5e_skb_from_cqe_mpwrq_linear", {"driver.rx_striding_rq=true"}},
                                {"mlx5e_skb_from_cqe_mpwrq_linear", {"driver.rx_striding_rq=true", "platform.name=mlx5-lab"}}};
  for (const Case& c : cases) {
    simulate("mlx5e-xdp-drop", "before.json", c.settings);
    simulate("mlx5e-xdp-drop-zeroed", "after.json", c.settings);
    const Report found = comparison("before.json", "after.json");
    EXPECT_EQ(found["verdict"], "behaviour changed");
    EXPECT_EQ(found["functions"][0]["name"], c.function);
    const auto change = [](const Report& cycles) { return cycles[1].get<double>() - cycles[0].get<double>(); };
    const auto total = std::find_if(found["headline"].begin(), found["headline"].end(),
                                    [](const Report& figure) { return figure["name"] == "cycles_per_packet"; });
    const double longer = change((*total)["values"]);
    EXPECT_GT(longer, 2);
    EXPECT_NEAR(change(found["functions"][0]["cycles_per_packet"]), longer, c.apart * longer) << c.function;
    EXPECT_EQ(found["config"][0]["name"], "driver.flags");
    EXPECT_EQ(found["config"].size(), 1U);
  }
}

TEST_F(Gate, TheSameRunTwiceIsTheSameBehaviour) {
  simulate("mlx5e-xdp-drop", "once.json");
  simulate("mlx5e-xdp-drop", "twice.json");
  EXPECT_EQ(comparison("once.json", "twice.json")["verdict"], "same behaviour");
  simulate("mlx5e-xdp-drop", "faster.json", {"memory.llc_latency=18 ns"});
  EXPECT_EQ(comparison("once.json", "faster.json")["verdict"], "timing moved");
}

TEST_F(Gate, ASuiteOfPersonsOwnScenariosRunsAndFails) {
  folder_.write("scenarios/mine.toml", "[run]\nwarmup = 500\npackets = 2000\n[traffic]\nrate = \"10 Mpps\"\n");
  simulate("scenarios/mine.toml", "mine.json");
  ringside({"check", "mine.json", "--baseline", "baselines/mine.toml", "--update", "first"});
  EXPECT_EQ(status_, 2) << "the folder is not there";
  std::filesystem::create_directory(folder_.path() / "baselines");
  ringside({"check", "mine.json", "--baseline", "baselines/mine.toml", "--update", "first"});
  ASSERT_EQ(status_, 0);
  std::string text = folder_.read("baselines/mine.toml");
  text.replace(text.find("\"mine\""), 6, "\"../scenarios/mine.toml\"");
  folder_.write("baselines/mine.toml", text);
  EXPECT_THAT(ringside({"check", "--suite", "baselines"}), HasSubstr("ok      mine: 5 metrics within tolerance; the same run as the baseline's"));
  EXPECT_EQ(status_, 0);

  folder_.write("scenarios/mine.toml", "[run]\nwarmup = 500\npackets = 2000\n[traffic]\nrate = \"9 Mpps\"\n");
  EXPECT_THAT(ringside({"check", "--suite", "baselines", "--junit", "out.xml"}), HasSubstr("FAILED  mine: "));
  EXPECT_EQ(status_, 1);
  EXPECT_THAT(folder_.read("out.xml"), HasSubstr("<testcase classname=\"mine\" name=\"mpps\""));
  ringside({"check", "--suite", "baselines", "--update", "slower wire"});
  EXPECT_EQ(status_, 0);
  ringside({"check", "--suite", "baselines"});
  EXPECT_EQ(status_, 0);
}

TEST_F(Gate, ASuiteWithoutItsScenarioIsBadInput) {
  folder_.write("baselines/x.toml", "version = 1\nscenario = \"no-such-scenario\"\n[metrics]\nmpps = { value = 1, max_fall = 1 }\n");
  EXPECT_THAT(ringside({"check", "--suite", "baselines"}), HasSubstr("ERROR   x: "));
  EXPECT_EQ(status_, 2);
}

// Colour is for terminals: neither of these is one.
TEST_F(Gate, NoEscapesInFilesAndPipes) {
  simulate("mlx5e-xdp-drop", "a.json");
  simulate("mlx5e-xdp-drop", "b.json", {"memory.llc_latency=18 ns"});
  EXPECT_THAT(ringside({"compare", "a.json", "b.json"}), Not(HasSubstr("\x1b")));
}

}  // namespace
}  // namespace ringside::test
