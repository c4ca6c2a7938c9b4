#include "tb/report/profile_json.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "tb/report/measures.h"

namespace ringside {
namespace {

using Json = nlohmann::ordered_json;

// Rows are arrays, with these columns.
enum Column : std::size_t { address, bytes, text, place, executed, cycles, stalls, l1, l2, llc, mispredicts, columns };
constexpr std::array<const char*, columns> kColumns{"address", "bytes",     "text",      "place",      "executed",   "cycles",
                                                    "stalls",  "l1_misses", "l2_misses", "llc_misses", "mispredicts"};
enum PlaceColumn : std::size_t { file, line, inlined, source, place_columns };
constexpr std::array<const char*, place_columns> kPlaceColumns{"file", "line", "inlined", "text"};

Json row_of(const InstructionCost& cost) {
  return Json::array({cost.address, cost.bytes, cost.text, cost.place ? Json(*cost.place) : Json(nullptr), cost.executed,
                      cost.cycles(), stall_cycles_json(cost.stalls), cost.l1_misses, cost.l2_misses, cost.llc_misses,
                      cost.mispredicts});
}

// Refuses columns that this Ringside does not know.
template <std::size_t count>
void check_columns(const ReportNode& node, const std::array<const char*, count>& names) {
  for (std::size_t i = 0; i < count; ++i) {
    const ReportNode column = node.element(i);
    if (column.text() != names[i]) column.fail(column.description(), std::string("\"") + names[i] + "\"");
  }
}

InstructionCost read_row(const ReportNode& row, std::size_t places) {
  InstructionCost cost;
  cost.address = row.element(address).count();
  cost.bytes = row.element(bytes).count();
  cost.text = row.element(text).text();
  if (!row.element(place).value().is_null()) cost.place = row.element(place).index(places, "places");
  cost.executed = row.element(executed).count();
  cost.stalls = read_stall_cycles(row.element(stalls));
  cost.l1_misses = row.element(l1).count();
  cost.l2_misses = row.element(l2).count();
  cost.llc_misses = row.element(llc).count();
  cost.mispredicts = row.element(mispredicts).count();
  return cost;
}

}  // namespace

std::uint64_t InstructionCost::cycles() const { return std::accumulate(stalls.begin(), stalls.end(), std::uint64_t{0}); }

Json stall_cycles_json(const StallCycles& cycles) {
  Json json = Json::object();
  for (std::size_t i = 0; i < kStallReasons; ++i) {
    if (cycles[i] != 0) json[std::string(name(static_cast<StallReason>(i)))] = cycles[i];
  }
  return json;
}

Json profile_json(const Profile& profile) {
  std::vector<std::string> files;
  Json places = Json::array();
  for (const SourcePlace& place : profile.places) {
    auto known = std::find(files.begin(), files.end(), place.file);
    if (known == files.end()) known = files.insert(known, place.file);
    places.push_back(Json::array({known - files.begin(), place.line, place.inlined, place.text}));
  }
  Json functions = Json::array();
  for (const FunctionProfile& function : profile.functions) {
    Json rows = Json::array();
    for (const InstructionCost& cost : function.instructions) rows.push_back(row_of(cost));
    functions.push_back({{"name", function.name}, {"instructions", std::move(rows)}});
  }
  return {{"columns", kColumns},
          {"place_columns", kPlaceColumns},
          {"files", files},
          {"places", std::move(places)},
          {"functions", std::move(functions)}};
}

StallCycles read_stall_cycles(const ReportNode& node) {
  StallCycles cycles{};
  node.members([&](const std::string& name, const ReportNode& value) {
    const std::optional<StallReason> reason = stall_reason(name);
    if (!reason) node.fail("a list with the reason \"" + name + "\"", "one of docs/report-schema.md");
    cycles[static_cast<std::size_t>(*reason)] = value.count();
  });
  return cycles;
}

Profile read_profile(const ReportNode& node) {
  check_columns(node.at("columns"), kColumns);
  check_columns(node.at("place_columns"), kPlaceColumns);
  std::vector<std::string> files;
  node.at("files").elements([&](const ReportNode& name) { files.push_back(name.text()); });
  Profile profile;
  node.at("places").elements([&](const ReportNode& row) {
    profile.places.push_back({files[row.element(file).index(files.size(), "files")], row.element(line).count(),
                              row.element(inlined).text(), row.element(source).text()});
  });
  node.at("functions").elements([&](const ReportNode& function) {
    FunctionProfile read{function.at("name").text(), {}};
    function.at("instructions").elements([&](const ReportNode& row) {
      read.instructions.push_back(read_row(row, profile.places.size()));
    });
    profile.functions.push_back(std::move(read));
  });
  return profile;
}

Json stacks_json(const std::vector<StackCost>& stacks) {
  Json json = Json::array();
  for (const StackCost& stack : sorted_stacks(stacks)) {
    Json entry{{"stack", stack.functions}, {"cycles", stack.cycles}, {"instructions", stack.instructions}};
    if (stack.calls != 0) entry["calls"] = stack.calls;
    json.push_back(std::move(entry));
  }
  return json;
}

std::vector<StackCost> read_stacks(const ReportNode& node) {
  std::vector<StackCost> stacks;
  node.elements([&](const ReportNode& entry) {
    StackCost stack;
    entry.at("stack").elements([&](const ReportNode& function) { stack.functions.push_back(function.text()); });
    stack.cycles = entry.count("cycles");
    stack.instructions = entry.count("instructions");
    stack.calls = entry.count_or_zero("calls");
    stacks.push_back(std::move(stack));
  });
  return stacks;
}

}  // namespace ringside
