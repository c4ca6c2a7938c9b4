// Which layout of the receive queue an MTU leads to, and which programs go with it.
#include <gtest/gtest.h>

#include "tb/tests/driver/fake_connectx.h"

namespace ringside {
namespace {

constexpr std::uint32_t kJumbo = 9000;

std::vector<std::uint32_t> segment_sizes(const FakeConnectx& nic, std::uint32_t segments) {
  std::vector<std::uint32_t> sizes;
  for (std::uint32_t i = 0; i < segments; ++i) {
    const connectx::wqe_data_seg& segment = nic.wqe(3, i);
    if (segment.lkey != connectx::kTerminateScatterLkey) sizes.push_back(segment.byte_count);
  }
  return sizes;
}

TEST(LegacyLayout, JumboFramesTakeFourFragmentsWithoutAProgram) {
  FakeConnectx nic({.mtu = kJumbo, .program = ""});
  nic.open();
  // 2 KiB with headroom and skb_shared_info, two of 2 KiB, and the rest.
  EXPECT_EQ(segment_sizes(nic, 4), (std::vector<std::uint32_t>{1664, 2048, 2048, 9022 - 5760}));
  EXPECT_EQ(nic.wqe(3, 0).addr % PAGE_SIZE, 64u);
  EXPECT_EQ(nic.wqe(3, 1).addr % PAGE_SIZE, 2048u);
  EXPECT_EQ(nic.wqe(3, 2).addr % PAGE_SIZE, 0u);
  EXPECT_EQ(nic.wqe(3, 3).addr % PAGE_SIZE, 0u);
  EXPECT_EQ(page_pool_inflight(nic.rq().page_pool), 3 * 1024);
}

TEST(LegacyLayout, JumboFramesTakeThreePagesWithAProgram) {
  FakeConnectx nic({.mtu = kJumbo, .program = "checksum"});
  nic.open();
  EXPECT_EQ(segment_sizes(nic, 4), (std::vector<std::uint32_t>{4096 - 256 - 320, 4096, 9022 - 7616}));
  EXPECT_EQ(nic.wqe(3, 0).addr % PAGE_SIZE, 256u);
  EXPECT_EQ(nic.wqe(3, 1).addr % PAGE_SIZE, 0u);
  EXPECT_EQ(page_pool_inflight(nic.rq().page_pool), 3 * 1024);
}

// Three fragments in 4.5 KiB: the last one shares its page with the first of the next WQE.
TEST(LegacyLayout, OddNumbersOfFragmentsShareAPage) {
  FakeConnectx nic({.mtu = 4000, .program = ""});
  nic.open();
  EXPECT_EQ(segment_sizes(nic, 4), (std::vector<std::uint32_t>{1664, 2048, 310}));
  EXPECT_EQ(nic.wqe(0, 2).addr & ~(PAGE_SIZE - 1), nic.wqe(1, 0).addr & ~(PAGE_SIZE - 1));
  EXPECT_EQ(nic.wqe(1, 0).addr % PAGE_SIZE, 512u + 64u);
  EXPECT_NE(nic.wqe(1, 2).addr & ~(PAGE_SIZE - 1), nic.wqe(2, 0).addr & ~(PAGE_SIZE - 1));
  EXPECT_EQ(page_pool_inflight(nic.rq().page_pool), 3 * 512);
  EXPECT_EQ(nic.rq().wqe.info.wqe_index_mask, 1);
}

TEST(LegacyLayout, OneBufferAsLongAsItFitsAPage) {
  FakeConnectx fits({.mtu = 3498, .program = "checksum"});
  fits.open();
  EXPECT_EQ(segment_sizes(fits, 1), (std::vector<std::uint32_t>{3520}));
  FakeConnectx over({.mtu = 3499, .program = "checksum"});
  over.open();
  EXPECT_EQ(segment_sizes(over, 2), (std::vector<std::uint32_t>{3520, 1}));
}

TEST(LegacyLayout, FourPagesAreTheMost) {
  mlx5e_rq_frags_info info = {};
  mlx5e_params params = {};
  params.log_rq_mtu_frames = 10;
  params.sw_mtu = 4 * 4096 - 64 - 320 - 22;
  EXPECT_EQ(mlx5e_build_rq_frags_info(&params, &info), 0);
  EXPECT_EQ(info.num_frags, 4);
  params.sw_mtu++;
  EXPECT_EQ(mlx5e_build_rq_frags_info(&params, &info), -EINVAL);
}

TEST(StridingLayout, JumboFramesTakeSmallStridesWithoutAProgram) {
  FakeConnectx nic({.mtu = kJumbo, .program = "", .heap_pages = 16384, .striding = true});
  nic.open();
  EXPECT_EQ(nic.rq().mpwqe.log_stride_sz, 8);
  EXPECT_EQ(nic.rq().mpwqe.num_strides, 1024);
  EXPECT_EQ(nic.posted(), 63);
  EXPECT_EQ(nic.rq().cq.wq.fbc.sz_m1 + 1, 65536u);
  EXPECT_EQ(nic.mpwqe(1).data.addr, 72u * PAGE_SIZE);
}

TEST(StridingLayout, JumboFramesTakePagesWithAProgram) {
  FakeConnectx nic({.mtu = kJumbo, .program = "checksum", .heap_pages = 16384, .striding = true});
  nic.open();
  EXPECT_EQ(nic.rq().mpwqe.log_stride_sz, 12);
  EXPECT_EQ(nic.rq().mpwqe.num_strides, 64);
  EXPECT_EQ(nic.posted(), 63);
  EXPECT_EQ(nic.rq().cq.wq.fbc.sz_m1 + 1, 4096u);
  EXPECT_EQ(nic.mpwqe(1).data.addr, 72u * PAGE_SIZE);  // headroom is in another page
}

TEST(Program, ThatWantsOnePieceIsRefusedWhereThereAreMore) {
  EXPECT_THROW(FakeConnectx({.mtu = 3499, .program = "tx"}).open(), GuestPanic);
  EXPECT_NO_THROW(FakeConnectx({.mtu = 3498, .program = "tx"}).open());
}

}  // namespace
}  // namespace ringside
