#include "tb/reproduce/reference_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <toml++/toml.h>

#include <algorithm>

#include "model/base/errors.h"
#include "tb/scenario/nearest.h"

namespace ringside {

namespace {

namespace fs = std::filesystem;

class Reader {
 public:
  explicit Reader(std::string file) : file_(std::move(file)) {}

  [[noreturn]] void fail(const toml::node& node, const std::string& complaint) const {
    throw InputError(fmt::format("{}:{}: {}", file_, node.source().begin.line, complaint));
  }

  std::string text(const toml::table& table, std::string_view key, bool required = true) const {
    if (!table.contains(key) && !required) return "";
    const auto value = table[key].value_exact<std::string>();
    if (!value) fail(table, fmt::format("no string {}; {} = \"...\" is required", key, key));
    return *value;
  }

  std::vector<std::string> texts(const toml::table& table, std::string_view key) const {
    std::vector<std::string> values;
    if (!table.contains(key)) return values;
    const toml::array* array = table[key].as_array();
    if (array == nullptr) fail(*table.get(key), fmt::format("{} is no array; an array of strings is allowed", key));
    for (const toml::node& element : *array) {
      const auto value = element.value_exact<std::string>();
      if (!value) fail(element, fmt::format("{} has an element that is no string; strings are allowed", key));
      values.push_back(*value);
    }
    return values;
  }

  double number(const toml::table& table, std::string_view key) const {
    const auto value = table[key].value<double>();
    if (!value || *value <= 0) fail(table, fmt::format("no {}; a positive number is required", key));
    return *value;
  }

  std::vector<const toml::table*> tables(const toml::table& table, std::string_view key) const {
    std::vector<const toml::table*> values;
    const toml::array* array = table[key].as_array();
    if (array == nullptr) return values;
    for (const toml::node& element : *array) {
      if (!element.is_table()) fail(element, fmt::format("[[{}]] is no table", key));
      values.push_back(element.as_table());
    }
    return values;
  }

  // Index of the entry whose `label` a key names.
  template <class Entry>
  std::size_t reference(const toml::table& table, std::string_view key, const std::vector<Entry>& entries,
                        std::string Entry::* label) const {
    const std::string wanted = text(table, key);
    for (std::size_t i = 0; i < entries.size(); ++i) {
      if (entries[i].*label == wanted) return i;
    }
    fail(table, fmt::format("{} \"{}\" names nothing in this file", key, wanted));
  }

 private:
  std::string file_;
};

}  // namespace

ReferenceTable read_reference_table(const fs::path& file) {
  toml::table document;
  try {
    document = toml::parse_file(file.string());
  } catch (const toml::parse_error& failure) {
    throw InputError(fmt::format("{}:{}: {}; TOML 1.0 is allowed", file.string(), failure.source().begin.line,
                                 failure.description()));
  }
  const Reader reader(file.string());
  ReferenceTable table;
  table.name = file.stem().string();
  table.title = reader.text(document, "title");
  table.source = reader.text(document, "source");
  table.scenario = reader.text(document, "scenario");
  table.platform = reader.text(document, "platform", false);
  table.settings = reader.texts(document, "settings");
  for (const toml::table* row : reader.tables(document, "row")) {
    table.rows.push_back({reader.text(*row, "id"), reader.text(*row, "name"), reader.number(*row, "published"),
                          reader.texts(*row, "settings"), reader.text(*row, "calibrates", false),
                          reader.text(*row, "note", false)});
  }
  if (table.rows.empty()) reader.fail(document, "no [[row]]; at least one is required");
  for (const toml::table* effect : reader.tables(document, "effect")) {
    table.effects.push_back({reader.text(*effect, "name"), reader.reference(*effect, "from", table.rows, &ReferenceRow::id),
                             reader.reference(*effect, "to", table.rows, &ReferenceRow::id)});
  }
  for (const toml::table* interaction : reader.tables(document, "interaction")) {
    table.interactions.push_back(
        {reader.text(*interaction, "name"),
         reader.reference(*interaction, "first", table.effects, &ReferenceEffect::name),
         reader.reference(*interaction, "second", table.effects, &ReferenceEffect::name)});
  }
  return table;
}

std::vector<std::string> reference_names(const fs::path& data) {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(data / "reference", error)) {
    if (entry.path().extension() == ".toml") names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

ReferenceTable find_reference_table(const fs::path& data, const std::string& name) {
  const std::vector<std::string> names = reference_names(data);
  if (std::find(names.begin(), names.end(), name) == names.end()) {
    throw InputError(fmt::format("{}: no such published table; all or one of {} is allowed{}", name, fmt::join(names, ", "),
                                 did_you_mean(name, names)));
  }
  return read_reference_table(data / "reference" / (name + ".toml"));
}

}  // namespace ringside
