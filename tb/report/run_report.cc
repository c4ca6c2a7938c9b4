#include "tb/report/run_report.h"

#include <fmt/format.h>

#include <cmath>

#include "model/base/errors.h"
#include "tb/report/bounded_file.h"
#include "tb/report/printable.h"
#include "tb/report/report.h"

namespace ringside {
namespace {

using nlohmann::json;

constexpr double kLargest = 1e18;

std::string describe(const json& value) {
  switch (value.type()) {
    case json::value_t::null: return "null";
    case json::value_t::object: return "an object";
    case json::value_t::array: return "an array";
    case json::value_t::string: return fmt::format("the string \"{}\"", printable(value.get_ref<const std::string&>(), 40));
    default: return value.dump();
  }
}

// A value of the document together with the way to it, for messages.
class Node {
 public:
  Node(const json& value, const std::string& file, std::string path) : value_(value), file_(file), path_(std::move(path)) {}

  [[noreturn]] void fail(const std::string& found, const std::string& allowed) const {
    throw InputError(fmt::format("{}: {} is {}; {} is allowed", file_, path_.empty() ? "the document" : path_, found, allowed));
  }

  bool has(const char* key) const { return object().contains(key); }

  Node at(const std::string& key) const {
    const auto found = object().find(key);
    if (found == object().end()) {
      throw InputError(fmt::format("{}: {} is missing; a complete report is required", file_, join(key)));
    }
    return {*found, file_, join(key)};
  }

  double number() const {
    if (!value_.is_number()) fail(describe(value_), "a number");
    const double number = value_.get<double>();
    if (!std::isfinite(number) || number < 0 || number > kLargest) fail(describe(value_), "a number from 0 to 1e18");
    return number;
  }

  std::uint64_t count() const {
    if (!value_.is_number_unsigned()) fail(describe(value_), "a whole number from 0 to 2^64-1");
    return value_.get<std::uint64_t>();
  }

  std::string text() const {
    if (!value_.is_string()) fail(describe(value_), "a string");
    return printable(value_.get_ref<const std::string&>());
  }

  // Calls visit(name, node) for each member.
  template <class Visit>
  void members(Visit visit) const {
    for (const auto& [key, value] : object().items()) visit(printable(key), Node(value, file_, join(key)));
  }

  template <class Visit>
  void elements(Visit visit) const {
    if (!value_.is_array()) fail(describe(value_), "an array");
    for (std::size_t i = 0; i < value_.size(); ++i) visit(Node(value_[i], file_, fmt::format("{}[{}]", path_, i)));
  }

  RunReport::Figures figures() const {
    RunReport::Figures result;
    members([&](const std::string& name, const Node& node) { result[name] = node.number(); });
    return result;
  }

  RunReport::Counts counts() const {
    RunReport::Counts result;
    members([&](const std::string& name, const Node& node) { result[name] = node.count(); });
    return result;
  }

  const json& value() const { return value_; }

 private:
  const json& object() const {
    if (!value_.is_object()) fail(describe(value_), "an object");
    return value_;
  }
  std::string join(const std::string& key) const {
    return path_.empty() ? printable(key, 80) : path_ + "." + printable(key, 80);
  }

  const json& value_;
  const std::string& file_;
  std::string path_;
};

void check_schema(const json& document, const std::string& file) {
  if (document.is_object() && document.contains("schema") && document["schema"] == "ringside-report") return;
  const std::string found = !document.is_object() ? "the document is " + describe(document)
                            : !document.contains("schema") ? "it has no schema"
                                                           : "schema is " + describe(document["schema"]);
  throw InputError(fmt::format("{}: not a report: {}; a file that `ringside run SCENARIO --out FILE` wrote is allowed", file,
                               found));
}

void read_result(const Node& result, RunReport& report) {
  report.stop_reason = result.at("stop_reason").text();
  if (result.has("error")) report.error = result.at("error").text();
  report.mpps = result.at("mpps").number();
  report.gbps = result.at("gbps").number();
  report.ns_per_packet = result.at("ns_per_packet").number();
  report.window_packets = result.at("window").at("packets").count();
  const Node packets = result.at("packets");
  report.offered = packets.at("offered").count();
  report.delivered = packets.at("delivered").count();
  report.in_flight = packets.at("in_flight").count();
  report.dropped = packets.at("dropped").counts();
  result.at("limits").elements([&](const Node& limit) {
    report.limits.push_back({limit.at("resource").text(), limit.at("used").number()});
  });
}

void read_guest(const Node& guest, RunReport& report) {
  if (guest.has("compiler")) report.compiler = guest.at("compiler").text();
  report.instructions_per_packet = guest.at("instructions_per_packet").number();
  report.cycles_per_packet = guest.at("cycles_per_packet").number();
  report.ipc = guest.at("ipc").number();
  report.stalls = guest.at("stalls").figures();
  guest.at("functions").elements([&](const Node& function) {
    RunReport::Function read{function.at("cycles_per_packet").number(), function.at("instructions_per_packet").number(), {},
                             function.at("stalls").figures()};
    if (function.has("code_bytes")) read.code_bytes = function.at("code_bytes").count();
    report.functions[function.at("name").text()] = std::move(read);
  });
}

void read_counters(const Node& counters, RunReport& report) {
  counters.members([&](const std::string& group, const Node& members) {
    members.members([&](const std::string& name, const Node& counter) {
      report.counters[group][name] = {counter.at("value").count(), counter.at("unit").text()};
    });
  });
}

void read_latency(const Node& latency, RunReport& report) {
  if (latency.at("packets").count() == 0) return;
  for (const auto* name : {"min", "mean", "p50", "p90", "p99", "p99.9", "max"}) {
    report.latency_ps[name] = latency.at(std::string(name) + "_ps").count();
  }
}

void read_config(const Node& config, RunReport& report) {
  config.members([&](const std::string& name, const Node& setting) {
    report.config[name] = {setting.at("value").value(), setting.has("unit") ? setting.at("unit").text() : "",
                           setting.at("from").text()};
  });
}

}  // namespace

RunReport read_run_report(const std::filesystem::path& file) {
  return read_run_report(read_bounded_json(file, "a report"), file);
}

RunReport read_run_report(const json& document, const std::filesystem::path& file) {
  RunReport report;
  report.file = printable(file.string());
  const Node root(document, report.file, "");
  check_schema(document, report.file);
  if (const Node version = root.at("version"); version.value() != kReportVersion) {
    version.fail(describe(version.value()), fmt::format("{}, which this Ringside writes,", kReportVersion));
  }
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
