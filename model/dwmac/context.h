// What every unit of the device shares: clock, host memory by DMA, parameters, counters and the observer.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "model/base/timeline.h"
#include "model/dwmac/config.h"
#include "model/fabric/axi_master.h"
#include "model/probe/observer.h"

namespace ringside::dwmac {

// Plain integers behind the statistics; Dwmac::register_statistics says what each means.
struct Counters {
  std::uint64_t offered = 0;
  std::uint64_t completed = 0;
  std::uint64_t dropped = 0;
  std::uint64_t buffered = 0;  // frames in the receive FIFO, the one under way to memory included
  std::uint64_t rx_framecount_gb = 0;
  std::uint64_t rx_octetcount_gb = 0;
  std::uint64_t rx_unicast_g = 0;
  std::uint64_t rx_multicast_g = 0;
  std::uint64_t rx_broadcast_g = 0;
  std::uint64_t rx_undersize_g = 0;
  std::uint64_t rx_oversize_g = 0;
  std::uint64_t rx_watchdog_error = 0;
  std::uint64_t rx_pause_frames = 0;
  std::uint64_t rx_fifo_overflow = 0;
  std::uint64_t rx_ipv4_hderr = 0;
  std::uint64_t rx_udp_err = 0;
  std::uint64_t rx_tcp_err = 0;
  std::uint64_t rx_icmp_err = 0;
  std::uint64_t tx_framecount_gb = 0;
  std::uint64_t tx_octetcount_gb = 0;
  std::uint64_t tx_pause_frames = 0;
  std::uint64_t filtered = 0;
  std::uint64_t disabled = 0;
  std::uint64_t flushed = 0;
  std::uint64_t error_frames = 0;
  std::uint64_t fifo_peak = 0;
  std::uint64_t rx_descriptors = 0;
  std::uint64_t rx_contexts = 0;
  std::uint64_t descriptor_fetches = 0;
  std::uint64_t descriptors_fetched = 0;
  std::uint64_t descriptors_discarded = 0;
  std::uint64_t tail_writes = 0;
  std::uint64_t rbu_events = 0;
  std::uint64_t tbu_events = 0;
  std::uint64_t riwt_expired = 0;
  std::uint64_t bus_errors = 0;
  std::uint64_t tx_descriptors = 0;
  std::uint64_t interrupts = 0;
  std::uint64_t mmio_ignored = 0;
};

struct Context {
  Context(std::string name_in, const DwmacConfig& config_in, Timeline& timeline_in, AxiMaster& fabric_in)
      : name(std::move(name_in)), config(config_in), timeline(timeline_in), fabric(fabric_in) {}
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  // A frame is lost; `cause` is the name of the counter that ethtool shows.
  void drop(Time now, std::uint64_t sequence, std::string_view cause) {
    ++counters.dropped;
    if (observer != nullptr) observer->dropped(now, sequence, cause);
  }

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
  const DwmacConfig config;
  Timeline& timeline;
  AxiMaster& fabric;
  PacketObserver* observer = nullptr;
  DeviceObserver* details = nullptr;
  Counters counters;
};

}  // namespace ringside::dwmac
