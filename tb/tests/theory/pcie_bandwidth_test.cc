// Where the link is the limit, the measured rate equals the sum of the bytes in the tighter direction. The expected
// figures are those of pcie-bench/pcie-model (Neugebauer et al., SIGCOMM 2018), with the byte count of its receive path
// corrected: it forgets the descriptor read request that precedes a packet write.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "tb/tests/contract/pcie_bench.h"

namespace ringside {
namespace {

using test::kRam;
using test::PcieBench;
using test::unlimited_pcie;

constexpr std::array<std::uint32_t, 6> kFrames{64, 128, 256, 512, 1024, 1518};  // with FCS, which is not transferred
constexpr std::uint32_t kDescriptor = 16;
constexpr std::uint32_t kPointer = 4;
using Rates = std::array<double, 6>;  // Mpps

// Moves packets as fast as the link takes them: a few are always under way. One core does the MMIO; it does not wait
// for the answers to its reads, as if others did the next one.
class Nic {
 public:
  explicit Nic(const PcieConfig& config) : bench_(config) { bench_.dma.record = false; }

  void write(std::uint32_t length) {
    newest_ = bench_.link.write(bench_.timeline.now(), kRam, {payload_.data(), length}).accepted;
  }
  void read(std::uint32_t length) { bench_.link.read(bench_.timeline.now(), kRam, length, bench_.device, 0); }
  void interrupt() { bench_.link.write(bench_.timeline.now(), PhysAddr{guest::kMsiAddress}, {payload_.data(), 4}); }
  void pointer_write() { bench_.link.mmio_write(bench_.timeline.now(), guest::kNicBar, kPointer, 0); }
  void pointer_read() { bench_.link.mmio_read(bench_.timeline.now(), guest::kNicBar, kPointer); }

  // Mpps over `packets` calls of packet(index).
  template <class F>
  double measure(F packet, std::uint64_t packets = 8'000) {
    constexpr std::uint64_t kUnderWay = 8;
    constexpr std::uint64_t kWarmUp = 800;
    std::array<Time, kUnderWay> accepted{};
    std::array<std::size_t, kUnderWay> reads{};
    Time begin{};
    for (std::uint64_t i = 0; i < packets; ++i) {
      if (i == kWarmUp) {
        begin = bench_.timeline.now();
        up_busy_ = bench_.statistic("pcie_upstream_busy");
        down_busy_ = bench_.statistic("pcie_downstream_busy");
      }
      bench_.timeline.run_until(accepted[i % kUnderWay]);
      while (bench_.device.completions.size() < reads[i % kUnderWay]) bench_.timeline.run_until(bench_.timeline.next());
      packet(i);
      accepted[i % kUnderWay] = newest_;
      reads[i % kUnderWay] = bench_.statistic("pcie_dma_reads");
    }
    elapsed_ = bench_.timeline.now() - begin;
    return static_cast<double>(packets - kWarmUp) / to_us(elapsed_);
  }

  // Share of the measured time during which the busier direction was taken.
  double utilisation() const {
    const auto busy = std::max(bench_.statistic("pcie_upstream_busy") - up_busy_,
                               bench_.statistic("pcie_downstream_busy") - down_busy_);
    return static_cast<double>(busy) / static_cast<double>(elapsed_.value);
  }

