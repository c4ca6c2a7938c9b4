#include "tb/compare/comparison_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tb/report/figure_text.h"
#include "tb/report/text_table.h"

namespace ringside {
namespace {

constexpr std::size_t kShownRows = 12;
constexpr double kShownCycles = 0.05;  // changes per packet that are less are not listed

// Collects the parts of the text, in whichever format.
class Page {
 public:
  explicit Page(TextFormat format) : format_(format) {}

  void paragraph(const std::string& text, Tone tone = Tone::plain) {
    const std::string shown = markdown() ? markdown_text(text) : toned(text, tone, colour());
    text_ += (markdown() && tone == Tone::strong ? "**" + shown + "**" : shown) + "\n\n";
  }

  // `hidden` is said below the table where it is not empty.
  void section(const std::string& title, const TextTable& table, const std::string& hidden = "") {
    if (table.empty() && hidden.empty()) return;
    if (!title.empty()) text_ += markdown() ? "#### " + markdown_text(title) + "\n\n" : toned(title, Tone::strong, colour()) + "\n";
    if (!table.empty()) text_ += markdown() ? table.markdown() : table.text(colour());
    if (!hidden.empty()) text_ += markdown() ? "\n" + markdown_text(hidden) + "\n" : toned(hidden, Tone::faint, colour()) + "\n";
    text_ += "\n";
  }

  std::string take() {
    while (text_.ends_with("\n\n")) text_.pop_back();
    return std::move(text_);
  }

 private:
  bool markdown() const { return format_ == TextFormat::markdown; }
  bool colour() const { return format_ == TextFormat::coloured_terminal; }

