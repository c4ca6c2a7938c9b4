// What surrounds a PCIe link in the tests: memory that takes a fixed time, and records of what arrives.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "model/base/timeline.h"
#include "model/fabric/pcie_link.h"
#include "model/guest/contract.h"
#include "model/memory/physical_memory.h"

namespace ringside::test {

// Protocol constants as pcie-bench uses them; no latency, and no limit but the link itself.
inline PcieConfig unlimited_pcie(std::uint64_t generation, std::uint64_t lanes) {
  PcieConfig c;
  c.generation = generation;
  c.lanes = lanes;
  c.mps = bytes(256);
  c.mrrs = bytes(512);
  c.rcb = bytes(64);
  c.framing = bytes(8);
  c.request_header = bytes(16);
  c.completion_header = bytes(12);
  c.dllp_size = bytes(8);
  c.tags = 1'000'000;
  return c;
}

// Generation 1 with 4 lanes and nothing lost to DLLPs: 1 ns for a byte.
inline PcieConfig nanosecond_pcie() {
  PcieConfig c = unlimited_pcie(1, 4);
  c.efficiency = 1000;
  return c;
}

struct Access {
  Time at;
  std::uint64_t address;
  std::uint64_t length;  // or the value, for MMIO
  bool operator==(const Access&) const = default;
};

struct FlatMemory : DmaPort {
  explicit FlatMemory(PhysicalMemory& memory) : ram(memory) {}

  Time write(Time at, PhysAddr address, std::span<const std::uint8_t> data) override {
    std::copy(data.begin(), data.end(), ram.host(address));
    if (record) writes.push_back({at, address.value, data.size()});
    return at + write_latency;
  }
  Time read(Time at, PhysAddr address, std::span<std::uint8_t> data) override {
    std::copy_n(ram.host(address), data.size(), data.begin());
    if (record) reads.push_back({at, address.value, data.size()});
    return at + read_latency + nanoseconds(address.value / 64 % read_spread);
  }

  PhysicalMemory& ram;
  Time write_latency{};
  Time read_latency{};
  std::uint64_t read_spread = 1;  // 64-byte lines take 0 to read_spread - 1 ns longer, by address
  bool record = true;
  std::vector<Access> writes;
  std::vector<Access> reads;
};

struct Interrupts : InterruptSink {
  void interrupt(Time now, std::uint32_t vector) override { seen.push_back({now, vector, 0}); }
  std::vector<Access> seen;
};

struct Device : MmioTarget, DmaReader {
  void mmio_write(Time now, std::uint64_t offset, std::uint32_t, std::uint64_t value) override {
    mmio_writes.push_back({now, offset, value});
  }
  std::uint64_t mmio_read(Time now, std::uint64_t offset, std::uint32_t) override {
    mmio_reads.push_back({now, offset, 0});
    return 0x1234;
  }
  void on_read(Time now, std::uint64_t tag, std::span<const std::uint8_t> bytes, bool ok) override {
    completions.push_back({now, tag, ok});
    data.assign(bytes.begin(), bytes.end());
  }
  std::vector<Access> mmio_writes;
  std::vector<Access> mmio_reads;
  std::vector<Access> completions;  // address is the tag, length is `ok`
  std::vector<std::uint8_t> data;   // of the latest
};

struct PcieBench {
  explicit PcieBench(const PcieConfig& config)
      : memory(PhysAddr{guest::kRamBase}, mebibytes(16)),
        dma(memory),
        link("link", config, timeline, memory, dma, interrupts) {
    link.attach(device, guest::kNicBar, guest::kNicBarSize);
    link.register_statistics(statistics);
  }

  std::uint64_t statistic(std::string_view name) const {
    for (const Statistic& s : statistics.all())
      if (s.name == name) return *s.value;
    throw std::out_of_range(std::string(name));
  }

  Timeline timeline;
  PhysicalMemory memory;
  FlatMemory dma;
  Interrupts interrupts;
  Device device;
  PcieLink link;
  Statistics statistics;
};

inline std::vector<std::uint8_t> counting_bytes(std::size_t size) {
  std::vector<std::uint8_t> data(size);
  std::iota(data.begin(), data.end(), std::uint8_t{1});
  return data;
}

inline constexpr PhysAddr kRam{guest::kRamBase};

}  // namespace ringside::test
