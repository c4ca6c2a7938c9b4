// Cores with their memory and without devices, for images that use board registers only.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "model/core/image.h"
#include "model/memory/physical_memory.h"
#include "tb/report/run_result.h"
#include "tb/scenario/scenario.h"

namespace ringside {

// A byte that the image wrote to the board's console, and how many cycles the core had retired by then.
struct ConsoleMark {
  char byte;
  std::uint64_t cycles;
};

struct BareRun {
  std::uint64_t cycles = 0;  // of the whole run, on the core that boots
  std::vector<ConsoleMark> marks;
  std::vector<StackCost> stacks;
  std::string failure;  // empty: the image left through the board's exit
};

// Runs `file` on the cores and memory of `scenario`, of which nothing else matters. `prepare` writes what the image finds at
// guest::kRamBase, its boot argument; `finish` may read what it left. A process can do this once, as SystemC demands.
// An image that is not done by the simulated time `patience` has failed.
BareRun run_bare_core(const Scenario& scenario, const std::filesystem::path& file, Time patience,
                      const std::function<void(PhysicalMemory&, const Image&)>& prepare,
                      const std::function<void(PhysicalMemory&)>& finish = {});

// Top of the boot stack of such an image.
std::uint64_t bare_stack_top();

}  // namespace ringside
