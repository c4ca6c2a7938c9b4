// What is in an event log, in short.
#pragma once

#include <array>
#include <cstdint>
#include <iosfwd>
#include <map>
#include <optional>

#include "tb/log/log_reader.h"
#include "tb/log/packet_history.h"

namespace ringside {

// Counted from the records.
struct LogSummary {
  std::uint64_t offered = 0, delivered = 0, in_flight = 0;
  std::map<std::uint64_t, std::uint64_t> dropped, ended;  // packets by string
  std::map<Resource, std::uint64_t> waited_for;           // packets that waited the longest for it
  std::array<std::uint64_t, kStages> stages{};            // ps, of delivered packets
};

// Reads the whole log. Throws InputError if it does not say the same as the totals at its end.
LogSummary summarise(const LogReader& reader);

void print_summary(std::ostream& out, const LogReader& reader, const LogSummary& summary);

}  // namespace ringside
