// Units and meanings of guest counters come from a data file.
#include "tb/board/counter_guide.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/base/errors.h"
#include "tb/tests/temporary_folder.h"

namespace ringside {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

class Guide : public testing::Test {
 protected:
  CounterGuide guide(const std::string& text) { return CounterGuide(folder_.write("counters.toml", text)); }
  TemporaryFolder folder_;
};

TEST_F(Guide, KnowsCountersOfEveryTable) {
  const CounterGuide g = guide(
      "[a]\nrx = { unit = \"packets\", help = \"Received.\" }\n"
      "[b]\n\"kfree_skb:X\" = { unit = \"events\", help = \"Dropped.\" }\n");
  EXPECT_EQ(g.of("rx").unit, "packets");
  EXPECT_EQ(g.of("rx").description, "Received.");
  EXPECT_EQ(g.of("kfree_skb:X").unit, "events");
}

TEST_F(Guide, QueuesShareAnEntry) {
  const CounterGuide g = guide("[a]\nqN_rx = { unit = \"packets\", help = \"Of a queue.\" }\n");
  EXPECT_EQ(g.of("q0_rx").description, "Of a queue.");
  EXPECT_EQ(g.of("q7_rx").description, "Of a queue.");
  EXPECT_EQ(g.of("qx_rx").unit, "");
}

TEST_F(Guide, AGuestMayCountWhatItLikes) {
  EXPECT_EQ(guide("").of("anything").description, "Counted by the guest.");
  EXPECT_EQ(CounterGuide(folder_.path() / "none.toml").of("rx").unit, "");
}

TEST_F(Guide, DamagedFilesNameTheLine) {
  EXPECT_THAT([&] { guide("[a]\nrx = 1\n"); }, ThrowsMessage<InputError>(HasSubstr("counters.toml:2: rx is no table")));
  EXPECT_THAT([&] { guide("rx = 1\n"); }, ThrowsMessage<InputError>(HasSubstr("counters.toml:1: rx is no table")));
  EXPECT_THAT([&] { guide("[a]\nrx = { unit = \"packets\" }\n"); }, ThrowsMessage<InputError>(HasSubstr("counters.toml:2: no help")));
}

}  // namespace
}  // namespace ringside
