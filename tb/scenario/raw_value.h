// Values as files and the command line state them, before a parameter gives them a type.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "model/base/parameter.h"

namespace ringside {

// Where a value was stated.
struct Place {
  std::string error_text;   // as a person reaches it: "path/to/file.toml:12" or "--set run.packets=5"
  std::string report_text;  // the same on every machine: "file.toml:12" or "--set"
};

// A decimal fraction as its digits.
struct Decimal {
  std::string digits;
};

// Something that no parameter takes; the text describes it: "a date".
struct Unusable {
  std::string description;
};

enum class Layer : std::uint8_t { default_value, data_file, scenario, command_line };
std::string_view name(Layer layer);

struct RawValue {
  std::variant<Unusable, std::int64_t, Decimal, bool, std::string, std::vector<std::string>, std::vector<CostStep>> value;
  std::string unit;    // stated apart from the value, in data files
  std::string source;  // stated with the value; mandatory in data files
  Layer layer = Layer::default_value;
  Place place;
};

// What the value is, for an error message: `the string "many"`.
std::string describe(const RawValue& raw);

using RawValues = std::map<std::string, RawValue, std::less<>>;

struct TomlFile {
  std::string description;  // of the top-level key "description"
  RawValues values;         // by dotted key
};

// Reads a TOML file. Tables nest into dotted keys; a table with a key "value" is one value with its unit and source. In a
// data file every value has that form. `report_name` stands for the file in reports. Throws InputError.
TomlFile read_toml_file(const std::filesystem::path& path, std::string_view report_name, Layer layer);

// Reads "key=value" of the command line. Text that is no TOML array or table stays text: the parameter interprets it.
std::pair<std::string, RawValue> read_override(std::string_view assignment);

}  // namespace ringside
