// What every unit of the device shares: clock, host memory by DMA, parameters, counters and the observer.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "model/base/timeline.h"
#include "model/connectx/config.h"
#include "model/connectx/hw/registers.h"
#include "model/fabric/ports.h"
#include "model/probe/observer.h"

namespace ringside::connectx {

// Frames that have left by one port.
struct TransmitCounters {
  std::uint64_t packets = 0;
  std::uint64_t bytes = 0;  // padding and FCS included
};

// Plain integers behind the statistics; ConnectX::register_statistics says what each means.
struct Counters {
  std::uint64_t offered = 0;
  std::uint64_t completed = 0;
  std::uint64_t dropped = 0;
  std::uint64_t buffered = 0;
  std::uint64_t rx_packets_phy = 0;
  std::uint64_t rx_bytes_phy = 0;
  std::uint64_t rx_undersize_pkts_phy = 0;
  std::uint64_t rx_oversize_pkts_phy = 0;
  std::uint64_t rx_discards_phy = 0;
  std::uint64_t rx_steer_missed_packets = 0;
  std::uint64_t rx_out_of_buffer = 0;
  std::uint64_t rx_cq_error = 0;
  std::uint64_t rx_wqe_err = 0;
  std::uint64_t filler_completions = 0;
  std::uint64_t buffered_bytes_max = 0;
  std::uint64_t wqe_fetches = 0;
  std::uint64_t wqes_fetched = 0;
  std::uint64_t wqes_consumed = 0;
  std::uint64_t rq_record_reads = 0;
  std::uint64_t cq_record_reads = 0;
  std::uint64_t rq_errors = 0;
  std::array<TransmitCounters, kPorts> transmit;
  std::uint64_t sq_fetches = 0;
  std::uint64_t sq_blocks_fetched = 0;
  std::uint64_t send_wqes = 0;
  std::uint64_t send_nops = 0;
  std::uint64_t send_error_completions = 0;
  std::uint64_t umrs = 0;
  std::uint64_t sq_errors = 0;
  std::uint64_t cq_errors = 0;
  std::uint64_t eqes = 0;
  std::uint64_t interrupts = 0;
  std::uint64_t commands = 0;
  std::uint64_t commands_failed = 0;
  std::uint64_t mmio_ignored = 0;
};

struct Context {
  Context(std::string name_in, const ConnectxConfig& config_in, Timeline& timeline_in, DmaFabric& fabric_in)
      : name(std::move(name_in)), config(config_in), timeline(timeline_in), fabric(fabric_in) {}
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  // DMA, said to the observer.
  DmaFabric::Posted write(Time at, DmaUse use, PhysAddr address, std::span<const std::uint8_t> data,
                          std::optional<std::uint64_t> packet = std::nullopt) {
    if (details != nullptr) details->dma(use, packet);
    return fabric.write(at, address, data);
  }
  void read(Time at, DmaUse use, PhysAddr address, std::uint32_t length, DmaReader& reader, std::uint64_t tag) {
    if (details != nullptr) details->dma(use, std::nullopt);
    fabric.read(at, address, length, reader, tag);
  }

  const std::string name;
  const ConnectxConfig config;
  Timeline& timeline;
  DmaFabric& fabric;
  PacketObserver* observer = nullptr;
  DeviceObserver* details = nullptr;
  Counters counters;
};

// Who waits for room in a completion queue.
class SpaceClient {
 public:
  // Something that the client may have waited for has arrived.
  virtual void resume(Time now) = 0;

 protected:
  ~SpaceClient() = default;
};

// Who waits for a receive queue, too: the receive engine.
class QueueClient : public SpaceClient {
 public:
  // A read of the doorbell record that was issued at `issued` found nothing posted.
  virtual void out_of_buffer(Time now, const class ReceiveQueue& queue, Time issued) = 0;

 protected:
  ~QueueClient() = default;
};

}  // namespace ringside::connectx
