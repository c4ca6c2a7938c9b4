// An I/O fabric without time: what a device does to memory takes effect at once.
#pragma once

#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "model/base/timeline.h"
#include "model/fabric/axi_master.h"
#include "model/fabric/ports.h"
#include "model/guest/contract.h"
#include "model/memory/physical_memory.h"

namespace ringside::bench {

// Writes are in memory at the call. Reads are answered by an event at the time of the request, because devices do not
// expect their reader to be called from within the request. Interrupts, by message or by wire, are kept until they are taken.
class FunctionalFabric final : public AxiMaster, public InterruptSink, public EventTarget {
 public:
  FunctionalFabric(Timeline& timeline, PhysicalMemory& memory) : timeline_(timeline), memory_(memory) {}

  Posted write(Time at, PhysAddr address, std::span<const std::uint8_t> data) override {
    if (address.value == guest::kMsiAddress) {
      pending_ |= std::uint64_t{1} << (data[0] & 63);
    } else if (memory_.contains(address, data.size())) {
      std::memcpy(memory_.host(address), data.data(), data.size());
    }
    return {at, at};
  }

  void read(Time at, PhysAddr address, std::uint32_t length, DmaReader& reader, std::uint64_t tag) override {
    if (free_.empty()) {
      free_.push_back(reads_.size());
      reads_.emplace_back();
    }
    const std::size_t slot = free_.back();
    free_.pop_back();
    reads_[slot] = {address, length, &reader, tag};
    timeline_.schedule(at, *this, slot);
  }

  void set_limits(const AxiLimits&) override {}
  Time response(const Posted& write) const override { return write.visible; }
  std::uint32_t bus_width() const override { return kBusWidth; }

  void interrupt(Time, std::uint32_t vector) override { pending_ |= std::uint64_t{1} << (vector & 63); }

  void fire(Time now, std::uint64_t slot) override {
    const Read read = reads_[slot];
    free_.push_back(slot);
    const bool ok = memory_.contains(read.address, read.length);
    const std::span<const std::uint8_t> data(ok ? memory_.host(read.address) : nullptr, ok ? read.length : 0);
    read.reader->on_read(now, read.tag, data, ok);
  }

  std::uint64_t pending() const { return pending_; }
  std::uint64_t take_pending() { return std::exchange(pending_, 0); }

 private:
  static constexpr std::uint32_t kBusWidth = 16;  // bytes in a beat, as hardware/axi/axi.toml has it

  struct Read {
    PhysAddr address;
    std::uint32_t length = 0;
    DmaReader* reader = nullptr;
    std::uint64_t tag = 0;
  };

  Timeline& timeline_;
  PhysicalMemory& memory_;
  std::vector<Read> reads_;  // by slot
  std::vector<std::size_t> free_;
  std::uint64_t pending_ = 0;
};

}  // namespace ringside::bench
