// The analytic bounds, against the arithmetic that a person does on paper.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "tb/report/bounds.h"

namespace ringside {
namespace {

using testing::HasSubstr;

Scenario mlx5e() {
  Scenario s;
  s.driver.name = "mlx5e";
  s.wire.rate = gigabits_per_second(100);
  s.nic.rx_packet_rate = PacketRate{215'000'000};
  s.pcie.generation = 3;
  s.pcie.lanes = 16;
  s.pcie.mps = bytes(256);
  s.pcie.framing = bytes(8);
  s.pcie.request_header = bytes(16);
  s.pcie.efficiency = 944;
  s.pcie.upstream_latency = nanoseconds(160);
  s.pcie.root_latency = nanoseconds(65);
  s.pcie.credit_latency = nanoseconds(160);
  return s;
}

// 1000 frames of `frame` bytes in 50 us.
RunResult run_of(std::uint64_t frame) {
  RunResult run;
  run.window = {Time{}, microseconds(50), 1'000, bytes(frame * 1'000), 300'000, 170'000, megahertz(3'400)};
  run.limits = {{"core", 85'000, 170'000}, {"wire", 1, 2}, {"pcie downstream", 5'000'000, 50'000'000}, {"dram bandwidth", 0, 50}};
  return run;
}

std::map<std::string, Bound> by_resource(const Scenario& scenario, const RunResult& run) {
  std::map<std::string, Bound> all;
  for (const Bound& bound : bounds(scenario, run)) all.emplace(bound.resource, bound);
  return all;
}

// IEEE 802.3: 148.81 Mpps of 64 B and 8.127 of 1518 B at 100 Gbps.
TEST(Bounds, WireIsLineRate) {
  EXPECT_NEAR(by_resource(mlx5e(), run_of(64)).at("wire").mpps, 148.81, 0.01);
  EXPECT_NEAR(by_resource(mlx5e(), run_of(1518)).at("wire").mpps, 8.127, 0.001);
  EXPECT_EQ(by_resource(mlx5e(), run_of(64)).at("wire").arithmetic, "100 Gbps / (64 B of frame + 20 B of preamble and gap)");
}

// xdp-paper (Hoiland-Jorgensen et al., CoNEXT 2018): 86.5 Mpps of 64 B on Gen3 x16 with completion entries of 64 B.
TEST(Bounds, PcieIsThePublishedPlateau) {
  EXPECT_NEAR(by_resource(mlx5e(), run_of(64)).at("pcie upstream").mpps, 86.5, 0.3);
}

// 1514 B in six TLPs and a completion in one: 1514 + 64 + 7 * 24 B at 118.96 Gbps.
TEST(Bounds, LongFramesTakeSeveralTlps) {
  EXPECT_NEAR(by_resource(mlx5e(), run_of(1518)).at("pcie upstream").mpps, 118.96e3 / (1746 * 8), 0.01);
}

// Little's law, as in the theory tests of the link: 16 credits, 385 ns, two TLPs.
TEST(Bounds, CreditsBindByLittlesLaw) {
  Scenario scenario = mlx5e();
  EXPECT_FALSE(by_resource(scenario, run_of(64)).contains("pcie posted headers")) << "0 is unlimited";
  scenario.pcie.posted_headers = 16;
  scenario.pcie.posted_data = 32;
  EXPECT_NEAR(by_resource(scenario, run_of(64)).at("pcie posted headers").mpps, 16 / 0.385 / 2, 0.01);
  EXPECT_NEAR(by_resource(scenario, run_of(64)).at("pcie posted data").mpps, 32 / 0.385 / 8, 0.01);
}

TEST(Bounds, CoreIsFrequencyOverBusyCycles) {
  const Bound core = by_resource(mlx5e(), run_of(64)).at("core");
  EXPECT_EQ(core.mpps, 40.0);  // 3.4 GHz / 85
  EXPECT_EQ(core.from, Bound::From::measured_work);
  EXPECT_EQ(core.arithmetic, "3.4 GHz / 85.00 busy cycles of a packet");
}

// A tenth of the time at 20 Mpps.
TEST(Bounds, WhatHasNoFormulaIsFromTheMeasuredWork) {
  const auto all = by_resource(mlx5e(), run_of(64));
  EXPECT_EQ(all.at("pcie downstream").mpps, 200.0);
  EXPECT_EQ(all.at("pcie downstream").arithmetic, "busy for 5.000 ns of a packet");
  EXPECT_FALSE(all.contains("dram bandwidth")) << "what is not used bounds nothing";
}

TEST(Bounds, LowestFirst) {
  const auto all = bounds(mlx5e(), run_of(64));
  EXPECT_TRUE(std::is_sorted(all.begin(), all.end(), [](const Bound& a, const Bound& b) { return a.mpps < b.mpps; }));
  EXPECT_TRUE(bounds(mlx5e(), RunResult{}).empty());
}

// As the theory tests of the device have it: 4 beats of 16 B and one for the descriptor at 400 MHz, 12.5 ns.
TEST(Bounds, OfAnAxiPort) {
  Scenario scenario;
  scenario.driver.name = "stmmac";
  scenario.wire.rate = gigabits_per_second(10);
  scenario.axi.bus_width = bytes(16);
  scenario.axi.clock = megahertz(400);
  scenario.axi.max_burst = 16;
  scenario.axi.writes = 1;
  scenario.axi.request_latency = scenario.axi.response_latency = nanoseconds(40);
  scenario.dwmac.rx_descriptor = nanoseconds(200);
  const auto all = by_resource(scenario, run_of(64));
  EXPECT_EQ(all.at("axi write channel").mpps, 80.0);
  EXPECT_NEAR(all.at("dwmac receive DMA").mpps, 1e3 / (200 + 12.5), 0.001);
  EXPECT_NEAR(all.at("axi outstanding writes").mpps, 1e3 / (12.5 + 2 * 80), 0.001);
  EXPECT_NEAR(all.at("wire").mpps, 14.88, 0.01);
  EXPECT_FALSE(all.contains("pcie upstream"));
}

}  // namespace
}  // namespace ringside
