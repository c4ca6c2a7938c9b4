#include "tb/compare/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "model/base/errors.h"
#include "tb/report/printable.h"

namespace ringside {
namespace {

using Runs = std::vector<RunReport>;

constexpr double kSameRate = 0.005;  // counters whose rate per packet differs by less are not news

// ---- what can be compared ----

void check_units(const RunReport& first, const RunReport& other) {
  const auto refuse = [&](const std::string& what, const std::string& unit, const std::string& other_unit) {
    if (unit == other_unit) return;
    throw InputError(fmt::format("{} cannot be compared with {}: {} is in {} there and in {} here; reports with the same units "
                                 "are allowed",
                                 other.file, first.file, what, unit.empty() ? "no unit" : unit,
                                 other_unit.empty() ? "no unit" : other_unit));
  };
  for (const auto& [group, counters] : first.counters) {
    const auto same_group = other.counters.find(group);
    if (same_group == other.counters.end()) continue;
    for (const auto& [name, counter] : counters) {
      const auto found = same_group->second.find(name);
      if (found != same_group->second.end()) refuse(fmt::format("counter {} {}", group, name), counter.unit, found->second.unit);
    }
  }
  for (const auto& [name, setting] : first.config) {
    const auto found = other.config.find(name);
    if (found != other.config.end()) refuse(name, setting.unit, found->second.unit);
  }
}

void check_measured(const RunReport& run) {
  if (run.window_packets != 0) return;
  throw InputError(fmt::format("{}: measured no packet, so there is nothing to compare{}; a run that measured some is allowed",
                               run.file, run.error.empty() ? "" : ": " + run.error));
}

// ---- the parts ----

Comparison::Run describe_run(const RunReport& run) {
  Comparison::Run result{run.file, run.scenario, run.fingerprint, run.compiler, "", 0};
  if (!run.limits.empty()) {
    result.limit = run.limits.front().resource;
    result.limit_used = run.limits.front().used;
  }
  return result;
}

std::vector<ComparedFigure> compare_headline(const Runs& runs) {
  std::vector<ComparedFigure> figures;
  for (const auto* name : {"mpps", "gbps", "ns_per_packet", "cycles_per_packet", "busy_cycles_per_packet",
                           "instructions_per_packet", "ipc", "loss", "latency.p50", "latency.p99", "latency.max"}) {
    ComparedFigure figure;
    for (const auto& run : runs) {
      const auto metric = find_metric(run, name);
      if (metric) figure = {metric->name, metric->label, metric->unit, metric->better, std::move(figure.values)};
      figure.values.push_back(metric ? std::optional(metric->value) : std::nullopt);
    }
    if (!figure.name.empty()) figures.push_back(std::move(figure));
  }
  return figures;
}

double ns_of(const RunReport& run, double cycles) {
  return run.cycles_per_packet == 0 ? 0 : six_digits(cycles * run.ns_per_packet / run.cycles_per_packet);
}

bool code_differs(const ComparedFunction::Cost& a, const ComparedFunction::Cost& b) {
  return a.code_bytes && b.code_bytes && *a.code_bytes != *b.code_bytes;
}

double largest_change_of_cycles(const ComparedFunction& function) {
  std::vector<double> cycles;
  for (const auto& cost : function.costs) cycles.push_back(cost.cycles);
  return largest_change(cycles);
}

std::vector<ComparedFunction> compare_functions(const Runs& runs) {
  std::set<std::string> names;
  for (const auto& run : runs) {
    for (const auto& [name, function] : run.functions) names.insert(name);
  }
  std::vector<ComparedFunction> functions;
  for (const auto& name : names) {
    ComparedFunction compared{name, false, false, {}};
    for (const auto& run : runs) {
      const auto found = run.functions.find(name);
      const bool ran = found != run.functions.end();
      ComparedFunction::Cost cost;
      if (ran) {
        const auto& f = found->second;
        cost = {f.cycles_per_packet, ns_of(run, f.cycles_per_packet), f.instructions_per_packet, f.code_bytes, f.stalls};
      }
      compared.ran_in_some = compared.ran_in_some || ran != runs.front().functions.contains(name);
      compared.code_changed = compared.code_changed || (!compared.costs.empty() && code_differs(compared.costs.front(), cost));
      compared.costs.push_back(std::move(cost));
    }
    functions.push_back(std::move(compared));
  }
  std::stable_sort(functions.begin(), functions.end(), [](const ComparedFunction& a, const ComparedFunction& b) {
    return largest_change_of_cycles(a) > largest_change_of_cycles(b);
  });
  return functions;
}

std::vector<ComparedStall> compare_stalls(const Runs& runs) {
  std::set<std::string> names;
  for (const auto& run : runs) {
    for (const auto& [name, cycles] : run.stalls) names.insert(name);
  }
  std::vector<ComparedStall> stalls;
  for (const auto& name : names) {
    ComparedStall stall{name, {}, {}};
    for (const auto& run : runs) {
      const auto found = run.stalls.find(name);
      stall.cycles.push_back(found == run.stalls.end() ? 0 : found->second);
      stall.ns.push_back(ns_of(run, stall.cycles.back()));
    }
    stalls.push_back(std::move(stall));
  }
  std::stable_sort(stalls.begin(), stalls.end(), [](const ComparedStall& a, const ComparedStall& b) {
    return largest_change(a.cycles) > largest_change(b.cycles);
  });
  return stalls;
}

std::vector<ComparedFigure> compare_drops(const Runs& runs) {
  std::set<std::string> names;
  for (const auto& run : runs) {
    for (const auto& [name, packets] : run.dropped) names.insert(name);
  }
  std::vector<ComparedFigure> drops;
  for (const auto& name : names) {
    ComparedFigure drop{name, name, "packets", Better::lower, {}};
    for (const auto& run : runs) {
      const auto found = run.dropped.find(name);
      drop.values.emplace_back(found == run.dropped.end() ? 0.0 : static_cast<double>(found->second));
    }
    drops.push_back(std::move(drop));
  }
  std::stable_sort(drops.begin(), drops.end(), [](const ComparedFigure& a, const ComparedFigure& b) {
    return largest_change(values_or_zero(a)) > largest_change(values_or_zero(b));
  });
  return drops;
}

// The packets that a counter's rate refers to: the core counts in the window, interrupts and all others in the whole run.
double packets_of(const RunReport& run, const std::string& group, const std::string& name) {
  const bool window = group == "core" && name != "interrupts";
  return static_cast<double>(window ? run.window_packets : run.delivered);
}

// How far two rates are apart, as a share of the larger one: 1 when one of them is 0.
double rate_distance(const std::vector<double>& rates) {
  double distance = 0;
  for (const double rate : rates) {
    const double larger = std::max(rate, rates.front());
    if (larger > 0) distance = std::max(distance, std::abs(rate - rates.front()) / larger);
  }
  return distance;
}

void compare_counters(const Runs& runs, Comparison& comparison) {
  std::map<std::pair<std::string, std::string>, std::string> units;
  for (const auto& run : runs) {
    for (const auto& [group, counters] : run.counters) {
      for (const auto& [name, counter] : counters) units[{group, name}] = counter.unit;
    }
  }
  struct Row {
    ComparedFigure figure;
    std::vector<double> rates;
  };
  std::vector<Row> rows;
  for (const auto& [key, unit] : units) {
    const auto& [group, name] = key;
    Row row{{fmt::format("{}.{}", group, name), fmt::format("{} {}", group, name), unit, Better::neither, {}}, {}};
    for (const auto& run : runs) {
      const auto metric = find_metric(run, fmt::format("counters.{}.{}", group, name));
      const double packets = packets_of(run, group, name);
      row.figure.values.push_back(metric ? std::optional(metric->value) : std::nullopt);
      row.rates.push_back(packets == 0 || !metric ? 0 : six_digits(metric->value / packets));
    }
    if (rate_distance(row.rates) > kSameRate) rows.push_back(std::move(row));
  }
  std::stable_sort(rows.begin(), rows.end(),
                   [](const Row& a, const Row& b) { return rate_distance(a.rates) > rate_distance(b.rates); });
  for (auto& row : rows) {
    comparison.counters.push_back(std::move(row.figure));
    comparison.counter_rates.push_back(std::move(row.rates));
  }
}

std::string setting_text(const RunReport::Setting& setting) {
  using json = nlohmann::ordered_json;
  const auto& value = setting.value;
  std::string text;
  if (value.is_string()) {
    text = value.get<std::string>().empty() ? "(empty)" : value.get<std::string>();
  } else if (value.is_array() && std::all_of(value.begin(), value.end(), [](const json& v) { return v.is_string(); })) {
    for (const auto& element : value) text += (text.empty() ? "" : " ") + element.get<std::string>();
    if (text.empty()) text = "(none)";
  } else {
    text = value.dump(-1, ' ', false, json::error_handler_t::replace);
  }
  return printable(setting.unit.empty() ? text : text + " " + setting.unit);
}

std::vector<ComparedSetting> compare_config(const Runs& runs) {
  std::set<std::string> names;
  for (const auto& run : runs) {
    for (const auto& [name, setting] : run.config) names.insert(name);
  }
  std::vector<ComparedSetting> settings;
  for (const auto& name : names) {
    ComparedSetting compared{name, {}};
    bool differs = false;
    const auto first = runs.front().config.find(name);
    for (const auto& run : runs) {
      const auto found = run.config.find(name);
      const bool here = found != run.config.end(), there = first != runs.front().config.end();
      differs = differs || here != there || (here && found->second.value != first->second.value);
      compared.values.push_back(here ? setting_text(found->second) : "");
    }
    if (differs) settings.push_back(std::move(compared));
  }
  return settings;
}

// ---- the verdict ----

std::string listed(const std::vector<std::string>& names) {
  constexpr std::size_t kShown = 2;
  const auto shown = std::min(names.size(), names.size() == kShown + 1 ? names.size() : kShown);
  std::string text;
  for (std::size_t i = 0; i < shown; ++i) text += (i == 0 ? "" : ", ") + names[i];
  return shown == names.size() ? text : fmt::format("{} and {} more", text, names.size() - shown);
}

void add_fates(const Runs& runs, const Comparison& comparison, std::vector<std::string>& reasons) {
  std::vector<std::string> causes;
  for (const auto& drop : comparison.drops) {
    const auto values = values_or_zero(drop);
    const bool some = values.front() > 0;
    if (std::any_of(values.begin(), values.end(), [&](double v) { return (v > 0) != some; })) causes.push_back(drop.name);
  }
  if (!causes.empty()) reasons.push_back("packets not dropped in every run: " + listed(causes));
  // Two ends that only say how long the run was are alike.
  const auto kind = [](const RunReport& run) {
    return run.stop_reason == "packets" || run.stop_reason == "time" ? "converged" : run.stop_reason;
  };
  for (const auto& run : runs) {
    if (kind(run) == kind(runs.front())) continue;
    reasons.push_back(fmt::format("the runs ended differently: {} and {}{}", runs.front().stop_reason, run.stop_reason,
                                  run.error.empty() ? "" : ": " + run.error));
    break;
  }
}

void judge(const Runs& runs, Comparison& comparison) {
  const auto& first = runs.front();
  const bool same = std::all_of(runs.begin(), runs.end(), [&](const RunReport& r) { return r.fingerprint == first.fingerprint; });
  if (same) {
    comparison.verdict = Verdict::same_behaviour;
    comparison.reasons.push_back(fmt::format("equal fingerprints, {}", first.fingerprint));
    return;
  }
  std::vector<std::string> code, ran;
  for (const auto& function : comparison.functions) {
    if (function.code_changed) code.push_back(function.name);
    if (function.ran_in_some) ran.push_back(function.name);
  }
  if (!code.empty()) comparison.reasons.push_back("other code in " + listed(code));
  if (!ran.empty()) comparison.reasons.push_back("not in every run: " + listed(ran));
  add_fates(runs, comparison, comparison.reasons);
  comparison.verdict = comparison.reasons.empty() ? Verdict::timing_moved : Verdict::behaviour_changed;
  if (comparison.reasons.empty()) comparison.reasons.push_back("the same functions ran, and packets met the same kinds of fate");
}

}  // namespace

double largest_change(const std::vector<double>& values) {
  double change = 0;
  for (const double value : values) change = std::max(change, std::abs(value - values.front()));
  return change;
}

std::vector<double> values_or_zero(const ComparedFigure& figure) {
  std::vector<double> values;
  for (const auto& value : figure.values) values.push_back(value.value_or(0));
  return values;
}

std::string run_letter(std::size_t run) {
  return run < 26 ? std::string(1, static_cast<char>('A' + run)) : fmt::format("{}", run + 1);
}

Comparison compare_runs(const std::vector<RunReport>& runs) {
  for (const auto& run : runs) check_measured(run);
  for (std::size_t i = 1; i < runs.size(); ++i) check_units(runs.front(), runs[i]);
  Comparison comparison;
  for (const auto& run : runs) comparison.runs.push_back(describe_run(run));
  comparison.headline = compare_headline(runs);
  comparison.functions = compare_functions(runs);
  comparison.stalls = compare_stalls(runs);
  comparison.drops = compare_drops(runs);
  compare_counters(runs, comparison);
  comparison.config = compare_config(runs);
  judge(runs, comparison);
  return comparison;
}

}  // namespace ringside
