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
  std::uint64_t sq_fetch = 0;
  std::uint64_t sq_reads = 0;
  Time umr_latency;
  std::uint64_t tx_reads = 0;
  Bytes tx_buffer;
  PacketRate tx_packet_rate;
  Time tx_latency;
  Bandwidth port_rate;

  void visit(ParameterVisitor& v);

  // Time from packet to packet at a rate, rounded up to a picosecond.
  static Time interval(PacketRate rate) { return picoseconds((1'000'000'000'000 + rate.value - 1) / rate.value); }

  // Time that the receive engine spends on one packet.
  Time packet_interval() const { return interval(rx_packet_rate); }
};

}  // namespace ringside
