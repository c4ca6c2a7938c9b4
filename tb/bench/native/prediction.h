// What the simulated core says about the same images.
#pragma once

#include <string>
#include <vector>

#include "tb/bench/native/cell.h"

namespace ringside::native {

struct SimulatedCore {
  std::string cpu;  // data file
  double ghz;
  double dram_ns;
  bool large_pages;
};

// ns per packet of each cell, as many at a time as there are processors, each in a process of its own. Throws
// std::runtime_error with what went wrong.
std::vector<double> predict(const std::vector<Cell>& cells, const SimulatedCore& core);

}  // namespace ringside::native
