// RAM as the emulator sees it. Debian's Unicorn (2.0.1) asks at every store to writable memory whether code was translated
// from there, by way of a tree that it allocates and frees: five times the cost of the store itself. It drops a store to
// memory that is read-only instead, after it has told a hook the value. So all RAM but the code is read-only to the
// emulator, and the hook stores.
#pragma once

#include "model/core/image.h"
#include "model/memory/physical_memory.h"

struct uc_struct;

namespace ringside {

// Maps `memory` into the emulator for every kind of access by the guest of `image`, whose pages of code are mapped as they
// are. Other hooks see stores as ever. `memory` must outlive the emulator. Throws std::runtime_error.
void map_engine_memory(uc_struct* engine, const Image& image, PhysicalMemory& memory);

}  // namespace ringside
