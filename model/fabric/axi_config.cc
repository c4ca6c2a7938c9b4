#include "model/fabric/axi_config.h"

#include <fmt/format.h>

#include <bit>

#include "model/base/errors.h"

namespace ringside {

void AxiConfig::visit(ParameterVisitor& v) {
  constexpr auto required = ParameterVisitor::Origin::required;
  v.size({"axi.bus_width", "B", "", "Bytes in a beat"}, required, bus_width, bytes(4), bytes(128));
  v.frequency({"axi.clock", "MHz", "", "Clock of the bus"}, required, clock, megahertz(10), megahertz(4000));
  v.number({"axi.max_burst", "beats", "", "Longest burst of the interconnect"}, required, max_burst, 1, 256);
  v.number({"axi.reads", "bursts", "", "Read bursts outstanding"}, required, reads, 1, 1024);
  v.number({"axi.writes", "bursts", "", "Write bursts outstanding"}, required, writes, 1, 1024);
  v.time({"axi.request_latency", "ns", "", "Port to memory, beyond the transfer itself"}, required, request_latency,
         Time{}, microseconds(100));
  v.time({"axi.response_latency", "ns", "", "Memory to port, beyond the transfer itself"}, required, response_latency,
         Time{}, microseconds(100));
  v.time({"axi.mmio_latency", "ns", "", "Between a core and the device's registers, each way"}, required, mmio_latency,
         Time{}, microseconds(100));
  v.time({"axi.store_spacing", "ns", "", "Between two stores of a core to device memory"}, required, store_spacing,
         Time{}, microseconds(100));
}

void AxiConfig::check() const {
  if (!std::has_single_bit(bus_width.value))
    throw InputError(fmt::format("axi.bus_width = {}: a power of two is allowed", bus_width.value));
}

}  // namespace ringside
