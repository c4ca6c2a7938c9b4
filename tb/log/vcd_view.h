// Signals for GTKWave and other viewers of hardware.
#pragma once

#include <cstdint>
#include <filesystem>

#include "tb/log/log_reader.h"
#include "tb/log/trace.h"

namespace ringside {

// Replays the trace through SystemC signals, which SystemC writes as VCD: each track of slices is a bit that is 1 inside one, each
// counter a number, and the core's functions are numbers too, which a comment names. Once per process: SystemC has one
// simulation. Returns the number of changes.
std::uint64_t write_vcd(const LogReader& reader, const Trace& trace, const std::filesystem::path& file);

}  // namespace ringside