  TextFormat format_;
  std::string text_;
};

using Cells = std::vector<TextTable::Cell>;

Cells run_header(std::string first, const Comparison& comparison, std::initializer_list<const char*> more) {
  Cells cells{std::move(first)};
  for (std::size_t i = 0; i < comparison.runs.size(); ++i) cells.emplace_back(run_letter(i));
  for (const auto* cell : more) cells.emplace_back(cell);
  return cells;
}

TextTable run_table(const Comparison& comparison) {
  TextTable table({"", "file", "scenario"}, true, 2);
  bool compilers_differ = false;
  for (const auto& run : comparison.runs) compilers_differ = compilers_differ || run.compiler != comparison.runs.front().compiler;
  for (std::size_t i = 0; i < comparison.runs.size(); ++i) {
    const auto& run = comparison.runs[i];
    table.row({run_letter(i), run.file, compilers_differ ? fmt::format("{}, {}", run.scenario, run.compiler) : run.scenario});
  }
  return table;
}

std::string change_of_rate(const Comparison& comparison) {
  const auto found = std::find_if(comparison.headline.begin(), comparison.headline.end(),
                                  [](const ComparedFigure& f) { return f.name == "mpps"; });
  const auto values = values_or_zero(*found);
  if (values.size() > 2 || values[0] == values[1]) return "";
  return fmt::format("{} -> {} Mpps ({}); ", figure_text(values[0]), figure_text(values[1]), percent_text(values[0], values[1]));
}

std::string verdict_line(const Comparison& comparison) {
  std::string reasons;
  for (const auto& reason : comparison.reasons) reasons += (reasons.empty() ? "" : "; ") + reason;
  return fmt::format("{}: {}{}", verdict_name(comparison.verdict), change_of_rate(comparison), reasons);
}

std::string limit_text(const Comparison::Run& run) {
  return run.limit.empty() ? "unknown" : fmt::format("{} ({:.1f} %)", run.limit, 100 * run.limit_used);
}

TextTable headline_of_two(const Comparison& comparison) {
  TextTable table(run_header("", comparison, {"change", "relative"}));
  for (const auto& figure : comparison.headline) {
    const auto& a = figure.values[0];
    const auto& b = figure.values[1];
    if (!a || !b) {
      table.row({figure.label, a ? figure_text(*a) : "none", b ? figure_text(*b) : "none", "", ""});
      continue;
    }
    const Tone tone = tone_of(figure.better, *a, *b);
    table.row({figure.label, figure_text(*a), figure_text(*b), {*a == *b ? "=" : figure_text(*b - *a, true), tone},
               {percent_text(*a, *b), tone}});
  }
  return table;
}

// One line for each run: a table that grows downwards.
TextTable headline_of_many(const Comparison& comparison) {
  const std::vector<std::pair<const char*, const char*>> columns{
      {"mpps", "Mpps"}, {"ns_per_packet", "ns/pkt"}, {"cycles_per_packet", "cycles/pkt"},
      {"instructions_per_packet", "instr/pkt"}, {"ipc", "IPC"}, {"loss", "lost %"}, {"latency.p99", "p99 ns"}};
  Cells header{""};
  for (const auto& [name, title] : columns) {
    header.emplace_back(title);
    if (std::string_view(name) == "mpps") header.emplace_back("to A");
  }
  TextTable table(std::move(header));
  for (std::size_t run = 0; run < comparison.runs.size(); ++run) {
    Cells cells{run_letter(run)};
    for (const auto& [name, title] : columns) {
      const auto found = std::find_if(comparison.headline.begin(), comparison.headline.end(),
                                      [n = std::string_view(name)](const ComparedFigure& f) { return f.name == n; });
      const bool known = found != comparison.headline.end() && found->values[run];
      cells.emplace_back(known ? figure_text(*found->values[run]) : "none");
      if (std::string_view(name) != "mpps") continue;
      const auto values = values_or_zero(*found);
      cells.emplace_back(run == 0 ? "" : percent_text(values[0], values[run]), tone_of(Better::higher, values[0], values[run]));
    }
    table.row(std::move(cells));
  }
  return table;
}

void add_changes(Cells& cells, const std::vector<double>& values, Better better) {
  for (const double value : values) cells.emplace_back(figure_text(value));
  if (values.size() != 2) return;
  cells.emplace_back(values[0] == values[1] ? "=" : figure_text(values[1] - values[0], true),
                     tone_of(better, values[0], values[1]));
}

std::string signed_or_blank(double change) { return change == 0 ? "" : figure_text(change, true); }

bool worth_showing(const ComparedFunction& function) {
  std::vector<double> cycles, instructions;
  for (const auto& cost : function.costs) {
    cycles.push_back(cost.cycles);
    instructions.push_back(cost.instructions);
  }
  return largest_change(cycles) >= kShownCycles || largest_change(instructions) >= kShownCycles;
}

// "+12 B", or which of two runs it ran in.
std::string change_of_code(const ComparedFunction& function) {
  const auto& a = function.costs[0];
  const auto& b = function.costs[1];
  if (function.ran_in_some) return fmt::format("only in {}", run_letter(a.instructions > 0 ? 0 : 1));
  if (!function.code_changed) return "";
  return fmt::format("{:+} B", static_cast<std::int64_t>(*b.code_bytes) - static_cast<std::int64_t>(*a.code_bytes));
}

Cells function_row(const ComparedFunction& function) {
  Cells cells{function.name};
  std::vector<double> cycles;
  for (const auto& cost : function.costs) cycles.push_back(cost.cycles);
  add_changes(cells, cycles, Better::lower);
  if (function.costs.size() != 2) return cells;
  const auto& a = function.costs[0];
  const auto& b = function.costs[1];
  cells.emplace_back(signed_or_blank(b.ns - a.ns));
  cells.emplace_back(signed_or_blank(b.instructions - a.instructions));
  cells.emplace_back(change_of_code(function));
  cells.emplace_back(moved_stalls(a.stalls, b.stalls));
  return cells;
}

void add_functions(Page& page, const Comparison& comparison) {
  const bool two = comparison.runs.size() == 2;
  TextTable table(two ? run_header("cycles per packet in", comparison, {"change", "ns", "instr", "code", "mostly on"})
                      : run_header("cycles per packet in", comparison, {}),
                  two);
  std::size_t shown = 0, hidden = 0;
  for (const auto& function : comparison.functions) {
    if (!worth_showing(function) || shown == kShownRows) {
      ++hidden;
      continue;
    }
    table.row(function_row(function));
    ++shown;
  }
  std::string rest;
  if (hidden != 0) rest = fmt::format("and {} functions that changed less; --format json lists them", hidden);
  page.section("", table, rest);
}

void add_stalls(Page& page, const Comparison& comparison) {
  const bool two = comparison.runs.size() == 2;
  TextTable table(two ? run_header("cycles per packet on", comparison, {"change", "ns"})
                      : run_header("cycles per packet on", comparison, {}));
  for (const auto& stall : comparison.stalls) {
    if (largest_change(stall.cycles) < kShownCycles) continue;
    Cells cells{stall.name};
    add_changes(cells, stall.cycles, Better::lower);
    if (two) cells.emplace_back(signed_or_blank(stall.ns[1] - stall.ns[0]));
    table.row(std::move(cells));
  }
  page.section("", table);
}

Cells count_row(const ComparedFigure& figure, const std::vector<double>& rates) {
  Cells cells{figure.label};
  for (const auto& value : figure.values) cells.emplace_back(value ? count_text(*value) : "none");
  if (rates.size() == 2) cells.emplace_back(percent_text(rates[0], rates[1]), tone_of(figure.better, rates[0], rates[1]));
  cells.emplace_back(figure.unit);
  return cells;
}

void add_counters(Page& page, const Comparison& comparison) {
  const bool two = comparison.runs.size() == 2;
  TextTable table(two ? run_header("counter", comparison, {"per packet", "unit"}) : run_header("counter", comparison, {"unit"}),
                  true);
  const auto shown = std::min(comparison.counters.size(), kShownRows);
  for (std::size_t i = 0; i < shown; ++i) table.row(count_row(comparison.counters[i], comparison.counter_rates[i]));
  const auto hidden = comparison.counters.size() - shown;
  page.section("", table, hidden == 0 ? "" : fmt::format("and {} counters more; --format json lists them", hidden));
}

void add_drops(Page& page, const Comparison& comparison) {
  TextTable table(run_header("packets dropped", comparison, {}));
  for (const auto& drop : comparison.drops) {
    Cells cells{drop.name};
    for (const auto& value : drop.values) cells.emplace_back(count_text(value.value_or(0)));
    if (largest_change(values_or_zero(drop)) != 0) table.row(std::move(cells));
  }
  page.section("", table);
}

void add_config(Page& page, const Comparison& comparison) {
  TextTable table({"configuration that differs", "", "value"}, true);
  for (const auto& setting : comparison.config) {
    for (std::size_t i = 0; i < setting.values.size(); ++i) {
      table.row({i == 0 ? setting.name : "", run_letter(i), setting.values[i].empty() ? "(no such parameter)" : setting.values[i]});
    }
  }
  page.section("", table);
}

}  // namespace

std::string verdict_name(Verdict verdict) {
  switch (verdict) {
    case Verdict::same_behaviour: return "same behaviour";
    case Verdict::timing_moved: return "timing moved";
    case Verdict::behaviour_changed: return "behaviour changed";
  }
  return "";
}

std::string moved_stalls(const RunReport::Figures& before, const RunReport::Figures& after) {
  RunReport::Figures changes = after;
  for (const auto& [reason, cycles] : before) changes[reason] -= cycles;
  std::vector<std::pair<std::string, double>> sorted(changes.begin(), changes.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return std::abs(a.second) > std::abs(b.second); });
  std::string text;
  for (std::size_t i = 0; i < std::min<std::size_t>(2, sorted.size()); ++i) {
    if (std::abs(sorted[i].second) < kShownCycles) break;
    text += fmt::format("{}{} {}", i == 0 ? "" : ", ", sorted[i].first, figure_text(sorted[i].second, true));
  }
  return text;
}

std::string comparison_text(const Comparison& comparison, TextFormat format) {
  Page page(format);
  page.section("", run_table(comparison));
  const Tone tone = format == TextFormat::markdown ? Tone::strong
                    : comparison.verdict == Verdict::same_behaviour ? Tone::good
                                                                    : Tone::strong;
  page.paragraph(verdict_line(comparison), tone);
  page.section("", comparison.runs.size() == 2 ? headline_of_two(comparison) : headline_of_many(comparison));
  std::string limits = "limited by: ";
  for (std::size_t i = 0; i < comparison.runs.size(); ++i) {
    limits += fmt::format("{}{} {}", i == 0 ? "" : ", ", run_letter(i), limit_text(comparison.runs[i]));
  }
  page.paragraph(limits);
  const bool same = comparison.verdict == Verdict::same_behaviour;
  if (!same) {
    add_functions(page, comparison);
    add_stalls(page, comparison);
    add_drops(page, comparison);
    add_counters(page, comparison);
  }
  add_config(page, comparison);
  return page.take();
}

}  // namespace ringside
