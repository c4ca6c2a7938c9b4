#include <fmt/format.h>
#include <fmt/ostream.h>

#include "model/base/errors.h"
#include "tb/cli/commands.h"
#include "tb/log/capture_view.h"
#include "tb/log/log_summary.h"
#include "tb/log/perfetto_view.h"
#include "tb/log/table_view.h"
#include "tb/log/trace_builder.h"
#include "tb/log/vcd_view.h"
#include "tb/report/figure_text.h"
#include "tb/report/printable.h"
#include "tb/scenario/quantity.h"

namespace ringside::cli {
namespace {

Time time_of(const std::string& text, const char* option, Time otherwise) {
  if (text.empty()) return otherwise;
  try {
    return Time{parse_quantity(text, Dimension::time)};
  } catch (const QuantityError& error) {
    throw InputError(fmt::format("{}: {}", option, error.what()));
  }
}

LogWindow window_of(const ViewOptions& options, const LogReader& reader) {
  const LogWindow whole;
  const LogWindow window{time_of(options.from, "--from", whole.from), time_of(options.to, "--to", whole.to)};
  if (window.from > window.to) {
    throw InputError(fmt::format("--from {}: later than --to {}; an earlier time is allowed", printable(options.from, 40),
                                 printable(options.to, 40)));
  }
  const Time over{reader.directory().totals.simulated};
  if (window.from > over) {
    throw InputError(fmt::format("--from {}: the run ended at {:.2f} us; an earlier time is allowed", printable(options.from, 40), to_us(over)));
  }
  return window;
}

void make_timelines(const ViewOptions& options, const LogReader& reader, LogWindow window, const Terminal& terminal) {
  const Trace trace = build_trace(reader, window);
  if (!options.perfetto.empty()) {
    const std::uint64_t events = write_perfetto(reader, trace, options.perfetto);
    fmt::print(terminal.out, "{}: {} events\n", printable(options.perfetto), grouped(events));
  }
  if (!options.vcd.empty()) {
    const std::uint64_t changes = write_vcd(reader, trace, options.vcd);
    fmt::print(terminal.out, "{}: {} changes of signals\n", printable(options.vcd), grouped(changes));
  }
}

}  // namespace

int view(const ViewOptions& options, const Terminal& terminal) {
  const LogReader reader(options.log);
  const LogWindow window = window_of(options, reader);
  if (options.perfetto.empty() && options.vcd.empty() && options.pcap.empty() && options.csv.empty()) {
    print_summary(terminal.out, reader, summarise(reader));
    return kExitOk;
  }
  if (!options.pcap.empty()) {
    const CaptureCounts counts = write_captures(reader, window, options.pcap);
    for (const auto& [name, packets] : {std::pair{"wire", counts.wire}, {"delivered", counts.delivered}, {"dropped", counts.dropped}}) {
      fmt::print(terminal.out, "{}.{}.pcap: {} packets\n", printable(options.pcap), name, grouped(packets));
    }
  }
  if (!options.csv.empty()) {
    const std::uint64_t lines = write_table(reader, window, options.csv);
    fmt::print(terminal.out, "{}: {} packets\n", printable(options.csv), grouped(lines));
  }
  if (!options.perfetto.empty() || !options.vcd.empty()) make_timelines(options, reader, window, terminal);
  return kExitOk;
}

}  // namespace ringside::cli
