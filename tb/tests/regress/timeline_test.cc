// The time series of whole runs agree with the totals of the same reports.
#include <gmock/gmock.h>

#include <numeric>

#include "tb/tests/regress/ringside_run.h"

namespace ringside::test {
namespace {

std::vector<double> values(const Report& report, const std::string& group, const std::string& name) {
  for (const Report& series : report["timeline"]["series"]) {
    if (series["group"] == group && series["name"] == name) return series["values"];
  }
  ADD_FAILURE() << "no series " << group << ", " << name;
  return {};
}

double sum(const std::vector<double>& all) { return std::accumulate(all.begin(), all.end(), 0.0); }

// Lengths of the intervals in ps.
std::vector<double> lengths(const Report& report) {
  std::vector<double> all;
  double begin = report["timeline"]["start_ps"];
  for (const double end : report["timeline"]["end_ps"]) {
    EXPECT_GT(end, begin);
    all.push_back(end - begin);
    begin = end;
  }
  return all;
}

double over_time(const Report& report, const std::string& group, const std::string& name) {
  const auto all = values(report, group, name);
  const auto length = lengths(report);
  return std::inner_product(all.begin(), all.end(), length.begin(), 0.0);
}

class TimelineOf : public testing::TestWithParam<std::vector<std::string>> {};

TEST_P(TimelineOf, AddsUpToTheReport) {
  RingsideRun run = finite_scenario(scaled(6000));
  for (const auto& setting : GetParam()) run.set(setting);
  const Outcome outcome = run.run();
  ASSERT_EQ(outcome.status, 0) << outcome.error;
  const Report report = outcome.json();
  const Report packets = report["result"]["packets"];
  EXPECT_LE(report["timeline"]["end_ps"].size(), 256u);
  EXPECT_GE(report["timeline"]["end_ps"].size(), 32u);
  for (const Report& series : report["timeline"]["series"]) EXPECT_EQ(series["values"].size(), lengths(report).size());

  EXPECT_EQ(sum(values(report, "packets", "offered")), packets["offered"]);
  EXPECT_EQ(sum(values(report, "packets", "delivered")), packets["delivered"]);
  for (const auto& [cause, count] : packets["dropped"].items()) EXPECT_EQ(sum(values(report, "dropped", cause)), count) << cause;
  EXPECT_EQ(sum(values(report, "bytes", "offered")), counter(report, "wire", "wire_bytes"));
  EXPECT_EQ(sum(values(report, "events", "interrupts")), counter(report, "core", "interrupts"));
  EXPECT_NEAR(over_time(report, "busy", "wire") / counter(report, "wire", "wire_busy"), 1.0, 1e-4);
}

// Busy is what is not idle. The window is the whole time: there is no warm-up.
TEST_P(TimelineOf, KnowsTheCore) {
  RingsideRun run = finite_scenario(scaled(6000)).set("run.warmup=0");
  for (const auto& setting : GetParam()) run.set(setting);
  const Report report = run.run().json();
  const Report guest = report["guest"];
  const double idle = guest["stalls"].value("idle", 0.0);
  const double busy_share = 1.0 - idle / guest["cycles_per_packet"].get<double>();
  const auto length = lengths(report);
  EXPECT_NEAR(over_time(report, "busy", "core") / std::accumulate(length.begin(), length.end(), 0.0), busy_share, 0.01);
  for (const double share : values(report, "busy", "core")) EXPECT_LE(share, 1.001);
}

// Little's law: what is there, summed up over time, is the sum of the times that each was.
TEST_P(TimelineOf, AgreesWithLatency) {
  RingsideRun run = finite_scenario(scaled(6000)).set("run.warmup=0");
  for (const auto& setting : GetParam()) run.set(setting);
  const Report report = run.run().json();
  const Report& latency = report["latency"];
  ASSERT_EQ(latency["packets"], report["result"]["packets"]["delivered"]);
  ASSERT_EQ(latency["stages"].size(), 4u);
  double parts = 0;
  for (const Report& stage : latency["stages"]) {
    EXPECT_EQ(stage["packets"], latency["packets"]);
    parts += stage["mean_ps"].get<double>();
  }
  EXPECT_NEAR(parts, latency["mean_ps"], 4);
  // Nothing is dropped after it was buffered here, so that the device and the ring hold what is delivered later.
  const double all = over_time(report, "level", "completions not read") + over_time(report, "level", "packets in the device");
  const double packets = latency["packets"];
  const double lost = total(report["result"]["packets"]["dropped"]);
  const double ratio = all / (latency["mean_ps"].get<double>() * packets);
  EXPECT_GE(ratio, 0.9999);
  if (lost == 0) {
    EXPECT_LE(ratio, 1.0001);
  }
}

INSTANTIATE_TEST_SUITE_P(Loads, TimelineOf,
                         testing::Values(std::vector<std::string>{"traffic.rate=5 Mpps"},
                                         std::vector<std::string>{"traffic.rate=3 Mpps", "traffic.pattern=poisson"},
                                         std::vector<std::string>{},
                                         std::vector<std::string>{"traffic.frame_size=1518", "driver.rx_ring=64"}));

}  // namespace
}  // namespace ringside::test
