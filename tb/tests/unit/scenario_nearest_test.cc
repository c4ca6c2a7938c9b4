#include "tb/scenario/nearest.h"

#include <gtest/gtest.h>

#include <vector>

namespace ringside {
namespace {

TEST(Nearest, CountsEdits) {
  EXPECT_EQ(edit_distance("", "abc"), 3U);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3U);
  EXPECT_EQ(edit_distance("ab", "ba"), 1U);
  EXPECT_EQ(edit_distance("rate", "rate"), 0U);
}

TEST(Nearest, FindsTheNameThatWasMeant) {
  const std::vector<std::string> names{"run.packets", "run.seed", "traffic.frame_size", "traffic.rate"};
  EXPECT_EQ(nearest_name("run.pakets", names), "run.packets");
  EXPECT_EQ(nearest_name("trafic.frame_size", names), "traffic.frame_size");
  EXPECT_EQ(nearest_name("nic.interface.seed", names), "run.seed");
  EXPECT_EQ(nearest_name("traffic.frame", names), "traffic.frame_size");
  EXPECT_EQ(nearest_name("completely.other", names), "");
}

TEST(Nearest, MakesAQuestionOfIt) {
  const std::vector<std::string> names{"gcc", "clang"};
  EXPECT_EQ(did_you_mean("clagn", names), "; did you mean clang?");
  EXPECT_EQ(did_you_mean("something else", names), "");
}

}  // namespace
}  // namespace ringside
