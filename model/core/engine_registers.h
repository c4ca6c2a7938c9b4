// Register numbers of the emulator by the decoder's register names.
#pragma once

#include <string_view>

#include "model/core/architecture.h"

namespace ringside {

// Unicorn's number of a 64-bit general register ("RDI", "X3", "SP"), 0 for an empty name, a zero register or one that
// cannot form an address.
int engine_register(Architecture architecture, std::string_view name);

}  // namespace ringside
