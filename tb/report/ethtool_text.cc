#include "tb/report/ethtool_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

namespace ringside {
namespace {

// Counted by the guest or the device under names that look like those of ethtool, but kept in /proc, in `ip -s link` or in
// no kernel at all.
constexpr std::array<std::string_view, 17> kElsewhere{
    "consume_skb",  "cq_errors",       "digest",       "digest_bytes",      "digest_packets",       "pp_negative_refs",
    "rx_cq_error",  "rx_dropped",      "rx_errors",    "sink_bytes",        "sink_packets",         "softnet_processed",
    "tx_dropped",   "tx_errors",       "xdp_exception", "xdp_invalid_action", "softnet_time_squeeze"};

bool in_ethtool(const Counter& counter) {
  if (counter.group != "driver" && counter.group != "nic") return false;
  // nstat's names begin with a capital; drop reasons have a colon, and what only the model counts a full stop.
  const bool plain = std::all_of(counter.name.begin(), counter.name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  });
  const bool of_sockets = counter.name.starts_with("tcp_");
  return plain && !of_sockets && std::find(kElsewhere.begin(), kElsewhere.end(), counter.name) == kElsewhere.end();
}

}  // namespace

std::string ethtool_text(const RunResult& run) {
  std::string text = "NIC statistics:\n";
  std::set<std::string> printed;
  for (const std::string_view group : {"driver", "nic"}) {
    for (const Counter& counter : run.counters) {
      if (counter.group != group || !in_ethtool(counter) || !printed.insert(counter.name).second) continue;
      text += fmt::format("     {}: {}\n", counter.name, counter.value);
    }
  }
  return text;
}

}  // namespace ringside
