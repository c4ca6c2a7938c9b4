#include "tb/reproduce/reproduction.h"

#include <fmt/format.h>

#include <chrono>
#include <fstream>

#include "tb/batch/batch.h"
#include "tb/report/text_table.h"

namespace ringside {

namespace {

namespace fs = std::filesystem;

ReproducedRow run_row(const ReferenceTable& table, const ReferenceRow& row, const fs::path& program,
                      const ScratchFolder& scratch, const std::vector<std::string>& more) {
  const fs::path out = scratch / (row.id + ".json");
  std::vector<std::string> settings;
  if (!table.platform.empty() && more.empty()) settings.push_back("platform.name=" + table.platform);
  for (const auto* list : {&table.settings, &row.settings, &more}) settings.insert(settings.end(), list->begin(), list->end());
  ReproducedRow reproduced;
  if (const ChildRun run = run_child(program, table.scenario, settings, out); run.status != 0) {
    reproduced.error = run.message;
    return reproduced;
  }
  std::ifstream stream(out);
  reproduced.report = nlohmann::ordered_json::parse(stream);
  reproduced.report.erase("host");
  reproduced.simulated =
      reproduced.report.at("result").at(table.metric == ReferenceMetric::mpps ? "mpps" : "goodput_gbps").get<double>();
  return reproduced;
}

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

// Rows of cells, the first one the header.
std::string layout(const std::vector<std::vector<std::string>>& rows, bool markdown) {
  TextTable table({rows.front().begin(), rows.front().end()});
  for (auto row = rows.begin() + 1; row != rows.end(); ++row) table.row({row->begin(), row->end()});
  return markdown ? table.markdown() : table.text(false);
}

std::string row_kind(const ReferenceRow& row) {
  return row.calibrates.empty() ? "prediction" : "calibrated: " + row.calibrates;
}

}  // namespace

Reproduction reproduce(const ReferenceTable& table, const fs::path& program, unsigned jobs) {
  const auto start = std::chrono::steady_clock::now();
  const ScratchFolder scratch;
  Reproduction result{table, std::vector<ReproducedRow>(table.rows.size()), 0};
  in_parallel(table.rows.size(), jobs, [&](std::size_t i) {
    try {
      result.rows[i] = run_row(table, table.rows[i], program, scratch, {});
    } catch (const std::exception& error) {
      result.rows[i].error = error.what();
    }
  });
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

double simulate_row(const ReferenceTable& table, const ReferenceRow& row, const fs::path& program,
                    const std::vector<std::string>& more) {
  const ScratchFolder scratch;
  const ReproducedRow result = run_row(table, row, program, scratch, more);
  if (!result.error.empty()) throw std::runtime_error(fmt::format("{}: {}", row.name, result.error));
  return result.simulated;
}

double error_percent(const ReferenceRow& row, const ReproducedRow& reproduced) {
  return (reproduced.simulated / row.published - 1) * 100;
}

std::string reproduction_text(const Reproduction& r, bool markdown) {
  std::string text = markdown ? fmt::format("## {}\n\nPublished: {}\n\n", r.table.title, r.table.source)
                              : fmt::format("{}\npublished: {}\n\n", r.table.title, r.table.source);
  const std::string unit = r.table.unit();
  std::vector<std::vector<std::string>> cells{
      {"", "published " + unit, "simulated " + unit, "error %", "published ns", "simulated ns", "kind"}};
  for (const ReferenceColumn& column : r.table.columns) cells.front().push_back(column.name);
  for (std::size_t i = 0; i < r.rows.size(); ++i) {
    const ReferenceRow& row = r.table.rows[i];
    const ReproducedRow& got = r.rows[i];
    const std::string published = fmt::format("{:.2f}", row.published);
    if (!got.error.empty()) {
      cells.push_back({row.name, published, "failed", "", "", "", row_kind(row)});
      cells.back().resize(cells.front().size());
      continue;
    }
    cells.push_back({row.name, published, fmt::format("{:.2f}", got.simulated), fmt::format("{:+.1f}", error_percent(row, got)),
                     fmt::format("{:.2f}", r.table.ns_per_packet(row.published)),
                     fmt::format("{:.2f}", r.table.ns_per_packet(got.simulated)), row_kind(row)});
    for (const ReferenceColumn& column : r.table.columns) {
      cells.back().push_back(fmt::format("{:.1f}", per_packet(column, got.report)));
    }
  }
  text += layout(cells, markdown);
  if (!r.table.effects.empty()) {
    std::vector<std::vector<std::string>> effects{{"effect", "published ns", "simulated ns", "published %", "simulated %"}};
    for (const ReferenceEffect& e : r.table.effects) {
      effects.push_back(
          {e.name, fmt::format("{:+.2f}", published_effect(r, e)), fmt::format("{:+.2f}", simulated_effect(r, e)),
           fmt::format("{:+.1f}", percent_of_rate(r.table.rows[e.from].published, r.table.rows[e.to].published)),
           fmt::format("{:+.1f}", percent_of_rate(r.rows[e.from].simulated, r.rows[e.to].simulated))});
    }
    for (const ReferenceInteraction& i : r.table.interactions) {
      effects.push_back({i.name, fmt::format("{:+.2f}", published_interaction(r, i)),
                         fmt::format("{:+.2f}", simulated_interaction(r, i)), "", ""});
    }
    text += "\n" + layout(effects, markdown);
  }
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
  nlohmann::ordered_json json{{"schema", "ringside-reproduction"}, {"version", 1},         {"table", r.table.name},
                              {"title", r.table.title},            {"source", r.table.source}};
  const std::string suffix = r.table.metric == ReferenceMetric::mpps ? "mpps" : "gbps";
  for (std::size_t i = 0; i < r.rows.size(); ++i) {
    const ReferenceRow& row = r.table.rows[i];
    const ReproducedRow& got = r.rows[i];
    nlohmann::ordered_json entry{{"id", row.id},
                                 {"name", row.name},
                                 {"kind", row.calibrates.empty() ? "prediction" : "calibrated"},
                                 {"published_" + suffix, row.published},
                                 {"published_ns", r.table.ns_per_packet(row.published)}};
    if (got.error.empty()) {
      entry["simulated_" + suffix] = got.simulated;
      entry["simulated_ns"] = r.table.ns_per_packet(got.simulated);
      entry["error_percent"] = error_percent(row, got);
      for (const ReferenceColumn& column : r.table.columns) entry["per_packet"][column.name] = per_packet(column, got.report);
    } else {
      entry["error"] = got.error;
    }
    entry["calibrates"] = row.calibrates;
    entry["note"] = row.note;
    entry["report"] = got.report;
    json["rows"].push_back(std::move(entry));
  }
  json["effects"] = nlohmann::ordered_json::array();
  for (const ReferenceEffect& e : r.table.effects) {
    json["effects"].push_back(
        {{"name", e.name},
         {"published_ns", published_effect(r, e)},
         {"simulated_ns", simulated_effect(r, e)},
         {"published_percent", percent_of_rate(r.table.rows[e.from].published, r.table.rows[e.to].published)},
         {"simulated_percent", percent_of_rate(r.rows[e.from].simulated, r.rows[e.to].simulated)}});
  }
  json["interactions"] = nlohmann::ordered_json::array();
  for (const ReferenceInteraction& i : r.table.interactions) {
    json["interactions"].push_back({{"name", i.name},
                                    {"published_ns", published_interaction(r, i)},
                                    {"simulated_ns", simulated_interaction(r, i)}});
  }
  json["host"] = {{"seconds", r.seconds}};
  return json;
}

}  // namespace ringside
