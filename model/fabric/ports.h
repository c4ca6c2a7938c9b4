// What a device sees of its I/O fabric, and what the fabric sees of a device.
#pragma once

#include <cstdint>
#include <span>

#include "model/base/units.h"

namespace ringside {

// Receives the completion of a DMA read.
class DmaReader {
 public:
  // `ok` is false when the address was not RAM (unsupported request); `data` is then empty.
  virtual void on_read(Time now, std::uint64_t tag, std::span<const std::uint8_t> data, bool ok) = 0;

 protected:
  ~DmaReader() = default;
};

// Device to host. Times passed in may not be before the timeline's now().
class DmaFabric {
 public:
  struct Posted {
    Time accepted;  // the link has taken the last byte: the device's buffer is free again
    Time visible;   // the bytes are in host memory, and caches have been snooped
  };

  // Posted write of any length, split into TLPs. The bytes are copied at the call and land at `visible`; writes become
  // visible in the order of the calls. A write of 4 bytes to guest::kMsiAddress is a message-signalled interrupt.
  virtual Posted write(Time at, PhysAddr address, std::span<const std::uint8_t> data) = 0;

  // Non-posted read. Memory is read when the request reaches it; the reader is called when the last completion arrives.
  // A read does not pass an earlier write.
  virtual void read(Time at, PhysAddr address, std::uint32_t length, DmaReader& reader, std::uint64_t tag) = 0;

 protected:
  ~DmaFabric() = default;
};

// Where the fabric delivers interrupts.
class InterruptSink {
 public:
  virtual void interrupt(Time now, std::uint32_t vector) = 0;

 protected:
  ~InterruptSink() = default;
};

// Host to device: a BAR. Called at the time at which the request reaches the device.
class MmioTarget {
 public:
  virtual void mmio_write(Time now, std::uint64_t offset, std::uint32_t size, std::uint64_t value) = 0;
  virtual std::uint64_t mmio_read(Time now, std::uint64_t offset, std::uint32_t size) = 0;

 protected:
  ~MmioTarget() = default;
};

// A core's way to MMIO.
class MmioFabric {
 public:
  // Posted: returns when the core's store buffer entry is free. The device sees the value later, in order.
  virtual Time mmio_write(Time at, std::uint64_t address, std::uint32_t size, std::uint64_t value) = 0;

  // Blocks the core: returns the value and when it is back. Pushes earlier writes ahead of it.
  struct ReadResult {
    std::uint64_t value;
    Time done;
  };
  virtual ReadResult mmio_read(Time at, std::uint64_t address, std::uint32_t size) = 0;

 protected:
  ~MmioFabric() = default;
};

}  // namespace ringside
