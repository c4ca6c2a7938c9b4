#include <fmt/format.h>
#include <fmt/ostream.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>

#include "model/base/errors.h"
#include "tb/cli/commands.h"
#include "tb/report/printable.h"
#include "tb/scenario/nearest.h"

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
    "  ringside run mlx5e-xdp-drop --set driver.flags=-fstack-protector-strong\n"
    "      what a compiler flag costs: the driver is built with it, and run\n"
    "  ringside run mlx5e-xdp-drop --set cpu.model=epyc-genoa --set traffic.rate=\"10 Mpps\"\n"
    "      another machine, at a load below its limit\n"
    "  ringside compare before.json after.json\n"
    "      what moved between two runs: rates, functions, stall reasons, drops, settings\n"
    "  ringside check after.json --baseline drop.toml\n"
    "      fails when a metric is out of the tolerance that a file allows it\n"
    "  ringside params cpu.\n"
    "      everything that --set and a scenario can say about the core\n"
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
    "  ringside compare before.json after.json --format markdown >>\"$GITHUB_STEP_SUMMARY\"\n"
    "\n"
    "Exit status: 0 compared, whatever differs; 2 a file that is no report of this version,\n"
    "or reports that cannot be compared. `ringside check` is what fails a pull request.";

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

struct Arguments {
  RunOptions run;
  ViewOptions view;
  CompareOptions compare;
  CheckOptions check;
  ParamsOptions params;
  ReproduceOptions reproduce;
  CalibrateOptions calibrate;
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
  command->add_option("--log", options.log, "Write an event log here, for `ringside view`; it costs a few percent of time")
      ->type_name("FILE");
  command->add_option("--image", options.image, "Run this guest image (ELF) instead of building one")->type_name("FILE");
  command->add_flag("--quiet", options.quiet, "Print no summary and no live line");
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
  command->add_option("--format", options.format, "text, markdown or json")
      ->check(CLI::IsMember({"text", "markdown", "json"}))
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
}

void add_reproduce(CLI::App& app, ReproduceOptions& options) {
  auto* command = app.add_subcommand("reproduce", "Run a published table and compare");
  auto* list = command->add_flag("--list", options.list, "Name every published table");
  command->add_option("table", options.table, "Name of the table, or all")->type_name("TABLE");
  command->add_option("--out", options.out, "Write PREFIX.json and PREFIX.md")->type_name("PREFIX");
  command->add_option("--jobs", options.jobs, "Runs at a time; one per processor if not given")->type_name("N");
  command->callback([&options, list] {
    if (list->count() == 0 && options.table.empty()) throw CLI::RequiredError("TABLE or --list");
  });
}

void add_calibrate(CLI::App& app, CalibrateOptions& options) {
  auto* command = app.add_subcommand("calibrate", "Fit a platform's residuals to the rows that a published table names");
  command->add_option("table", options.table, "Name of the table")->required()->type_name("TABLE");
  command->add_option("--out", options.out, "Write the platform's data file here")->type_name("FILE");
}

// The argument that names no subcommand, if that is what is wrong: CLI11 would call it an unexpected argument.
std::string unknown_command_hint(const std::vector<std::string>& arguments) {
  const std::vector<std::string> commands{"run", "view", "compare", "check", "params", "reproduce", "calibrate"};
  if (arguments.empty() || arguments.front().starts_with("-")) return "";
  if (std::find(commands.begin(), commands.end(), arguments.front()) != commands.end()) return "";
  return fmt::format("unknown command {}; {} are allowed{}", printable(arguments.front(), 40), fmt::join(commands, ", "),
                     did_you_mean(arguments.front(), commands));
}

int report_usage_error(const CLI::ParseError& error, const std::vector<std::string>& arguments, std::ostream& stream) {
  const auto hint = unknown_command_hint(arguments);
  fmt::print(stream, "ringside: {}\n", hint.empty() ? std::string(error.what()) + "; see ringside --help" : hint);
  return kExitBadInput;
}

int dispatch(CLI::App& app, const Arguments& parsed, const Simulate& simulate, const std::atomic<bool>& interrupted,
             const Terminal& terminal) {
  try {
    if (app.got_subcommand("run")) return run(parsed.run, simulate, interrupted, terminal);
    if (app.got_subcommand("view")) return view(parsed.view, terminal);
    if (app.got_subcommand("compare")) return compare(parsed.compare, terminal);
    if (app.got_subcommand("check")) return check(parsed.check, terminal);
    if (app.got_subcommand("reproduce")) return reproduce(parsed.reproduce, terminal.out);
    if (app.got_subcommand("calibrate")) return calibrate(parsed.calibrate, terminal.out);
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
  add_view(app, parsed.view);
  add_compare(app, parsed.compare);
  add_check(app, parsed.check);
  add_params(app, parsed.params);
  add_reproduce(app, parsed.reproduce);
  add_calibrate(app, parsed.calibrate);
  if (arguments.empty()) {
    terminal.out << app.help();
    return kExitBadInput;
  }
  try {
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::CallForHelp&) {
    terminal.out << app.help();
    return kExitOk;
  } catch (const CLI::Success& version) {
    terminal.out << version.what() << '\n';
    return kExitOk;
  } catch (const CLI::ParseError& error) {
    return report_usage_error(error, arguments, terminal.error);
  }
  return dispatch(app, parsed, simulate, interrupted, terminal);
}

}  // namespace ringside::cli
