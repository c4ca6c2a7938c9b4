// The port of a device to the interconnect of its chip: AXI for DMA, and the path from a core to its registers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <systemc>
#include <vector>

#include "model/base/timeline.h"
#include "model/fabric/axi_config.h"
#include "model/fabric/axi_master.h"
#include "model/fabric/link_direction.h"
#include "model/fabric/posted_queue.h"
#include "model/fabric/ring_buffer.h"
#include "model/fabric/slot_pool.h"
#include "model/memory/physical_memory.h"
#include "model/memory/ports.h"
#include "model/probe/observer.h"
#include "model/probe/statistics.h"

namespace ringside {

// Bursts that have not been answered, as a time recurrence: they are answered in the order in which they were sent.
class OutstandingBursts {
 public:
  // Earliest time from `from` on at which fewer than `limit` are outstanding.
  Time room(Time from, std::uint64_t limit) {
    while (!answers_.empty() && (answers_.size() >= limit || answers_.front() <= from)) {
      answered_ = std::max(answered_, answers_.front());
      answers_.pop();
    }
    return std::max(from, answered_);
  }

  // One more, answered at `at`. Returns its name for postpone().
  std::uint64_t add(Time at) { return answers_.push(at); }

  // The answers to `count` bursts from `first` on do not come before `at`.
  void postpone(std::uint64_t first, std::uint64_t count, Time at) {
    for (std::uint64_t i = std::max(first, answers_.first_index()); i < first + count && i < answers_.end_index(); ++i)
      answers_.at(i) = std::max(answers_.at(i), at);
  }

 private:
  Time answered_{};
  RingBuffer<Time> answers_;
};

// Write and read channel take a beat each cycle, independently. All transfers have one ID: writes become visible and
// read data comes back in the order of the calls, and a read waits at the port for the writes before it. Bursts end on 4
// KiB boundaries and after as many beats as port and device allow. The data of a write burst is sent when a burst fewer
// than the limit is outstanding; the same holds for the address of a read.
//
// A write takes one event, a read two for each burst. The time at which a write becomes visible is fixed when it is
// posted; memory that falls behind delays the answer, and so the bursts that follow.
class AxiPort : public sc_core::sc_module, public AxiMaster, public MmioFabric, private EventTarget {
 public:
  // Throws InputError if `config` makes no sense. The references must outlive the port.
  AxiPort(const sc_core::sc_module_name& name, const AxiConfig& config, Timeline& timeline, PhysicalMemory& memory,
          DmaPort& dma);

  // The device's registers. An access outside is a decode error: a write is dropped, a read gives all ones.
  void attach(MmioTarget& target, std::uint64_t base, std::uint64_t size);

  // Hears of MMIO when it reaches the device.
  void set_observer(PacketObserver* observer) { observer_ = observer; }
  void set_transfer_observer(FabricObserver* observer) { transfers_ = observer; }

  void register_statistics(Statistics& statistics) const;

  // AxiMaster. Lengths are at least 1. A write outside RAM is a decode error: dropped and counted.
  Posted write(Time at, PhysAddr address, std::span<const std::uint8_t> data) override;
  void read(Time at, PhysAddr address, std::uint32_t length, DmaReader& reader, std::uint64_t tag) override;
  void set_limits(const AxiLimits& limits) override;
  Time response(const Posted& write) const override { return write.visible + config_.response_latency; }
  std::uint32_t bus_width() const override { return static_cast<std::uint32_t>(config_.bus_width.value); }

  // MmioFabric, for one core.
  Time mmio_write(Time at, std::uint64_t address, std::uint32_t size, std::uint64_t value) override;
  ReadResult mmio_read(Time at, std::uint64_t address, std::uint32_t size) override;

 private:
  enum class Step : std::uint64_t { commit, deliver_store, serve, complete };

  struct Read {  // what the device asked for
    DmaReader* reader;
    std::uint64_t tag;
    std::uint32_t length;
    std::uint32_t bursts_left;
    bool ok;
    std::vector<std::uint8_t> data;
  };
  struct Burst {  // of a read
    std::uint32_t read;
    std::uint32_t offset;
    std::uint32_t length;
    PhysAddr address;
    Time at;
  };
  struct Store {
    std::uint64_t address;
    std::uint64_t value;
    std::uint32_t size;
  };

  void fire(Time now, std::uint64_t argument) override;
  void schedule(Time at, Step step, std::uint32_t slot = 0) {
    timeline_.schedule(at, *this, static_cast<std::uint64_t>(slot) << 2 | static_cast<std::uint64_t>(step));
  }

  void commit(Time now);
  void deliver_store(Time now);
  void start_reads(Time now);
  void serve(Time now, std::uint32_t slot);
  void complete(Time now, std::uint32_t slot);

  std::uint32_t burst_length(PhysAddr at, std::uint32_t left) const;
  std::uint64_t on_bus(PhysAddr at, std::uint32_t length) const;
  bool attached(std::uint64_t address, std::uint32_t size) const {
    return address >= base_ && size <= size_ && address - base_ <= size_ - size;
  }

  const AxiConfig config_;
  Timeline& timeline_;
  PhysicalMemory& memory_;
  DmaPort& dma_;
  MmioTarget* target_ = nullptr;
  std::uint64_t base_ = 0;
  std::uint64_t size_ = 0;
  PacketObserver* observer_ = nullptr;
  FabricObserver* transfers_ = nullptr;

  AxiLimits limits_;
  LinkDirection write_channel_;
  LinkDirection read_channel_;
  OutstandingBursts write_bursts_;
  PostedQueue posted_;
  Time newest_visible_{};

  SlotPool<Read> reads_;
  SlotPool<Burst> bursts_;
  RingBuffer<std::uint32_t> waiting_;  // read bursts that may not start yet, in order
  std::uint64_t reads_outstanding_ = 0;

  RingBuffer<Store> stores_;
  Time store_free_{};

  std::uint64_t writes_ = 0;
  std::uint64_t write_bytes_ = 0;
  std::uint64_t dma_reads_ = 0;
  std::uint64_t read_bytes_ = 0;
  std::uint64_t write_stall_ps_ = 0;
  std::uint64_t read_stall_ps_ = 0;
  std::uint64_t mmio_writes_ = 0;
  std::uint64_t mmio_reads_ = 0;
  std::uint64_t decode_errors_ = 0;
};

}  // namespace ringside
