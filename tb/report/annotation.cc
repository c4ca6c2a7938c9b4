#include "tb/report/annotation.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "tb/report/figure_text.h"
#include "tb/report/rounding.h"
#include "tb/report/text_table.h"

namespace ringside {
namespace {

// As perf colours them.
constexpr double kHot = 5.0;   // percent of the function's cycles
constexpr double kWarm = 0.5;
constexpr std::size_t kFigures = 51;  // columns left of the code

double percent(std::uint64_t part, std::uint64_t whole) { return 100.0 * rounded_ratio(part, whole); }

const FunctionCost& cost_of(const RunResult& run, const std::string& name) {
  static const FunctionCost kNothing{};
  const auto found = std::find_if(run.functions.begin(), run.functions.end(), [&](const FunctionCost& f) { return f.name == name; });
  return found == run.functions.end() ? kNothing : *found;
}

// "l2", or "l2 60 %, base" where that one is not nearly all.
std::string reasons(const InstructionCost& cost) {
  constexpr std::uint64_t kNearlyAll = 95;  // percent
  std::size_t most = 0;
  for (std::size_t i = 1; i < kStallReasons; ++i) {
    if (cost.stalls[i] > cost.stalls[most]) most = i;
  }
  const std::uint64_t cycles = cost.cycles();
  if (cycles == 0) return "";
  const std::string text(name(static_cast<StallReason>(most)));
  if (cost.stalls[most] * 100 >= cycles * kNearlyAll) return text;
  return fmt::format("{} {:.0f} %", text, percent(cost.stalls[most], cycles));
}

// What went past the caches, per execution, and past the predictor. Instructions may make several loads.
std::string misses(const InstructionCost& cost) {
  constexpr double kShown = 0.005;
  std::string text;
  const auto add = [&](std::uint64_t count, const char* level) {
    const double per_run = rounded_ratio(count, cost.executed);
    if (per_run >= kShown) text += fmt::format("{}{} {:.2f}", text.empty() ? "misses per run: " : ", ", level, per_run);
  };
  add(cost.l1_misses, "L1");
  add(cost.l2_misses, "L2");
  add(cost.llc_misses, "LLC");
  const double wrong = percent(cost.mispredicts, cost.executed);
  if (wrong >= kShown) text += fmt::format("{}{:.2f} % mispredicted", text.empty() ? "" : "; ", wrong);
  return text.empty() ? "" : "  ; " + text;
}

class Page {
 public:
  Page(const SavedRun& run, const FunctionProfile& function, const AnnotationStyle& style)
      : run_(run), function_(function), style_(style), cost_(cost_of(run.result, function.name)) {
    const bool per_call = style.per_call && cost_.calls != 0;
    unit_ = per_call ? "call" : "packet";
    units_ = per_call ? cost_.calls : run.result.window.packets;
  }

  std::string text() {
    head();
    const InstructionCost* before = nullptr;
    for (const InstructionCost& cost : function_.instructions) {
      const bool gap = before != nullptr && before->address + before->bytes != cost.address;
      if (gap) text_ += fmt::format("{:{}}|          ...\n", "", kFigures);
      if (before == nullptr || gap || before->place != cost.place) source(cost);
      instruction(cost);
      before = &cost;
    }
    return std::move(text_);
  }

 private:
  void head() {
    const auto& window = run_.result.window;
    text_ += toned(function_.name, Tone::strong, style_.colour) + "\n";
    text_ += fmt::format("{:.1f} % of the cycles: {:.2f} per {}; {:.2f} instructions per {}", percent(cost_.cycles, window.cycles),
                         rounded_ratio(cost_.cycles, units_), unit_, rounded_ratio(cost_.instructions, units_), unit_);
    if (cost_.calls != 0) {
      text_ += fmt::format("; called {} times, {:.4g} per packet", grouped(cost_.calls), rounded_ratio(cost_.calls, window.packets));
    }
    text_ += fmt::format("\n\n{:>8}{:>12}{:>12}  {:<17}|  source and disassembly\n", "percent", "cycles/" + std::string(unit_ == "call" ? "call" : "pkt"),
                         std::string("runs/") + (unit_ == "call" ? "call" : "pkt"), "mostly on");
    text_ += std::string(kFigures, '-') + "+" + std::string(60, '-') + "\n";
  }

  void source(const InstructionCost& cost) {
    if (!cost.place) return;
    const SourcePlace& place = run_.result.profile.places[*cost.place];
    const std::string where = fmt::format("{}:{}", std::filesystem::path(place.file).filename().string(), place.line);
    const std::string inlined = place.inlined.empty() ? "" : fmt::format(" {}()", place.inlined);
    text_ += fmt::format("{:{}}|  {}  {}\n", "", kFigures, toned(where + inlined, Tone::faint, style_.colour), place.text);
  }

  void instruction(const InstructionCost& cost) {
    const std::uint64_t cycles = cost.cycles();
    const double share = percent(cycles, cost_.cycles);
    const Tone tone = share >= kHot ? Tone::bad : share >= kWarm ? Tone::good : Tone::plain;
    const std::string figures = cycles == 0 ? fmt::format("{:>8}{:>12}", "", "")
                                            : fmt::format("{:>8.2f}{:>12.2f}", share, rounded_ratio(cycles, units_));
    text_ += fmt::format("{}{:>12.2f}  {:<17}|  {:>8x}:  {}{}\n", toned(figures, tone, style_.colour),
                         rounded_ratio(cost.executed, units_), reasons(cost), cost.address, cost.text, misses(cost));
  }

  const SavedRun& run_;
  const FunctionProfile& function_;
  const AnnotationStyle& style_;
  const FunctionCost& cost_;
  std::string unit_;
  std::uint64_t units_ = 0;
  std::string text_;
};

}  // namespace

std::string annotation(const SavedRun& run, const FunctionProfile& function, const AnnotationStyle& style) {
  return Page(run, function, style).text();
}

}  // namespace ringside
