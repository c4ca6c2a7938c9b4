// The data files of the Synopsys cores and of the AXI port hold every parameter, in range.
#include <gtest/gtest.h>

#include "model/dwmac/config.h"
#include "model/fabric/axi_config.h"
#include "tb/scenario/config.h"
#include "tb/scenario/scenario.h"

namespace ringside {
namespace {

struct Parts {
  PlatformConfig platform;
  DwmacConfig dwmac;
  AxiConfig axi;
};

Parts load(const std::string& nic) {
  Parts parts;
  const std::vector<DataFileRule> rules{{"dwmac", "hardware/dwmac", "nic.model"}, {"axi", "hardware/axi", ""}};
  const auto visit = [&parts](ParameterVisitor& v) {
    parts.platform.visit(v);
    parts.dwmac.visit(v);
    parts.axi.visit(v);
  };
  load_parameters(visit, rules, std::filesystem::path(RINGSIDE_SOURCE_DIR) / "traces", {}, {"nic.model=" + nic});
  return parts;
}

TEST(DwmacConfig, DataFilesLoad) {
  const Parts xgmac = load("dwxgmac-3.20a");
  EXPECT_TRUE(xgmac.dwmac.is_xgmac());
  EXPECT_EQ(xgmac.dwmac.version, 0x32u);
  EXPECT_EQ(xgmac.dwmac.port_rate, gigabits_per_second(10));
  xgmac.axi.check();
  EXPECT_EQ(xgmac.axi.bandwidth(), Bandwidth{51'200'000'000});
  const Parts eqos = load("dwmac-eqos-5.20");
  EXPECT_FALSE(eqos.dwmac.is_xgmac());
  EXPECT_EQ(eqos.dwmac.port_rate, gigabits_per_second(1));
}

}  // namespace
}  // namespace ringside
