// What the board tells the guest before it boots.
#pragma once

#include <cstdint>

#include "model/core/image.h"
#include "model/memory/physical_memory.h"
#include "tb/scenario/scenario.h"

namespace ringside {

// Bytes at the end of RAM that the core does not cache.
std::uint64_t uncached_size(const Scenario& scenario);

// Puts the guest::board_info of a scenario at the start of RAM, and returns the top of the boot stack.
std::uint64_t write_board_info(const Scenario& scenario, const Image& image, PhysicalMemory& memory);

}  // namespace ringside
