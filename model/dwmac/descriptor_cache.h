// A descriptor ring as the DMA sees it: tail pointer, bursts of prefetched descriptors, suspension.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "model/dwmac/context.h"
#include "model/dwmac/hw/desc.h"
#include "model/fabric/ports.h"
#include "model/fabric/ring_buffer.h"

namespace ringside::dwmac {

// Descriptors are fetched in bursts: no more than a bus burst and the free entries hold, none at or past the tail, none
// past the ring's end. The next burst is fetched when the cache has drained to the threshold. In a burst the first
// descriptor that the driver owns, and all after it, are thrown away; they are fetched again when the cache is empty or the
// tail is written.
//
// The channel is suspended when the next descriptor it needs belongs to the driver, or when it arrives at the tail. A write
// of the tail resumes it: the distance from the current descriptor to the tail counts modulo the ring's length, and 0 is a
// whole ring, so that a driver which has caught up and writes tail = current gives away all entries. need() retries, too,
// unless the tail was reached.
class DescriptorCache final : public DmaReader {
 public:
  class Client {
   public:
    virtual void descriptors_arrived(Time now) = 0;
    // Suspended. Called once for each time that a descriptor of the device's has been used before.
    virtual void starved(Time now) = 0;
    virtual void bus_error(Time now) = 0;

   protected:
    ~Client() = default;
  };

  struct Entry {
    dma_desc desc;
    PhysAddr at;
  };

  // `kind` and `number` name the ring to the observer.
  DescriptorCache(Context& context, Client& client, RingKind kind, std::uint32_t number)
      : context_(context), client_(client), kind_(kind), number_(number) {}

  void set_base(PhysAddr base);  // current becomes the first descriptor
  void set_length(std::uint32_t entries) { length_ = entries; }
  void set_tail(Time now, PhysAddr tail);
  void set_burst(std::uint64_t entries) { burst_ = entries; }        // descriptors in a bus burst
  void set_capacity(std::uint64_t entries) { capacity_ = entries; }  // of the cache

  void start(Time now);
  void stop() { running_ = false; }
  bool running() const { return running_; }

  bool empty() const { return cache_.empty(); }
  Entry take(Time now);    // the next descriptor is in use; only if not empty
  void release(Time now);  // it is done with

  // The channel needs a descriptor and there is none. `retry`: something new has happened that needs it.
  void need(Time now, bool retry);

  PhysAddr current() const { return at(current_); }
  bool suspended() const { return suspended_; }
  std::string waiting_for() const;

  void on_read(Time now, std::uint64_t tag, std::span<const std::uint8_t> data, bool ok) override;

 private:
  PhysAddr at(std::uint64_t index) const { return {base_.value + index % length_ * sizeof(dma_desc)}; }
  void extend_limit();
  void publish_level(Time now) const;
  void fetch(Time now);
  void suspend(Time now);

  Context& context_;
  Client& client_;
  const RingKind kind_;
  const std::uint32_t number_;
  PhysAddr base_{};
  PhysAddr tail_{};
  std::uint32_t length_ = 1;
  std::uint64_t burst_ = 1;
  std::uint64_t capacity_ = 1;

  // Descriptors are counted from the ring's base on, over all laps.
  std::uint64_t current_ = 0;  // the next to be done with
  std::uint64_t fetched_ = 0;  // the next to be fetched
  std::uint64_t limit_ = 0;    // none from here on
  RingBuffer<Entry> cache_;
  bool running_ = false;
  bool suspended_ = false;
  bool in_use_ = false;
  bool in_flight_ = false;
  bool again_ = false;      // the tail was written while a burst was in flight
  bool blocked_ = false;    // the latest burst met a descriptor of the driver's
  bool used_ = true;        // a descriptor of the device's since it was suspended last
  std::uint64_t round_ = 0;  // voids bursts that were in flight at a reset
};

}  // namespace ringside::dwmac
