// The table of counters that a guest has announced.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/memory/physical_memory.h"

namespace ringside {

struct GuestCounter {
  std::string name;
  const std::uint8_t* at;  // in the guest's memory

  std::uint64_t value() const;
};

// What the table at `address` names, 0 for no table. Entries that lie outside of the memory are left out.
std::vector<GuestCounter> guest_counters(const PhysicalMemory& memory, std::uint64_t address);

// Whether each step of the counter stands for the end of a packet.
bool ends_packet(std::string_view counter);

}  // namespace ringside
