// What a device on an AXI bus sees of its port.
#pragma once

#include <cstdint>

#include "model/base/units.h"
#include "model/fabric/ports.h"

namespace ringside {

// What the device's bus registers allow; the port's own limits hold besides.
struct AxiLimits {
  std::uint64_t beats = 256;  // in a burst
  std::uint64_t reads = 64;   // bursts outstanding
  std::uint64_t writes = 64;
};

// A DMA fabric whose bursts the device shapes and whose writes are answered.
class AxiMaster : public DmaFabric {
 public:
  virtual void set_limits(const AxiLimits& limits) = 0;

  // When the response to a write is back at the device.
  virtual Time response(const Posted& write) const = 0;

  // Bytes in a beat.
  virtual std::uint32_t bus_width() const = 0;
};

}  // namespace ringside
