#include "tb/report/report.h"

#include <fmt/format.h>

#include <algorithm>

#include "tb/report/bounds.h"
#include "tb/report/measures.h"
#include "tb/report/profile_json.h"
#include "tb/report/rounding.h"

namespace ringside {
namespace {

Json json_of(const SettingValue& value) {
  struct Converter {
    Json operator()(std::uint64_t v) const { return v; }
    Json operator()(bool v) const { return v; }
    Json operator()(const std::string& v) const { return v; }
    Json operator()(const std::vector<std::string>& v) const { return v; }
    Json operator()(const std::vector<CostStep>& v) const {
      Json steps = Json::array();
      for (const auto& step : v) steps.push_back({{"up_to", step.up_to}, {"cost", step.cost}});
      return steps;
    }
  };
  return std::visit(Converter{}, value);
}

Json config_of(const Scenario& scenario) {
  Json config = Json::object();
  for (const auto& setting : scenario.settings.all()) {
    if (!scenario.on_board(setting)) continue;
    Json entry{{"value", json_of(setting.value)}};
    if (!setting.unit.empty()) entry["unit"] = setting.unit;
    entry["from"] = name(setting.layer);
    if (!setting.place.report_text.empty()) entry["where"] = setting.place.report_text;
    if (!setting.source.empty()) entry["source"] = setting.source;
    config[setting.name] = std::move(entry);
  }
  return config;
}

Json packets_of(const PacketTotals& packets) {
  Json dropped = Json::object();
  for (const auto& cause : packets.dropped) dropped[cause.name] = cause.packets;
  Json ended = Json::object();
  for (const auto& end : packets.ended) ended[end.name] = end.packets;
  return {{"offered", packets.offered},
          {"delivered", packets.delivered},
          {"dropped", std::move(dropped)},
          {"in_flight", packets.in_flight},
          {"ended", std::move(ended)}};
}

Json bounds_of(const Scenario& scenario, const RunResult& run) {
  Json all = Json::array();
  for (const Bound& bound : bounds(scenario, run)) {
    all.push_back({{"resource", bound.resource},
                   {"mpps", bound.mpps},
                   {"from", bound.from == Bound::From::configuration ? "configuration" : "measured work"},
                   {"arithmetic", bound.arithmetic}});
  }
  return all;
}

Json result_of(const Scenario& scenario, const RunResult& run) {
  const Measures measures(run.window);
  Json result{{"stop_reason", name(run.stop_reason)}};
  if (!run.error.empty()) result["error"] = run.error;
  result["mpps"] = measures.mpps();
  result["gbps"] = measures.gbps();
  if (run.window.read) result["goodput_gbps"] = measures.goodput_gbps();
  result["ns_per_packet"] = measures.ns_per_packet();
  result["window"] = {{"start_ps", run.window.start.value},
                      {"end_ps", run.window.end.value},
                      {"packets", run.window.packets},
                      {"frame_bytes", run.window.frame_bytes.value}};
  if (run.window.read) result["window"]["read_bytes"] = run.window.read->value;
  result["simulated_ps"] = run.simulated.value;
  result["packets"] = packets_of(run.packets);
  Json limits = Json::array();
  for (const auto& limit : sorted_limits(run.limits)) {
    limits.push_back({{"resource", limit.resource}, {"used", rounded_ratio(limit.used, limit.capacity)}});
  }
  result["limits"] = std::move(limits);
  result["bounds"] = bounds_of(scenario, run);
  if (!run.stale_loads.empty()) {
    Json stale = Json::array();
    for (const StaleLoad& load : run.stale_loads) {
      stale.push_back({{"at_ps", load.at.value}, {"address", load.address}, {"line", load.address / kCacheLine * kCacheLine}, {"where", load.where}});
    }
    result["stale_loads"] = std::move(stale);
  }
  if (!run.overwritten_lines.empty()) result["overwritten_lines"] = run.overwritten_lines;
  return result;
}

// Cycles per packet by reason; reasons without cycles are left out.
Json stalls_of(const StallCycles& stalls, std::uint64_t packets) {
  Json json = Json::object();
  for (std::size_t i = 0; i < kStallReasons; ++i) {
    if (stalls[i] != 0) json[std::string(name(static_cast<StallReason>(i)))] = rounded_ratio(stalls[i], packets);
  }
  return json;
}

Json guest_of(const RunResult& run) {
  const Measures measures(run.window);
  Json functions = Json::array();
  for (const auto& function : sorted_functions(run.functions)) {
    Json entry{{"name", function.name},
               {"cycles_per_packet", rounded_ratio(function.cycles, run.window.packets)},
               {"instructions_per_packet", rounded_ratio(function.instructions, run.window.packets)},
               {"cycles", function.cycles},
               {"instructions", function.instructions}};
    if (function.calls != 0) entry["calls"] = function.calls;
    if (function.code_bytes != 0) entry["code_bytes"] = function.code_bytes;
    entry["stalls"] = stalls_of(function.stalls, run.window.packets);
    functions.push_back(std::move(entry));
  }
  Json guest = Json::object();
  if (!run.compiler.empty()) guest["compiler"] = run.compiler;
  guest["instructions_per_packet"] = measures.instructions_per_packet();
  guest["cycles_per_packet"] = measures.cycles_per_packet();
  guest["ipc"] = measures.ipc();
  guest["instructions"] = run.window.instructions;
  guest["cycles"] = run.window.cycles;
  guest["functions"] = std::move(functions);
  guest["stalls"] = stalls_of(run.stalls, run.window.packets);
  guest["stall_cycles"] = stall_cycles_json(run.stalls);
  guest["stacks"] = stacks_json(run.stacks);
  if (run.unfollowed_calls != 0) guest["unfollowed_calls"] = run.unfollowed_calls;
  if (run.unbalanced_returns != 0) guest["unbalanced_returns"] = run.unbalanced_returns;
  guest["profile"] = profile_json(run.profile);
  return guest;
}

Json counters_of(const std::vector<Counter>& counters) {
  Json json = Json::object();
  for (const auto& counter : counters) {
    json[counter.group][counter.name] = {{"value", counter.value}, {"unit", counter.unit}, {"description", counter.description}};
  }
  return json;
}

Json uses_of(const std::vector<Use>& uses) {
  Json json = Json::array();
  for (const auto& use : uses) {
    json.push_back({{"group", use.group},
                    {"name", use.name},
                    {"value", use.value},
                    {"of", use.of},
                    {"unit", use.unit},
                    {"share", rounded_ratio(use.value, use.of)}});
  }
  return json;
}

Json percentiles_of(const LatencySummary& latency) {
  return {{"packets", latency.count},   {"min_ps", latency.min.value}, {"mean_ps", latency.mean.value},
          {"p50_ps", latency.p50.value}, {"p90_ps", latency.p90.value}, {"p99_ps", latency.p99.value},
          {"p99.9_ps", latency.p999.value}, {"max_ps", latency.max.value}};
}

Json latency_of(const LatencySummary& latency, const std::vector<LatencyStage>& stages) {
  Json json = percentiles_of(latency);
  json["stages"] = Json::array();
  for (const auto& stage : stages) {
    Json entry{{"name", stage.name}};
    entry.update(percentiles_of(stage.latency));
    json["stages"].push_back(std::move(entry));
  }
  return json;
}

// Values of a mean are ratios, those of a sum whole numbers.
Json timeline_of(const History& history) {
  Json ends = Json::array();
  for (const Time end : history.ends) ends.push_back(end.value);
  Json all = Json::array();
  for (const auto& series : history.series) {
    Json values = Json::array();
    Time begin = history.start;
    for (std::size_t i = 0; i < series.growth.size(); ++i) {
      const std::uint64_t length = (history.ends[i] - begin).value;
      values.push_back(series.kind == SeriesKind::sum ? Json(series.growth[i]) : Json(rounded_ratio(series.growth[i], length)));
      begin = history.ends[i];
    }
    all.push_back({{"group", series.group},
                   {"name", series.name},
                   {"unit", series.unit},
                   {"kind", series.kind == SeriesKind::sum ? "sum" : "mean"},
                   {"values", std::move(values)}});
  }
  return {{"start_ps", history.start.value}, {"end_ps", std::move(ends)}, {"series", std::move(all)}};
}

Json host_of(const HostResult& host) {
  return {{"wall_s", rounded_ratio(host.wall_us, 1'000'000)},
          {"packets_per_s", rounded_ratio(static_cast<unsigned __int128>(host.packets) * 1'000'000, host.wall_us)},
          {"guest_mips", rounded_ratio(host.guest_instructions, host.wall_us)}};
}

}  // namespace

Json make_report(const Scenario& scenario, const RunResult& result, const HostResult& host) {
  return {{"schema", "ringside-report"},
          {"version", kReportVersion},
          {"scenario", {{"name", scenario.name}, {"description", scenario.description}}},
          {"config", config_of(scenario)},
          {"result", result_of(scenario, result)},
          {"guest", guest_of(result)},
          {"uses", uses_of(result.uses)},
          {"counters", counters_of(result.counters)},
          {"latency", latency_of(result.latency, result.stages)},
          {"timeline", timeline_of(result.history)},
          {"fingerprint", fmt::format("{:016x}", result.fingerprint)},
          {"host", host_of(host)}};
}

}  // namespace ringside
