// Every parameter of a configuration with its value, where that came from, and what would be allowed.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "model/base/parameter.h"
#include "tb/scenario/raw_value.h"

namespace ringside {

// Quantities are held as their text, "3.4 GHz".
using SettingValue =
    std::variant<std::uint64_t, bool, std::string, std::vector<std::string>, std::vector<CostStep>>;

// For a person and for Markdown: "352", "true", "-O2 -g", "64: 4, 128: 15".
std::string to_text(const SettingValue& value);

struct Setting {
  std::string name;
  std::string type;     // "number", "flag", "text", "choice", "list", "cost table", "time", "size", ...
  std::string unit;     // of a number; empty for quantities, whose text carries it
  std::string help;
  std::string allowed;  // "1 to 64 entries"
  bool required = false;  // hardware: there is no default in the program
  SettingValue default_value;
  SettingValue value;
  Layer layer = Layer::default_value;
  Place place;         // empty for a default
  std::string source;  // document or reason, of the default or of the data file
  std::vector<Need> needs = {};  // without which it has no effect
};

// Visits all parameters of a configuration, as the visit() of a config struct does.
using VisitAll = std::function<void(ParameterVisitor&)>;

// Settings in the order of their visit.
class ParameterSet {
 public:
  void add(Setting setting) { settings_.push_back(std::move(setting)); }
  Setting& last() { return settings_.back(); }
  const std::vector<Setting>& all() const { return settings_; }
  void remove(std::string_view name) { std::erase_if(settings_, [name](const Setting& s) { return s.name == name; }); }

  // nullptr if there is none of that name.
  const Setting* find(std::string_view name) const;

  // The place to name in an error about the parameter: a file and line, or "run.seed (default)".
  std::string place_of(std::string_view name) const;

  // A message of a model begins with the parameters that it is about: "memory.l1d_size, memory.l1d_ways: ...". With the place in
  // front of the one that was given last, a data file's value counting as given first; any other message as it is.
  std::string placed(const std::string& message) const;

 private:
  std::vector<Setting> settings_;
};

// Gives every parameter that `values` name its value; the others keep the one that they hold. Throws InputError for an
// unknown key, a wrong type, a value out of range, and a required parameter that has an effect and no value; `missing_place`
// then says which file should have it.
ParameterSet apply_values(const VisitAll& visit, const std::vector<RawValues>& layers,
                          const std::function<std::string(std::string_view name)>& missing_place);

// The parameters as they stand, without any value applied.
ParameterSet list_parameters(const VisitAll& visit);

}  // namespace ringside
