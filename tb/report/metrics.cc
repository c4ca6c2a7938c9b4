#include "tb/report/metrics.h"

#include <fmt/format.h>

#include <array>
#include <cstdlib>

#include "model/core/block.h"
#include "tb/report/rounding.h"

namespace ringside {
namespace {

struct LatencyName {
  const char* name;  // in metric names, where a second dot would mislead
  const char* key;   // in the report
};
constexpr std::array<LatencyName, 7> kLatencies{
    {{"min", "min"}, {"mean", "mean"}, {"p50", "p50"}, {"p90", "p90"}, {"p99", "p99"}, {"p999", "p99.9"}, {"max", "max"}}};

double stall(const RunReport& report, const std::string& reason) {
  const auto found = report.stalls.find(reason);
  return found == report.stalls.end() ? 0.0 : found->second;
}

double percent_lost(const RunReport& report) {
  unsigned __int128 lost = 0;
  for (const auto& [cause, packets] : report.dropped) lost += packets;
  return rounded_ratio(lost * 100, report.offered);
}

std::optional<Metric> simple_metric(const RunReport& r, std::string_view name) {
  const std::array<Metric, 8> metrics{{
      {"mpps", "Mpps", "Mpps", Better::higher, r.mpps},
      {"gbps", "Gbps", "Gbps", Better::higher, r.gbps},
      {"ns_per_packet", "ns per packet", "ns", Better::lower, r.ns_per_packet},
      {"cycles_per_packet", "cycles per packet", "cycles", Better::lower, r.cycles_per_packet},
      {"busy_cycles_per_packet", "  without idle ones", "cycles", Better::lower,
       six_digits(r.cycles_per_packet - stall(r, "idle"))},
      {"instructions_per_packet", "instructions per packet", "instructions", Better::lower, r.instructions_per_packet},
      {"ipc", "instructions per cycle", "instructions/cycle", Better::higher, r.ipc},
      {"loss", "packets lost, %", "%", Better::lower, percent_lost(r)},
  }};
  for (const auto& metric : metrics) {
    if (metric.name == name) return metric;
  }
  return std::nullopt;
}

std::optional<Metric> latency_metric(const RunReport& report, std::string_view name, std::string_view rest) {
  for (const auto& latency : kLatencies) {
    const auto found = report.latency_ps.find(latency.key);
    if (rest != latency.name || found == report.latency_ps.end()) continue;
    return Metric{std::string(name), fmt::format("latency {}, ns", latency.key), "ns", Better::lower,
                  rounded_ratio(found->second, 1'000)};
  }
  return std::nullopt;
}

// The name of a function may have dots: what follows the last one is the figure.
std::optional<Metric> function_metric(const RunReport& report, std::string_view name, std::string_view rest) {
  const auto dot = rest.rfind('.');
  if (dot == std::string_view::npos) return std::nullopt;
  const std::string function(rest.substr(0, dot));
  const auto figure = rest.substr(dot + 1);
  const auto found = report.functions.find(function);
  if (found == report.functions.end()) return std::nullopt;
  const auto metric = [&](const char* unit, double value) {
    return Metric{std::string(name), fmt::format("{}, {}", function, unit), unit, Better::lower, value};
  };
  if (figure == "cycles_per_packet") return metric("cycles", found->second.cycles_per_packet);
  if (figure == "instructions_per_packet") return metric("instructions", found->second.instructions_per_packet);
  if (figure == "code_bytes" && found->second.code_bytes) return metric("bytes", static_cast<double>(*found->second.code_bytes));
  return std::nullopt;
}

std::optional<Metric> counter_metric(const RunReport& report, std::string_view name, std::string_view rest) {
  const auto dot = rest.find('.');
  if (dot == std::string_view::npos) return std::nullopt;
  const auto group = report.counters.find(std::string(rest.substr(0, dot)));
  if (group == report.counters.end()) return std::nullopt;
  const auto counter = group->second.find(std::string(rest.substr(dot + 1)));
  if (counter == group->second.end()) return std::nullopt;
  return Metric{std::string(name), std::string(rest), counter->second.unit, Better::neither,
                static_cast<double>(counter->second.value)};
}

// Reasons without cycles and causes without packets are left out of a report; they are 0 if the name is one at all.
std::optional<Metric> stall_metric(const RunReport& report, std::string_view name, std::string_view rest) {
  bool known = false;
  for (std::size_t i = 0; i < kStallReasons; ++i) known = known || ringside::name(static_cast<StallReason>(i)) == rest;
  if (!known) return std::nullopt;
  return Metric{std::string(name), fmt::format("cycles on {}", rest), "cycles", Better::lower, stall(report, std::string(rest))};
}

std::optional<Metric> drop_metric(const RunReport& report, std::string_view name, std::string_view rest) {
  const std::string cause(rest);
  const auto found = report.dropped.find(cause);
  bool known = found != report.dropped.end();
  for (const auto& [group, counters] : report.counters) known = known || counters.contains(cause);
  if (!known) return std::nullopt;
  const std::uint64_t packets = found == report.dropped.end() ? 0 : found->second;
  return Metric{std::string(name), fmt::format("{}, %", rest), "%", Better::lower,
                rounded_ratio(static_cast<unsigned __int128>(packets) * 100, report.offered)};
}

}  // namespace

double six_digits(double value) { return std::strtod(fmt::format("{:.6g}", value).c_str(), nullptr); }

std::optional<Metric> find_metric(const RunReport& report, std::string_view name) {
  const auto dot = name.find('.');
  if (dot == std::string_view::npos) return simple_metric(report, name);
  const auto area = name.substr(0, dot);
  const auto rest = name.substr(dot + 1);
  if (area == "latency") return latency_metric(report, name, rest);
  if (area == "functions") return function_metric(report, name, rest);
  if (area == "counters") return counter_metric(report, name, rest);
  if (area == "stalls") return stall_metric(report, name, rest);
  if (area == "drops") return drop_metric(report, name, rest);
  return std::nullopt;
}

std::vector<std::string> metric_names(const RunReport& report) {
  std::vector<std::string> names{"mpps", "gbps", "ns_per_packet", "cycles_per_packet", "busy_cycles_per_packet",
                                 "instructions_per_packet", "ipc", "loss"};
  for (const auto& latency : kLatencies) {
    if (report.latency_ps.contains(latency.key)) names.push_back(fmt::format("latency.{}", latency.name));
  }
  for (const auto& [cause, packets] : report.dropped) names.push_back("drops." + cause);
  for (const auto& [reason, cycles] : report.stalls) names.push_back("stalls." + reason);
  for (const auto& [name, function] : report.functions) {
    names.push_back(fmt::format("functions.{}.cycles_per_packet", name));
    names.push_back(fmt::format("functions.{}.instructions_per_packet", name));
    if (function.code_bytes) names.push_back(fmt::format("functions.{}.code_bytes", name));
  }
  for (const auto& [group, counters] : report.counters) {
    for (const auto& [name, counter] : counters) names.push_back(fmt::format("counters.{}.{}", group, name));
  }
  return names;
}

}  // namespace ringside
