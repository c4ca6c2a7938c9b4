// What becomes of a packet: verdicts of XDP programs, packets for the stack, error completions.
#include <gtest/gtest.h>

#include "driver/mlx5e/en_xdp.h"
#include "driver/xdp/programs.h"
#include "tb/tests/driver/fake_connectx.h"

namespace ringside {
namespace {

xdp_buff seen;
bool seen_frame_intact;
std::uint32_t verdict;

std::uint32_t recording_program(const void* ctx, const bpf_insn*) {
  seen = *static_cast<const xdp_buff*>(ctx);
  const auto* data = static_cast<const std::uint8_t*>(seen.data);
  seen_frame_intact = data[0] == 0 && data[59] == 0;
  return verdict;
}

const bpf_prog recorder = {.pages = 1,
                           .jited = 1,
                           .type = 6,
                           .len = 1,
                           .tag = {},
                           .stats = nullptr,
                           .bpf_func = recording_program,
                           .name = "recorder",
                           .xdp_has_frags = true,
                           .insnsi = {}};

TEST(Verdict, DropCountsAndReadsNothing) {
  FakeConnectx nic;
  nic.open();
  nic.receive(10, 1514);
  EXPECT_EQ(nic.stat("rx_xdp_drop"), 10u);
  EXPECT_EQ(nic.stat("rx_packets"), 0u);
  EXPECT_EQ(rx_cnt[0].processed, 10u);
  EXPECT_EQ(rx_cnt[0].dropped, 10u);
}

TEST(Verdict, DropReadAbortsWithoutAHeader) {
  FakeConnectx nic({.program = "drop-read"});
  nic.open();
  nic.receive(3, 14);
  EXPECT_EQ(rx_cnt[0].dropped, 3u);
  EXPECT_EQ(nic.stat("xdp_exception"), 0u);
  nic.receive(2, 13);
  EXPECT_EQ(rx_cnt[0].processed, 5u);
  EXPECT_EQ(rx_cnt[0].dropped, 3u);
  EXPECT_EQ(nic.stat("xdp_exception"), 2u);
  EXPECT_EQ(nic.stat("rx_xdp_drop"), 5u);  // an aborted packet is dropped too
}

TEST(Verdict, PassGoesToTheStack) {
  for (const char* program : {"pass", ""}) {
    FakeConnectx nic({.program = program});
    nic.open();
    nic.receive(100, 60);
    nic.receive(1, 1514);
    EXPECT_EQ(nic.stat("rx_packets"), 101u);
    EXPECT_EQ(nic.stat("rx_bytes"), 100u * 60u + 1514u);
    EXPECT_EQ(nic.stat("rx_xdp_drop"), 0u);
    EXPECT_EQ(rx_cnt[0].processed, program[0] != '\0' ? 101u : 0u);
  }
}

TEST(Verdict, UnknownOnesAreDroppedAndReported) {
  FakeConnectx nic;
  nic.open();
  nic.rq().xdp_prog = &recorder;
  verdict = 77;
  nic.receive(4);
  EXPECT_EQ(nic.stat("xdp_invalid_action"), 4u);
  EXPECT_EQ(nic.stat("xdp_exception"), 4u);
  EXPECT_EQ(nic.stat("rx_xdp_drop"), 4u);
  verdict = XDP_ABORTED;
  nic.receive(1);
  EXPECT_EQ(nic.stat("xdp_invalid_action"), 4u);
  EXPECT_EQ(nic.stat("xdp_exception"), 5u);
}

TEST(XdpBuffer, DescribesThePacketInItsPage) {
  FakeConnectx nic;
  nic.open();
  nic.rq().xdp_prog = &recorder;
  verdict = XDP_DROP;
  const std::uint64_t address = nic.wqe(0).addr;
  nic.receive(1, 60);
  EXPECT_EQ(reinterpret_cast<std::uint64_t>(seen.data), address);
  EXPECT_EQ(static_cast<std::uint8_t*>(seen.data_end) - static_cast<std::uint8_t*>(seen.data), 60);
  EXPECT_EQ(seen.data_meta, seen.data);
  EXPECT_EQ(static_cast<std::uint8_t*>(seen.data) - static_cast<std::uint8_t*>(seen.data_hard_start), 256);
  EXPECT_EQ(reinterpret_cast<std::uint64_t>(seen.data_hard_start) % PAGE_SIZE, 0u);
  EXPECT_EQ(seen.frame_sz, 4096u);
  EXPECT_EQ(seen.flags, 0u);
  EXPECT_EQ(seen.rxq, &nic.rq().xdp_rxq);
  EXPECT_EQ(seen.rxq->mem.type, MEM_TYPE_PAGE_POOL);
  EXPECT_TRUE(seen_frame_intact);
}

TEST(Transmit, MarkedPacketKeepsAReference) {
  FakeConnectx nic;
  nic.open();
  nic.rq().flags = BIT(MLX5E_RQ_FLAG_XDP_XMIT);
  nic.receive(2);
  EXPECT_EQ(nic.rq().wqe.frag_pages[0].frags, 1);
  EXPECT_EQ(nic.rq().wqe.frag_pages[1].frags, 0);
  EXPECT_EQ(nic.rq().flags, 0u);
}

TEST(ErrorCompletion, RestartsTheQueue) {
  FakeConnectx nic;
  nic.open();
  nic.receive(100);
  nic.fail(connectx::kSyndromeLocalLength);
  nic.interrupt();
  EXPECT_EQ(nic.stat("rx_wqe_err"), 1u);
  EXPECT_EQ(nic.stat("rx_recover"), 1u);
  EXPECT_EQ(nic.rq_state(), connectx::kRqReady);
  EXPECT_EQ(nic.posted(), 1024);  // from the start of the ring
  EXPECT_EQ(page_pool_inflight(nic.rq().page_pool), 1024);
  nic.receive(1000);
  EXPECT_EQ(nic.stat("rx_xdp_drop"), 1100u);
  nic.close();
  EXPECT_EQ(page_pool_inflight(nic.rq().page_pool), 0);
}

TEST(ErrorCompletion, FlushedWqesAreOnlyCounted) {
  FakeConnectx nic;
  nic.open();
  nic.fail(connectx::kSyndromeLocalProtection);
  for (int i = 0; i < 70; ++i) nic.fail(connectx::kSyndromeWrFlush);
  nic.interrupt();
  EXPECT_EQ(nic.stat("rx_wqe_err"), 71u);
  EXPECT_EQ(nic.stat("rx_recover"), 1u);
  nic.receive(10);
  EXPECT_EQ(nic.stat("rx_xdp_drop"), 10u);
}

TEST(ErrorCompletion, AFlushAloneRestartsNothing) {
  FakeConnectx nic;
  nic.open();
  nic.fail(connectx::kSyndromeWrFlush);
  nic.interrupt();
  EXPECT_EQ(nic.stat("rx_wqe_err"), 1u);
  EXPECT_EQ(nic.stat("rx_recover"), 0u);
}

TEST(ErrorCompletion, LateFlushesAreSkippedByTheRestart) {
  FakeConnectx nic;
  nic.open();
  nic.fail(connectx::kSyndromeLocalLength);
  nic.flush_at_reset(20);
  nic.interrupt();
  EXPECT_EQ(nic.stat("rx_recover"), 1u);
  EXPECT_EQ(nic.cq_consumer(), 21u);
  nic.receive(1024 - 1);
  EXPECT_EQ(nic.stat("rx_wqe_err"), 1u);
  EXPECT_EQ(nic.stat("rx_xdp_drop"), 1023u);
}

}  // namespace
}  // namespace ringside
