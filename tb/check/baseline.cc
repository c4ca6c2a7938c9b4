#include "tb/check/baseline.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "model/base/errors.h"
#include "tb/check/baseline_file.h"
#include "tb/report/bounded_file.h"
#include "tb/report/printable.h"
#include "tb/scenario/nearest.h"

namespace ringside {
namespace {

constexpr std::size_t kMaxBytes = 1 << 20;
constexpr int kMaxLevels = 8;    // of a metric's name
constexpr auto kMaxDots = 8'192;  // each may nest a table in the one before, and tables are freed recursively

class Reader {
 public:
  explicit Reader(const std::filesystem::path& file) : file_(printable(file.string())) {}

  [[noreturn]] void fail(const toml::node& node, const std::string& complaint) const {
    throw InputError(fmt::format("{}:{}: {}", file_, node.source().begin.line, complaint));
  }

  std::string text(const toml::node& node, const std::string& key) const {
    const auto value = node.value_exact<std::string>();
    if (!value) fail(node, fmt::format("{} is no string; {} = \"...\" is allowed", key, key));
    return printable(*value, 1'000);
  }

  double number(const toml::node& node, const std::string& key) const {
    const auto value = node.value<double>();
    if (!value || !std::isfinite(*value) || *value < 0 || *value > 1e18) {
      fail(node, fmt::format("{} is {}; a number from 0 to 1e18 is allowed", key,
                             node.is_string() ? fmt::format("the string \"{}\"", printable(*node.value<std::string>(), 40))
                             : value          ? fmt::format("{:g}", *value)
                                              : std::string("no number")));
    }
    return *value;
  }

  void expect_keys(const toml::table& table, const std::string& where, const std::vector<std::string>& allowed) const {
    for (const auto& [key, node] : table) {
      const std::string name = printable(key.str(), 60);
      if (std::find(allowed.begin(), allowed.end(), name) != allowed.end()) continue;
      std::string list;
      for (const auto& a : allowed) list += (list.empty() ? "" : ", ") + a;
      fail(node, fmt::format("unknown key {} in {}; {} are allowed{}", name, where, list, did_you_mean(name, allowed)));
    }
  }

 private:
  std::string file_;
};

// 0.5 in the metric's unit, or "0.5 %" of the value.
Allowance read_allowance(const Reader& reader, const toml::node& node, const std::string& key, const std::string& unit) {
  if (!node.is_string()) return {reader.number(node, key), false};
  const std::string text = reader.text(node, key);
  const auto end = text.find_last_not_of(" %");
  const std::string digits = end == std::string::npos ? "" : text.substr(0, end + 1);
  char* rest = nullptr;
  const double amount = std::strtod(digits.c_str(), &rest);
  const bool plain = !digits.empty() && digits.find_first_not_of("0123456789.") == std::string::npos && *rest == '\0';
  if (!plain || !text.ends_with('%') || amount > 1e6) {
    reader.fail(node, fmt::format("{} is \"{}\"; a percentage such as \"0.5 %\", or a number in the metric's unit such as 0.05, "
                                  "is allowed",
                                  key, text));
  }
  if (unit == "%") {
    reader.fail(node, fmt::format("{} is \"{}\" of a metric that is in % itself; a number of percentage points such as {} is "
                                  "allowed",
                                  key, text, digits));
  }
  return {amount, true};
}

BaselineMetric read_metric(const Reader& reader, const std::string& name, const toml::table& table) {
  reader.expect_keys(table, name, {"value", "unit", "max_fall", "max_rise", "max_change"});
  BaselineMetric metric;
  metric.name = name;
  metric.line = static_cast<int>(table.source().begin.line);
  const toml::node& value = *table.get("value");
  if (table.contains("unit")) metric.unit = reader.text(*table.get("unit"), "unit");
  if (name == "fingerprint") {
    reader.expect_keys(table, name, {"value"});
    metric.fingerprint = reader.text(value, "value");
    return metric;
  }
  metric.value = reader.number(value, name + ".value");
  const std::string unit = name == "loss" || name.starts_with("drops.") ? "%" : metric.unit;
  const auto allowance = [&](const char* key) {
    return table.contains(key) ? std::optional(read_allowance(reader, *table.get(key), key, unit)) : std::nullopt;
  };
  metric.fall = allowance("max_fall");
  metric.rise = allowance("max_rise");
  if (const auto both = allowance("max_change")) {
    if (metric.fall || metric.rise) reader.fail(table, name + " has max_change and a limit for one side; one of them is allowed");
    metric.fall = metric.rise = both;
  }
  if (!metric.fall && !metric.rise) {
    reader.fail(table, name + " has no tolerance; max_fall, max_rise or max_change is required, such as max_fall = \"0.5 %\"");
  }
  return metric;
}

void read_metrics(const Reader& reader, const toml::table& table, const std::string& prefix, int depth, Baseline& baseline) {
  for (const auto& [key, node] : table) {
    const std::string name = printable(prefix.empty() ? std::string(key.str()) : prefix + "." + std::string(key.str()), 120);
    const toml::table* nested = node.as_table();
    if (nested == nullptr) {
      reader.fail(node, fmt::format("{} is a bare value; {} = {{ value = ..., max_change = \"0.5 %\" }} is allowed", name, name));
    }
    if (depth > kMaxLevels) reader.fail(node, fmt::format("{} has too many levels; names of metrics have three", name));
    if (nested->contains("value")) {
      baseline.metrics.push_back(read_metric(reader, name, *nested));
    } else {
      read_metrics(reader, *nested, name, depth + 1, baseline);
    }
  }
}

// Calls visit(name, node) for what is in [profile.KEY].
template <class Visit>
void visit_profile(const Reader& reader, const toml::table& profile, const char* key, Visit visit) {
  const toml::node* node = profile.get(key);
  if (node == nullptr) return;
  if (!node->is_table()) reader.fail(*node, fmt::format("{} is no table; [profile.{}] is allowed", key, key));
  for (const auto& [name, value] : *node->as_table()) visit(printable(name.str()), value);
}

BaselineProfile::Function read_function(const Reader& reader, const std::string& name, const toml::node& node) {
  if (!node.is_table()) reader.fail(node, name + " is no table; { cycles = ..., instructions = ..., code_bytes = ... } is allowed");
  const toml::table& table = *node.as_table();
  const auto number = [&](const char* key) { return table.contains(key) ? reader.number(*table.get(key), key) : 0.0; };
  return {number("cycles"), number("instructions"), number("code_bytes")};
}

void read_profile(const Reader& reader, const toml::table& document, BaselineProfile& profile) {
  const toml::node* node = document.get("profile");
  if (node == nullptr) return;
  if (!node->is_table()) reader.fail(*node, "profile is no table; [profile] is allowed");
  const toml::table& table = *node->as_table();
  if (table.contains("fingerprint")) profile.fingerprint = reader.text(*table.get("fingerprint"), "fingerprint");
  if (table.contains("compiler")) profile.compiler = reader.text(*table.get("compiler"), "compiler");
  visit_profile(reader, table, "functions", [&](const std::string& name, const toml::node& function) {
    profile.functions[name] = read_function(reader, name, function);
  });
  visit_profile(reader, table, "stalls", [&](const std::string& name, const toml::node& cycles) {
    profile.stalls[name] = reader.number(cycles, name);
  });
}

}  // namespace

toml::table parse_baseline(const std::filesystem::path& file, std::string_view text) {
  const std::string shown = printable(file.string());
  if (std::count(text.begin(), text.end(), '.') > kMaxDots) {
    throw InputError(fmt::format("{}: more than {} dots; a baseline has fewer, and its oldest history may go", shown, kMaxDots));
  }
  try {
    return toml::parse(text, shown);
  } catch (const toml::parse_error& error) {
    throw InputError(fmt::format("{}:{}: {}; TOML 1.0 is allowed", shown, error.source().begin.line,
                                 printable(error.description())));
  }
}

std::string read_baseline_text(const std::filesystem::path& file) { return read_bounded_file(file, kMaxBytes, "a baseline"); }

Baseline read_baseline(const std::filesystem::path& file) {
  const toml::table document = parse_baseline(file, read_baseline_text(file));
  const Reader reader(file);
  const auto version = document["version"].value_exact<std::int64_t>();
  if (!version || *version != kBaselineVersion) {
    throw InputError(fmt::format("{}: {}; version = {} is allowed, in a file that `ringside check --update` wrote",
                                 printable(file.string()), version ? fmt::format("version {}", *version) : "no version",
                                 kBaselineVersion));
  }
  reader.expect_keys(document, "a baseline", {"version", "scenario", "set", "metrics", "history", "profile"});
  Baseline baseline;
  baseline.file = file;
  if (!document.contains("scenario")) reader.fail(document, "no scenario; scenario = \"NAME\" is required");
  baseline.scenario = reader.text(*document.get("scenario"), "scenario");
  if (const toml::node* set = document.get("set")) {
    if (!set->is_array()) reader.fail(*set, "set is no array; an array of \"key=value\" is allowed");
    for (const toml::node& element : *set->as_array()) baseline.settings.push_back(reader.text(element, "set"));
  }
  const toml::table* metrics = document["metrics"].as_table();
  if (metrics == nullptr) reader.fail(document, "no [metrics]; a table with one or more is required");
  read_metrics(reader, *metrics, "", 1, baseline);
  std::sort(baseline.metrics.begin(), baseline.metrics.end(),
            [](const BaselineMetric& a, const BaselineMetric& b) { return a.line < b.line; });
  if (baseline.metrics.empty()) reader.fail(*metrics, "[metrics] is empty; one or more is required");
  read_profile(reader, document, baseline.profile);
  return baseline;
}

}  // namespace ringside
