#include "tb/reproduce/reproduction.h"

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <fstream>
#include <thread>

#include "tb/image/process.h"

namespace ringside {

namespace {

namespace fs = std::filesystem;

class ScratchFolder {
 public:
  ScratchFolder() : path_((fs::temp_directory_path() / "ringside-XXXXXX").string()) {
    if (mkdtemp(path_.data()) == nullptr) throw std::runtime_error("cannot make a temporary folder at " + path_);
  }
  ~ScratchFolder() {
    std::error_code error;
    fs::remove_all(path_, error);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  fs::path operator/(const std::string& name) const { return fs::path(path_) / name; }

 private:
  std::string path_;
};

std::string last_line(const fs::path& log) {
  std::ifstream stream(log);
  std::string line, last;
  while (std::getline(stream, line)) {
    if (!line.empty()) last = line;
  }
  return last;
}

ReproducedRow run_row(const ReferenceTable& table, const ReferenceRow& row, const fs::path& program,
                      const ScratchFolder& scratch, const std::vector<std::string>& more) {
  const fs::path out = scratch / (row.id + ".json");
  const fs::path log = scratch / (row.id + ".log");
  std::vector<std::string> argv{program.string(), "run", table.scenario, "--quiet", "--out", out.string()};
  if (!table.platform.empty() && more.empty()) argv.insert(argv.end(), {"--set", "platform.name=" + table.platform});
  for (const auto* settings : {&table.settings, &row.settings, &more}) {
    for (const std::string& setting : *settings) argv.insert(argv.end(), {"--set", setting});
  }
  ReproducedRow reproduced;
  if (run_process(argv, fs::current_path(), log) != 0) {
    reproduced.error = last_line(log);
    return reproduced;
  }
  std::ifstream stream(out);
  reproduced.report = nlohmann::ordered_json::parse(stream);
  reproduced.report.erase("host");
  reproduced.simulated = reproduced.report.at("result").at("mpps").get<double>();
  return reproduced;
}

double ns_per_packet(double mpps) { return mpps == 0 ? 0 : 1e3 / mpps; }

// ns per packet that lie between two rows.
double published_effect(const Reproduction& r, const ReferenceEffect& e) {
  return ns_per_packet(r.table.rows[e.to].published) - ns_per_packet(r.table.rows[e.from].published);
}
double simulated_effect(const Reproduction& r, const ReferenceEffect& e) {
  return ns_per_packet(r.rows[e.to].simulated) - ns_per_packet(r.rows[e.from].simulated);
}
double published_interaction(const Reproduction& r, const ReferenceInteraction& i) {
  return published_effect(r, r.table.effects[i.first]) - published_effect(r, r.table.effects[i.second]);
}
double simulated_interaction(const Reproduction& r, const ReferenceInteraction& i) {
  return simulated_effect(r, r.table.effects[i.first]) - simulated_effect(r, r.table.effects[i.second]);
}
double percent_of_rate(double from, double to) { return from == 0 ? 0 : (to / from - 1) * 100; }

// Rows of cells, the first one the header; the first column is text, the others are numbers.
std::string layout(const std::vector<std::vector<std::string>>& rows, bool markdown) {
  std::vector<std::size_t> widths(rows.front().size());
  for (const auto& row : rows) {
    for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], row[c].size());
  }
  std::string text;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    std::string line = markdown ? "|" : "";
    for (std::size_t c = 0; c < rows[r].size(); ++c) {
      const std::string cell = c == 0 ? fmt::format("{:<{}}", rows[r][c], widths[c]) : fmt::format("{:>{}}", rows[r][c], widths[c]);
      line += markdown ? " " + cell + " |" : cell + "  ";
    }
    while (line.ends_with(' ')) line.pop_back();
    text += line + "\n";
    if (markdown && r == 0) {
      text += "|";
      for (std::size_t c = 0; c < widths.size(); ++c) text += std::string(widths[c] + 1, '-') + (c == 0 ? "-|" : ":|");
      text += "\n";
    }
  }
  return text;
}

std::string row_kind(const ReferenceRow& row) {
  return row.calibrates.empty() ? "prediction" : "calibrated: " + row.calibrates;
}

}  // namespace

Reproduction reproduce(const ReferenceTable& table, const fs::path& program, unsigned jobs) {
  const auto start = std::chrono::steady_clock::now();
  const ScratchFolder scratch;
  Reproduction result{table, std::vector<ReproducedRow>(table.rows.size()), 0};
  std::atomic<std::size_t> next{0};
  auto work = [&] {
    for (std::size_t i = next++; i < table.rows.size(); i = next++) {
      try {
        result.rows[i] = run_row(table, table.rows[i], program, scratch, {});
      } catch (const std::exception& error) {
        result.rows[i].error = error.what();
      }
    }
  };
  std::vector<std::jthread> workers;
  for (unsigned i = 0; i < jobs; ++i) workers.emplace_back(work);
  workers.clear();  // joins
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
  std::vector<std::vector<std::string>> cells{
      {"", "published Mpps", "simulated Mpps", "error %", "published ns", "simulated ns", "kind"}};
  for (std::size_t i = 0; i < r.rows.size(); ++i) {
    const ReferenceRow& row = r.table.rows[i];
    const ReproducedRow& got = r.rows[i];
    if (!got.error.empty()) {
      cells.push_back({row.name, fmt::format("{:.2f}", row.published), "failed", "", "", "", row_kind(row)});
      continue;
    }
    cells.push_back({row.name, fmt::format("{:.2f}", row.published), fmt::format("{:.2f}", got.simulated),
                     fmt::format("{:+.1f}", error_percent(row, got)), fmt::format("{:.2f}", ns_per_packet(row.published)),
                     fmt::format("{:.2f}", ns_per_packet(got.simulated)), row_kind(row)});
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
  for (std::size_t i = 0; i < r.rows.size(); ++i) {
    const ReferenceRow& row = r.table.rows[i];
    const ReproducedRow& got = r.rows[i];
    nlohmann::ordered_json entry{{"id", row.id},
                                 {"name", row.name},
                                 {"kind", row.calibrates.empty() ? "prediction" : "calibrated"},
                                 {"published_mpps", row.published},
                                 {"published_ns", ns_per_packet(row.published)}};
    if (got.error.empty()) {
      entry["simulated_mpps"] = got.simulated;
      entry["simulated_ns"] = ns_per_packet(got.simulated);
      entry["error_percent"] = error_percent(row, got);
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
