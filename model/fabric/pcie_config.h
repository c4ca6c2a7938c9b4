// What a PCI Express link is made of.
#pragma once

#include <cstdint>

#include "model/base/parameter.h"
#include "model/base/units.h"

namespace ringside {

// Values come from traces/hardware/pcie/*.toml.
struct PcieConfig {
  std::uint64_t generation = 0;
  std::uint64_t lanes = 0;
  Bytes mps{};   // max payload size
  Bytes mrrs{};  // max read request size
  Bytes rcb{};   // read completion boundary

  Bytes framing{};         // start token, sequence number and LCRC of a TLP
  Bytes request_header{};  // of memory reads and writes
  Bytes completion_header{};
  Bytes dllp_size{};             // of an ACK or flow-control packet, framing included
  std::uint64_t efficiency = 0;  // parts per thousand of the raw rate left to TLPs; 0: derived from the DLLP rate

  // Credits of 1 TLP (headers) and 16 bytes (data); 0: unlimited.
  std::uint64_t posted_headers = 0;  // advertised by the root port: DMA writes
  std::uint64_t posted_data = 0;
  std::uint64_t nonposted_headers = 0;   // DMA read requests
  std::uint64_t completion_headers = 0;  // the device's buffer for completions, reserved by each read request
  std::uint64_t completion_data = 0;
  std::uint64_t device_posted_headers = 0;  // advertised by the device: MMIO writes
  std::uint64_t device_posted_data = 0;
  std::uint64_t tags = 0;  // read requests in flight

  Time upstream_latency{};    // last byte sent by the device to the root port's transaction layer
  Time downstream_latency{};  // the other way
  Time root_latency{};        // between root port and the coherent fabric, each way of MMIO and for DMA requests
  Time device_latency{};      // an MMIO read inside the device
  Time credit_latency{};      // from the receiver's buffer being free to the transmitter knowing
  Time uncached_spacing{};    // between two uncached stores of a core

  void visit(ParameterVisitor& visitor);

  // Throws InputError when parameters contradict each other.
  void check() const;

  // Rate after line coding (8b/10b up to generation 2, 128b/130b after).
  Bandwidth raw_bandwidth() const;

  // Bytes of traffic per ACK, and per flow-control update. Limits of the PCIe base specification, tables 3-7 ff.:
  // (payload + 28) * AckFactor / lanes + internal delay, which the specification gives in symbol times.
  std::uint64_t dllp_interval() const;

  // What ACKs, flow-control updates and SKIP ordered sets leave to TLPs, headers included.
  Bandwidth tlp_bandwidth() const;
};

}  // namespace ringside
