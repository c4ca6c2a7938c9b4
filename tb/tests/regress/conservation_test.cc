// Every packet is accounted for, whatever the load, the ring and the machine.
#include "tb/tests/regress/ringside_run.h"

namespace ringside::test {
namespace {

struct Case {
  const char* name;
  std::vector<std::string> settings;
};
void PrintTo(const Case& c, std::ostream* out) { *out << testing::PrintToString(c.settings); }

class Conservation : public testing::TestWithParam<Case> {};

// Ends in the middle of everything: packets are in the ring, in the device and on PCIe.
TEST_P(Conservation, WhenTheRunIsCutOff) {
  RingsideRun run = main_scenario(scaled(3000));
  for (const auto& setting : GetParam().settings) run.set(setting);
  const Outcome outcome = run.run();
  EXPECT_EQ(outcome.status, 0) << outcome.error;
  EXPECT_EQ(outcome.json()["result"]["window"]["packets"], scaled(3000));
  expect_conserved(outcome);
}

// Ends when all is quiet: nothing is in flight and the counts of all parts are equal.
TEST_P(Conservation, WhenTheTrafficEnds) {
  RingsideRun run = finite_scenario(scaled(3000));
  for (const auto& setting : GetParam().settings) run.set(setting);
  const Outcome outcome = run.run();
  EXPECT_EQ(outcome.status, 0) << outcome.error;
  const Report result = outcome.json()["result"];
  EXPECT_EQ(result["stop_reason"], "exhausted");
  EXPECT_EQ(result["packets"]["offered"], scaled(3000));
  expect_conserved(outcome);
}

INSTANTIATE_TEST_SUITE_P(
    Loads, Conservation,
    testing::Values(Case{"Overload", {}}, Case{"LineRate", {"traffic.rate=0 pps"}}, Case{"Constant", {"traffic.rate=5 Mpps"}},
                    Case{"Poisson", {"traffic.rate=5 Mpps", "traffic.pattern=poisson"}},
                    Case{"Bursts", {"traffic.rate=5 Mpps", "traffic.pattern=burst", "traffic.burst_length=300"}},
                    Case{"Imix", {"traffic.rate=5 Mpps", "traffic.pattern=imix"}},
                    Case{"FullFrames", {"traffic.rate=5 Mpps", "traffic.frame_size=1518", "traffic.flows=100"}}),
    [](const auto& info) { return info.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Drivers, Conservation,
    testing::Values(Case{"SmallestRing", {"driver.rx_ring=16", "traffic.rate=10 Mpps"}}, Case{"SmallRing", {"driver.rx_ring=64"}},
                    Case{"LargestRing", {"driver.rx_ring=8192"}}, Case{"BudgetOfOne", {"driver.napi_budget=1"}},
                    Case{"DropAfterReading", {"driver.xdp=drop-read"}}, Case{"Pass", {"driver.xdp=pass"}},
                    Case{"NoProgram", {"driver.xdp="}},
                    Case{"NoneIsNoProgram", {"driver.xdp=none"}}, Case{"BigMtu", {"driver.mtu=3498", "traffic.frame_size=3520"}},
                    Case{"JumboFrames", {"driver.mtu=9000", "traffic.frame_size=9018", "traffic.rate=2 Mpps"}},
                    Case{"JumboFramesStriding",
                         {"driver.mtu=9000", "traffic.frame_size=9018", "traffic.rate=2 Mpps", "driver.rx_striding_rq=true"}},
                    Case{"JumboFramesForTheStack",
                         {"driver.mtu=9000", "traffic.frame_size=9018", "traffic.rate=2 Mpps", "driver.xdp=none"}},
                    Case{"JumboFramesForTheStackStriding",
                         {"driver.mtu=9000", "traffic.frame_size=9018", "traffic.rate=2 Mpps", "driver.xdp=none",
                          "driver.rx_striding_rq=true"}}),
    [](const auto& info) { return info.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Machines, Conservation,
    testing::Values(Case{"CortexA72", {"cpu.model=cortex-a72"}}, Case{"CortexA53", {"cpu.model=cortex-a53"}},
                    Case{"Genoa", {"cpu.model=epyc-genoa"}}, Case{"Turin", {"cpu.model=epyc-turin"}}, Case{"Broadwell", {"cpu.model=xeon-e5-1650v4"}},
                    Case{"Silver", {"cpu.model=xeon-silver-4314"}}, Case{"Emerald", {"cpu.model=xeon-emerald-rapids"}},
                    Case{"ConnectX5", {"nic.model=connectx-5-ex"}},
                    Case{"NarrowLink", {"pcie.generation=3", "pcie.lanes=4", "traffic.frame_size=1518", "traffic.rate=8 Mpps"}}),
    [](const auto& info) { return info.param.name; });

void expect_all_dropped(const Outcome& outcome, const std::string& cause) {
  EXPECT_EQ(outcome.status, 0) << outcome.error;
  const Report result = outcome.json()["result"];
  EXPECT_EQ(result["packets"]["delivered"], 0);
  EXPECT_EQ(result["packets"]["dropped"].size(), 1U);
  EXPECT_EQ(result["packets"]["dropped"][cause], result["packets"]["offered"]);
  expect_conserved(outcome);
}

TEST(ConservationOfWrongLengths, FramesBeyondTheMtu) {
  expect_all_dropped(finite_scenario(1000).set("traffic.frame_size=9000").run(), "rx_oversize_pkts_phy");
}

TEST(ConservationOfWrongLengths, TheMtuIsTheLimit) {
  const auto delivered = [](const std::string& size) {
    return finite_scenario(100).set("traffic.rate=1 Mpps").set("traffic.frame_size=" + size).run().json()["result"]["packets"]["delivered"];
  };
  EXPECT_EQ(delivered("1518"), 100) << "1500 of payload, 14 of header, 4 of FCS";
  EXPECT_EQ(delivered("1523"), 0) << "longer than with a VLAN tag of 4";
}

TEST(ConservationOfWrongLengths, Runts) {
  expect_all_dropped(finite_scenario(1000).set("traffic.frame_size=63").run(), "rx_undersize_pkts_phy");
  expect_all_dropped(finite_scenario(1000).set("traffic.frame_size=1").run(), "rx_undersize_pkts_phy");
}

// A run that waits for delivered packets must still end.
TEST(ConservationOfWrongLengths, RuntsForEverEndTheRun) {
  const Outcome outcome = main_scenario(1000).set("traffic.frame_size=60").run();
  EXPECT_EQ(outcome.json()["result"]["stop_reason"], "undelivered");
  expect_all_dropped(outcome, "rx_undersize_pkts_phy");
}

}  // namespace
}  // namespace ringside::test
