// A table with a line for each packet, as CSV.
#pragma once

#include <cstdint>
#include <filesystem>

#include "tb/log/log_reader.h"

namespace ringside {

// Packets of which the last bit arrived in the window. Times are in picoseconds; the stages add up to the total. Returns the
// number of lines.
std::uint64_t write_table(const LogReader& reader, LogWindow window, const std::filesystem::path& file);

}  // namespace ringside
