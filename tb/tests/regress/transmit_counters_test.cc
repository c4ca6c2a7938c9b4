// XDP_TX under overload: the counters of a real machine's send queue. With 64 packets a poll, 64 basic blocks a page and at
// most 15 a WQE, they follow from arithmetic alone once it is known whether packets are inlined, and that is decided
// between the driver and how long the device takes.
#include <string>

#include "tb/tests/regress/ringside_run.h"

namespace ringside::test {
namespace {

struct Ratios {
  double inlined;             // share of the packets
  double packets_per_wqe;     // multi-packet WQEs
  double nops_per_doorbell;   // one completion, and so one doorbell, per poll
  double packets_per_doorbell;
};

Report sent(std::uint64_t packets, const std::string& flags) {
  const Outcome outcome = RingsideRun({"mlx5e-xdp-drop", "--quiet"})
                              .set("driver.xdp=tx")
                              .set("driver.rx_striding_rq=true")
                              .set("platform.name=mlx5-lab")
                              .set("traffic.rate=50 Mpps")
                              .set("driver.flags=" + flags)
                              .set("run.warmup=2000")
                              .set("run.converge=0")
                              .set("run.packets=" + std::to_string(packets))
                              .run();
  EXPECT_EQ(outcome.status, 0) << outcome.error;
  expect_conserved(outcome);
  return outcome.json();
}

// What a longer run has more than a shorter one: the steady state, without the start.
Ratios steady_state(const std::string& flags) {
  const Report shorter = sent(3000, flags), longer = sent(9400, flags);
  const auto more = [&](const char* name) {
    return static_cast<double>(counter(longer, "driver", name) - counter(shorter, "driver", name));
  };
  const double packets = more("rx_xdp_tx_xmit");
  EXPECT_GT(packets, 6000);
  return {more("rx_xdp_tx_inlnw") / packets, packets / more("rx_xdp_tx_mpwqe"),
          more("rx_xdp_tx_nops") / more("rx_xdp_tx_cqe"), packets / more("rx_xdp_tx_cqe")};
}

// Measured with kernel 6.5: 99.99 % inlined, 10.668 packets a WQE, 6.7996 NOPs a completion (S. Miano, netdev, June 2024).
// 64 packets take 5 WQEs of 11 and one of 9: 64/6. The window may cut a poll in two, which is one WQE or five NOPs of it.
TEST(TransmitCounters, InliningLatchesOnWithThreeFifoEntriesPerPacket) {
  const Ratios r = steady_state("[]");
  EXPECT_EQ(r.inlined, 1.0);
  EXPECT_NEAR(r.packets_per_doorbell, 64, 0.7);
  EXPECT_NEAR(r.packets_per_wqe, 64.0 / 6, 0.03);
  EXPECT_NEAR(r.nops_per_doorbell, 6.79997, 0.06);
}

// Measured with kernel 5.10 for redirection to the same port: nothing inlined, 32.000 packets a WQE, 4.33336 NOPs a completion
// (xdp-project, 2020). 64 packets take a WQE of 58 and one of 6.
TEST(TransmitCounters, InliningStaysOffWithOneFifoEntryPerPacket) {
  const Ratios r = steady_state("[\"-DMLX5E_XDPI_FIFO_ENTRIES=1\"]");
  EXPECT_EQ(r.inlined, 0.0);
  EXPECT_NEAR(r.packets_per_doorbell, 64, 0.7);
  EXPECT_NEAR(r.packets_per_wqe, 32, 0.3);
  EXPECT_NEAR(r.nops_per_doorbell, 4.3333, 0.06);
}

}  // namespace
}  // namespace ringside::test
