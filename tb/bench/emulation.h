// The guest of a scenario on Unicorn alone: the yardstick for what timing costs.
#pragma once

#include <cstdint>

#include "tb/scenario/scenario.h"

namespace ringside::bench {

struct Emulated {
  std::uint64_t packets = 0;       // completed by the device
  std::uint64_t instructions = 0;  // only when they were counted
  double guest_seconds = 0;        // processor time inside uc_emu_start, without that in the device's callbacks
};

enum class Emulation {
  plain,    // RAM is mapped as it comes, with all rights, and there is no hook but the two MMIO windows
  mapped,   // RAM is mapped as the simulation does it (model/core/engine_memory.h)
  counted,  // plain, and every instruction is counted by a hook, which is slow
};

// Boots scenario.image with Unicorn, on a device whose DMA takes effect at once. Whenever the guest goes idle it is given
// a ring full of frames, until `packets` have been completed. The execution depends on nothing but the scenario.
Emulated emulate(const Scenario& scenario, std::uint64_t packets, Emulation how);

// Processor time of this process.
double cpu_seconds();

}  // namespace ringside::bench
