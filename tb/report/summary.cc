#include "tb/report/summary.h"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <ostream>

#include "tb/report/figure_text.h"
#include "tb/report/measures.h"
#include "tb/report/rounding.h"
#include "tb/scenario/quantity.h"

namespace ringside {
namespace {

constexpr std::size_t kShownFunctions = 12;
constexpr double kLimitPercent = 95.0;  // a resource that is used less does not limit the rate

std::uint64_t per_second(std::uint64_t count, Time duration) {
  if (duration.value == 0) return 0;
  return static_cast<std::uint64_t>(static_cast<unsigned __int128>(count) * 1'000'000'000'000ULL / duration.value);
}

double percent(std::uint64_t part, std::uint64_t whole) { return 100.0 * rounded_ratio(part, whole); }

// As iperf prints it.
std::string goodput(double gbps) {
  return gbps < 1.0 ? fmt::format("{:.1f} Mbits/sec", gbps * 1'000) : fmt::format("{:.2f} Gbits/sec", gbps);
}

std::string_view stop_text(StopReason reason) {
  switch (reason) {
    case StopReason::packets: return "all packets measured";
    case StopReason::time: return "run.time passed";
    case StopReason::converged: return "the rate converged";
    case StopReason::exhausted: return "the traffic ended";
    case StopReason::undelivered: return "no packet reaches the driver";
    case StopReason::exited: return "the guest ended the run";
    case StopReason::interrupted: return "interrupted";
    case StopReason::error: return "ERROR, the result is partial";
  }
  return "";
}

void print_rates(std::ostream& out, std::string_view scenario, const RunResult& run) {
  const auto& window = run.window;
  const Measures measures(window);
  const auto duration = window.end - window.start;
  fmt::print(out, "{:<24}{:>14} rx/s{:>16} err,drop/s\n", scenario, grouped(per_second(window.packets, duration)),
             grouped(per_second(run.packets.dropped_total(), run.simulated)));
  fmt::print(out, "\n{:.2f} Mpps   {:.2f} Gbps   {:.1f} ns per packet\n", measures.mpps(), measures.gbps(),
             measures.ns_per_packet());
  if (window.read) fmt::print(out, "TCP goodput {}\n", goodput(measures.goodput_gbps()));
  fmt::print(out, "{:.1f} cycles and {:.1f} instructions per packet, {:.2f} instructions per cycle at {}\n",
             measures.cycles_per_packet(), measures.instructions_per_packet(), measures.ipc(),
             format_quantity(window.frequency.value, Dimension::frequency));
  fmt::print(out, "{} packets measured in {:.1f} us of simulated time; ended: {}\n", grouped(window.packets),
             to_us(duration), stop_text(run.stop_reason));
}

void print_functions(std::ostream& out, const RunResult& run) {
  if (run.functions.empty()) return;
  fmt::print(out, "\n{:>8}{:>14}{:>14}  {}\n", "share", "cycles/pkt", "instr/pkt", "function");
  const auto functions = sorted_functions(run.functions);
  const auto shown = std::min(functions.size(), kShownFunctions);
  for (std::size_t i = 0; i < shown; ++i) {
    const auto& function = functions[i];
    fmt::print(out, "{:>6.1f} %{:>14.2f}{:>14.2f}  {}\n", percent(function.cycles, run.window.cycles),
               rounded_ratio(function.cycles, run.window.packets), rounded_ratio(function.instructions, run.window.packets),
               function.name);
  }
  if (shown < functions.size()) fmt::print(out, "{:>38}... {} more in the report\n", "", functions.size() - shown);
}

void print_stalls(std::ostream& out, const RunResult& run) {
  std::vector<std::pair<std::uint64_t, std::size_t>> reasons;
  for (std::size_t i = 0; i < kStallReasons; ++i) {
    if (run.stalls[i] != 0) reasons.emplace_back(run.stalls[i], i);
  }
  if (reasons.empty()) return;
  std::stable_sort(reasons.begin(), reasons.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  fmt::print(out, "\n{:>8}{:>14}  cycles spent on\n", "share", "cycles/pkt");
  for (const auto& [cycles, reason] : reasons) {
    fmt::print(out, "{:>6.1f} %{:>14.2f}  {}\n", percent(cycles, run.window.cycles),
               rounded_ratio(cycles, run.window.packets), name(static_cast<StallReason>(reason)));
  }
}

void print_uses(std::ostream& out, const RunResult& run) {
  if (run.uses.empty()) return;
  fmt::print(out, "\n{:>8}  use of\n", "share");
  for (const auto& use : run.uses) {
    fmt::print(out, "{:>6.1f} %  {:<8}{} ({} of {} {})\n", percent(use.value, use.of), use.group, use.name,
               grouped(use.value), grouped(use.of), use.unit);
  }
}

void print_packets(std::ostream& out, const PacketTotals& packets) {
  fmt::print(out, "\npackets: {} offered = {} delivered + {} dropped + {} in flight\n", grouped(packets.offered),
             grouped(packets.delivered), grouped(packets.dropped_total()), grouped(packets.in_flight));
  for (const auto& cause : packets.dropped) {
    if (cause.packets == 0) continue;
    fmt::print(out, "{:>6.1f} %  {} {}\n", percent(cause.packets, packets.offered), cause.name, grouped(cause.packets));
  }
  if (packets.ended.empty()) return;
  fmt::print(out, "delivered packets ended as:");
  for (const auto& end : packets.ended) fmt::print(out, " {} {}", end.name, grouped(end.packets));
  out << '\n';
}

void print_latency(std::ostream& out, const LatencySummary& latency) {
  if (latency.count == 0) return;
  fmt::print(out, "latency, wire to driver: p50 {:.2f} us   p99 {:.2f} us   p99.9 {:.2f} us   max {:.2f} us\n",
             to_us(latency.p50), to_us(latency.p99), to_us(latency.p999), to_us(latency.max));
}

// Where there are several.
void print_cores(std::ostream& out, const std::vector<Limit>& limits) {
  std::string text;
  for (std::size_t cpu = 0;; ++cpu) {
    const std::string name = fmt::format("core{}", cpu);
    const auto core = std::find_if(limits.begin(), limits.end(), [&](const Limit& limit) { return limit.resource == name; });
    if (core == limits.end()) break;
    text += fmt::format("{} {} {:.1f} % busy", cpu == 0 ? "" : ",", name, percent(core->used, core->capacity));
  }
  if (!text.empty()) fmt::print(out, "cores:{}\n", text);
}

void print_limits(std::ostream& out, const RunResult& run) {
  const auto limits = sorted_limits(run.limits);
  if (limits.empty()) return;
  const double most = percent(limits.front().used, limits.front().capacity);
  fmt::print(out, "{}: {} ({:.1f} % used)", most >= kLimitPercent ? "limited by" : "nothing at its limit; busiest",
             limits.front().resource, most);
  for (std::size_t i = 1; i < limits.size(); ++i) {
    fmt::print(out, "{} {} {:.1f} %", i == 1 ? "; then" : ",", limits[i].resource, percent(limits[i].used, limits[i].capacity));
  }
  out << '\n';
}

void print_peer(std::ostream& out, const RunResult& run) {
  const auto value = [&](std::string_view name) {
    const auto at = std::find_if(run.counters.begin(), run.counters.end(), [&](const Counter& c) { return c.name == name; });
    return at == run.counters.end() ? 0 : at->value;
  };
  if (!run.window.read) return;
  fmt::print(out, "peer: {} segments, {} of them again, {} timeouts, {} acknowledgements\n", grouped(value("peer_segments")),
             grouped(value("peer_retransmissions")), grouped(value("peer_timeouts")), grouped(value("peer_acknowledgements")));
  const std::uint64_t corrupt = value("tcp_corrupt_bytes");
  if (corrupt == 0) return;
  fmt::print(out, "CORRUPT DATA: the reader got {} wrong bytes; first at byte {} of the stream\n", grouped(corrupt),
             grouped(value("tcp_corrupt_first")));
}

void print_stale_loads(std::ostream& out, const RunResult& run) {
  if (!run.overwritten_lines.empty()) {
    fmt::print(out, "CORRUPT DATA: dirty cache lines were written back over what DMA had written; the first at {:#x}\n",
               run.overwritten_lines.front());
  }
  if (run.stale_loads.empty()) return;
  const StaleLoad& first = run.stale_loads.front();
  fmt::print(out, "STALE DATA: the guest read bytes that DMA had replaced; first at {:.2f} us: address {:#x} in {}\n",
             to_us(first.at), first.address, first.where);
}

}  // namespace

void print_summary(std::ostream& out, std::string_view scenario, const RunResult& result, const HostResult& host) {
  print_rates(out, scenario, result);
  print_functions(out, result);
  print_stalls(out, result);
  print_uses(out, result);
  print_packets(out, result.packets);
  print_peer(out, result);
  print_stale_loads(out, result);
  print_latency(out, result.latency);
  print_cores(out, result.limits);
  print_limits(out, result);
  const double wall_s = rounded_ratio(host.wall_us, 1'000'000);
  fmt::print(out, "host: {:.2f} s, {} packets/s, {:.1f} M guest instructions/s\n", wall_s,
             grouped(per_second(host.packets, microseconds(host.wall_us))),
             rounded_ratio(host.guest_instructions, host.wall_us));
}

}  // namespace ringside
