// Settings that can have no effect are refused, and every condition of one can be met.
#include "tb/scenario/need.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "model/base/errors.h"
#include "tb/scenario/config.h"
#include "tb/scenario/scenario.h"
#include "tb/tests/temporary_folder.h"

namespace ringside {
namespace {

const std::filesystem::path kTraces = std::filesystem::path(RINGSIDE_SOURCE_DIR) / "traces";

// What the scenario is refused for; empty if it is not.
std::string refusal(const std::vector<std::string>& settings, const std::string& scenario = "") {
  try {
    load_scenario(scenario, settings, kTraces);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(Needs, SaysWhereWhatAndWithWhatItWouldMatter) {
  EXPECT_EQ(refusal({"cpu.model=cortex-a76", "cpu.pause=3"}),
            "--set cpu.pause=3: cpu.pause has no effect with cpu.architecture = \"aarch64\"; allowed with cpu.architecture = "
            "\"x86_64\"");
  EXPECT_EQ(refusal({"memory.evict_dma_lines=true"}),
            "--set memory.evict_dma_lines=true: memory.evict_dma_lines has no effect with memory.dma_snoops = true; allowed with "
            "memory.dma_snoops = false");
  EXPECT_EQ(refusal({"traffic.pcap=captures/web-browsing-2010.pcap", "traffic.rate=5 Mpps"}),
            "--set traffic.rate=5 Mpps: traffic.rate has no effect with traffic.pcap = \"captures/web-browsing-2010.pcap\" and "
            "traffic.pcap_timing = \"recorded\"; allowed with no traffic.pcap, or traffic.pcap_timing = \"rate\"");
}

TEST(Needs, AScenarioIsRefusedByItsLine) {
  const TemporaryFolder folder;
  const auto path = folder.write("idle.toml", "[driver]\nname = \"stmmac\"\n[nic]\nsq_reads = 3\n");
  EXPECT_EQ(refusal({}, path.string()), path.string() + ":4: nic.sq_reads has no effect with driver.name = \"stmmac\"; allowed with "
                                                        "driver.name = \"mlx5e\"");
}

TEST(Needs, ALaterLayerMayTakeTheEffectAway) {
  const TemporaryFolder folder;
  const auto path = folder.write("paced.toml", "[traffic]\nrate = \"5 Mpps\"\n");
  EXPECT_EQ(refusal({"traffic.pcap=captures/web-browsing-2010.pcap"}, path.string()), "");
}

TEST(Needs, ADefaultThatIsStatedIsASettingToo) { EXPECT_NE(refusal({"traffic.loop=false"}), ""); }

// The file of a core may hold what that core does not use.
TEST(Needs, DataFilesMayHoldMore) {
  EXPECT_EQ(refusal({"cpu.model=cortex-a76", "driver.name=stmmac"}), "");
  EXPECT_EQ(refusal({"driver.name=stmmac", "driver.xdp=none", "driver.stack=sink"}), "");
}

TEST(Needs, AnImageMayUseWhatOurDriversDoNot) {
  EXPECT_NE(refusal({"driver.stack=sink"}), "");
  EXPECT_EQ(refusal({"driver.stack=sink", "driver.image=mine.elf"}), "");
  EXPECT_NE(refusal({"driver.compiler=clang", "driver.image=mine.elf"}), "");
}

TEST(Needs, ProgramsThatTakeEveryPacketLeaveNoneToTheStack) {
  for (const std::string& program : xdp_programs()) {
    EXPECT_EQ(refusal({"driver.stack=sink", "driver.xdp=" + program}) != "", takes_every_packet(program)) << program;
  }
}

// Every state names a parameter, and values that it can have.
TEST(Needs, CanBeMet) {
  const auto scenario = load_scenario("", {}, kTraces);
  const auto check = [&](const std::string& name, const ParameterState& state) {
    const auto* other = scenario.settings.find(state.parameter);
    ASSERT_NE(other, nullptr) << name << " needs something of " << state.parameter;
    if (other->type != "choice" && other->type != "flag") return;
    std::string values(state.values);
    for (std::size_t at = 0; at < values.size();) {
      const auto end = std::min(values.find(", ", at), values.size());
      EXPECT_NE((", " + other->allowed + ", ").find(", " + values.substr(at, end - at) + ", "), std::string::npos)
          << name << " needs " << state.parameter << " = " << values;
      at = end + 2;
    }
  };
  std::size_t count = 0;
  for (const auto& setting : scenario.settings.all()) {
    for (const Need& need : setting.needs) {
      check(setting.name, need.state);
      if (!need.or_else.parameter.empty()) check(setting.name, need.or_else);
      ++count;
    }
  }
  EXPECT_GT(count, 50u);
}

}  // namespace
}  // namespace ringside
