// How a run ends, and what the report says of it.
#include "tb/tests/regress/ringside_run.h"

namespace ringside::test {
namespace {

std::string stop_reason(const Outcome& outcome) { return outcome.json()["result"]["stop_reason"]; }

TEST(End, AfterThePacketsAskedFor) {
  const Outcome outcome = main_scenario(scaled(4000)).run();
  EXPECT_EQ(stop_reason(outcome), "packets");
  const Report result = outcome.json()["result"];
  EXPECT_EQ(result["window"]["packets"], scaled(4000));
  EXPECT_EQ(result["packets"]["delivered"], scaled(4000) + 500) << "with the warm-up";
  EXPECT_EQ(outcome.json()["latency"]["packets"], scaled(4000)) << "of the window alone";
}

// A sleeping driver must not hold back the end, nor leave its sleep out of the window.
TEST(End, AtTheTimeAskedFor) {
  const Outcome outcome = main_scenario(0).set("run.warmup=0").set("run.time=2 ms").set("traffic.rate=10 kpps").run();
  EXPECT_EQ(stop_reason(outcome), "time");
  const Report result = outcome.json()["result"];
  EXPECT_NEAR(result["simulated_ps"].get<double>(), 2e9, 1e6);
  EXPECT_EQ(result["window"]["end_ps"], result["simulated_ps"]);
  EXPECT_NEAR(result["mpps"].get<double>(), 0.01, 0.001);
  expect_conserved(outcome);
}

TEST(End, AtTheTimeAskedForUnderLoad) {
  const Outcome outcome = main_scenario(0).set("run.time=300 us").run();
  EXPECT_EQ(stop_reason(outcome), "time");
  EXPECT_NEAR(outcome.json()["result"]["simulated_ps"].get<double>(), 3e8, 1e6);
  expect_conserved(outcome);
}

TEST(End, OnceTheRateIsKnown) {
  const Outcome outcome = main_scenario(200'000).set("run.converge=2 %").run();
  EXPECT_EQ(stop_reason(outcome), "converged");
  EXPECT_LT(outcome.json()["result"]["window"]["packets"], 60'000);
  expect_conserved(outcome);
}

TEST(End, ByInterrupt) {
  const Outcome outcome = main_scenario(0).interrupt_after(1500).run();
  EXPECT_EQ(outcome.status, 130) << outcome.error;
  EXPECT_EQ(outcome.error, "");
  ASSERT_TRUE(outcome.report);
  EXPECT_EQ(stop_reason(outcome), "interrupted");
  expect_conserved(outcome);
}

TEST(End, ByInterruptOfADriverThatSleeps) {
  const Outcome outcome = main_scenario(0).set("traffic.rate=1 pps").interrupt_after(1500).run();
  EXPECT_EQ(outcome.status, 130) << outcome.error;
  EXPECT_EQ(stop_reason(outcome), "interrupted");
}

// The test guests leave by themselves.
TEST(End, ByTheGuest) {
  const Outcome outcome =
      main_scenario(1000).set("driver.image=" + test_image_path("bench-x86-64-gcc-none")).set("driver.xdp=add-chain").run();
  EXPECT_EQ(outcome.status, 0) << outcome.error;
  EXPECT_EQ(stop_reason(outcome), "exited");
  EXPECT_EQ(outcome.json()["result"]["packets"]["offered"], 0);
}

TEST(End, TheSummarySaysWhatLimited) {
  RingsideRun run({"mlx5e-xdp-drop", "--set", "run.packets=2000", "--set", "run.warmup=500"});
  const Outcome outcome = run.run();
  EXPECT_NE(outcome.output.find("Mpps"), std::string::npos);
  EXPECT_NE(outcome.output.find("limited by: core"), std::string::npos);
  EXPECT_NE(outcome.output.find("mlx5e_skb_from_cqe_linear"), std::string::npos);
  EXPECT_EQ(outcome.error, "") << "nobody watches a file";
}

}  // namespace
}  // namespace ringside::test
