#include "tb/check/check_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <filesystem>

#include "tb/report/figure_text.h"
#include "tb/report/text_table.h"

namespace ringside {
namespace {

constexpr std::size_t kShownFunctions = 5;
constexpr double kShownCycles = 0.05;  // less per packet is not worth a line

std::string side_text(const char* verb, const std::optional<Allowance>& allowance, const std::string& unit) {
  if (!allowance) return "";
  if (allowance->amount == 0) return fmt::format("may not {}", verb);
  return fmt::format("may {} {}{}", verb, allowance->amount,
                     allowance->relative ? " %" : unit == "%" ? " points" : unit.empty() ? "" : " " + unit);
}

// "may fall 0.5 %".
std::string allowed_text(const CheckedMetric& metric) {
  const auto& fall = metric.baseline.fall;
  const auto& rise = metric.baseline.rise;
  if (metric.baseline.name == "fingerprint") return "may not change";
  if (fall && rise && fall->amount == rise->amount && fall->relative == rise->relative) return side_text("change", fall, metric.unit);
  const std::string falls = side_text("fall", fall, metric.unit), rises = side_text("rise", rise, metric.unit);
  return falls + (falls.empty() || rises.empty() ? "" : ", ") + rises;
}

std::string with_unit(double value, const std::string& unit) {
  return figure_text(value) + (unit.empty() ? "" : " " + unit);
}

// "latency.p99, ns"; names that say their unit stay alone.
std::string name_with_unit(const CheckedMetric& metric) {
  std::string unit = metric.unit;
  std::transform(unit.begin(), unit.end(), unit.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const auto& name = metric.baseline.name;
  return unit.empty() || name.find(unit) != std::string::npos ? name : fmt::format("{}, {}", name, metric.unit);
}

void add_metric(TextTable& table, const CheckedMetric& metric) {
  const auto& baseline = metric.baseline;
  if (baseline.name == "fingerprint") {
    table.row({baseline.name, baseline.fingerprint, metric.now_fingerprint, "", "", allowed_text(metric)});
    return;
  }
  const Tone tone = metric.outcome == MetricOutcome::failed ? Tone::bad : Tone::good;
  if (!metric.now) {
    table.row({name_with_unit(metric), figure_text(baseline.value), {"gone", tone}, "", "", allowed_text(metric)});
    return;
  }
  table.row({name_with_unit(metric), figure_text(baseline.value), figure_text(*metric.now),
             {figure_text(*metric.now - baseline.value, true), tone}, {percent_text(baseline.value, *metric.now), tone},
             allowed_text(metric)});
}

std::string moved_line(const std::vector<MovedCycles>& moved) {
  std::string text;
  for (std::size_t i = 0; i < std::min<std::size_t>(4, moved.size()); ++i) {
    const double change = moved[i].change();
    if (std::abs(change) < kShownCycles) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", moved[i].name, figure_text(change, true));
  }
  return text;
}

std::string profile_text(const CheckResult& result, bool colour) {
  TextTable table({"cycles per packet in", "baseline", "now", "change", "instr", "code"});
  for (std::size_t i = 0; i < std::min(kShownFunctions, result.functions.size()); ++i) {
    const MovedCycles& function = result.functions[i];
    if (std::abs(function.change()) < kShownCycles) continue;
    table.row({function.name, figure_text(function.before), figure_text(function.now),
               {figure_text(function.change(), true), tone_of(Better::lower, function.before, function.now)},
               function.instructions == 0 ? "" : figure_text(function.instructions, true),
               function.code_bytes == 0 ? "" : fmt::format("{:+.0f} B", function.code_bytes)});
  }
  std::string text = table.empty() ? "" : "\n" + table.text(colour);
  if (const auto stalls = moved_line(result.stalls); !stalls.empty()) text += "spent on: " + stalls + "\n";
  return text;
}

std::size_t count(const CheckResult& result, MetricOutcome outcome) {
  return static_cast<std::size_t>(std::count_if(result.metrics.begin(), result.metrics.end(),
                                                [&](const CheckedMetric& m) { return m.outcome == outcome; }));
}

std::string metrics_text(std::size_t count) { return fmt::format("{} metric{}", count, count == 1 ? "" : "s"); }

std::string table_of(const CheckResult& result, MetricOutcome outcome, bool colour) {
  TextTable table({"metric", "baseline", "now", "change", "relative", "allowed"}, true);
  for (const auto& metric : result.metrics) {
    if (metric.outcome == outcome) add_metric(table, metric);
  }
  return table.text(colour);
}

std::string update_command(const CheckResult& result) {
  if (result.report_file.empty()) {
    const auto folder = std::filesystem::path(result.baseline_file).parent_path();
    return fmt::format("ringside check --suite {} --update \"why\"", folder.empty() ? "." : folder.string());
  }
  return fmt::format("ringside check {} --baseline {} --update \"why\"", result.report_file, result.baseline_file);
}

std::string compiler_text(const CheckResult& result) {
  if (result.compiler_now.empty()) return "";
  return fmt::format("the guest was compiled by {}, that of the baseline by {}\n", result.compiler_now, result.compiler_before);
}

std::string line_of(const std::string& word, Tone tone, bool colour, const std::string& rest) {
  return toned(fmt::format("{:<7}", word), tone, colour) + " " + rest + "\n";
}

// ---- GitHub ----

std::string escaped_data(const std::string& text) {
  std::string result;
  for (const char c : text) result += c == '%' ? "%25" : c == '\r' ? "%0D" : c == '\n' ? "%0A" : std::string(1, c);
  return result;
}

std::string escaped_property(const std::string& text) {
  std::string result;
  for (const char c : escaped_data(text)) result += c == ':' ? "%3A" : c == ',' ? "%2C" : std::string(1, c);
  return result;
}

std::string annotation(const char* kind, const CheckResult& result, int line, const std::string& title, const std::string& text) {
  return fmt::format("::{} file={},line={},title={}::{}\n", kind, escaped_property(result.baseline_file), std::max(line, 1),
                     escaped_property(fmt::format("ringside: {} {}", result.scenario, title)), escaped_data(text));
}

}  // namespace

std::string metric_sentence(const CheckedMetric& metric) {
  const auto& baseline = metric.baseline;
  if (baseline.name == "fingerprint") return fmt::format("fingerprint {}, baseline {}", metric.now_fingerprint, baseline.fingerprint);
  if (!metric.now) {
    return fmt::format("{} is no longer in the report, baseline {}", baseline.name, with_unit(baseline.value, metric.unit));
  }
  return fmt::format("{} is {}, baseline {} ({}, {})", baseline.name, with_unit(*metric.now, metric.unit),
                     figure_text(baseline.value), percent_text(baseline.value, *metric.now), allowed_text(metric));
}

std::string check_text(const CheckResult& result, bool colour) {
  if (!result.bad_input.empty()) return line_of("ERROR", Tone::bad, colour, fmt::format("{}: {}", result.scenario, result.bad_input));
  if (!result.broken.empty()) {
    return line_of("FAILED", Tone::bad, colour, fmt::format("{}: the run broke: {}", result.scenario, result.broken));
  }
  const std::size_t failed = count(result, MetricOutcome::failed), improved = count(result, MetricOutcome::improved);
  const std::string all = metrics_text(result.metrics.size());
  std::string text;
  if (failed == 0) {
    text = line_of("ok", Tone::good, colour,
                   fmt::format("{}: {} within tolerance{}", result.scenario, all,
                               result.identical ? "; the same run as the baseline's" : ""));
  } else {
    text = line_of("FAILED", Tone::bad, colour, fmt::format("{}: {} of {} out of tolerance", result.scenario, failed, all));
    text += "\n" + table_of(result, MetricOutcome::failed, colour) + profile_text(result, colour) + compiler_text(result);
    text += fmt::format("\nif this is meant: {}\n", update_command(result));
  }
  if (improved != 0) {
    text += fmt::format("\nbetter than the baseline:\n{}to keep it: {}\n", table_of(result, MetricOutcome::improved, colour),
                        update_command(result));
  }
  return text;
}

std::string github_annotations(const CheckResult& result) {
  if (!result.bad_input.empty()) return annotation("error", result, 1, "was not checked", result.bad_input);
  if (!result.broken.empty()) return annotation("error", result, 1, "broke", result.broken);
  std::string moved = moved_line(result.functions);
  if (!moved.empty()) moved = "\ncycles per packet: " + moved;
  if (const auto stalls = moved_line(result.stalls); !stalls.empty()) moved += "\nspent on: " + stalls;
  std::string text;
  for (const auto& metric : result.metrics) {
    if (metric.outcome == MetricOutcome::within) continue;
    const bool failed = metric.outcome == MetricOutcome::failed;
    text += annotation(failed ? "error" : "notice", result, metric.baseline.line,
                       metric.baseline.name + (failed ? " out of tolerance" : " improved"), metric_sentence(metric) + moved);
  }
  return text;
}

}  // namespace ringside
