// The same scenario and seed give the same bytes; another seed gives another run.
#include "tb/tests/regress/ringside_run.h"

namespace ringside::test {
namespace {

std::string without_host(const Outcome& outcome) {
  EXPECT_EQ(outcome.status, 0) << outcome.error;
  Report report = outcome.json();
  report.erase("host");
  return report.dump();
}

std::string fingerprint(const Outcome& outcome) { return outcome.json()["fingerprint"]; }

TEST(Repeat, OverloadGivesTheSameBytes) {
  EXPECT_EQ(without_host(main_scenario(scaled(5000)).run()), without_host(main_scenario(scaled(5000)).run()));
}

TEST(Repeat, SeededTrafficGivesTheSameBytesAndAnotherSeedDoesNot) {
  for (const std::string pattern : {"poisson", "imix"}) {
    const auto run = [&](const std::string& seed) {
      return main_scenario(scaled(2000)).set("traffic.pattern=" + pattern).set("traffic.rate=3 Mpps").set("run.seed=" + seed).run();
    };
    const Outcome first = run("7");
    EXPECT_EQ(without_host(first), without_host(run("7"))) << pattern;
    EXPECT_NE(fingerprint(first), fingerprint(run("8"))) << pattern;
  }
}

TEST(Repeat, ConvergenceStopsAtTheSamePacket) {
  const auto run = [] { return main_scenario(200'000).set("run.converge=5 %").run(); };
  const Outcome first = run();
  EXPECT_EQ(first.json()["result"]["stop_reason"], "converged");
  EXPECT_EQ(without_host(first), without_host(run()));
}

}  // namespace
}  // namespace ringside::test
