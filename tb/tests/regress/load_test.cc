// Below capacity the driver sleeps, and interrupt moderation decides how long packets wait.
#include "tb/tests/regress/ringside_run.h"

namespace ringside::test {
namespace {

double p50_us(const Report& report) { return report["latency"]["p50_ps"].get<double>() / 1e6; }

// Moderation of the usual 3 us and 32 frames, with the time counted from the event: a packet waits 3 us at most, and on.
TEST(BelowCapacity, AnEventTimerBoundsLatency) {
  const Report report = finite_scenario(scaled(2000)).set("traffic.rate=1 Mpps").set("driver.cqe_moderation=false").run().json();
  EXPECT_GT(p50_us(report), 0.5);
  EXPECT_LT(p50_us(report), 10);
  EXPECT_LT(report["latency"]["max_ps"], 15'000'000);
}

// Counted from the last completion, the time starts again with every packet: at one packet per microsecond only the 32nd
// ends the wait, so that interrupts come every 32 us and half the packets wait 16 us.
TEST(BelowCapacity, ACompletionTimerCollectsThirtyTwo) {
  const Report report = finite_scenario(scaled(3200)).set("traffic.rate=1 Mpps").run().json();
  EXPECT_NEAR(p50_us(report), 16, 2);
  EXPECT_NEAR(static_cast<double>(counter(report, "driver", "ch_events")), static_cast<double>(scaled(3200)) / 32, 2);
  EXPECT_EQ(counter(report, "driver", "ch_events"), counter(report, "nic", "device.interrupts"));
  EXPECT_EQ(counter(report, "driver", "ch_events"), counter(report, "core", "interrupts"));
}

// Alone, each packet waits for the timer and then for the interrupt, DMA and the driver's first miss.
TEST(BelowCapacity, APacketAloneWaitsForTheTimer) {
  const Report report = finite_scenario(100).set("traffic.rate=100 kpps").run().json();
  EXPECT_GT(p50_us(report), 3);
  EXPECT_LT(p50_us(report), 8);
  EXPECT_EQ(counter(report, "driver", "ch_events"), 100U);
}

TEST(BelowCapacity, TheRateIsTheOffered) {
  const Report result = main_scenario(scaled(5000)).set("traffic.rate=5 Mpps").run().json()["result"];
  EXPECT_NEAR(result["mpps"].get<double>(), 5, 0.1);
  EXPECT_EQ(total(result["packets"]["dropped"]), 0U);
}

// Simulated seconds between packets are no lack of progress.
TEST(BelowCapacity, LongSilenceIsNoFailure) {
  const Outcome outcome = finite_scenario(5).set("traffic.rate=1 pps").run();
  EXPECT_EQ(outcome.status, 0) << outcome.error;
  EXPECT_EQ(outcome.json()["result"]["packets"]["delivered"], 5);
}

TEST(Overload, TheDriverNeverSleeps) {
  const Report report = main_scenario(scaled(5000)).run().json();
  EXPECT_EQ(counter(report, "driver", "ch_events"), 1U);
  EXPECT_FALSE(report["guest"]["stalls"].contains("idle"));
}

}  // namespace
}  // namespace ringside::test
