#include "model/fabric/pcie_config.h"

#include <gtest/gtest.h>

#include "model/base/errors.h"
#include "tb/tests/contract/pcie_bench.h"

namespace ringside {
namespace {

PcieConfig link(std::uint64_t generation, std::uint64_t lanes, std::uint64_t mps) {
  PcieConfig config = test::unlimited_pcie(generation, lanes);
  config.mps = bytes(mps);
  return config;
}

double gbps(Bandwidth rate) { return static_cast<double>(rate.value) / 1e9; }

TEST(PcieConfig, RawBandwidthAfterLineCoding) {
  EXPECT_NEAR(gbps(link(1, 8, 256).raw_bandwidth()), 16.0, 1e-6);
  EXPECT_NEAR(gbps(link(2, 8, 256).raw_bandwidth()), 32.0, 1e-6);
  EXPECT_NEAR(gbps(link(3, 8, 256).raw_bandwidth()), 63.015, 1e-3);
  EXPECT_NEAR(gbps(link(3, 16, 256).raw_bandwidth()), 126.03, 1e-2);
  EXPECT_NEAR(gbps(link(4, 16, 256).raw_bandwidth()), 252.06, 1e-2);
  EXPECT_NEAR(gbps(link(5, 16, 256).raw_bandwidth()), 504.12, 1e-2);
}

// PCIe base specification, tables of ACK latency limits for 2.5, 5 and 8 GT/s.
TEST(PcieConfig, AckLimitsOfTheSpecification) {
  EXPECT_EQ(link(1, 1, 128).dllp_interval(), 237u);
  EXPECT_EQ(link(1, 4, 256).dllp_interval(), 118u);
  EXPECT_EQ(link(1, 8, 512).dllp_interval(), 86u);
  EXPECT_EQ(link(1, 16, 4096).dllp_interval(), 534u);
  EXPECT_EQ(link(2, 8, 256).dllp_interval(), 158u);
  EXPECT_EQ(link(2, 16, 128).dllp_interval(), 99u);
  EXPECT_EQ(link(3, 8, 128).dllp_interval(), 163u);
  EXPECT_EQ(link(3, 8, 256).dllp_interval(), 203u);
  EXPECT_EQ(link(4, 8, 512).dllp_interval(), 182u);
  EXPECT_EQ(link(4, 16, 128).dllp_interval(), 144u);
  EXPECT_EQ(link(4, 16, 256).dllp_interval(), 168u);
}

// Rates left to TLPs, as computed by pcie-bench/pcie-model.
TEST(PcieConfig, TlpBandwidth) {
  struct Row {
    std::uint64_t generation, lanes;
    double mps128, mps256, mps512;
  };
  for (const Row& row :
       {Row{3, 4, 28.44, 29.07, 29.41}, Row{3, 8, 56.67, 57.88, 57.31}, Row{3, 16, 111.7, 113.7, 114.62},
        Row{4, 8, 113.33, 115.77, 114.62}, Row{4, 16, 223.4, 227.4, 229.25}}) {
    EXPECT_NEAR(gbps(link(row.generation, row.lanes, 128).tlp_bandwidth()), row.mps128, row.mps128 * 5e-4);
    EXPECT_NEAR(gbps(link(row.generation, row.lanes, 256).tlp_bandwidth()), row.mps256, row.mps256 * 5e-4);
    EXPECT_NEAR(gbps(link(row.generation, row.lanes, 512).tlp_bandwidth()), row.mps512, row.mps512 * 5e-4);
  }
}

TEST(PcieConfig, EfficiencyReplacesTheDllpModel) {
  PcieConfig config = link(3, 16, 256);
  config.efficiency = 944;
  EXPECT_NEAR(gbps(config.tlp_bandwidth()), 126.03 * 0.944, 0.01);
}

std::string complaint(const PcieConfig& config) {
  try {
    config.check();
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(PcieConfig, SaysWhatContradicts) {
  PcieConfig config = link(4, 16, 256);
  EXPECT_EQ(complaint(config), "");
  config.posted_data = 15;
  EXPECT_EQ(complaint(config),
            "pcie.posted_data = 15: 0, or at least one payload of pcie.mps (16 credits), is allowed");
  config = link(4, 16, 256);
  config.completion_data = 31;
  EXPECT_EQ(complaint(config),
            "pcie.completion_data = 31: 0, or at least one request of pcie.mrrs (32 credits), is allowed");
  config = link(4, 16, 256);
  config.completion_headers = 2;
  EXPECT_NE(complaint(config), "");
  EXPECT_EQ(complaint(link(4, 12, 256)), "pcie.lanes = 12: a power of two is allowed");
  EXPECT_EQ(complaint(link(4, 16, 300)), "pcie.mps = 300: a power of two is allowed");
  EXPECT_EQ(complaint(link(6, 16, 256)), "pcie.generation = 6: 1 to 5 are allowed");
}

}  // namespace
}  // namespace ringside
