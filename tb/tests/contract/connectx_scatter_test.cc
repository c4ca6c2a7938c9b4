// Packets larger than one buffer: scatter lists of cyclic queues, small strides, and what is written beyond a WQE.
#include <numeric>

#include "tb/tests/contract/connectx_bench.h"

namespace ringside::connectx {
namespace {

// What the port passes on of a frame for an MTU of 9000 with a VLAN tag, as an FCS does not reach memory.
constexpr std::size_t kJumbo = 9000 + 22 - 4;

void allow_jumbo_frames(Bench& b) {
  command_mailbox m = Bench::mailbox(kCmdSetPortMtu);
  m.port.mtu = 9000;
  EXPECT_EQ(b.command(m).status, kCmdOk);
}

std::vector<std::uint8_t> memory(Bench& b, std::uint64_t at, std::size_t length) {
  return {b.fabric.host(at), b.fabric.host(at) + length};
}

// A cyclic queue whose WQEs have `room` for segments of these sizes, each in a buffer of its own.
class ScatterBench : public Bench {
 public:
  ScatterBench(std::uint32_t log_wqe, std::vector<std::uint32_t> sizes) : sizes_(std::move(sizes)) {
    open({.log_rq = 3, .log_stride = log_wqe, .segments = static_cast<std::uint32_t>(sizes_.size())});
    allow_jumbo_frames(*this);
    for (std::uint32_t wqe = 0; wqe < 8; ++wqe) {
      write_wqe(wqe);
      for (std::uint32_t i = 0; i < sizes_.size(); ++i) {
        segment(wqe, i)->byte_count = sizes_[i];
        segment(wqe, i)->addr = place(wqe, i);
      }
    }
    posted = 8;
    publish();
  }

  // Descending addresses: order comes from the list alone.
  static std::uint64_t place(std::uint32_t wqe, std::uint32_t i) { return kBuffers + 0x2800 * (1023 - 4 * wqe - i); }

  std::vector<std::uint8_t> gathered(std::uint32_t wqe, std::size_t length) {
    std::vector<std::uint8_t> bytes;
    for (std::uint32_t i = 0; i < sizes_.size() && bytes.size() < length; ++i) {
      const auto part = memory(*this, place(wqe, i), std::min<std::size_t>(sizes_[i], length - bytes.size()));
      bytes.insert(bytes.end(), part.begin(), part.end());
    }
    return bytes;
  }

  void receive(std::size_t length, std::uint8_t seed) {
    offer(plain_frame(length, seed));
    run_for(microseconds(10));
  }

  const std::vector<std::uint32_t> sizes_;
};

TEST(ConnectxScatter, FourSegmentsInTheOrderOfTheList) {
  ScatterBench b(6, {1664, 2048, 2048, 3262});
  const std::size_t lengths[] = {1664, 1665, 3712, 3713, 5760, 5761, kJumbo};
  std::uint8_t seed = 0;
  for (const std::size_t length : lengths) {
    b.receive(length, seed);
    EXPECT_EQ(b.gathered(seed, length), plain_frame(length, seed)) << length;
    EXPECT_EQ(b.cqe(seed).byte_cnt, length);
    EXPECT_EQ(b.cqe(seed).wqe_counter, seed);
    ++seed;
  }
  EXPECT_EQ(b.stat("device.packets_completed"), std::size(lengths));
  EXPECT_EQ(b.stat("device.rq_errors"), 0u);
}

TEST(ConnectxScatter, ThreeSegmentsAndATerminator) {
  ScatterBench b(6, {3520, 4096, 1406});
  b.receive(kJumbo, 1);
  EXPECT_EQ(b.gathered(0, kJumbo), plain_frame(kJumbo, 1));
  EXPECT_EQ(b.cqe(0).op_own >> 4, 2);
}

TEST(ConnectxScatter, OneByteTooManyIsALocalLengthError) {
  for (const auto& sizes : {std::vector<std::uint32_t>{1664, 2048, 2048, 500}, std::vector<std::uint32_t>{3520, 2740}}) {
    ScatterBench b(sizes.size() == 4 ? 6 : 5, sizes);
    const std::size_t most = std::accumulate(sizes.begin(), sizes.end(), std::size_t{0});
    b.receive(most, 1);
    EXPECT_EQ(b.gathered(0, most), plain_frame(most, 1));
    b.receive(most + 1, 2);
    const std::uint8_t* raw = b.fabric.host(Bench::kCq + 64);
    EXPECT_EQ(raw[63] >> 4, 14);  // RESP_ERR
    EXPECT_EQ(raw[55], 0x01);     // local length
    EXPECT_EQ(b.stat("device.rq_errors"), 1u);
  }
}

// A striding queue of two WQEs behind a key whose table has one entry more for each than it has pages.
class SmallStrides : public Bench {
 public:
  static constexpr std::uint32_t kLogStrides = 10, kPages = 64, kEntries = 72;
  static constexpr std::uint64_t kOverflow = kBuffers + 0x1000;

