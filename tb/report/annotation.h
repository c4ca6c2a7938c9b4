// The guest's code with its cost, as `perf annotate --stdio` shows it.
#pragma once

#include <string>

#include "tb/report/saved_run.h"

namespace ringside {

struct AnnotationStyle {
  bool per_call = false;  // costs per call of the function rather than per packet
  bool colour = false;
};

// Source lines and below each the instructions that were compiled from it and executed. `function` is one of the run's.
std::string annotation(const SavedRun& run, const FunctionProfile& function, const AnnotationStyle& style);

}  // namespace ringside
