// A page pool that fails for a while: packets are lost, every one is counted, and the queue comes back.
#include "tb/tests/regress/ringside_run.h"

namespace ringside::test {
namespace {

constexpr std::uint64_t kPackets = 40'000, kAfter = 6000, kTimes = 1000;

class MemoryShortage : public testing::TestWithParam<std::vector<std::string>> {};

TEST_P(MemoryShortage, LosesOnlyCountedPackets) {
  RingsideRun run = finite_scenario(kPackets);
  for (const std::string& setting : GetParam()) run.set(setting);
  const Outcome outcome = run.set("driver.flags=[\"-DCONFIG_FAIL_PAGE_POOL\", \"-DFAIL_PAGE_POOL_AFTER=6000\", "
                                  "\"-DFAIL_PAGE_POOL_TIMES=1000\"]")
                              .run();
  ASSERT_EQ(outcome.status, 0) << outcome.error;
  expect_conserved(outcome, false);
  const Report report = outcome.json();
  const Report& packets = report["result"]["packets"];
  EXPECT_EQ(report["result"]["stop_reason"], "exhausted");
  EXPECT_GE(counter(report, "driver", "rx_buff_alloc_err"), kTimes / 4);
  EXPECT_LE(counter(report, "driver", "rx_buff_alloc_err"), kTimes);
  EXPECT_GT(counter(report, "nic", "rx_out_of_buffer"), 100u);
  EXPECT_EQ(packets["dropped"].size(), 1u) << packets["dropped"];
  // Without recovery, no more packets than pages would have come through.
  EXPECT_GT(packets["delivered"].get<std::uint64_t>(), 2 * kAfter);
  EXPECT_GT(packets["delivered"].get<std::uint64_t>() + counter(report, "nic", "rx_out_of_buffer"), kPackets - 1);
}

INSTANTIATE_TEST_SUITE_P(Queues, MemoryShortage,
                         testing::Values(std::vector<std::string>{"driver.rx_striding_rq=false", "traffic.rate=10 Mpps"},
                                         std::vector<std::string>{"driver.rx_striding_rq=true", "traffic.rate=10 Mpps"}),
                         [](const auto& info) { return info.index == 0 ? "Legacy" : "Striding"; });

}  // namespace
}  // namespace ringside::test
