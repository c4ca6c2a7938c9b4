#include "tb/image/toml_reader.h"

#include <fmt/format.h>

#include "model/base/errors.h"

namespace ringside {

TomlReader::TomlReader(std::string file) : file_(std::move(file)) {
  try {
    document_ = toml::parse_file(file_);
  } catch (const toml::parse_error& failure) {
    throw InputError(
        fmt::format("{}:{}: {}; TOML 1.0 is allowed", file_, failure.source().begin.line, failure.description()));
  }
}

void TomlReader::fail(const toml::node& node, const std::string& complaint) const {
  throw InputError(fmt::format("{}:{}: {}", file_, node.source().begin.line, complaint));
}

std::string TomlReader::text(const toml::table& table, std::string_view key) const {
  const auto value = table[key].value_exact<std::string>();
  if (!value) fail(table, fmt::format("no {}; {} = \"...\" is required", key, key));
  return *value;
}

std::string TomlReader::optional_text(const toml::table& table, std::string_view key) const {
  return table.contains(key) ? text(table, key) : "";
}

std::vector<std::string> TomlReader::texts(const toml::table& table, std::string_view key) const {
  std::vector<std::string> values;
  const auto* node = table.get(key);
  if (node == nullptr) return values;
  const auto* array = node->as_array();
  if (array == nullptr) fail(*node, fmt::format("{} is no array; an array of strings is allowed", key));
  for (const auto& element : *array) {
    const auto value = element.value_exact<std::string>();
    if (!value) fail(element, fmt::format("{} has an element that is no string; strings are allowed", key));
    values.push_back(*value);
  }
  return values;
}

double TomlReader::positive_number(const toml::table& table, std::string_view key) const {
  const auto value = table[key].value<double>();
  if (!value || *value <= 0) fail(table, fmt::format("no {}; a positive number is required", key));
  return *value;
}

std::vector<const toml::table*> TomlReader::tables(const toml::table& table, std::string_view key) const {
  std::vector<const toml::table*> values;
  const auto* node = table.get(key);
  if (node == nullptr) return values;
  const auto* array = node->as_array();
  if (array == nullptr) fail(*node, fmt::format("{} is no array of tables; [[{}]] is allowed", key, key));
  for (const auto& element : *array) {
    if (!element.is_table()) {
      fail(element, fmt::format("{} has an element that is no table; [[{}]] is allowed", key, key));
    }
    values.push_back(element.as_table());
  }
  return values;
}

}  // namespace ringside
