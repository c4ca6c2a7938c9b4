// What surrounds an AXI port in the tests.
#pragma once

#include <string_view>

#include "model/fabric/axi_port.h"
#include "tb/tests/contract/pcie_bench.h"

namespace ringside::test {

// 8 bytes a nanosecond, no latency, no limit but the channels themselves.
inline AxiConfig nanosecond_axi() {
  AxiConfig c;
  c.bus_width = bytes(8);
  c.clock = megahertz(1000);
  c.max_burst = 256;
  c.reads = 1024;
  c.writes = 1024;
  return c;
}

struct AxiBench {
  explicit AxiBench(const AxiConfig& config)
      : memory(PhysAddr{guest::kRamBase}, mebibytes(16)), dma(memory), port(sc_core::sc_gen_unique_name("port"), config, timeline, memory, dma) {
    port.attach(device, guest::kNicBar, guest::kNicBarSize);
    // The device does not limit it.
    port.set_limits({.beats = 256, .reads = 1024, .writes = 1024});
    port.register_statistics(statistics);
  }

  std::uint64_t statistic(std::string_view name) const {
    for (const Statistic& s : statistics.all())
      if (s.name == name) return *s.value;
    throw std::out_of_range(std::string(name));
  }

  Timeline timeline;
  PhysicalMemory memory;
  FlatMemory dma;
  Device device;
  AxiPort port;
  Statistics statistics;
};

}  // namespace ringside::test