  // `headroom`: where the packet lies in its first stride.
  explicit SmallStrides(std::uint32_t headroom, std::uint64_t filler = kOverflow) {
    open({.log_rq = 1,
          .log_cq = 11,
          .log_stride = 5,
          .type = kRqStriding,
          .log_strides = kLogStrides,
          .log_stride_size = 8});
    allow_jumbo_frames(*this);
    command_mailbox m = mailbox(kCmdCreateMkey);
    m.mkey = {0, 2 * kEntries * 4096, 2 * kEntries, filler};
    key = create(m);
    for (std::uint32_t i = 0; i < 2; ++i) {
      auto* w = reinterpret_cast<rx_wqe_ll*>(fabric.host(kRq + i * 32));
      w->next.next_wqe_index = static_cast<std::uint16_t>(1 - i);
      w->data.byte_count = kPages * 4096;
      w->data.lkey = key;
      w->data.addr = i * kEntries * 4096 + headroom;
    }
    posted = 1;
    publish();
  }

  std::uint32_t key = 0;
};

// 28 packets of the largest size take 36 strides of 256 bytes each; the next one does not fit in what is left.
TEST(ConnectxSmallStrides, JumboFramesFillAWqe) {
  SmallStrides b(0);
  for (std::uint32_t i = 0; i < 28; ++i) {
    b.offer(plain_frame(kJumbo, static_cast<std::uint8_t>(i)));
    b.run_for(microseconds(5));
    const cqe64 c = b.cqe(i);
    ASSERT_EQ(c.byte_cnt, 36u << 16 | kJumbo);
    ASSERT_EQ(c.wqe_counter, 36 * i);
  }
  b.posted = 2;
  b.publish();
  b.offer(plain_frame(kJumbo));
  b.run_for(microseconds(5));
  EXPECT_EQ(b.cqe(28).byte_cnt, 0x8000'0000u | (1024u - 28 * 36) << 16);  // filler
  EXPECT_EQ(b.cqe(29).wqe_id, 1);
  EXPECT_EQ(b.cqe(29).wqe_counter, 0);
}

// No UMR has mapped anything here, so that every page is that page; the last bytes written can be seen there.
TEST(ConnectxSmallStrides, WhatGoesBeyondTheWqeLandsInTheKeysFirstPage) {
  SmallStrides b(64);
  for (int i = 0; i < 1023; ++i) b.offer(plain_frame(60));
  b.run_for(microseconds(50));
  ASSERT_EQ(b.stat("device.packets_completed"), 1023u);
  b.offer(plain_frame(256, 7));  // the last stride, of which 64 bytes are headroom
  b.run_for(microseconds(5));
  EXPECT_EQ(b.cqe(1023).byte_cnt, 1u << 16 | 256u);
  EXPECT_EQ(b.cqe(1023).op_own >> 4, 2);
  const std::vector<std::uint8_t> frame = plain_frame(256, 7);
  const std::vector<std::uint8_t> beyond(frame.begin() + 192, frame.end());
  EXPECT_EQ(memory(b, SmallStrides::kOverflow, 64), beyond);
  EXPECT_EQ(b.stat("device.rq_errors"), 0u);
}

TEST(ConnectxSmallStrides, WithoutSuchAPageItIsAProtectionError) {
  SmallStrides b(64, 0);
  b.offer(plain_frame(60));
  b.run_for(microseconds(5));
  const std::uint8_t* raw = b.fabric.host(Bench::kCq);
  EXPECT_EQ(raw[63] >> 4, 14);
  EXPECT_EQ(raw[55], 0x04);
}

TEST(ConnectxSmallStrides, PageForOverflowIsCheckedToBeOne) {
  Bench b;
  command_mailbox m = Bench::mailbox(kCmdCreateMkey);
  m.mkey = {0, 4096, 1, 0x800};
  EXPECT_EQ(b.command(m).status, kCmdBadParameter);
}

}  // namespace
}  // namespace ringside::connectx
