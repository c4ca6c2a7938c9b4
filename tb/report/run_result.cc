#include "tb/report/run_result.h"

namespace ringside {

std::string_view name(StopReason reason) {
  switch (reason) {
    case StopReason::packets: return "packets";
    case StopReason::time: return "time";
    case StopReason::converged: return "converged";
    case StopReason::exhausted: return "exhausted";
    case StopReason::undelivered: return "undelivered";
    case StopReason::exited: return "exited";
    case StopReason::interrupted: return "interrupted";
    case StopReason::error: return "error";
  }
  return "";
}

std::optional<StopReason> stop_reason(std::string_view wanted) {
  for (auto i = static_cast<std::uint8_t>(StopReason::packets); i <= static_cast<std::uint8_t>(StopReason::error); ++i) {
    const auto reason = static_cast<StopReason>(i);
    if (name(reason) == wanted) return reason;
  }
  return std::nullopt;
}

std::uint64_t PacketTotals::dropped_total() const {
  std::uint64_t total = 0;
  for (const auto& cause : dropped) total += cause.packets;
  return total;
}

}  // namespace ringside
