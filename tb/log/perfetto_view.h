// A trace for ui.perfetto.dev and chrome://tracing.
#pragma once

#include <cstdint>
#include <filesystem>

#include "tb/log/log_reader.h"
#include "tb/log/trace.h"

namespace ringside {

// Writes the trace in Chrome's JSON format: events in order of time, every beginning with its end. Times are in microseconds,
// exact to the picosecond. The totals of the whole run stand in "otherData". Returns the number of events.
std::uint64_t write_perfetto(const LogReader& reader, const Trace& trace, const std::filesystem::path& file);

}  // namespace ringside
