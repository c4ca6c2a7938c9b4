// Events that models publish. Captures, timelines, checkers and latency records subscribe; models never know who listens.
#pragma once

#include <cstdint>
#include <string_view>

#include "model/base/units.h"

namespace ringside {

// Life of a packet inside the device. A default-constructed observer listens to nothing.
class PacketObserver {
 public:
  virtual ~PacketObserver() = default;
  virtual void offered(Time, std::uint64_t /*sequence*/, std::uint32_t /*bytes, with FCS*/) {}
  virtual void dropped(Time, std::uint64_t /*sequence*/, std::string_view /*cause, Linux name*/) {}
  // The completion for the packet was posted; it becomes visible to the host at `visible`. `slot` is the address of the
  // completion entry.
  virtual void completed(Time, std::uint64_t /*sequence*/, Time /*visible*/, PhysAddr /*slot*/, bool /*error*/) {}
  virtual void interrupt(Time, std::uint32_t /*vector*/) {}
  virtual void mmio(Time, std::uint64_t /*address*/, std::uint64_t /*value*/, bool /*write*/) {}
};

}  // namespace ringside
