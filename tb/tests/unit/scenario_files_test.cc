// The scenarios and hardware files that come with Ringside load.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "model/base/errors.h"
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
    const auto scenario = load_scenario("", {"driver.name=stmmac", "dwmac.model=" + core.path().stem().string()}, kTraces);
    for (const auto& setting : scenario.settings.all()) {
      EXPECT_FALSE(setting.source.empty() && setting.layer != Layer::command_line) << setting.name;
    }
  }
}

// As Linux has them: mlx5e 1024 entries, 3 us and 32 packets; stmmac 512, and the watchdog alone.
TEST(ScenarioFiles, DefaultsAreTheDrivers) {
  const auto mlx5e = load_scenario("", {}, kTraces);
  EXPECT_EQ(mlx5e.driver.rx_ring, 1024u);
  EXPECT_EQ(mlx5e.driver.rx_usecs, 3u);
  EXPECT_EQ(mlx5e.driver.rx_frames, 32u);
  EXPECT_EQ(mlx5e.settings.find("driver.rx_ring")->layer, Layer::data_file);
  const auto stmmac = load_scenario("", {"driver.name=stmmac"}, kTraces);
  EXPECT_EQ(stmmac.driver.rx_ring, 512u);
  EXPECT_EQ(stmmac.driver.tx_ring, 512u);
  EXPECT_EQ(stmmac.driver.rx_usecs, 0u);
  EXPECT_EQ(stmmac.driver.rx_frames, 0u);
}

std::string refusal(const std::vector<std::string>& settings) {
  try {
    load_scenario("", settings, kTraces);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(ScenarioFiles, WhatStmmacCannotDoIsRefused) {
  const auto of = [](const std::string& setting) { return refusal({"driver.name=stmmac", "driver.xdp=none", setting}); };
  EXPECT_EQ(of("driver.rx_ring=1024"), "");
  EXPECT_NE(of("driver.rx_ring=2048").find("--set driver.rx_ring=2048: driver.rx_ring is 2048; 64 to 1024 is allowed"),
            std::string::npos);
  EXPECT_NE(of("driver.tx_ring=100").find("a power of two"), std::string::npos);
  EXPECT_NE(of("driver.mtu=9001").find("68 to 9000"), std::string::npos);
  EXPECT_NE(of("driver.rx_queues=5").find("1 to 4 is allowed with dwmac.rx_channels"), std::string::npos);
  EXPECT_NE(refusal({"driver.name=stmmac", "driver.mtu=1501"}).find("at most 1500"), std::string::npos);
  EXPECT_NE(refusal({"driver.name=stmmac", "driver.rx_split_header=true"}).find("driver.xdp = \"none\" is required"),
            std::string::npos);
  EXPECT_NE(refusal({"driver.name=stmmac", "driver.xdp=redirect"}).find("which needs another port"), std::string::npos);
  EXPECT_NE(refusal({"driver.rx_queues=2"}).find("allowed with driver.name = \"stmmac\""), std::string::npos);
  EXPECT_NE(refusal({"driver.name=stmac"}).find("did you mean stmmac"), std::string::npos);
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
