#include <fmt/format.h>
#include <fmt/ostream.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "model/base/errors.h"
#include "tb/cli/commands.h"
#include "tb/cli/usage_error.h"
#include "tb/manual/command_help.h"

namespace ringside::cli {
namespace {

constexpr const char* kAbout =
    "Ringside simulates network receive: a NIC with its descriptor rings, PCIe and the\n"
    "caches, and a core that runs a compiled driver. It tells how many packets per second\n"
    "that makes, and where every cycle went.";

constexpr const char* kExamples =
    "Examples:\n"
    "  ringside run mlx5e-xdp-drop\n"
    "      how many Mpps XDP_DROP reaches, and what limits it\n"
    "  ringside run mlx5e-xdp-drop --out drop.json\n"
    "      the same, with every number in one JSON document\n"
    "  ringside run mlx5e-xdp-drop --html drop.html\n"
    "      the same as a page for a browser: charts, flame graph, counters, settings\n"
    "  ringside run mlx5e-xdp-drop --set driver.flags=-fstack-protector-strong\n"
    "      what a compiler flag costs: the driver is built with it, and run\n"
    "  ringside run mlx5e-xdp-drop --set cpu.model=epyc-genoa --set traffic.rate=\"10 Mpps\"\n"
    "      another machine, at a load below its limit\n"
    "  ringside compare before.json after.json\n"
    "      what moved between two runs: rates, functions, stall reasons, drops, settings\n"
    "  ringside annotate drop.json mlx5e_skb_from_cqe_linear\n"
    "      a function's source and instructions, each with its cycles and what it waited for\n"
    "  ringside report drop.json --ethtool\n"
    "      the summary of a run again, its counters as ethtool -S prints them, or folded stacks\n"
    "  ringside check after.json --baseline drop.toml\n"
    "      fails when a metric is out of the tolerance that a file allows it\n"
    "  ringside params cpu.\n"
    "      everything that --set and a scenario can say about the core\n"
    "\n"
    "Environment:\n"
    "  RINGSIDE_DATA\n"
    "      the data directory, if not share/ringside beside the program's folder\n"
    "  XDG_CACHE_HOME\n"
    "      where built guest images are kept, in ringside/; ~/.cache if it is not set\n"
    "  NO_COLOR\n"
    "      if set and not empty: no colours on a terminal\n"
    "\n"
    "Exit status: 0 done; 1 a check failed; 2 bad input, one line says what; 3 the guest or the simulation\n"
    "broke, the report is partial; 130 interrupted by Ctrl-C, the report is complete.";

constexpr const char* kRunExamples =
    "SCENARIO is a TOML file, or the name of one that comes with Ringside. Press Ctrl-C to\n"
    "end a run early: what was measured so far is reported.";

constexpr const char* kCompareExamples =
    "Changes are from the first report. The verdict is \"same behaviour\" (equal fingerprints:\n"
    "every packet, register access and interrupt at the same time), \"timing moved\" or\n"
    "\"behaviour changed\" (other code ran, or packets were lost for other causes).\n"
    "\n"
    "Examples:\n"
    "  ringside run mlx5e-xdp-drop --quiet --out before.json\n"
    "  ringside run mlx5e-xdp-drop --quiet --out after.json --set driver.compiler=clang\n"
    "  ringside compare before.json after.json\n"
    "  ringside compare gcc.json clang.json clang-zeroed.json\n"
    "      more than two: one line each\n"
    "  ringside compare before.json after.json --format html --out change.html\n"
    "      two runs side by side in a browser, with a differential flame graph\n"
    "  ringside compare before.json after.json --format markdown >>\"$GITHUB_STEP_SUMMARY\"\n"
    "  ringside compare before.json after.json --format folded | flamegraph.pl >change.svg\n"
    "      cycles by call path of both runs, as difffolded.pl prints them\n"
    "\n"
    "Exit status: 0 compared, whatever differs; 2 a file that is no report of this version,\n"
    "or reports that cannot be compared. `ringside check` is what fails a pull request.";

constexpr const char* kReportExamples =
    "Examples:\n"
    "  ringside report drop.json\n"
    "      what `ringside run` printed\n"
    "  ringside report drop.json --ethtool\n"
    "      counters of NIC and driver as `ethtool -S DEV` prints them\n"
    "  ringside report drop.json --html --out drop.html\n"
    "      a page for a browser: charts, flame graph, code, counters, settings\n"
    "  ringside report drop.json --folded | flamegraph.pl --countname cycles >drop.svg\n"
    "      cycles by call path; speedscope reads them, too";

constexpr const char* kAnnotateExamples =
    "Cycles are those for which an instruction held up the core, \"mostly on\" is why, or why most of them.\n"
    "Instructions that never ran are left out.\n"
    "\n"
    "Examples:\n"
    "  ringside annotate drop.json\n"
    "      the three functions that took most cycles\n"
    "  ringside annotate drop.json mlx5e_skb_from_cqe_linear";

constexpr const char* kCheckExamples =
    "A baseline is a TOML file with values and tolerances, made to be edited:\n"
    "  mpps        = { value = 47.07, max_fall = \"0.5 %\" }   # rising is fine\n"
    "  loss        = { value = 0.2, max_rise = 0.1 }          # in percentage points\n"
    "  latency.p99 = { value = 21180.4, max_change = \"2 %\" } # either way\n"
    "  functions.mlx5e_poll_rx_cq.cycles_per_packet = { value = 8.18, max_rise = 0.25 }\n"
    "\n"
    "Examples:\n"
    "  ringside run mlx5e-xdp-drop --quiet --out drop.json\n"
    "  ringside check drop.json --baseline drop.toml --update \"first measured\"\n"
    "      writes the file if there is none, else takes the values and keeps the reason\n"
    "  ringside check drop.json --baseline drop.toml\n"
    "  ringside check --suite traces/baselines --junit check.xml --github\n"
    "      runs the scenario of every baseline in a folder, as many at a time as there are\n"
    "      processors, and checks each\n"
    "\n"
    "Exit status: 0 all within tolerance; 1 a metric is not, or a run broke; 2 bad input.";

constexpr const char* kViewExamples =
    "Without an output, prints what is in the log. A view of the whole run has every packet of the\n"
    "report, those of the warm-up included.\n"
    "\n"
    "Examples:\n"
    "  ringside run mlx5e-xdp-drop --log drop.rlog\n"
    "  ringside view drop.rlog\n"
    "  ringside view drop.rlog --perfetto drop.json --from \"450 us\" --to \"470 us\"\n"
    "      a timeline for ui.perfetto.dev or chrome://tracing\n"
    "  ringside view drop.rlog --pcap drop --csv packets.csv\n"
    "      drop.wire.pcap, drop.delivered.pcap and drop.dropped.pcap, and a line for each packet\n"
    "\n"
    "Exit status: 0 done; 2 a file that is no complete event log of this version.";

constexpr const char* kParamsExamples =
    "Examples:\n"
    "  ringside params cpu.\n"
    "      the parameters of the core, with the values of the default machine\n"
    "  ringside params rep_stos --set cpu.model=epyc-genoa\n"
    "      one of another machine, and its source";

constexpr const char* kReproduceExamples =
    "Every row of the table is a run; what was published is printed beside what was simulated. A row\n"
    "is a prediction unless it says what was fitted to it.\n"
    "\n"
    "Examples:\n"
    "  ringside reproduce --list\n"
    "      the tables with their sources\n"
    "  ringside reproduce mlx5 --out mlx5\n"
    "      prints one, and writes mlx5.json and mlx5.md\n"
    "\n"
    "Exit status: 0 every row ran, however well it fits; 2 bad input; 3 a run broke.";

constexpr const char* kCalibrateExamples =
    "A residual is what a whole kernel does around a packet and the port of the driver does not\n"
    "contain: one number of ns for each path, fitted to the one row that the table names for it.\n"
    "\n"
    "Examples:\n"
    "  ringside calibrate mlx5\n"
    "      prints the platform's data file\n"
    "  ringside calibrate mlx5 --out traces/hardware/platform/mlx5-lab.toml";

constexpr const char* kCountersExamples =
    "The list is what the two drivers' reports hold: Ringside runs a TCP scenario of each for one\n"
    "packet and asks. Names are those of `ethtool -S` and `nstat` where Linux has the counter.\n"
    "\n"
    "Examples:\n"
    "  ringside counters rx_discards\n"
    "      what a counter means\n"
    "  ringside counters memory.\n"
    "      all of a group";

constexpr const char* kCompletionExamples =
    "Examples:\n"
    "  source <(ringside completion bash)\n"
    "      in ~/.bashrc\n"
    "  ringside completion zsh >~/.zfunc/_ringside\n"
    "      in a folder of $fpath\n"
    "  ringside completion fish >~/.config/fish/completions/ringside.fish";

struct Arguments {
  RunOptions run;
  ReportOptions report;
  AnnotateOptions annotate;
  ViewOptions view;
  CompareOptions compare;
  CheckOptions check;
  ParamsOptions params;
  ReproduceOptions reproduce;
  CalibrateOptions calibrate;
  CountersOptions counters;
  CompletionOptions completion;
  CompleteOptions complete;
  ManualOptions manual;
};

void add_set_option(CLI::App& command, std::vector<std::string>& overrides) {
  command.add_option("--set", overrides, "Give a parameter a value; may be repeated")
      ->type_name("KEY=VALUE")
      ->expected(1)
      ->take_all()
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

void add_run(CLI::App& app, RunOptions& options) {
  auto* command = app.add_subcommand("run", "Run a scenario and report the result");
  command->footer(kRunExamples);
  command->add_option("scenario", options.scenario, "Scenario file or name")->required()->type_name("SCENARIO");
  add_set_option(*command, options.overrides);
  command->add_option("--out", options.out, "Write the JSON report here; - is standard output")->type_name("FILE");
  command->add_option("--html", options.html, "Write the report as a page for a browser here")->type_name("FILE");
  command->add_option("--log", options.log, "Write an event log here, for `ringside view`; it costs a few percent of time")
      ->type_name("FILE");
  command->add_option("--image", options.image, "Run this guest image (ELF) instead of building one")->type_name("FILE");
  command->add_flag("--quiet", options.quiet, "Print no summary and no live line");
}

void add_report(CLI::App& app, ReportOptions& options) {
  auto* command = app.add_subcommand("report", "Show a report again: its summary, or another view");
  command->footer(kReportExamples);
  command->add_option("report", options.report, "Report that `ringside run --out` wrote")->required()->type_name("REPORT");
  const auto add_view = [&](const char* name, ReportView view, const char* help) {
    return command->add_flag_callback(name, [&options, view] { options.view = view; }, help);
  };
  auto* ethtool = add_view("--ethtool", ReportView::ethtool, "Print counters as ethtool -S does");
  auto* folded = add_view("--folded", ReportView::folded, "Print cycles by call path for a flame graph")->excludes(ethtool);
  add_view("--html", ReportView::html, "Make a page for a browser")->excludes(ethtool)->excludes(folded);
  command->add_option("--out", options.out, "Write to this file; - is standard output")->type_name("FILE");
}

void add_annotate(CLI::App& app, AnnotateOptions& options) {
  auto* command = app.add_subcommand("annotate", "Show source and instructions with their cycles");
  command->footer(kAnnotateExamples);
  command->add_option("report", options.report, "Report that `ringside run --out` wrote")->required()->type_name("REPORT");
  auto* function = command->add_option("function", options.function, "Only this function")->type_name("FUNCTION");
  command->add_option("--top", options.top, "Without FUNCTION: so many of the hottest")
      ->check(CLI::PositiveNumber)
      ->type_name("N")
      ->excludes(function);
  command->add_flag("--per-call", options.per_call, "Cycles per call of the function rather than per packet");
  command->add_option("--out", options.out, "Write to this file; - is standard output")->type_name("FILE");
}

void add_view(CLI::App& app, ViewOptions& options) {
  auto* command = app.add_subcommand("view", "Make timelines, captures and tables from an event log");
  command->footer(kViewExamples);
  command->add_option("log", options.log, "Event log that `ringside run --log` wrote")->required()->type_name("LOG");
  command->add_option("--perfetto", options.perfetto, "Write a trace for Perfetto or Chrome (JSON)")->type_name("FILE");
  command->add_option("--vcd", options.vcd, "Write signals for GTKWave (VCD)")->type_name("FILE");
  command->add_option("--pcap", options.pcap, "Write PREFIX.wire.pcap, PREFIX.delivered.pcap and PREFIX.dropped.pcap")
      ->type_name("PREFIX");
  command->add_option("--csv", options.csv, "Write a table with a line for each packet")->type_name("FILE");
  command->add_option("--from", options.from, "Leave out what is earlier, such as \"450 us\"")->type_name("TIME");
  command->add_option("--to", options.to, "Leave out what is later")->type_name("TIME");
}

void add_compare(CLI::App& app, CompareOptions& options) {
  auto* command = app.add_subcommand("compare", "Show what differs between the reports of two or more runs");
  command->footer(kCompareExamples);
  command->add_option("reports", options.reports, "Reports that `ringside run --out` wrote")->required()->type_name("REPORT");
  command->add_option("--format", options.format, "How to print it; text if not given")
      ->check(CLI::IsMember({"text", "markdown", "json", "html", "folded"}))
      ->type_name("FORMAT");
  command->add_option("--out", options.out, "Write to this file; - is standard output")->type_name("FILE");
}

void add_check(CLI::App& app, CheckOptions& options) {
  auto* command = app.add_subcommand("check", "Fail when a report is out of its baseline's tolerances");
  command->footer(kCheckExamples);
  auto* report = command->add_option("report", options.report, "Report that `ringside run --out` wrote")->type_name("REPORT");
  auto* baseline = command->add_option("--baseline", options.baseline, "Values and tolerances")->type_name("FILE");
  auto* suite = command->add_option("--suite", options.suite, "Run and check the scenario of every baseline here")
                    ->type_name("FOLDER")
                    ->excludes(report)
                    ->excludes(baseline);
  command->add_option("--update", options.update, "Take the values that were found, and keep the reason")->type_name("REASON");
  command->add_option("--junit", options.junit, "Write JUnit XML here")->type_name("FILE");
  command->add_flag("--github", options.github, "Print annotations that GitHub shows in a pull request");
  command->add_option("--jobs", options.jobs, "Runs of a suite at a time; one per processor if not given")->type_name("N");
  command->callback([report, baseline, suite] {
    if (suite->count() == 0 && (report->count() == 0 || baseline->count() == 0)) {
      throw CLI::RequiredError("REPORT and --baseline FILE, or --suite FOLDER,");
    }
  });
}

void add_params(CLI::App& app, ParamsOptions& options) {
  auto* command = app.add_subcommand("params", "List every parameter with unit, default, range and source");
  command->add_option("filter", options.filter, "Only those with this in their name or help")->type_name("FILTER");
  add_set_option(*command, options.overrides);
  command->add_flag("--markdown", options.markdown, "Print a Markdown table");
  command->footer(kParamsExamples);
}

void add_counters(CLI::App& app, CountersOptions& options) {
  auto* command = app.add_subcommand("counters", "List every counter of a report with unit and meaning");
  command->footer(kCountersExamples);
  command->add_option("filter", options.filter, "Only those with this in their name or meaning")->type_name("FILTER");
  command->add_flag("--markdown", options.markdown, "Print a Markdown table for each group");
}

// The second and the third are for the scripts that the first one prints, and for scripts/docs.
void add_manual(CLI::App& app, Arguments& arguments) {
  auto* completion = app.add_subcommand("completion", "Print a script that completes commands in a shell");
  completion->footer(kCompletionExamples);
  completion->add_option("shell", arguments.completion.shell, "The shell")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}))
      ->type_name("SHELL");
  auto* complete = app.add_subcommand("complete", "Print candidates for the last word")->group("");
  complete->add_option("words", arguments.complete.words)->type_name("WORD");
  auto* manual = app.add_subcommand("manual", "Print a page of the reference")->group("");
  manual->add_option("page", arguments.manual.page, "commands, man, or the name of a schema")->required()->type_name("PAGE");
}

