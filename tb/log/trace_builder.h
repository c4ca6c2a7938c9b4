// Makes a trace of a window of a log.
#pragma once

#include "tb/log/log_reader.h"
#include "tb/log/trace.h"

namespace ringside {

// Slices are cut at the ends of the window. Throws InputError when the window has more than fits into memory.
Trace build_trace(const LogReader& reader, LogWindow window);

}  // namespace ringside
