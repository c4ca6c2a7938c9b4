// Parameters of the ConnectX model.
#pragma once

#include <cstdint>

#include "model/base/parameter.h"
#include "model/base/units.h"

namespace ringside {

// Hardware parameters of one adapter. Values come from traces/hardware/nic/*.toml.
struct ConnectxConfig {
  Bytes packet_buffer;
  PacketRate rx_packet_rate;
  std::uint64_t wqe_fetch = 0;
  std::uint64_t wqe_cache = 0;
  std::uint64_t wqe_reads = 0;
  std::uint64_t record_low_water = 0;
  Time record_poll_interval;
  std::uint64_t cq_low_water = 0;
  Time command_latency;

  void visit(ParameterVisitor& v);

  // Time that the receive engine spends on one packet, rounded up to a picosecond.
  Time packet_interval() const {
    return picoseconds((1'000'000'000'000 + rx_packet_rate.value - 1) / rx_packet_rate.value);
  }
};

}  // namespace ringside
