// Listens to everything that models publish, and keeps it in an event log.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "model/probe/observer.h"
#include "tb/log/log_writer.h"

namespace ringside {

class EventRecorder final : public PacketObserver, public WireObserver, public DeviceObserver, public FabricObserver {
 public:
  // `next` hears of packets as well.
  EventRecorder(const std::filesystem::path& file, const LogHead& head, PacketObserver& next) : writer_(file, head), next_(next) {}

  // From the board. The driver has read the completion of a packet; `delivered` is false for one that was dropped.
  void read(Time now, std::uint64_t sequence, bool delivered) { writer_.read(now, sequence, delivered); }
  // So many packets more have ended as the guest's counter says.
  void ended(Time now, std::string_view counter, std::uint64_t packets);
  void sleeps(Time now) { writer_.put(RecordKind::sleeps, now, {}); }

  LogWriter& writer() { return writer_; }

  // PacketObserver
  void dropped(Time now, std::uint64_t sequence, std::string_view cause) override;
  void stored(Time now, std::uint64_t sequence, Time from, Time visible) override { next_.stored(now, sequence, from, visible); }
  void completed(Time now, std::uint64_t sequence, Time visible, PhysAddr slot, bool error) override;
  void interrupt(Time now, std::uint32_t vector) override;
  void mmio(Time now, std::uint64_t address, std::uint64_t value, bool write) override;

  // WireObserver
  void received(Time now, Time begin, std::uint64_t sequence, std::uint32_t size, std::span<const std::uint8_t> bytes) override;

  // DeviceObserver
  void buffered(Time now, std::uint64_t sequence, std::uint32_t bytes, std::uint32_t lane) override;
  void freed(Time now, std::uint64_t sequence, std::uint32_t bytes, Time at) override;
  void waits(Time now, std::uint64_t sequence, Resource resource) override;
  void moves(Time now, std::uint64_t sequence) override;
  void occupied(Time now, std::uint32_t lane, Time until, Resource resource) override;
  void dma(DmaUse use, std::optional<std::uint64_t> sequence) override;
  void ring(Time now, RingKind kind, std::uint32_t number, std::uint64_t level, std::uint64_t size) override;
  void transmits(Time now, Time begin, Time end, std::uint32_t size) override;

  // FabricObserver
  void read_named(std::uint32_t read) override;
  void transfer(Time now, const Transfer& transfer) override;
  void postponed(Time now, std::uint64_t age, Time returned) override;

 private:
  struct Purpose {
    DmaUse use = DmaUse::command;
    std::optional<std::uint64_t> sequence;
  };

  LogWriter writer_;
  PacketObserver& next_;
  Purpose coming_;              // of the next call of the fabric
  std::vector<Purpose> reads_;  // by name
};

}  // namespace ringside
