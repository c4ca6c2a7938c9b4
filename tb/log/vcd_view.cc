#include "tb/log/vcd_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <memory>
#include <set>
#include <string>
#include <systemc>
#include <vector>

#include "tb/report/atomic_file.h"

namespace ringside {
namespace {

constexpr std::string_view kSuffix = ".vcd";  // SystemC adds it

// "wire.received" of process "wire" and track "received".
std::string signal_name(const Track& track) {
  std::string name = track.process + '.' + track.name;
  for (char& c : name) {
    const bool kept = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.';
    if (!kept) c = '_';
  }
  return name;
}

bool changes_signal(const TraceEvent& event) {
  using enum TraceEvent::Kind;
  return event.kind == begin || event.kind == end || event.kind == value;
}

class Replay : public sc_core::sc_module {
 public:
  Replay(const sc_core::sc_module_name& module_name, const Trace& trace, sc_core::sc_trace_file& file) : sc_module(module_name), trace_(trace) {
    SC_HAS_PROCESS(Replay);
    for (const Track& track : trace.tracks) {
      auto& signal = signals_.emplace_back();
      if (std::ranges::none_of(track.events, changes_signal)) continue;
      if (track.kind == Track::Kind::slices) {
        signal.bit = std::make_unique<sc_core::sc_signal<bool>>();
        sc_core::sc_trace(&file, *signal.bit, signal_name(track));
      } else {
        signal.number = std::make_unique<sc_core::sc_signal<std::uint64_t>>();
        sc_core::sc_trace(&file, *signal.number, signal_name(track));
      }
    }
    SC_THREAD(run);
  }

  std::uint64_t changes() const { return changes_; }

 private:
  struct Signal {
    std::unique_ptr<sc_core::sc_signal<bool>> bit;
    std::unique_ptr<sc_core::sc_signal<std::uint64_t>> number;
    std::vector<std::uint64_t> open;  // names of slices
  };

  void run() {
    for (TraceCursor cursor(trace_); cursor.next();) {
      const TraceEvent& event = cursor.event();
      const auto at = sc_core::sc_time::from_value(event.time);
      if (at > sc_core::sc_time_stamp()) wait(at - sc_core::sc_time_stamp());
      apply(signals_[cursor.track()], event);
    }
    sc_core::sc_stop();
  }

  void apply(Signal& signal, const TraceEvent& event) {
    using enum TraceEvent::Kind;
    if (!changes_signal(event)) return;
    if (event.kind == begin) signal.open.push_back(event.name);
    if (event.kind == end) signal.open.pop_back();
    if (signal.bit != nullptr) signal.bit->write(!signal.open.empty());
    if (signal.number != nullptr) signal.number->write(event.kind == value ? event.number : signal.open.empty() ? 0 : signal.open.back());
    ++changes_;
  }

  const Trace& trace_;
  std::vector<Signal> signals_;
  std::uint64_t changes_ = 0;
};

// What the numbers of functions mean.
std::string comment(const LogReader& reader, const Trace& trace) {
  std::set<std::uint32_t> functions;
  for (const Track& track : trace.tracks) {
    if (track.kind != Track::Kind::nested) continue;
    for (const TraceEvent& event : track.events) functions.insert(event.name);
  }
  std::string text = fmt::format("{}, seed {}; functions by number, 0 for none:", reader.head().scenario, reader.head().seed);
  for (const std::uint32_t function : functions) {
    if (function != 0) text += fmt::format("\n  {} {}", function, trace.names[function]);
  }
  std::ranges::replace(text, '$', '_');  // "$end" would end the comment
  return text;
}

// SystemC writes the date of today, which would make two files of the same log differ.
void blank_date(const std::string& file) {
  constexpr std::size_t kSearched = 1 << 20;
  std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
  std::string head(kSearched, '\0');
  stream.read(head.data(), static_cast<std::streamsize>(head.size()));
  stream.clear();
  const std::size_t date = head.find("$date\n");
  if (date == std::string::npos) return;
  const std::size_t begin = date + 6, end = head.find('\n', begin);
  stream.seekp(static_cast<std::streamoff>(begin));
  stream << std::string(end - begin, ' ');
}

}  // namespace

std::uint64_t write_vcd(const LogReader& reader, const Trace& trace, const std::filesystem::path& file) {
  AtomicFile out(file, kSuffix);
  const std::string name = out.temporary().substr(0, out.temporary().size() - kSuffix.size());
  sc_core::sc_report_handler::set_actions(sc_core::SC_INFO, sc_core::SC_DO_NOTHING);  // the unit, and that it stopped
  sc_core::sc_trace_file* const trace_file = sc_core::sc_create_vcd_trace_file(name.c_str());
  trace_file->set_time_unit(1, sc_core::SC_PS);
  Replay replay("replay", trace, *trace_file);
  sc_core::sc_write_comment(trace_file, comment(reader, trace));
  sc_core::sc_start();
  sc_core::sc_close_vcd_trace_file(trace_file);
  blank_date(out.temporary());
  out.commit();
  return replay.changes();
}

}  // namespace ringside
