// Where one resource limits transmission, the measured rate is the bound of that resource.
#include "model/fabric/pcie_link.h"
#include "model/memory/physical_memory.h"
#include "tb/tests/contract/connectx_send_bench.h"
#include "tb/tests/contract/pcie_bench.h"

namespace ringside::connectx {
namespace {

ConnectxConfig ample_config() {
  ConnectxConfig config = bench_config();
  config.sq_reads = 16;
  config.tx_reads = 1024;
  return config;
}

class Sender : public SendBench {
 public:
  explicit Sender(const ConnectxConfig& config = ample_config()) : SendBench(config, 11) { fabric.log = false; }

  // Multi-packet WQEs with 58 pointers each.
  void post_pointers(std::uint32_t length, int wqes) {
    for (int i = 0; i < wqes; ++i) {
      Wqe w = begin(0x29, false).eth();
      for (int packet = 0; packet < 58; ++packet) w.pointer(length, lkey, payload(0));
      put(w);
    }
  }

  // Mean time from frame to frame over the middle of what was posted.
  double time_per_frame() {
    ring();
    run_for(milliseconds(10));
    const std::size_t n = sink.frames.size();
    EXPECT_GE(n, 1000u);
    const std::size_t first = n / 5, last = n * 4 / 5;
    return to_ns(sink.frames[last].at - sink.frames[first].at) / static_cast<double>(last - first);
  }
};

// Frame with FCS, preamble and gap at 100 Gb/s.
double line_time(std::uint32_t frame) { return (frame + 20) * 0.08; }

TEST(ConnectxSendRate, LineRateWithPointers) {
  for (const std::uint32_t frame : {64u, 512u, 1518u}) {
    Sender s;
    s.post_pointers(frame - 4, 40);
    EXPECT_NEAR(s.time_per_frame(), line_time(frame), 1e-3) << frame;
  }
}

TEST(ConnectxSendRate, LineRateInline) {
  Sender s;
  for (int i = 0; i < 160; ++i) {
    Wqe w = s.begin(0x29, false).eth();
    for (int packet = 0; packet < 11; ++packet) w.inlined(plain_frame(60));
    s.put(w);
  }
  EXPECT_NEAR(s.time_per_frame(), line_time(64), 1e-3);  // 148.8 Mpps
}

TEST(ConnectxSendRate, EngineLimitsToItsPacketRate) {
  ConnectxConfig config = ample_config();
  config.tx_packet_rate = PacketRate{50'000'000};
  Sender s(config);
  s.post_pointers(60, 40);
  EXPECT_NEAR(s.time_per_frame(), 20.0, 1e-3);
}

// Little's law, with reads of 600 ns.
TEST(ConnectxSendRate, PayloadReadsLimitByTheirRoundTrip) {
  ConnectxConfig config = ample_config();
  config.tx_reads = 12;
  Sender s(config);
  s.post_pointers(60, 40);
  EXPECT_NEAR(s.time_per_frame(), 600.0 / 12, 0.1);
}

TEST(ConnectxSendRate, WqeFetchesLimitByTheirRoundTrip) {
  ConnectxConfig config = ample_config();
  config.sq_fetch = 4;
  config.sq_reads = 3;
  Sender s(config);
  for (int i = 0; i < 2000; ++i) s.send(60, s.payload(0), false);
  EXPECT_NEAR(s.time_per_frame(), 600.0 / 12, 0.1);
}

TEST(ConnectxSendRate, TransmitBufferLimitsByTheRoundTrip) {
  ConnectxConfig config = ample_config();
  config.tx_buffer = kibibytes(10);
  Sender s(config);
  s.fabric.read_latency = microseconds(6);
  s.post_pointers(2000, 30);
  // Five frames fit. Their reads come back together after 6 us; each makes room when its last bit, behind preamble, is
  // on the wire, and only then the next read starts: 6 us + the time of one frame for five frames.
  EXPECT_NEAR(s.time_per_frame(), (6000.0 + (2000 + 4 + 8) * 0.08) / 5, 40.0);
}

// A link of 1 byte per nanosecond: payload and WQEs share the way down.
TEST(ConnectxSendRate, PcieLimitsToItsBytes) {
  Sender s;
  PhysicalMemory ram(PhysAddr{Bench::kBase}, bytes(Bench::kMemory));
  test::FlatMemory memory(ram);
  struct : InterruptSink {
    void interrupt(Time, std::uint32_t) override {}
  } none;
  PcieLink link("link", test::nanosecond_pcie(), s.timeline, ram, memory, none);
  memory.record = false;
  s.post_pointers(1024, 40);
  std::memcpy(ram.host(PhysAddr{SendBench::kSq}), s.fabric.host(SendBench::kSq), 2048 * 64);
  s.route.to = &link;
  // A completion carries up to 256 bytes and 20 of header and framing. WQEs are fetched 512 bytes at a time.
  const double payload = 1024 + 4 * 20;
  const double wqe = 15 * 64 * (512.0 + 2 * 20) / 512 / 58;
  // WQEs are fetched in bursts, of which the measured part may have a few more or less.
  EXPECT_NEAR(s.time_per_frame(), payload + wqe, 2.3);
}

}  // namespace
}  // namespace ringside::connectx
