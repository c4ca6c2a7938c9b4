// The recurrences give the same times, to the picosecond, as a model with an event for every TLP.
#include "tb/tests/contract/pcie_oracle.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace ringside {
namespace {

using test::Access;

constexpr std::uint64_t kOperations = 4'000;
constexpr std::uint64_t kReadLatencyPs = 40'000;
constexpr std::uint64_t kReadSpread = 80;

struct Operation {
  std::uint64_t time;
  enum Kind { write, read, store } kind;
  std::uint64_t address;
  std::uint64_t length;
};

// `mean_gap` ps between operations on average; distinct times, so that no result hangs on a tie.
std::vector<Operation> random_traffic(std::uint64_t seed, std::uint64_t mean_gap) {
  std::mt19937_64 random(seed);
  std::vector<Operation> all;
  std::uint64_t time = 0;
  for (std::uint64_t i = 0; i < kOperations; ++i) {
    time += 1 + random() % (2 * mean_gap);
    const std::uint64_t kind = random() % 8;
    const std::uint64_t address = guest::kRamBase + random() % mebibytes(8).value;
    const std::uint64_t length = random() % 4 == 0 ? 1 + random() % 2000 : 64;
    all.push_back({time, kind < 4 ? Operation::write : kind < 7 ? Operation::read : Operation::store, address, length});
  }
  return all;
}

struct Case {
  std::string name;
  void (*limit)(PcieConfig&);
  std::uint64_t mean_gap;
};
void PrintTo(const Case& c, std::ostream* out) { *out << "an operation every " << c.mean_gap << " ps"; }

class PcieOracleComparison : public ::testing::TestWithParam<Case> {};

void expect_same(const std::vector<Access>& fast, const std::vector<Access>& oracle, const char* what) {
  ASSERT_EQ(fast.size(), oracle.size()) << what;
  for (std::size_t i = 0; i < fast.size(); ++i) {
    ASSERT_EQ(fast[i].address, oracle[i].address) << what << " " << i;
    ASSERT_EQ(fast[i].at.value, oracle[i].at.value) << what << " " << i;
    ASSERT_EQ(fast[i].length, oracle[i].length) << what << " " << i;
  }
}

TEST_P(PcieOracleComparison, SameTimes) {
  PcieConfig config = test::nanosecond_pcie();
  config.upstream_latency = picoseconds(150'137);
  config.downstream_latency = picoseconds(120'411);
  config.root_latency = picoseconds(60'029);
  config.credit_latency = picoseconds(90'083);
  config.uncached_spacing = picoseconds(50'051);
  GetParam().limit(config);
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const auto traffic = random_traffic(seed, GetParam().mean_gap);

    test::PcieOracle oracle(config, kReadLatencyPs, kReadSpread);
    for (std::uint64_t i = 0; i < traffic.size(); ++i) {
      oracle.at(traffic[i].time, [&, i] {
        const Operation& o = traffic[i];
        if (o.kind == Operation::write)
          oracle.write(o.address, o.length);
        else if (o.kind == Operation::read)
          oracle.read(o.address, o.length, i);
        else
          oracle.mmio_write(guest::kNicBar + i % 1000 * 8, 8, i);
      });
    }
    oracle.run();

    test::PcieBench bench(config);
    bench.dma.read_latency = picoseconds(kReadLatencyPs);
    bench.dma.read_spread = kReadSpread;
    const std::vector<std::uint8_t> data(2048);
    std::vector<Time> promised;
    for (std::uint64_t i = 0; i < traffic.size(); ++i) {
      const Operation& o = traffic[i];
      const Time now{o.time};
      bench.timeline.run_until(now);
      if (o.kind == Operation::write)
        promised.push_back(bench.link.write(now, PhysAddr{o.address}, {data.data(), o.length}).visible);
      else if (o.kind == Operation::read)
        bench.link.read(now, PhysAddr{o.address}, static_cast<std::uint32_t>(o.length), bench.device, i);
      else
        bench.link.mmio_write(now, guest::kNicBar + i % 1000 * 8, 8, i);
    }
    bench.timeline.run_until(seconds(1));

    expect_same(bench.dma.writes, oracle.writes, "write");
    expect_same(bench.dma.reads, oracle.reads, "read");
    expect_same(bench.device.completions, oracle.completions, "completion");
    expect_same(bench.device.mmio_writes, oracle.mmio_writes, "MMIO write");
    ASSERT_EQ(promised.size(), oracle.writes.size());
    for (std::size_t i = 0; i < promised.size(); ++i) ASSERT_EQ(promised[i], oracle.writes[i].at);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Limits, PcieOracleComparison,
    ::testing::Values(Case{"none_light", [](PcieConfig&) {}, 900'000}, Case{"none_heavy", [](PcieConfig&) {}, 200'000},
                      Case{"posted_headers", [](PcieConfig& c) { c.posted_headers = 4; }, 300'000},
                      Case{"posted_data", [](PcieConfig& c) { c.posted_data = 20; }, 300'000},
                      Case{"tags", [](PcieConfig& c) { c.tags = 3; }, 300'000},
                      Case{"nonposted_headers", [](PcieConfig& c) { c.nonposted_headers = 2; }, 300'000},
                      Case{"completion_space", [](PcieConfig& c) { c.completion_headers = 6, c.completion_data = 40; },
                           300'000},
                      Case{"device_credits", [](PcieConfig& c) { c.device_posted_headers = 1; }, 300'000},
                      Case{"everything",
                           [](PcieConfig& c) {
                             c.posted_headers = 6, c.posted_data = 40, c.tags = 8, c.nonposted_headers = 4;
                             c.completion_headers = 12, c.completion_data = 128, c.device_posted_headers = 2;
                           },
                           300'000}),
    [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace ringside
