// Little's law: what is limited to N in flight, each for a time T, runs at N / T.
#include <gtest/gtest.h>

#include "tb/tests/contract/pcie_bench.h"

namespace ringside {
namespace {

using test::PcieBench;

constexpr std::uint64_t kTransfers = 4'000;

// Wide enough that the length of a TLP hardly counts.
PcieConfig latency_bound() {
  PcieConfig config = test::unlimited_pcie(5, 16);
  config.upstream_latency = nanoseconds(150);
  config.downstream_latency = nanoseconds(200);
  config.root_latency = nanoseconds(50);
  config.credit_latency = nanoseconds(100);
  return config;
}

PhysAddr line(std::uint64_t i) { return {guest::kRamBase + i % 1024 * 64}; }

double reads_per_us(const PcieConfig& config) {
  PcieBench bench(config);
  bench.dma.read_latency = nanoseconds(100);
  for (std::uint64_t i = 0; i < kTransfers; ++i) bench.link.read(Time{}, line(i), 64, bench.device, i);
  bench.timeline.run_until(seconds(1));
  return static_cast<double>(kTransfers) / to_us(bench.device.completions.back().at);
}

double writes_per_us(const PcieConfig& config, std::uint32_t size) {
  PcieBench bench(config);
  const std::vector<std::uint8_t> data(size);
  Time accepted{};
  for (std::uint64_t i = 0; i < kTransfers; ++i) {
    bench.timeline.run_until(accepted);
    accepted = bench.link.write(accepted, line(i), data).accepted;
  }
  return static_cast<double>(kTransfers) / to_us(accepted);
}

TEST(PcieLimits, TagsBoundReads) {
  PcieConfig config = latency_bound();
  for (const std::uint64_t tags : {1, 4, 16}) {
    config.tags = tags;
    // 150 + 50 up, 100 in memory, 200 down; the two TLPs take 1.8 ns.
    EXPECT_NEAR(reads_per_us(config), static_cast<double>(tags) / 0.5, static_cast<double>(tags) / 0.5 * 0.01);
  }
}

TEST(PcieLimits, NonPostedCreditsBoundReads) {
  PcieConfig config = latency_bound();
  config.nonposted_headers = 8;
  EXPECT_NEAR(reads_per_us(config), 8 / 0.3, 8 / 0.3 * 0.01);  // 150 + 50 up, 100 for the credit
}

TEST(PcieLimits, CompletionSpaceBoundsReads) {
  PcieConfig config = latency_bound();
  config.completion_data = 32;  // eight reads of 64 B
  EXPECT_NEAR(reads_per_us(config), 8 / 0.5, 8 / 0.5 * 0.01);
  config.completion_data = 0;
  config.completion_headers = 4;
  EXPECT_NEAR(reads_per_us(config), 4 / 0.5, 4 / 0.5 * 0.01);
}

TEST(PcieLimits, PostedCreditsBoundWrites) {
  PcieConfig config = latency_bound();
  config.posted_headers = 16;
  EXPECT_NEAR(writes_per_us(config, 64), 16 / 0.3, 16 / 0.3 * 0.02);
  config.posted_headers = 0;
  config.posted_data = 64;  // four writes of 256 B
  EXPECT_NEAR(writes_per_us(config, 256), 4 / 0.3, 4 / 0.3 * 0.03);
}

TEST(PcieLimits, SlowMemoryBoundsWrites) {
  PcieConfig config = latency_bound();
  config.posted_headers = 16;
  PcieBench bench(config);
  bench.dma.write_latency = nanoseconds(700);
  const std::vector<std::uint8_t> data(64);
  Time accepted{};
  for (std::uint64_t i = 0; i < kTransfers; ++i) {
    bench.timeline.run_until(accepted);
    accepted = bench.link.write(accepted, line(i), data).accepted;
  }
  // The memory system is heard of when a write commits: the first round of credits comes back early.
  EXPECT_NEAR(static_cast<double>(kTransfers) / to_us(accepted), 16 / 1.0, 16 / 1.0 * 0.02);
}

}  // namespace
}  // namespace ringside
