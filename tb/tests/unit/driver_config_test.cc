// What driver.* means for the compiler.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tb/scenario/config.h"

namespace ringside {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(DriverConfig, ReceivePathsOfStmmacAreMacros) {
  DriverConfig config;
  config.name = "stmmac";
  for (const auto& [rx, flag] : {std::pair{"copy", "-DSTMMAC_RX=STMMAC_RX_COPY"},
                                 {"zero-copy", "-DSTMMAC_RX=STMMAC_RX_ZERO_COPY"},
                                 {"zero-copy-max-len", "-DSTMMAC_RX=STMMAC_RX_ZERO_COPY_MAX_LEN"},
                                 {"prefetch", "-DSTMMAC_RX=STMMAC_RX_PREFETCH"}}) {
    config.rx = rx;
    EXPECT_THAT(config.variant_flags(), ElementsAre(flag));
  }
}

TEST(DriverConfig, DefaultsNeedNoFlag) {
  DriverConfig config;
  EXPECT_THAT(config.variant_flags(), IsEmpty());
  config.name = "stmmac";
  EXPECT_THAT(config.variant_flags(), IsEmpty());
  config.name = "mlx5e";
  config.rx = "copy";
  EXPECT_THAT(config.variant_flags(), IsEmpty());
}

}  // namespace
}  // namespace ringside
