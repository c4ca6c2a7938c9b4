#include <fmt/format.h>

#include <algorithm>

#include "model/base/errors.h"
#include "tb/cli/commands.h"
#include "tb/report/annotation.h"
#include "tb/report/atomic_file.h"
#include "tb/report/printable.h"
#include "tb/report/saved_run.h"
#include "tb/scenario/nearest.h"

namespace ringside::cli {
namespace {

const FunctionProfile& named(const SavedRun& run, const std::string& name) {
  std::vector<std::string> names;
  for (const FunctionProfile& function : run.result.profile.functions) {
    if (function.name == name) return function;
    names.push_back(function.name);
  }
  const auto ran = std::find_if(run.result.functions.begin(), run.result.functions.end(),
                                [&](const FunctionCost& function) { return function.name == name; });
  if (ran != run.result.functions.end()) {
    throw InputError(fmt::format("{}: {} took too few cycles to be in the profile; the {} functions above it are allowed", run.file,
                                 name, names.size()));
  }
  throw InputError(fmt::format("{}: no function {} in the profile; one of its {} functions is allowed{}", run.file,
                               printable(name, 80), names.size(), did_you_mean(name, names)));
}

// Cycles in which the function did something.
std::uint64_t busy_cycles(const FunctionProfile& function) {
  std::uint64_t cycles = 0;
  for (const InstructionCost& cost : function.instructions) {
    cycles += cost.cycles() - cost.stalls[static_cast<std::size_t>(StallReason::idle)];
  }
  return cycles;
}

std::string hottest(const SavedRun& run, std::size_t count, const AnnotationStyle& style) {
  std::vector<const FunctionProfile*> functions;
  for (const FunctionProfile& function : run.result.profile.functions) functions.push_back(&function);
  std::stable_sort(functions.begin(), functions.end(),
                   [](const auto* a, const auto* b) { return busy_cycles(*a) > busy_cycles(*b); });
  const std::size_t shown = std::min(count, functions.size());
  std::string text;
  for (std::size_t i = 0; i < shown; ++i) text += (i == 0 ? "" : "\n\n") + annotation(run, *functions[i], style);
  if (shown < functions.size()) {
    text += fmt::format("\n{} functions more; --top shows more of them, FUNCTION one\n", functions.size() - shown);
  }
  return text;
}

}  // namespace

int annotate(const AnnotateOptions& options, const Terminal& terminal) {
  const bool to_stdout = options.out.empty() || options.out == "-";
  if (!to_stdout) check_writable(options.out);
  const SavedRun run = read_saved_run(options.report);
  const AnnotationStyle style{options.per_call, terminal.out_has_colour && to_stdout};
  const std::string text = options.function.empty() ? hottest(run, options.top, style)
                                                    : annotation(run, named(run, options.function), style);
  if (to_stdout) {
    terminal.out << text;
  } else {
    write_file_atomically(options.out, text);
  }
  return kExitOk;
}

}  // namespace ringside::cli
