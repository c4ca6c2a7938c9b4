// A reproduction as a person reads it, and as JSON.
#include <fmt/format.h>

#include "tb/report/text_table.h"
#include "tb/reproduce/reproduction.h"

namespace ringside {

namespace {

using Cells = std::vector<std::vector<std::string>>;  // rows, the first one the header

// The column's counters per delivered packet of the whole run.
double per_packet(const ReferenceColumn& column, const nlohmann::ordered_json& report) {
  double sum = 0;
  for (const std::string& counter : column.counters) {
    const std::size_t dot = counter.find('.');
    sum += report.at("counters").at(counter.substr(0, dot)).at(counter.substr(dot + 1)).at("value").get<double>();
  }
  const double packets = report.at("result").at("packets").at("delivered").get<double>();
  return packets == 0 ? 0 : sum / packets;
}

// ns per packet that lie between two rows.
double published_effect(const Reproduction& r, const ReferenceEffect& e) {
  return r.table.ns_per_packet(r.table.rows[e.to].published) - r.table.ns_per_packet(r.table.rows[e.from].published);
}
double simulated_effect(const Reproduction& r, const ReferenceEffect& e) {
  return r.table.ns_per_packet(r.rows[e.to].simulated) - r.table.ns_per_packet(r.rows[e.from].simulated);
}
double published_interaction(const Reproduction& r, const ReferenceInteraction& i) {
  return published_effect(r, r.table.effects[i.first]) - published_effect(r, r.table.effects[i.second]);
}
double simulated_interaction(const Reproduction& r, const ReferenceInteraction& i) {
  return simulated_effect(r, r.table.effects[i.first]) - simulated_effect(r, r.table.effects[i.second]);
}

double percent_of_rate(double from, double to) { return from == 0 ? 0 : (to / from - 1) * 100; }
double published_percent(const Reproduction& r, const ReferenceEffect& e) {
  return percent_of_rate(r.table.rows[e.from].published, r.table.rows[e.to].published);
}
double simulated_percent(const Reproduction& r, const ReferenceEffect& e) {
  return percent_of_rate(r.rows[e.from].simulated, r.rows[e.to].simulated);
}

std::string layout(const Cells& rows, bool markdown) {
  TextTable table({rows.front().begin(), rows.front().end()});
  for (auto row = rows.begin() + 1; row != rows.end(); ++row) table.row({row->begin(), row->end()});
  return markdown ? table.markdown() : table.text(false);
}

std::string row_kind(const ReferenceRow& row) {
  return row.calibrates.empty() ? "prediction" : "calibrated: " + row.calibrates;
}

void append(std::vector<std::string>& to, std::initializer_list<std::string> more) { to.insert(to.end(), more.begin(), more.end()); }

// What was published stands beside what was simulated, where there is any.
Cells row_cells(const Reproduction& r) {
  const ReferenceTable& table = r.table;
  Cells cells(1);
  std::vector<std::string>& header = cells.front();
  if (table.published()) {
    append(header, {"", "published " + table.unit(), "simulated " + table.unit(), "error %", "published ns", "simulated ns", "kind"});
  } else {
    append(header, {"", "simulated " + table.unit(), "simulated ns"});
  }
  for (const ReferenceColumn& column : table.columns) header.push_back(column.name);
  for (std::size_t i = 0; i < r.rows.size(); ++i) {
    const ReferenceRow& row = table.rows[i];
    const ReproducedRow& got = r.rows[i];
    const bool failed = !got.error.empty();
    std::vector<std::string>& line = cells.emplace_back();
    line.push_back(row.name);
    if (table.published()) line.push_back(fmt::format("{:.2f}", row.published));
    line.push_back(failed ? "failed" : fmt::format("{:.2f}", got.simulated));
    if (table.published()) {
      append(line, {failed ? "" : fmt::format("{:+.1f}", error_percent(row, got)),
                    failed ? "" : fmt::format("{:.2f}", table.ns_per_packet(row.published))});
    }
    line.push_back(failed ? "" : fmt::format("{:.2f}", table.ns_per_packet(got.simulated)));
    if (table.published()) line.push_back(row_kind(row));
    for (const ReferenceColumn& column : table.columns) {
      line.push_back(failed ? "" : fmt::format("{:.1f}", per_packet(column, got.report)));
    }
  }
  return cells;
}

Cells effect_cells(const Reproduction& r) {
  const bool published = r.table.published();
  Cells cells(1);
  cells.front() = published ? std::vector<std::string>{"effect", "published ns", "simulated ns", "published %", "simulated %"}
                            : std::vector<std::string>{"effect", "simulated ns", "simulated %"};
  for (const ReferenceEffect& e : r.table.effects) {
    std::vector<std::string>& line = cells.emplace_back();
    line.push_back(e.name);
    if (published) line.push_back(fmt::format("{:+.2f}", published_effect(r, e)));
    line.push_back(fmt::format("{:+.2f}", simulated_effect(r, e)));
    if (published) line.push_back(fmt::format("{:+.1f}", published_percent(r, e)));
    line.push_back(fmt::format("{:+.1f}", simulated_percent(r, e)));
  }
  for (const ReferenceInteraction& i : r.table.interactions) {
    std::vector<std::string>& line = cells.emplace_back();
    line.push_back(i.name);
    if (published) line.push_back(fmt::format("{:+.2f}", published_interaction(r, i)));
    line.push_back(fmt::format("{:+.2f}", simulated_interaction(r, i)));
    line.resize(cells.front().size());
  }
  return cells;
}

nlohmann::ordered_json row_json(const Reproduction& r, std::size_t i) {
  const ReferenceTable& table = r.table;
  const ReferenceRow& row = table.rows[i];
  const ReproducedRow& got = r.rows[i];
  const std::string suffix = table.metric == ReferenceMetric::mpps ? "mpps" : "gbps";
  nlohmann::ordered_json entry{
      {"id", row.id}, {"name", row.name}, {"kind", row.calibrates.empty() ? "prediction" : "calibrated"}};
  if (table.published()) {
    entry["published_" + suffix] = row.published;
    entry["published_ns"] = table.ns_per_packet(row.published);
  }
  if (got.error.empty()) {
    entry["simulated_" + suffix] = got.simulated;
    entry["simulated_ns"] = table.ns_per_packet(got.simulated);
    if (table.published()) entry["error_percent"] = error_percent(row, got);
    for (const ReferenceColumn& column : table.columns) entry["per_packet"][column.name] = per_packet(column, got.report);
  } else {
    entry["error"] = got.error;
  }
  entry["calibrates"] = row.calibrates;
  entry["note"] = row.note;
  entry["report"] = got.report;
  return entry;
}

}  // namespace

std::string reproduction_text(const Reproduction& r, bool markdown) {
  const std::string origin = r.table.published() ? r.table.source : "by nobody. " + r.table.question;
  std::string text = markdown ? fmt::format("## {}\n\nPublished: {}\n\n", r.table.title, origin)
                              : fmt::format("{}\npublished: {}\n\n", r.table.title, origin);
  text += layout(row_cells(r), markdown);
  if (!r.table.effects.empty()) text += "\n" + layout(effect_cells(r), markdown);
  for (std::size_t i = 0; i < r.rows.size(); ++i) {
    const std::string& name = r.table.rows[i].name;
    const std::string bullet = markdown ? "\n- " : "\n";
    if (!r.rows[i].error.empty()) text += fmt::format("{}{}: {}\n", bullet, name, r.rows[i].error);
    if (!r.table.rows[i].note.empty()) text += fmt::format("{}{}: {}\n", bullet, name, r.table.rows[i].note);
  }
  text += fmt::format("\n{} rows in {:.1f} s\n", r.rows.size(), r.seconds);
  return text;
}

nlohmann::ordered_json reproduction_json(const Reproduction& r) {
  nlohmann::ordered_json json{{"schema", "ringside-reproduction"}, {"version", 1}, {"table", r.table.name}, {"title", r.table.title}};
  json[r.table.published() ? "source" : "question"] = r.table.published() ? r.table.source : r.table.question;
  for (std::size_t i = 0; i < r.rows.size(); ++i) json["rows"].push_back(row_json(r, i));
  const bool published = r.table.published();
  json["effects"] = nlohmann::ordered_json::array();
  for (const ReferenceEffect& e : r.table.effects) {
    nlohmann::ordered_json entry{{"name", e.name}};
    if (published) entry["published_ns"] = published_effect(r, e);
    entry["simulated_ns"] = simulated_effect(r, e);
    if (published) entry["published_percent"] = published_percent(r, e);
    entry["simulated_percent"] = simulated_percent(r, e);
    json["effects"].push_back(std::move(entry));
  }
  json["interactions"] = nlohmann::ordered_json::array();
  for (const ReferenceInteraction& i : r.table.interactions) {
    nlohmann::ordered_json entry{{"name", i.name}};
    if (published) entry["published_ns"] = published_interaction(r, i);
    entry["simulated_ns"] = simulated_interaction(r, i);
    json["interactions"].push_back(std::move(entry));
  }
  json["host"] = {{"seconds", r.seconds}};
  return json;
}

}  // namespace ringside
