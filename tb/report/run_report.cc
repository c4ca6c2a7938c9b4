#include "tb/report/run_report.h"

#include "tb/report/report_document.h"

namespace ringside {
namespace {

void read_result(const ReportNode& result, RunReport& report) {
  report.stop_reason = result.at("stop_reason").text();
  if (result.has("error")) report.error = result.at("error").text();
  report.mpps = result.at("mpps").number();
  report.gbps = result.at("gbps").number();
  report.ns_per_packet = result.at("ns_per_packet").number();
  report.window_packets = result.at("window").at("packets").count();
  const ReportNode packets = result.at("packets");
  report.offered = packets.at("offered").count();
  report.delivered = packets.at("delivered").count();
  report.in_flight = packets.at("in_flight").count();
  report.dropped = packets.at("dropped").counts();
  result.at("limits").elements([&](const ReportNode& limit) {
    report.limits.push_back({limit.at("resource").text(), limit.at("used").number()});
  });
}

void read_guest(const ReportNode& guest, RunReport& report) {
  if (guest.has("compiler")) report.compiler = guest.at("compiler").text();
  report.instructions_per_packet = guest.at("instructions_per_packet").number();
  report.cycles_per_packet = guest.at("cycles_per_packet").number();
  report.ipc = guest.at("ipc").number();
  report.stalls = guest.at("stalls").figures();
  guest.at("functions").elements([&](const ReportNode& function) {
    RunReport::Function read{function.at("cycles_per_packet").number(), function.at("instructions_per_packet").number(), {},
                             function.at("stalls").figures()};
    if (function.has("code_bytes")) read.code_bytes = function.at("code_bytes").count();
    report.functions[function.at("name").text()] = std::move(read);
  });
}

void read_counters(const ReportNode& counters, RunReport& report) {
  counters.members([&](const std::string& group, const ReportNode& members) {
    members.members([&](const std::string& name, const ReportNode& counter) {
      report.counters[group][name] = {counter.at("value").count(), counter.at("unit").text()};
    });
  });
}

void read_latency(const ReportNode& latency, RunReport& report) {
  if (latency.at("packets").count() == 0) return;
  for (const auto* name : {"min", "mean", "p50", "p90", "p99", "p99.9", "max"}) {
    report.latency_ps[name] = latency.at(std::string(name) + "_ps").count();
  }
}

void read_config(const ReportNode& config, RunReport& report) {
  config.members([&](const std::string& name, const ReportNode& setting) {
    report.config[name] = {setting.at("value").value(), setting.has("unit") ? setting.at("unit").text() : "",
                           setting.at("from").text()};
  });
}

}  // namespace

RunReport read_run_report(const std::filesystem::path& file) {
  const ReportDocument document(file);
  const ReportNode root = document.root();
  RunReport report;
  report.file = document.file();
  report.scenario = root.at("scenario").at("name").text();
  read_result(root.at("result"), report);
  read_guest(root.at("guest"), report);
  read_counters(root.at("counters"), report);
  read_latency(root.at("latency"), report);
  read_config(root.at("config"), report);
  report.fingerprint = root.at("fingerprint").text();
  return report;
}

}  // namespace ringside
