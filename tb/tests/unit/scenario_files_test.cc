// The scenarios and hardware files that come with Ringside load.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "tb/scenario/config.h"
#include "tb/scenario/scenario.h"

namespace ringside {
namespace {

namespace fs = std::filesystem;

const fs::path kTraces = fs::path(RINGSIDE_SOURCE_DIR) / "traces";

TEST(ScenarioFiles, AllLoad) {
  std::size_t count = 0;
  for (const auto& entry : fs::directory_iterator(kTraces / "scenarios")) {
    if (entry.path().extension() != ".toml") continue;
    const auto scenario = load_scenario(entry.path().string(), {}, kTraces);
    EXPECT_FALSE(scenario.description.empty()) << entry.path();
    ++count;
  }
  EXPECT_GE(count, 1U);
}

TEST(ScenarioFiles, EveryMachineIsComplete) {
  for (const auto& cpu : fs::directory_iterator(kTraces / "hardware/cpu")) {
    for (const auto& nic : fs::directory_iterator(kTraces / "hardware/nic")) {
      const auto scenario = load_scenario("", {"cpu.model=" + cpu.path().stem().string(), "nic.model=" + nic.path().stem().string()},
                                          kTraces);
      for (const auto& setting : scenario.settings.all()) {
        EXPECT_FALSE(setting.source.empty() && setting.layer != Layer::command_line) << setting.name;
      }
    }
  }
}

TEST(ScenarioFiles, EverySynopsysCoreIsComplete) {
  for (const auto& core : fs::directory_iterator(kTraces / "hardware/dwmac")) {
    const auto scenario = load_scenario("", {"driver.name=stmmac", "driver.rx_usecs=0", "dwmac.model=" + core.path().stem().string()}, kTraces);
    for (const auto& setting : scenario.settings.all()) {
      EXPECT_FALSE(setting.source.empty() && setting.layer != Layer::command_line) << setting.name;
    }
  }
}

TEST(ScenarioFiles, XdpProgramsAreThoseOfTheImage) {
  std::ifstream stream(fs::path(RINGSIDE_SOURCE_DIR) / "driver/xdp/programs.cc");
  const std::string source{std::istreambuf_iterator<char>(stream), {}};
  std::vector<std::string> in_image;
  constexpr std::string_view kEntry = "    program(\"";
  for (std::size_t at = source.find(kEntry); at != std::string::npos; at = source.find(kEntry, at + 1)) {
    const std::size_t name = at + kEntry.size();
    in_image.push_back(source.substr(name, source.find('"', name) - name));
  }
  in_image.push_back("none");
  EXPECT_EQ(xdp_programs(), in_image);
}

TEST(ScenarioFiles, CapturesAreFoundInTheData) {
  const auto scenario = load_scenario("", {"traffic.pcap=captures/web-browsing-2010.pcap"}, kTraces);
  EXPECT_EQ(scenario.traffic.pcap, (kTraces / "captures/web-browsing-2010.pcap").string());
}

}  // namespace
}  // namespace ringside
