// What is printed from a saved run: folded stacks, ethtool's counters, annotated code.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tb/report/annotation.h"
#include "tb/report/ethtool_text.h"
#include "tb/report/folded_stacks.h"
#include "tb/tests/unit/sample_run.h"

namespace ringside {
namespace {

using testing::HasSubstr;
using testing::Not;

SavedRun sample() { return {"sample.json", "sample", test::sample_result(), {}}; }

TEST(FoldedStacks, AreOneLineForEachPath) {
  EXPECT_EQ(folded_stacks(sample()), "start 60000\nstart;large 60000\nstart;small 50000\n");
}

TEST(FoldedStacks, NoNameEndsItsPlace) {
  SavedRun run = sample();
  run.result.stacks = {{{"a;b", "operator new"}, 5, 1, 1}};
  EXPECT_EQ(folded_stacks(run), "a:b;operator new 5\n");
}

TEST(FoldedStacks, DifferenceHasBothRunsInTwoColumns) {
  SavedRun after = sample();
  after.result.stacks = {{{"start", "large"}, 70'000, 1, 1}, {{"start", "other"}, 5, 1, 1}};
  EXPECT_EQ(folded_difference(sample(), after),
            "start 60000 0\nstart;large 60000 70000\nstart;other 0 5\nstart;small 50000 0\n");
}

TEST(EthtoolText, PrintsWhatEthtoolHasAsEthtoolDoes) {
  RunResult run;
  run.counters = {{"wire", "wire_frames", "frames", 1, ""},      {"nic", "rx_packets_phy", "packets", 55'606, ""},
                  {"nic", "rx_out_of_buffer", "packets", 3, ""}, {"nic", "device.interrupts", "events", 4, ""},
                  {"driver", "rx_xdp_drop", "", 50'959, ""},     {"driver", "kfree_skb:NO_SOCKET", "", 6, ""},
                  {"driver", "IpInReceives", "", 7, ""},         {"driver", "softnet_processed", "", 8, ""},
                  {"driver", "q0_rx_pkt_n", "", 0, ""},          {"driver", "tcp_read_bytes", "", 9, ""}};
  EXPECT_EQ(ethtool_text(run),
            "NIC statistics:\n     rx_xdp_drop: 50959\n     q0_rx_pkt_n: 0\n     rx_packets_phy: 55606\n     rx_out_of_buffer: 3\n");
}

// 1,000 packets; "large" took 120,000 cycles, was called 16 times.
TEST(Annotation, ShowsSourceInstructionsAndTheirCost) {
  const SavedRun run = sample();
  const std::string text = annotation(run, run.result.profile.functions[0], {});
  EXPECT_THAT(text, HasSubstr("large\n70.6 % of the cycles: 120.00 per packet; 200.00 instructions per packet; called 16 times"));
  EXPECT_THAT(text, HasSubstr("|  large.cc:7    load(a);\n"
                              "   50.00       60.00        1.00  dram             |    200000:  mov rax, qword ptr [rdi]  ; misses per "
                              "run: L1 0.99, L2 0.50, LLC 0.25\n"));
  EXPECT_THAT(text, HasSubstr("|  small.h:3 tiny()  int tiny() {\n"));
  EXPECT_THAT(text, HasSubstr("base 83 %        |    200003:  je 0x200010  ; 2.00 % mispredicted\n"));
  EXPECT_THAT(text, HasSubstr("|          ...\n                            1.00                   |    200010:  ret\n"));
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
}

TEST(Annotation, PerCallAndInColour) {
  const SavedRun run = sample();
  const std::string text = annotation(run, run.result.profile.functions[0], {true, true});
  EXPECT_THAT(text, HasSubstr("7500.00 per call; 12500.00 instructions per call"));
  EXPECT_THAT(text, HasSubstr("\x1b[31m   50.00     3750.00\x1b[0m       62.50"));
}

}  // namespace
}  // namespace ringside
