// The network device of a board with the fabric that it hangs on, as the board needs them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "model/base/timeline.h"
#include "model/fabric/ports.h"
#include "model/memory/memory_system.h"
#include "model/memory/physical_memory.h"
#include "model/probe/observer.h"
#include "model/probe/statistics.h"
#include "model/wire/frame.h"
#include "model/wire/link_partner.h"
#include "tb/scenario/scenario.h"

namespace ringside {

class Device {
 public:
  // Memory that a guest reads to learn of packets: a ring of entries.
  struct Range {
    std::uint64_t begin, end;
    std::uint64_t entry;  // bytes of one
  };
  // A resource, and for how long it was busy so far.
  struct Busy {
    std::string_view resource;  // "pcie upstream"
    std::uint64_t time_ps;
  };

  virtual ~Device() = default;

  virtual FrameSink& port() = 0;
  virtual MmioFabric& mmio() = 0;

  // Who hears of packets and of register accesses.
  virtual void set_observer(PacketObserver& observer) = 0;
  // And of everything else, before the guest starts.
  virtual void set_detail_observers(DeviceObserver& device, FabricObserver& fabric) = 0;
  // Who hears of transmitted frames, and of PAUSE.
  virtual void set_link(FrameSink* transmitted, LinkPartner* partner) = 0;

  // Completion entries, once the guest has set them up.
  virtual std::vector<Range> completions() const = 0;

  virtual std::uint64_t packets_inside() const = 0;
  virtual void check_conservation(Time now) const = 0;
  virtual std::string waiting_for() const = 0;

  virtual const Statistics& device_statistics() const = 0;
  virtual std::string_view fabric_name() const = 0;  // "pcie"
  virtual const Statistics& fabric_statistics() const = 0;

  virtual std::vector<Busy> busy() const = 0;
};

// The value of a statistic; 0 if there is none of the name.
std::uint64_t value_of(const Statistics& statistics, std::string_view name);

// The device that scenario.driver.name drives, at guest::kNicBar. The references must outlive it.
std::unique_ptr<Device> make_device(const Scenario& scenario, Timeline& timeline, PhysicalMemory& memory,
                                    MemorySystem& caches, InterruptSink& interrupts);

}  // namespace ringside