 private:
  PcieBench bench_;
  std::array<std::uint8_t, 2048> payload_{};
  Time newest_{};
  Time elapsed_{};
  std::uint64_t up_busy_ = 0;
  std::uint64_t down_busy_ = 0;
};

struct Link {
  std::uint64_t generation;
  std::uint64_t lanes;
};
constexpr Link kGen3x8{3, 8};
constexpr Link kGen4x16{4, 16};

// pattern(nic, i, length) moves packet i.
template <class Pattern>
void expect_rates(Link link, const Rates& expected, Pattern pattern) {
  for (std::size_t s = 0; s < kFrames.size(); ++s) {
    Nic nic(unlimited_pcie(link.generation, link.lanes));
    const std::uint32_t length = kFrames[s] - 4;
    const double mpps = nic.measure([&](std::uint64_t i) { pattern(nic, i, length); });
    // The published figures are rounded to 0.1 Mpps.
    EXPECT_NEAR(mpps, expected[s], expected[s] * 0.01 + 0.05) << "Gen" << link.generation << " " << kFrames[s] << " B";
    EXPECT_NEAR(nic.utilisation(), 1.0, 0.005) << "Gen" << link.generation << " " << kFrames[s] << " B";
  }
}

bool every(std::uint64_t i, std::uint64_t n) { return i % n == 0; }

void simple_rx(Nic& nic, std::uint64_t, std::uint32_t length) {
  nic.pointer_write();
  nic.read(kDescriptor);
  nic.write(length);
  nic.write(kDescriptor);
  nic.interrupt();
  nic.pointer_read();
}

void simple_tx(Nic& nic, std::uint64_t, std::uint32_t length) {
  nic.pointer_write();
  nic.read(kDescriptor);
  nic.read(length);
  nic.interrupt();
  nic.pointer_read();
}

void kernel_rx(Nic& nic, std::uint64_t i, std::uint32_t length) {
  if (every(i, 32)) nic.pointer_write();
  nic.read(kDescriptor);
  nic.write(length);
  nic.write(kDescriptor);
  if (every(i, 32)) nic.interrupt();
  if (every(i, 8)) nic.pointer_read();
}

// Descriptors are fetched by 40 and written back by 8.
void kernel_tx(Nic& nic, std::uint64_t i, std::uint32_t length) {
  nic.pointer_write();
  if (every(i, 40)) nic.read(40 * kDescriptor);
  nic.read(length);
  if (every(i, 8)) nic.write(8 * kDescriptor);
  if (every(i, 32)) nic.interrupt();
  nic.pointer_read();
}

void poll_rx(Nic& nic, std::uint64_t i, std::uint32_t length) {
  if (every(i, 32)) nic.pointer_write();
  nic.read(kDescriptor);
  nic.write(length);
  nic.write(kDescriptor);
}

void poll_tx(Nic& nic, std::uint64_t i, std::uint32_t length) {
  if (every(i, 32)) nic.pointer_write();
  if (every(i, 40)) nic.read(40 * kDescriptor);
  nic.read(length);
  if (every(i, 8)) nic.write(8 * kDescriptor);
}

template <auto Rx, auto Tx>
void both(Nic& nic, std::uint64_t i, std::uint32_t length) {
  Rx(nic, i, length);
  Tx(nic, i, length);
}

void dma_write(Nic& nic, std::uint64_t, std::uint32_t length) { nic.write(length); }
void dma_read(Nic& nic, std::uint64_t, std::uint32_t length) { nic.read(length); }

TEST(PcieBandwidth, DmaWrite) {
  expect_rates(kGen3x8, {86.1, 48.9, 26.2, 13.0, 6.5, 4.4}, dma_write);
  expect_rates(kGen4x16, {338.4, 192.1, 103.0, 51.1, 25.5, 17.1}, dma_write);
}

TEST(PcieBandwidth, DmaRead) {
  expect_rates(kGen3x8, {90.4, 50.2, 26.6, 13.2, 6.6, 4.4}, dma_read);
  expect_rates(kGen4x16, {355.3, 197.4, 104.5, 51.9, 25.8, 17.4}, dma_read);
}

TEST(PcieBandwidth, DmaReadAndWrite) {
  expect_rates(kGen3x8, {67.0, 42.1, 24.1, 12.5, 6.2, 4.2}, both<dma_write, dma_read>);
  expect_rates(kGen4x16, {263.2, 165.3, 94.8, 49.0, 24.4, 16.4}, both<dma_write, dma_read>);
}

TEST(PcieBandwidth, SimpleNic) {
  expect_rates(kGen3x8, {36.2, 27.4, 18.5, 10.8, 5.9, 4.1}, simple_rx);
  expect_rates(kGen3x8, {43.1, 31.2, 20.1, 11.4, 6.1, 4.2}, simple_tx);
  expect_rates(kGen3x8, {24.1, 19.9, 14.7, 9.4, 5.3, 3.8}, both<simple_rx, simple_tx>);
  expect_rates(kGen4x16, {142.1, 107.7, 72.5, 42.3, 23.1, 16.0}, simple_rx);
  expect_rates(kGen4x16, {169.2, 122.5, 79.0, 44.7, 23.9, 16.5}, simple_tx);
  expect_rates(kGen4x16, {94.8, 78.1, 57.8, 36.8, 21.0, 14.8}, both<simple_rx, simple_tx>);
}

TEST(PcieBandwidth, KernelNic) {
  expect_rates(kGen3x8, {47.6, 33.5, 21.0, 11.6, 6.1, 4.2}, kernel_rx);
  expect_rates(kGen3x8, {48.4, 33.9, 21.2, 11.7, 6.2, 4.2}, kernel_tx);
  expect_rates(kGen3x8, {32.7, 25.4, 17.5, 10.4, 5.7, 3.9}, both<kernel_rx, kernel_tx>);
  expect_rates(kGen4x16, {187.2, 131.7, 82.7, 45.6, 24.0, 16.5}, kernel_rx);
  expect_rates(kGen4x16, {190.1, 133.1, 83.2, 46.0, 24.3, 16.7}, kernel_tx);
  expect_rates(kGen4x16, {128.6, 99.8, 68.8, 41.0, 22.3, 15.4}, both<kernel_rx, kernel_tx>);
}

TEST(PcieBandwidth, PollModeNic) {
  expect_rates(kGen3x8, {48.9, 34.1, 21.3, 11.7, 6.1, 4.2}, poll_rx);
  expect_rates(kGen3x8, {73.6, 44.6, 24.9, 12.8, 6.5, 4.4}, poll_tx);
  expect_rates(kGen3x8, {37.6, 28.2, 18.8, 10.9, 5.8, 4.0}, both<poll_rx, poll_tx>);
  expect_rates(kGen4x16, {192.1, 134.1, 83.6, 45.8, 24.1, 16.5}, poll_rx);
  expect_rates(kGen4x16, {288.9, 175.1, 97.9, 50.2, 25.4, 17.2}, poll_tx);
  expect_rates(kGen4x16, {147.9, 110.9, 74.0, 42.8, 22.8, 15.7}, both<poll_rx, poll_tx>);
}

}  // namespace
}  // namespace ringside
