#include "tb/reproduce/reproduction.h"

#include <fmt/format.h>

#include <chrono>
#include <fstream>

#include "tb/batch/batch.h"

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

}  // namespace ringside
