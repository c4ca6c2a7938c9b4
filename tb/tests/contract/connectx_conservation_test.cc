// No packet is lost or made up, whatever the load and the driver do.
#include <random>

#include "tb/tests/contract/connectx_bench.h"

namespace ringside::connectx {
namespace {

void run_random(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto pick = [&](std::uint64_t n) { return random() % n; };
  ConnectxConfig config = bench_config();
  config.packet_buffer = kibibytes(16);
  config.wqe_fetch = 1 + pick(16);
  config.wqe_cache = config.wqe_fetch + pick(64);
  config.wqe_reads = 1 + pick(4);
  config.record_low_water = 1 + pick(64);
  config.record_poll_interval = nanoseconds(1 + pick(2000));
  Bench b(config);
  b.fabric.log = false;
  b.fabric.per_write = nanoseconds(pick(40));
  b.open({.log_rq = 5, .log_cq = 5, .period_us = 2, .max_count = 8});
  std::uint32_t consumed = 0, events = 0;
  for (int step = 0; step < 20'000; ++step) {
    b.run_for(picoseconds(pick(60'000)));
    b.offer(
        plain_frame(pick(50) == 0 ? pick(60) : 60 + pick(pick(8) == 0 ? 1600 : 100), static_cast<std::uint8_t>(step)));
    ASSERT_EQ(b.nic.packets_offered(), b.nic.packets_dropped() + b.nic.packets_completed() + b.nic.packets_inside());
    if (pick(20) != 0) continue;
    // The driver: poll, consume, refill, sometimes arm.
    for (std::uint64_t budget = pick(40); budget > 0 && b.cqe_valid(consumed); --budget, ++consumed) {
      ASSERT_EQ(b.cqe(consumed).wqe_counter, consumed & 0xffff);
    }
    b.set_consumer(consumed);
    b.post(consumed + 32 - b.posted);
    while (b.event(events).owner == (events >> 4 & 1)) ++events;
    b.arm_eq(events);
    if (pick(2) == 0) b.arm_cq(consumed);
  }
  b.run_for(milliseconds(1));
  EXPECT_EQ(b.nic.packets_inside(), 0u);
  EXPECT_EQ(b.seen.drops.size(), b.nic.packets_dropped());
  EXPECT_EQ(b.seen.completions.size(), b.nic.packets_completed());
  EXPECT_EQ(b.stat("device.wqes_consumed"), b.nic.packets_completed());
  EXPECT_EQ(b.stat("device.cq_errors"), 0u);
  EXPECT_EQ(b.timeline.next(), Time::max());
  // Each packet ended exactly once.
  std::vector<int> ends(b.offered);
  for (const auto& d : b.seen.drops) ++ends[d.sequence];
  for (const auto& c : b.seen.completions) ++ends[c.sequence];
  for (std::size_t i = 0; i < ends.size(); ++i) ASSERT_EQ(ends[i], 1) << "packet " << i;
}

TEST(ConnectxConservation, HoldsUnderRandomLoad) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE(seed);
    run_random(seed);
  }
}

}  // namespace
}  // namespace ringside::connectx
