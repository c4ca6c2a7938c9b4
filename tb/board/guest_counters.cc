#include "tb/board/guest_counters.h"

#include <algorithm>
#include <cstring>
#include <iterator>

#include "model/guest/contract.h"

namespace ringside {

std::uint64_t GuestCounter::value() const {
  std::uint64_t value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

std::vector<GuestCounter> guest_counters(const PhysicalMemory& memory, std::uint64_t address) {
  constexpr std::size_t kMost = 4096;  // a table without an end is cut here
  std::vector<GuestCounter> counters;
  for (std::size_t i = 0; address != 0 && i < kMost; ++i) {
    const PhysAddr at{address + i * sizeof(guest::guest_stat)};
    if (!memory.contains(at, sizeof(guest::guest_stat))) break;
    guest::guest_stat entry;
    std::memcpy(&entry, memory.host(at), sizeof entry);
    if (entry.name[0] == '\0') break;
    entry.name[sizeof entry.name - 1] = '\0';
    const PhysAddr where{reinterpret_cast<std::uint64_t>(entry.value)};
    if (memory.contains(where, sizeof(std::uint64_t))) counters.push_back({entry.name, memory.host(where)});
  }
  return counters;
}

bool ends_packet(std::string_view counter) {
  constexpr std::string_view kEnds[] = {"rx_xdp_drop", "rx_xdp_tx_xmit", "xdp_devmap_xmit", "xdp_devmap_drop",
                                        "rx_oversize_pkts_sw_drop", "GRO_MERGED",
                                        "consume_skb"};
  return counter.starts_with("kfree_skb:") || std::find(std::begin(kEnds), std::end(kEnds), counter) != std::end(kEnds);
}

}  // namespace ringside
