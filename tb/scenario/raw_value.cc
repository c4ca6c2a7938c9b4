#include "tb/scenario/raw_value.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <charconv>

#include "model/base/errors.h"

namespace ringside {
namespace {

std::string decimal_digits(double value) {
  std::array<char, 400> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::fixed).ptr;
  return {buffer.data(), end};
}

std::string_view kind(const toml::node& node) {
  switch (node.type()) {
    case toml::node_type::table: return "a table";
    case toml::node_type::array: return "an array that is neither all strings nor all { up_to, cost }";
    case toml::node_type::date: return "a date";
    case toml::node_type::time: return "a time of day";
    case toml::node_type::date_time: return "a date and time";
    default: return "a value";
  }
}

std::optional<CostStep> cost_step(const toml::node& node) {
  const auto* table = node.as_table();
  if (table == nullptr || table->size() != 2) return std::nullopt;
  const auto up_to = (*table)["up_to"].value_exact<std::int64_t>();
  const auto cost = (*table)["cost"].value_exact<std::int64_t>();
  if (!up_to || !cost || *up_to < 0 || *cost < 0) return std::nullopt;
  return CostStep{static_cast<std::uint64_t>(*up_to), static_cast<std::uint64_t>(*cost)};
}

decltype(RawValue::value) array_value(const toml::array& array) {
  std::vector<std::string> strings;
  std::vector<CostStep> steps;
  for (const auto& element : array) {
    if (const auto text = element.value_exact<std::string>()) strings.push_back(*text);
    if (const auto step = cost_step(element)) steps.push_back(*step);
  }
  if (strings.size() == array.size()) return strings;
  if (steps.size() == array.size()) return steps;
  return Unusable{std::string(kind(array))};
}

decltype(RawValue::value) plain_value(const toml::node& node) {
  if (const auto number = node.value_exact<std::int64_t>()) return *number;
  if (const auto number = node.value_exact<double>()) return Decimal{decimal_digits(*number)};
  if (const auto truth = node.value_exact<bool>()) return *truth;
  if (const auto text = node.value_exact<std::string>()) return *text;
  if (const auto* array = node.as_array()) return array_value(*array);
  return Unusable{std::string(kind(node))};
}

// Walks one file and collects its values.
class Flattener {
 public:
  Flattener(std::string path, std::string report_name, Layer layer, RawValues& into)
      : path_(std::move(path)), report_name_(std::move(report_name)), layer_(layer), into_(into) {}

  void walk(const toml::table& table, const std::string& prefix) {
    for (const auto& [key, node] : table) {
      const auto name = prefix.empty() ? std::string(key.str()) : prefix + "." + std::string(key.str());
      if (prefix.empty() && key.str() == "description") continue;
      const auto* nested = node.as_table();
      if (nested != nullptr && nested->contains("value")) {
        into_[name] = annotated(name, *nested);
      } else if (nested != nullptr) {
        walk(*nested, name);
      } else if (layer_ == Layer::data_file) {
        throw InputError(fmt::format("{}: {} is a bare value; {{ value = ..., unit = \"...\", source = \"...\" }} is allowed "
                                     "in a data file",
                                     place(node).error_text, name));
      } else {
        into_[name] = RawValue{plain_value(node), "", "", layer_, place(node)};
      }
    }
  }

 private:
  Place place(const toml::node& node) const {
    const auto line = node.source().begin.line;
    return {fmt::format("{}:{}", path_, line), fmt::format("{}:{}", report_name_, line)};
  }

  RawValue annotated(const std::string& name, const toml::table& table) const {
    RawValue raw{plain_value(*table.get("value")), "", "", layer_, place(table)};
    for (const auto& [key, node] : table) {
      if (key.str() == "value") continue;
      std::string* field = key.str() == "unit" ? &raw.unit : key.str() == "source" ? &raw.source : nullptr;
      const auto text = node.value_exact<std::string>();
      if (field == nullptr || !text) {
        throw InputError(fmt::format("{}: {} has {} \"{}\"; the strings \"unit\" and \"source\" are allowed beside "
                                     "\"value\"",
                                     raw.place.error_text, name, field == nullptr ? "the unknown key" : "a wrong type in",
                                     key.str()));
      }
      *field = *text;
    }
    if (layer_ == Layer::data_file && raw.source.empty()) {
      throw InputError(fmt::format("{}: {} has no source; source = \"document, measurement or assumed: reason\" is required",
                                   raw.place.error_text, name));
    }
    return raw;
  }

  std::string path_;
  std::string report_name_;
  Layer layer_;
  RawValues& into_;
};

}  // namespace

std::string_view name(Layer layer) {
  switch (layer) {
    case Layer::default_value: return "default";
    case Layer::data_file: return "data file";
    case Layer::scenario: return "scenario";
    case Layer::command_line: return "command line";
  }
  return "";
}

std::string describe(const RawValue& raw) {
  struct Describer {
    std::string operator()(const Unusable& v) const { return v.description; }
    std::string operator()(std::int64_t v) const { return fmt::format("the number {}", v); }
    std::string operator()(const Decimal& v) const { return "the fraction " + v.digits; }
    std::string operator()(bool v) const { return v ? "true" : "false"; }
    std::string operator()(const std::string& v) const { return "the string \"" + v + "\""; }
    std::string operator()(const std::vector<std::string>& v) const {
      return v.empty() ? "an empty array" : "an array of strings";
    }
    std::string operator()(const std::vector<CostStep>&) const { return "a cost table"; }
  };
  return std::visit(Describer{}, raw.value);
}

TomlFile read_toml_file(const std::filesystem::path& path, std::string_view report_name, Layer layer) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) {
    throw InputError(fmt::format("{}: no such file; an existing TOML file is required", path.string()));
  }
  toml::table root;
  try {
    root = toml::parse_file(path.string());
  } catch (const toml::parse_error& failure) {
    throw InputError(fmt::format("{}:{}: {}; TOML 1.0 is allowed", path.string(), failure.source().begin.line,
                                 failure.description()));
  }
  TomlFile file;
  file.description = root["description"].value_or(std::string{});
  Flattener(path.string(), std::string(report_name), layer, file.values).walk(root, "");
  return file;
}

std::pair<std::string, RawValue> read_override(std::string_view assignment) {
  const auto equals = assignment.find('=');
  const auto place_text = fmt::format("--set {}", assignment);
  if (equals == std::string_view::npos || equals == 0) {
    throw InputError(fmt::format("{}: no key and value; key=value is allowed, such as --set cpu.model=epyc-genoa", place_text));
  }
  const std::string key(assignment.substr(0, equals));
  const std::string text(assignment.substr(equals + 1));
  RawValue raw{text, "", "", Layer::command_line, {place_text, "--set"}};
  if (text.starts_with('[') || text.starts_with('"')) {
    try {
      raw.value = plain_value(*toml::parse("value = " + text).get("value"));
    } catch (const toml::parse_error& failure) {
      throw InputError(fmt::format("{}: {}; a TOML value is allowed", place_text, failure.description()));
    }
  }
  return {key, raw};
}

}  // namespace ringside
