#include "tb/log/perfetto_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tb/log/output.h"

namespace ringside {
namespace {

std::string json_text(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

void append(std::string& to, std::uint64_t number) {
  const fmt::format_int digits(number);
  to.append(digits.data(), digits.size());
}

// Microseconds.
void append_time(std::string& to, std::uint64_t picoseconds) {
  append(to, picoseconds / 1'000'000);
  const fmt::format_int digits(picoseconds % 1'000'000 + 1'000'000);
  to += '.';
  to.append(digits.data() + 1, 6);
}

class PerfettoWriter {
 public:
  PerfettoWriter(const Trace& trace, const std::filesystem::path& file)
      : trace_(trace), output_(file), arrow_steps_(trace.arrows.size()) {
    for (const std::string& name : trace.names) names_.push_back(json_text(name));
    packet_ = static_cast<std::size_t>(std::ranges::find(trace.names, kPacketName) - trace.names.begin());
    output_.print("{{\"displayTimeUnit\":\"ns\",\"traceEvents\":[");
    for (const Track& track : trace.tracks) add_place(track);
  }

  std::uint64_t events() {
    for (TraceCursor cursor(trace_); cursor.next();) event(places_[cursor.track()], trace_.tracks[cursor.track()], cursor.event());
    return events_;
  }

  void finish(const LogReader& reader) {
    const LogTotals& totals = reader.directory().totals;
    nlohmann::ordered_json other{{"scenario", reader.head().scenario}, {"seed", reader.head().seed}, {"offered", totals.offered},
                                 {"delivered", totals.delivered}, {"in_flight", totals.in_flight}};
    for (const LogCount& count : totals.dropped) other["dropped"][reader.name_of(count.name)] = count.packets;
    for (const LogCount& count : totals.ended) other["ended"][reader.name_of(count.name)] = count.packets;
    output_.print("\n],\"otherData\":{}}}\n", other.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
    output_.commit();
  }

 private:
  // What all events of a track have in common.
  struct Place {
    std::string begin, end, instant, value, arrow_begin, arrow_step, arrow_end;
  };

  void comma() { output_.text() += events_++ == 0 ? "\n" : ",\n"; }

  // Names of processes and threads; tracks of one name are one.
  void add_place(const Track& track) {
    const auto process = std::ranges::find(processes_, track.process);
    const auto pid = static_cast<std::size_t>(process - processes_.begin()) + 1;
    if (process == processes_.end()) {
      processes_.push_back(track.process);
      metadata(pid, 0, "process_name", "name", json_text(track.process));
      metadata(pid, 0, "process_sort_index", "sort_index", std::to_string(pid));
    }
    const std::string key = track.process + '\n' + track.name;
    const auto thread = std::ranges::find(threads_, key);
    const auto tid = static_cast<std::size_t>(thread - threads_.begin()) + 1;
    if (thread == threads_.end() && track.kind != Track::Kind::counter) {
      threads_.push_back(key);
      metadata(pid, tid, "thread_name", "name", json_text(track.name));
      metadata(pid, tid, "thread_sort_index", "sort_index", std::to_string(tid));
    }
    const std::string where = fmt::format("\"pid\":{},\"tid\":{},\"ts\":", pid, tid);
    const auto head = [&](const char* phase, const std::string& more) { return fmt::format("{{\"ph\":\"{}\",{}{}", phase, more, where); };
    const std::string arrow = R"("cat":"packet","name":"packet",)";
    places_.push_back({head("B", ""), head("E", ""), head("i", R"("s":"t",)"),
                       fmt::format(R"({{"ph":"C","pid":{},"name":{},"ts":)", pid, json_text(track.name)), head("s", arrow), head("t", arrow),
                       head("f", R"("bp":"e",)" + arrow)});
  }

  void metadata(std::size_t pid, std::size_t tid, const char* kind, const char* key, const std::string& value) {
    comma();
    output_.print(R"({{"ph":"M","pid":{},"tid":{},"name":"{}","args":{{"{}":{}}}}})", pid, tid, kind, key, value);
  }

  void event(const Place& place, const Track& track, const TraceEvent& e) {
    using enum TraceEvent::Kind;
    const std::uint32_t steps = e.kind == arrow ? trace_.arrows[e.number - trace_.first_packet] : 0;
    if (e.kind == arrow && steps < 2) return;
    comma();
    std::string& text = output_.text();
    switch (e.kind) {
      case begin:
        begins(text += place.begin, e);
        break;
      case end:
        append_time(text += place.end, e.time);
        break;
      case instant:
        append_time(text += place.instant, e.time);
        text += ",\"name\":" + names_[e.name];
        break;
      case value:
        append_time(text += place.value, e.time);
        text += ",\"args\":{\"" + track.unit + "\":";
        append(text, e.number);
        text += '}';
        break;
      case arrow: {
        const std::uint32_t step = ++arrow_steps_[e.number - trace_.first_packet];
        append_time(text += step == 1 ? place.arrow_begin : step < steps ? place.arrow_step : place.arrow_end, e.time);
        text += ",\"id\":";
        append(text, e.number);
      }
    }
    text += '}';
    output_.flush_if_full();
  }

  void begins(std::string& text, const TraceEvent& e) {
    append_time(text, e.time);
    text += ",\"name\":" + names_[e.name];
    if (e.number == kNoPacket) return;
    if (e.name == packet_) {
      text.back() = ' ';  // instead of the quote
      append(text, e.number);
      text += '"';
    }
    text += ",\"args\":{\"packet\":";
    append(text, e.number);
    if (e.note != 0) text += ",\"waited_for\":" + names_[e.note];
    text += '}';
  }

  const Trace& trace_;
  Output output_;
  std::vector<std::string> names_;  // as JSON
  std::size_t packet_;              // the name that packets get a number after
  std::vector<Place> places_;       // by track
  std::vector<std::string> processes_, threads_;
  std::vector<std::uint32_t> arrow_steps_;  // by packet: written so far
  std::uint64_t events_ = 0;
};

}  // namespace

std::uint64_t write_perfetto(const LogReader& reader, const Trace& trace, const std::filesystem::path& file) {
  PerfettoWriter writer(trace, file);
  const std::uint64_t events = writer.events();
  writer.finish(reader);
  return events;
}

}  // namespace ringside
