// The cores of a board: one that boots, and those that it starts and interrupts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "model/base/kernel_bridge.h"
#include "model/base/timeline.h"
#include "model/core/core.h"
#include "model/core/image.h"
#include "model/fabric/ports.h"
#include "model/memory/memory_system.h"
#include "model/memory/physical_memory.h"
#include "tb/scenario/scenario.h"

namespace ringside {

class Processors final : private EventTarget {
 public:
  // As many cores as cpu.cores says. All references must outlive them. `observer` hears what the boot core tells; of the
  // others it hears no idle() and no watched loads, but is asked whether to go on when one of them becomes idle.
  Processors(const Scenario& scenario, const Image& image, PhysicalMemory& memory, MemorySystem& caches, MmioFabric& mmio,
             Timeline& timeline, KernelBridge& bridge, CoreObserver& observer);
  ~Processors();

  std::size_t size() const { return cores_.size(); }
  Core& operator[](std::size_t cpu) { return *cores_[cpu]; }
  const Core& operator[](std::size_t cpu) const { return *cores_[cpu]; }
  Core& boot_core() { return *cores_.front(); }
  const Core& boot_core() const { return *cores_.front(); }

  // No core but that of the boot runs or is about to, nor is an interrupt from one core to another on its way.
  bool others_at_rest() const;

  // The latest local time of a core that is on, after those that sleep have been accounted for until then. A core that is
  // alone is left as it is.
  Time settle();
  Time local_time() const;

  // Of all.
  std::uint64_t instructions() const;        // in the window
  std::uint64_t total_instructions() const;  // of the run
  std::uint64_t interrupts_taken() const;
  std::uint64_t copied_bytes() const;
  void reset_counts();

  // What a core is called where there are several: "core0". Alone, it is "core".
  const std::string& name_of(std::size_t cpu) const { return names_[cpu]; }

  // What each core is at: "the guest spins in cpu_relax+0x2 (barrier.h:23)".
  std::string where() const;

  // Throws InvariantError if a core that the boot core has started has run for longer than `patience` without an interrupt,
  // and without a change of `progress`.
  void check_others(Time now, Time patience, std::uint64_t progress);

  // Ends all threads.
  void stop();

  // Throws what made the first core fail that did.
  void rethrow_failure() const;
  bool exited() const;

 private:
  class Seat;

  template <class Value>
  std::uint64_t sum(Value value) const {
    std::uint64_t all = 0;
    for (const auto& core : cores_) all += value(*core);
    return all;
  }

  void start(Time now, const Core& by, const guest::cpu_start& start);
  void send(Time now, const Core& by, std::uint64_t cpu, std::uint32_t vector);
  void fire(Time now, std::uint64_t argument) override;

  Timeline& timeline_;
  Time ipi_latency_;
  const Image& image_;
  std::vector<std::unique_ptr<Seat>> seats_;
  std::vector<std::unique_ptr<Core>> cores_;
  std::vector<std::string> names_;
  std::size_t interrupts_on_their_way_ = 0;

  struct Watched {
    std::uint64_t mark = 0;  // of progress
    Time since{};
  };
  std::vector<Watched> watched_;  // by CPU
};

}  // namespace ringside
