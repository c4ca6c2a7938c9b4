#include "tb/report/saved_run.h"

#include <algorithm>
#include <cmath>

#include "tb/report/bounded_file.h"
#include "tb/report/printable.h"
#include "tb/report/profile_json.h"
#include "tb/report/report_document.h"
#include "tb/report/report_node.h"
#include "tb/scenario/quantity.h"

namespace ringside {
namespace {

// Ratios have six significant digits, so that of a small one enough are left.
constexpr std::uint64_t kWhole = 1'000'000'000'000;

std::uint64_t whole(double value) {
  constexpr double kLargest = 1e18;
  return static_cast<std::uint64_t>(std::llround(std::min(value, kLargest)));
}

std::vector<DropCause> read_causes(const ReportNode& node) {
  std::vector<DropCause> causes;
  node.members([&](const std::string& name, const ReportNode& packets) { causes.push_back({name, packets.count()}); });
  return causes;
}

Frequency read_frequency(const ReportNode& config) {
  if (!config.has("cpu.frequency")) return {};
  const ReportNode value = config.at("cpu.frequency").at("value");
  try {
    return {parse_quantity(value.text(), Dimension::frequency)};
  } catch (const QuantityError&) {
    value.fail(value.description(), "a frequency such as \"3.4 GHz\"");
  }
}

void read_result(const ReportNode& result, RunResult& run) {
  const ReportNode reason = result.at("stop_reason");
  const std::optional<StopReason> known = stop_reason(reason.text());
  if (!known) reason.fail(reason.description(), "one of docs/report-schema.md");
  run.stop_reason = *known;
  run.error = result.text_or_empty("error");
  const ReportNode window = result.at("window");
  run.window.start = Time{window.count("start_ps")};
  run.window.end = Time{window.count("end_ps")};
  if (run.window.end < run.window.start) window.fail("a window that ends before it starts", "another one");
  run.window.packets = window.count("packets");
  run.window.frame_bytes = bytes(window.count("frame_bytes"));
  if (window.has("read_bytes")) run.window.read = bytes(window.count("read_bytes"));
  run.simulated = Time{result.count("simulated_ps")};
  const ReportNode packets = result.at("packets");
  run.packets = {packets.count("offered"), packets.count("delivered"), read_causes(packets.at("dropped")), packets.count("in_flight"),
                 read_causes(packets.at("ended"))};
  result.at("limits").elements([&](const ReportNode& limit) {
    run.limits.push_back({limit.at("resource").text(), whole(limit.at("used").number() * kWhole), kWhole});
  });
  if (result.has("stale_loads")) {
    result.at("stale_loads").elements([&](const ReportNode& load) {
      run.stale_loads.push_back({Time{load.count("at_ps")}, load.count("address"), load.at("where").text()});
    });
  }
  if (result.has("overwritten_lines")) {
    result.at("overwritten_lines").elements([&](const ReportNode& line) { run.overwritten_lines.push_back(line.count()); });
  }
}

// Of one function: the report has them per packet, with six digits.
StallCycles read_rounded_stalls(const ReportNode& stalls, std::uint64_t packets) {
  StallCycles cycles{};
  for (const auto& [name, per_packet] : stalls.figures()) {
    const std::optional<StallReason> reason = stall_reason(name);
    if (!reason) stalls.fail("a list with the reason \"" + name + "\"", "one of docs/report-schema.md");
    cycles[static_cast<std::size_t>(*reason)] = whole(per_packet * static_cast<double>(packets));
  }
  return cycles;
}

void read_guest(const ReportNode& guest, RunResult& run) {
  run.compiler = guest.text_or_empty("compiler");
  run.window.instructions = guest.count("instructions");
  run.window.cycles = guest.count("cycles");
  guest.at("functions").elements([&](const ReportNode& function) {
    run.functions.push_back({function.at("name").text(), function.count("cycles"), function.count("instructions"),
                             function.count_or_zero("calls"), function.count_or_zero("code_bytes"),
                             read_rounded_stalls(function.at("stalls"), run.window.packets)});
  });
  run.stalls = read_stall_cycles(guest.at("stall_cycles"));
  run.stacks = read_stacks(guest.at("stacks"));
  run.unfollowed_calls = guest.count_or_zero("unfollowed_calls");
  run.unbalanced_returns = guest.count_or_zero("unbalanced_returns");
  run.profile = read_profile(guest.at("profile"));
}

void read_counters(const ReportNode& counters, RunResult& run) {
  counters.members([&](const std::string& group, const ReportNode& members) {
    members.members([&](const std::string& name, const ReportNode& counter) {
      run.counters.push_back({group, name, counter.at("unit").text(), counter.count("value"), counter.at("description").text()});
    });
  });
}

void read_uses(const ReportNode& uses, RunResult& run) {
  uses.elements([&](const ReportNode& use) {
    run.uses.push_back({use.at("group").text(), use.at("name").text(), use.count("value"), use.count("of"), use.at("unit").text()});
  });
}

LatencySummary read_latency(const ReportNode& latency) {
  const auto time = [&](const char* key) { return Time{latency.count(key)}; };
  return {latency.count("packets"), time("min_ps"), time("mean_ps"), time("p50_ps"),
          time("p90_ps"),           time("p99_ps"), time("p99.9_ps"), time("max_ps")};
}

HostResult read_host(const ReportNode& host, std::uint64_t packets) {
  const double seconds = host.at("wall_s").number();
  return {whole(seconds * 1e6), packets, whole(host.at("guest_mips").number() * seconds * 1e6)};
}

}  // namespace

SavedRun read_saved_run(const std::filesystem::path& file) {
  const ReportDocument document(file);
  const ReportNode root = document.root();
  SavedRun saved;
  saved.file = document.file();
  saved.scenario = root.at("scenario").at("name").text();
  RunResult& run = saved.result;
  read_result(root.at("result"), run);
  read_guest(root.at("guest"), run);
  run.window.frequency = read_frequency(root.at("config"));
  read_counters(root.at("counters"), run);
  read_uses(root.at("uses"), run);
  run.latency = read_latency(root.at("latency"));
  saved.host = read_host(root.at("host"), run.packets.delivered);
  return saved;
}

}  // namespace ringside
