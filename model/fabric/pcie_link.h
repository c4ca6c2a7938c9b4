// A PCI Express link with the root complex at its end.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <systemc>
#include <vector>

#include "model/base/timeline.h"
#include "model/fabric/credit_pool.h"
#include "model/fabric/link_direction.h"
#include "model/fabric/pcie_config.h"
#include "model/fabric/ports.h"
#include "model/fabric/posted_queue.h"
#include "model/fabric/ring_buffer.h"
#include "model/fabric/slot_pool.h"
#include "model/memory/physical_memory.h"
#include "model/memory/ports.h"
#include "model/probe/observer.h"
#include "model/probe/statistics.h"

namespace ringside {

// Times come from recurrences: a TLP starts when it is offered, the link is free and credits are there. Events only
// mark what others can see: a posted write becoming visible; a read request reaching memory, its data being there, and
// its last completion reaching the device; an MMIO write leaving the core and reaching the device.
//
// Order, as PCIe has it: writes become visible in the order of the calls; a read request waits at the root complex for
// earlier writes; completions and MMIO reads push what was posted before them; a write may pass a read that lacks a tag
// or credits. The link keeps order and every TLP takes the same latency after it, which is all that this needs.
// Requests never cross a 4 KiB boundary. Completions end on the read completion boundary.
//
// A memory system that falls behind holds back the posted credits of the writes it is late with, and so slows down the
// writes that follow; the time at which a write becomes visible is fixed when it is posted.
class PcieLink : public sc_core::sc_module, public DmaFabric, public MmioFabric, private EventTarget {
 public:
  // Throws InputError if `config` contradicts itself. The references must outlive the link.
  PcieLink(const sc_core::sc_module_name& name, const PcieConfig& config, Timeline& timeline, PhysicalMemory& memory,
           DmaPort& dma, InterruptSink& interrupts);

  // The device's BAR. An MMIO access outside is an unsupported request: a write is dropped, a read gives all ones.
  void attach(MmioTarget& target, std::uint64_t bar_base, std::uint64_t bar_size);

  // Hears of MMIO when it reaches the device.
  void set_observer(PacketObserver* observer) { observer_ = observer; }
  void set_transfer_observer(FabricObserver* observer) { transfers_ = observer; }

  void register_statistics(Statistics& statistics) const;

  // DmaFabric. Lengths are at least 1. A write outside RAM is an unsupported request: dropped and counted.
  Posted write(Time at, PhysAddr address, std::span<const std::uint8_t> data) override;
  void read(Time at, PhysAddr address, std::uint32_t length, DmaReader& reader, std::uint64_t tag) override;

  // MmioFabric, for one core. A store leaves the core a spacing after the one before it; without credits it waits at
  // the root port. A read runs the timeline up to the time at which it reaches the device.
  Time mmio_write(Time at, std::uint64_t address, std::uint32_t size, std::uint64_t value) override;
  ReadResult mmio_read(Time at, std::uint64_t address, std::uint32_t size) override;

 private:
  enum class Step : std::uint64_t { commit, send_store, deliver_store, serve, return_data, complete, wake };

  struct Read {  // what the device asked for
    DmaReader* reader;
    std::uint64_t tag;
    std::uint32_t length;
    std::uint32_t requests_left;
    bool ok;
    std::vector<std::uint8_t> data;
  };
  struct Request {  // one memory read TLP of it
    std::uint32_t read;
    std::uint32_t offset;
    std::uint32_t length;
    std::uint32_t completions;
    PhysAddr address;
    Time at;
  };
  struct Store {  // of a core to the device
    std::uint64_t address;
    std::uint64_t value;
    std::uint32_t size;
  };

  void fire(Time now, std::uint64_t argument) override;
  void schedule(Time at, Step step, std::uint32_t slot = 0) {
    timeline_.schedule(at, *this, static_cast<std::uint64_t>(slot) << 3 | static_cast<std::uint64_t>(step));
  }

  void commit(Time now);
  void send_store(Time now);
  void deliver_store(Time now);
  void start_requests(Time now);
  bool completions_fit(const Request& request) const;
  void send_request(Time from, std::uint32_t slot);
  void serve(Time now, std::uint32_t slot);
  void return_data(Time now, std::uint32_t slot);
  void complete(Time now, std::uint32_t slot);

  // For the observer, what takes no posted credits.
  void publish(Time now, Transfer seen) {
    if (transfers_ == nullptr) return;
    seen.returned = seen.arrival;
    transfers_->transfer(now, seen);
  }
  std::uint32_t completion_length(PhysAddr at, std::uint32_t left) const;
  bool in_bar(std::uint64_t address, std::uint32_t size) const {
    return address >= bar_base_ && size <= bar_size_ && address - bar_base_ <= bar_size_ - size;
  }

  const PcieConfig config_;
  Timeline& timeline_;
  PhysicalMemory& memory_;
  DmaPort& dma_;
  InterruptSink& interrupts_;
  MmioTarget* target_ = nullptr;
  std::uint64_t bar_base_ = 0;
  std::uint64_t bar_size_ = 0;
  PacketObserver* observer_ = nullptr;
  FabricObserver* transfers_ = nullptr;

  const std::uint32_t request_overhead_;
  const std::uint32_t completion_overhead_;
  LinkDirection up_;
  LinkDirection down_;
  CreditPool posted_;
  CreditPool nonposted_;
  CreditPool device_posted_;

  PostedQueue posted_writes_;
  RingBuffer<Store> stores_;  // in the core's store buffer
  RingBuffer<Store> stores_on_link_;
  Time uncached_free_{};

  SlotPool<Read> reads_;
  SlotPool<Request> requests_;
  RingBuffer<std::uint32_t> waiting_;  // requests without a tag, completion space or credit, in order
  std::uint64_t tags_used_ = 0;
  std::uint64_t completion_headers_used_ = 0;
  std::uint64_t completion_data_used_ = 0;
  bool wake_pending_ = false;

  std::uint64_t dma_writes_ = 0;
  std::uint64_t dma_write_bytes_ = 0;
  std::uint64_t dma_reads_ = 0;
  std::uint64_t dma_read_bytes_ = 0;
  std::uint64_t interrupt_messages_ = 0;
  std::uint64_t mmio_writes_ = 0;
  std::uint64_t mmio_reads_ = 0;
  std::uint64_t posted_stall_ps_ = 0;
  std::uint64_t read_stall_ps_ = 0;
  std::uint64_t mmio_stall_ps_ = 0;
  std::uint64_t unsupported_requests_ = 0;
};

}  // namespace ringside
