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

// Boots scenario.image with Unicorn, without any hook but the two MMIO windows, on a device whose DMA takes effect at
// once. Whenever the guest goes idle it is given a ring full of frames, until `packets` have been completed. The
// execution depends on nothing but the scenario; with `count` every instruction is counted by a hook, which is slow.
Emulated emulate(const Scenario& scenario, std::uint64_t packets, bool count);

// Processor time of this process.
double cpu_seconds();

}  // namespace ringside::bench
