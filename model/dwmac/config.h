// What a Synopsys Ethernet core is made of.
#pragma once

#include <cstdint>
#include <string>

#include "model/base/parameter.h"
#include "model/base/units.h"

namespace ringside {

// Values come from traces/hardware/dwmac/*.toml.
struct DwmacConfig {
  std::string core;             // "xgmac" or "eqos"
  std::uint64_t version = 0;    // version byte: 0x32 is 3.20
  std::uint64_t rx_channels = 0;  // DMA channels and MTL queues
  std::uint64_t tx_channels = 0;
  Bytes rx_fifo{};  // all queues together
  Bytes tx_fifo{};
  std::uint64_t descriptor_cache = 0;    // entries of each channel and direction
  std::uint64_t prefetch_threshold = 0;  // entries
  Frequency csr_clock{};
  Time rx_latency{};       // from the last bit on the wire to the first data on the bus
  Time rx_descriptor{};    // time of the receive DMA for a descriptor, beyond the transfers
  Time tx_latency{};       // from the last byte in the FIFO to the wire
  std::uint64_t tx_frames = 0;  // frames of a channel between descriptor and status
  bool riwt_reload = false;     // each frame that loads the watchdog starts it anew
  std::string zero_buffer;      // XGMAC, buffer address 0: "skip" or "write"
  std::string partial_length;   // length field of a descriptor that is not the last: "so-far" or "zero"
  Bandwidth port_rate{};

  void visit(ParameterVisitor& visitor);

  bool is_xgmac() const { return core == "xgmac"; }
};

}  // namespace ringside
