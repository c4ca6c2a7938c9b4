// Which ways an instruction may take through the timing model.
#pragma once

#include "model/core/instruction.h"

namespace ringside {

// Chooses path and shape by what has been decoded, and puts the operands of those that have short ways into their slots.
void choose_ways(Instruction& in);

}  // namespace ringside