void add_reproduce(CLI::App& app, ReproduceOptions& options) {
  auto* command = app.add_subcommand("reproduce", "Run a published table and compare, or one that nobody has published");
  command->footer(kReproduceExamples);
  auto* list = command->add_flag("--list", options.list, "Name every table");
  command->add_option("table", options.table, "Name of the table, or all for those that were published")->type_name("TABLE");
  command->add_option("--out", options.out, "Write PREFIX.json and PREFIX.md")->type_name("PREFIX");
  command->add_option("--jobs", options.jobs, "Runs at a time; one per processor if not given")->type_name("N");
  command->callback([&options, list] {
    if (list->count() == 0 && options.table.empty()) throw CLI::RequiredError("TABLE or --list");
  });
}

void add_calibrate(CLI::App& app, CalibrateOptions& options) {
  auto* command = app.add_subcommand("calibrate", "Fit a platform's residuals to the rows that a published table names");
  command->footer(kCalibrateExamples);
  command->add_option("table", options.table, "Name of the table")->required()->type_name("TABLE");
  command->add_option("--out", options.out, "Write the platform's data file here")->type_name("FILE");
}

int dispatch(CLI::App& app, const Arguments& parsed, const Simulate& simulate, const std::atomic<bool>& interrupted,
             const Terminal& terminal) {
  try {
    if (app.got_subcommand("run")) return run(parsed.run, simulate, interrupted, terminal);
    if (app.got_subcommand("report")) return report(parsed.report, terminal);
    if (app.got_subcommand("annotate")) return annotate(parsed.annotate, terminal);
    if (app.got_subcommand("view")) return view(parsed.view, terminal);
    if (app.got_subcommand("compare")) return compare(parsed.compare, terminal);
    if (app.got_subcommand("check")) return check(parsed.check, terminal);
    if (app.got_subcommand("reproduce")) return reproduce(parsed.reproduce, terminal.out);
    if (app.got_subcommand("calibrate")) return calibrate(parsed.calibrate, terminal.out);
    if (app.got_subcommand("counters")) return counters(parsed.counters, terminal.out);
    if (app.got_subcommand("completion")) return completion(parsed.completion, terminal.out);
    if (app.got_subcommand("complete")) return complete(parsed.complete, command_help(app), terminal.out);
    if (app.got_subcommand("manual")) return manual(parsed.manual, command_help(app), terminal.out);
    return params(parsed.params, terminal.out);
  } catch (const InputError& error) {
    fmt::print(terminal.error, "ringside: {}\n", error.what());
    return kExitBadInput;
  } catch (const std::exception& error) {
    fmt::print(terminal.error, "ringside: {}\n", error.what());
    return kExitBrokenRun;
  }
}

}  // namespace

