// Captures of what was on the wire, and of what became of it.
#pragma once

#include <cstdint>
#include <string>

#include "tb/log/log_reader.h"

namespace ringside {

struct CaptureCounts {
  std::uint64_t wire = 0, delivered = 0, dropped = 0;  // packets
};

// Writes PREFIX.wire.pcap, PREFIX.delivered.pcap and PREFIX.dropped.pcap, with nanoseconds. A packet is stamped with the time of
// its last bit, of the driver's read of its completion, or of the drop; that time is in the window. Frames have no FCS, and
// at most kSnapLength bytes.
CaptureCounts write_captures(const LogReader& reader, LogWindow window, const std::string& prefix);

}  // namespace ringside
