// Writing baselines. A person's file is edited where it has values, so that comments and order stay.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "model/base/errors.h"
#include "tb/check/baseline.h"
#include "tb/check/baseline_file.h"
#include "tb/report/atomic_file.h"
#include "tb/report/metrics.h"
#include "tb/report/printable.h"

namespace ringside {
namespace {

constexpr double kProfiledCycles = 0.05;  // functions with less per packet are not worth a line
constexpr std::string_view kProfileStart = "# Where the cycles went";

std::string toml_string(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + "\"";
}

// A name that may have dots, as a key.
std::string key_text(std::string_view name) {
  const bool bare = !name.empty() && std::all_of(name.begin(), name.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_' || c == '-';
  });
  return bare ? std::string(name) : toml_string(name);
}

std::string number_text(double value) {
  const std::string text = fmt::format("{}", value);
  return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

std::string profile_text(const RunReport& report) {
  std::string text = fmt::format("{} when these values were taken, in cycles per packet: for messages, not checked.\n"
                                 "# `ringside check --update` writes it anew; it stays last.\n[profile]\nfingerprint = {}\n",
                                 kProfileStart, toml_string(report.fingerprint));
  if (!report.compiler.empty()) text += fmt::format("compiler = {}\n", toml_string(report.compiler));
  std::vector<std::pair<std::string, RunReport::Function>> functions;
  for (const auto& [name, function] : report.functions) {
    if (function.cycles_per_packet >= kProfiledCycles) functions.emplace_back(name, function);
  }
  std::stable_sort(functions.begin(), functions.end(),
                   [](const auto& a, const auto& b) { return a.second.cycles_per_packet > b.second.cycles_per_packet; });
  text += "\n[profile.functions]\n";
  for (const auto& [name, function] : functions) {
    text += fmt::format("{} = {{ cycles = {}, instructions = {}", key_text(name), number_text(function.cycles_per_packet),
                        number_text(function.instructions_per_packet));
    text += function.code_bytes ? fmt::format(", code_bytes = {} }}\n", *function.code_bytes) : " }\n";
  }
  text += "\n[profile.stalls]\n";
  for (const auto& [name, cycles] : report.stalls) text += fmt::format("{} = {}\n", key_text(name), number_text(cycles));
  return text;
}

std::string history_text(const std::string& reason, const std::vector<std::string>& changes) {
  std::string text = fmt::format("[[history]]\nreason = {}\n", toml_string(printable(reason, 1'000)));
  if (changes.empty()) return text + "\n";
  text += "changed = [\n";
  for (const auto& change : changes) text += fmt::format("  {},\n", toml_string(change));
  return text + "]\n\n";
}

// A value of the report as --set takes it: lists are TOML there, and parts per million percent.
std::string setting_argument(const RunReport::Setting& setting) {
  const auto& value = setting.value;
  if (value.is_string()) return printable(value.get<std::string>(), 1'000);
  if (setting.unit == "ppm" && value.is_number()) return fmt::format("{} %", value.get<double>() / 10'000);
  const auto dump = [](const nlohmann::ordered_json& v) { return v.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace); };
  if (!value.is_array() || value.empty() || !value.front().is_object()) return printable(dump(value), 1'000);
  std::string steps;  // of a cost table
  for (const auto& step : value) {
    std::string members;
    for (const auto& [key, member] : step.items()) members += fmt::format("{}{} = {}", members.empty() ? "" : ", ", key, dump(member));
    steps += fmt::format("{}{{ {} }}", steps.empty() ? "" : ", ", members);
  }
  return printable("[" + steps + "]", 1'000);
}

// What was said on the command line, for `set`.
std::vector<std::string> command_line_settings(const RunReport& report) {
  std::vector<std::string> settings;
  for (const auto& [name, setting] : report.config) {
    if (setting.from == "command line") settings.push_back(fmt::format("{}={}", name, setting_argument(setting)));
  }
  return settings;
}

struct Edit {
  std::size_t begin;  // offset in the text
  std::size_t end;
  std::string text;
};

// Where a line and column are in the text; columns count code points.
std::size_t offset_of(std::string_view text, toml::source_position position) {
  std::size_t at = 0;
  for (toml::source_index line = 1; line < position.line; ++line) at = text.find('\n', at) + 1;
  for (toml::source_index column = 1; column < position.column; ++column) {
    do {
      ++at;
    } while (at < text.size() && (text[at] & 0xc0) == 0x80);
  }
  return at;
}

const toml::node& value_node(const toml::table& document, const std::string& metric) {
  // Metric names are keys joined by dots, and a key may have dots itself: walk along whatever fits.
  const toml::table* table = document["metrics"].as_table();
  std::string_view rest = metric;
  while (!rest.empty()) {
    const toml::table* next = nullptr;
    std::size_t taken = 0;
    for (const auto& [key, node] : *table) {
      const std::string name = printable(key.str(), 120);
      const bool fits = rest == name || (rest.starts_with(name) && rest[name.size()] == '.');
      if (!fits || !node.is_table() || name.size() < taken) continue;
      next = node.as_table();
      taken = name.size();
    }
    if (next == nullptr) throw InputError(fmt::format("{}: no such metric in the file", metric));
    table = next;
    rest.remove_prefix(std::min(rest.size(), taken + 1));
  }
  return *table->get("value");
}

std::string metric_line(const RunReport& report, const char* name, const char* tolerance) {
  const auto metric = find_metric(report, name);
  if (!metric) return "";
  return fmt::format("{:<24} = {{ value = {}, unit = {}, {} }}\n", name, number_text(metric->value), toml_string(metric->unit), tolerance);
}

void check_reason(const std::string& reason) {
  if (reason.find_first_not_of(" \t") == std::string::npos) {
    throw InputError("--update: no reason; a sentence for those who will ask why the values changed is required");
  }
}

struct Update {
  std::vector<Edit> edits;
  std::vector<std::string> changes;  // "mpps: 47.0715 -> 46.9"
  std::size_t last = 0;              // offset of the last thing that a person may have written
};

Update find_changes(const std::string& text, const toml::table& document, const Baseline& baseline, const RunReport& report) {
  Update update;
  if (const auto* history = document["history"].as_array(); history != nullptr && !history->empty()) {
    update.last = offset_of(text, history->back().source().begin);
  }
  for (const auto& metric : baseline.metrics) {
    const toml::source_region where = value_node(document, metric.name).source();
    update.last = std::max(update.last, offset_of(text, where.begin));
    const bool is_fingerprint = metric.name == "fingerprint";
    const auto now = is_fingerprint ? std::optional<Metric>() : find_metric(report, metric.name);
    if (!is_fingerprint && !now) {
      throw InputError(fmt::format("{}:{}: {} is not in {}; a metric that the report has is allowed",
                                   printable(baseline.file.string()), metric.line, metric.name, report.file));
    }
    const bool same = is_fingerprint ? metric.fingerprint == report.fingerprint : metric.value == now->value;
    if (same) continue;
    const std::string before = is_fingerprint ? metric.fingerprint : number_text(metric.value);
    const std::string after = is_fingerprint ? report.fingerprint : number_text(now->value);
    update.edits.push_back({offset_of(text, where.begin), offset_of(text, where.end), is_fingerprint ? toml_string(after) : after});
    update.changes.push_back(fmt::format("{}: {} -> {}", metric.name, before, after));
  }
  return update;
}

// Where the part begins that is written anew.
std::size_t profile_offset(const std::string& text, const toml::table& document) {
  const std::size_t comment = text.find(fmt::format("\n{}", kProfileStart));
  if (comment != std::string::npos) return comment + 1;
  const toml::node* profile = document.get("profile");
  return profile == nullptr ? text.size() : offset_of(text, profile->source().begin);
}

}  // namespace

std::string new_baseline_text(const RunReport& report, const std::string& reason) {
  check_reason(reason);
  std::string settings;
  for (const auto& setting : command_line_settings(report)) settings += (settings.empty() ? "" : ", ") + toml_string(setting);
  std::string text = fmt::format(
      "# What `ringside check` allows. A metric may fall by max_fall and rise by max_rise, or move by max_change: \"0.5 %\" of\n"
      "# the value, or a number in the metric's unit. A side without a limit is free.\n"
      "version = {}\n"
      "scenario = {}\n"
      "set = [{}]\n"
      "\n[metrics]\n",
      kBaselineVersion, toml_string(report.scenario), settings);
  text += metric_line(report, "mpps", "max_fall = \"0.5 %\"");
  text += metric_line(report, "busy_cycles_per_packet", "max_rise = \"0.5 %\"");
  text += metric_line(report, "instructions_per_packet", "max_rise = \"0.5 %\"");
  text += metric_line(report, "loss", "max_rise = 0.5");
  text += metric_line(report, "latency.p99", "max_rise = \"2 %\"");
  return text + "\n" + history_text(reason, {}) + profile_text(report);
}

std::string updated_baseline_text(const Baseline& baseline, const RunReport& report, const std::string& reason) {
  check_reason(reason);
  std::string text = read_baseline_text(baseline.file);
  const toml::table document = parse_baseline(baseline.file, text);
  Update update = find_changes(text, document, baseline, report);
  if (update.edits.empty() && report.fingerprint == baseline.profile.fingerprint) return text;
  const std::size_t profile = profile_offset(text, document);
  if (update.last > profile) {
    throw InputError(fmt::format("{}: a metric or a reason is below the profile, which is written anew; above it is allowed",
                                 printable(baseline.file.string())));
  }
  text.resize(profile);
  std::sort(update.edits.begin(), update.edits.end(), [](const Edit& a, const Edit& b) { return a.begin > b.begin; });
  for (const auto& edit : update.edits) text.replace(edit.begin, edit.end - edit.begin, edit.text);
  if (!text.ends_with("\n\n")) text += text.ends_with('\n') ? "\n" : "\n\n";
  return text + history_text(reason, update.changes) + profile_text(report);
}

bool update_baseline(const Baseline& baseline, const RunReport& report, const std::string& reason) {
  const std::string text = updated_baseline_text(baseline, report, reason);
  if (text == read_baseline_text(baseline.file)) return false;
  write_file_atomically(baseline.file, text);
  return true;
}

}  // namespace ringside
