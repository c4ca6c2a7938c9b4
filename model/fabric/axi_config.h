// What the AXI port of a device on a chip is made of.
#pragma once

#include <cstdint>

#include "model/base/parameter.h"
#include "model/base/units.h"

namespace ringside {

// Values come from traces/hardware/axi/*.toml.
struct AxiConfig {
  Bytes bus_width{};
  Frequency clock{};
  std::uint64_t max_burst = 0;  // beats
  std::uint64_t reads = 0;      // bursts outstanding
  std::uint64_t writes = 0;

  Time request_latency{};   // from the port to memory: read addresses, and the last beat of a write
  Time response_latency{};  // from memory to the port
  Time mmio_latency{};      // between core and registers, each way
  Time store_spacing{};     // between two stores of a core to device memory

  void visit(ParameterVisitor& visitor);

  // Throws InputError when a parameter makes no sense.
  void check() const;

  // Of each of the two data channels.
  Bandwidth bandwidth() const { return {bus_width.value * 8 * clock.value * 1000}; }
};

}  // namespace ringside
