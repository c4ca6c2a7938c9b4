#include "tb/manual/counter_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "model/base/errors.h"
#include "tb/batch/batch.h"
#include "tb/scenario/data_dir.h"
#include "tb/scenario/scenario.h"

namespace ringside {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

// The scenario to ask about a driver, by the driver's name.
std::map<std::string, std::string> scenarios_by_driver(const fs::path& data) {
  std::map<std::string, std::string> plain, tcp;
  for (const auto& name : toml_names(data / "scenarios")) {
    const Scenario scenario = load_scenario(name, {}, data);
    plain.emplace(scenario.driver.name, name);
    if (scenario.traffic.pattern == "tcp") tcp.emplace(scenario.driver.name, name);
  }
  tcp.merge(plain);
  return tcp;
}

Json counters_of(const std::string& scenario, const fs::path& program) {
  const ScratchFolder scratch;
  const fs::path out = scratch / "report.json";
  const ChildRun run = run_child(program, scenario, {"run.packets=1", "run.warmup=0", "run.converge=0"}, out);
  if (run.status != 0) throw InputError(run.message);
  std::ifstream stream(out);
  return Json::parse(stream).at("counters");
}

void add(std::vector<ListedCounter>& list, const std::string& driver, const std::string& group, const std::string& name,
         const Json& counter) {
  auto at = std::find_if(list.begin(), list.end(), [&](const ListedCounter& c) { return c.group == group && c.name == name; });
  if (at == list.end()) {
    // After the others of its group.
    const auto last = std::find_if(list.rbegin(), list.rend(), [&](const ListedCounter& c) { return c.group == group; });
    at = list.insert(last == list.rend() ? list.end() : last.base(),
                     {group, name, counter.at("unit"), counter.at("description"), {}});
  }
  at->drivers.push_back(driver);
}

}  // namespace

std::vector<ListedCounter> list_counters(const fs::path& data, const fs::path& program) {
  std::vector<ListedCounter> list;
  for (const auto& [driver, scenario] : scenarios_by_driver(data)) {
    const Json counters = counters_of(scenario, program);
    for (const auto& [group, members] : counters.items()) {
      for (const auto& [name, counter] : members.items()) add(list, driver, group, name, counter);
    }
  }
  return list;
}

}  // namespace ringside