int program(const std::vector<std::string>& arguments, const Simulate& simulate, const std::atomic<bool>& interrupted,
            const Terminal& terminal) {
  Arguments parsed;
  CLI::App app{kAbout, "ringside"};
  app.footer(kExamples);
  app.set_version_flag("--version", "ringside " RINGSIDE_VERSION);
  app.require_subcommand(1);
  add_run(app, parsed.run);
  add_report(app, parsed.report);
  add_annotate(app, parsed.annotate);
  add_view(app, parsed.view);
  add_compare(app, parsed.compare);
  add_check(app, parsed.check);
  add_params(app, parsed.params);
  add_reproduce(app, parsed.reproduce);
  add_calibrate(app, parsed.calibrate);
  add_counters(app, parsed.counters);
  add_manual(app, parsed);
  if (arguments.empty()) {
    terminal.out << app.help();
    return kExitBadInput;
  }
  try {
    std::vector<std::string> words(arguments.rbegin(), arguments.rend());  // as the parser wants them: the last one first
    if (words.back() == "help") {
      words.back() = "--help";
      std::rotate(words.begin(), words.end() - 1, words.end());
    }
    app.parse(words);
  } catch (const CLI::CallForHelp&) {
    terminal.out << app.help();
    return kExitOk;
  } catch (const CLI::Success& version) {
    terminal.out << version.what() << '\n';
    return kExitOk;
  } catch (const CLI::ParseError& error) {
    fmt::print(terminal.error, "ringside: {}\n", usage_error_text(app, error, arguments));
    return kExitBadInput;
  }
  return dispatch(app, parsed, simulate, interrupted, terminal);
}

}  // namespace ringside::cli
