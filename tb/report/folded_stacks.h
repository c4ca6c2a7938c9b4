// Call paths as flamegraph.pl and speedscope read them: one line each, functions separated by semicolons, then cycles.
#pragma once

#include <string>

#include "tb/report/saved_run.h"

namespace ringside {

// "start;poll;handle 1234". The sum is the cycles of the measured window.
std::string folded_stacks(const SavedRun& run);

// "start;poll;handle 1234 1300": the cycles of both runs, as difffolded.pl prints them.
std::string folded_difference(const SavedRun& before, const SavedRun& after);

}  // namespace ringside
