#include "tb/compare/comparison_text.h"

namespace ringside {
namespace {

using Json = nlohmann::ordered_json;

Json runs_of(const Comparison& comparison) {
  Json json = Json::array();
  for (const auto& run : comparison.runs) {
    json.push_back({{"file", run.file},
                    {"scenario", run.scenario},
                    {"compiler", run.compiler},
                    {"fingerprint", run.fingerprint},
                    {"limit", run.limit},
                    {"limit_used", run.limit_used}});
  }
  return json;
}

Json values_of(const ComparedFigure& figure) {
  Json values = Json::array();
  for (const auto& value : figure.values) values.push_back(value ? Json(*value) : Json(nullptr));
  return values;
}

Json figures_of(const std::vector<ComparedFigure>& figures) {
  Json json = Json::array();
  for (const auto& figure : figures) json.push_back({{"name", figure.name}, {"unit", figure.unit}, {"values", values_of(figure)}});
  return json;
}

Json functions_of(const Comparison& comparison) {
  Json json = Json::array();
  for (const auto& function : comparison.functions) {
    Json entry{{"name", function.name}, {"code_changed", function.code_changed}, {"ran_in_some", function.ran_in_some}};
    for (const auto& cost : function.costs) {
      entry["cycles_per_packet"].push_back(cost.cycles);
      entry["ns_per_packet"].push_back(cost.ns);
      entry["instructions_per_packet"].push_back(cost.instructions);
      entry["code_bytes"].push_back(cost.code_bytes ? Json(*cost.code_bytes) : Json(nullptr));
      entry["stalls"].push_back(cost.stalls);
    }
    json.push_back(std::move(entry));
  }
  return json;
}

Json stalls_of(const Comparison& comparison) {
  Json json = Json::array();
  for (const auto& stall : comparison.stalls) {
    json.push_back({{"name", stall.name}, {"cycles_per_packet", stall.cycles}, {"ns_per_packet", stall.ns}});
  }
  return json;
}

}  // namespace

Json comparison_json(const Comparison& comparison) {
  Json counters = figures_of(comparison.counters);
  for (std::size_t i = 0; i < counters.size(); ++i) counters[i]["per_packet"] = comparison.counter_rates[i];
  Json config = Json::array();
  for (const auto& setting : comparison.config) config.push_back({{"name", setting.name}, {"values", setting.values}});
  return {{"schema", "ringside-comparison"},
          {"version", 1},
          {"verdict", verdict_name(comparison.verdict)},
          {"reasons", comparison.reasons},
          {"runs", runs_of(comparison)},
          {"headline", figures_of(comparison.headline)},
          {"functions", functions_of(comparison)},
          {"stalls", stalls_of(comparison)},
          {"drops", figures_of(comparison.drops)},
          {"counters", std::move(counters)},
          {"config", std::move(config)}};
}

}  // namespace ringside
