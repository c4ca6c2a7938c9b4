#include "tb/reproduce/reference_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "model/base/errors.h"
#include "tb/image/toml_reader.h"
#include "tb/scenario/data_dir.h"
#include "tb/scenario/nearest.h"

namespace ringside {

namespace {

namespace fs = std::filesystem;

// Index of the entry whose `label` a key names.
template <class Entry>
std::size_t reference(const TomlReader& reader, const toml::table& table, std::string_view key,
                      const std::vector<Entry>& entries, std::string Entry::*label) {
  const std::string wanted = reader.text(table, key);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (entries[i].*label == wanted) return i;
  }
  reader.fail(table, fmt::format("{} \"{}\" names nothing in this file", key, wanted));
}

ReferenceRow read_row(const TomlReader& reader, const toml::table& row, bool published) {
  ReferenceRow result{reader.text(row, "id"), reader.text(row, "name"), 0, reader.texts(row, "settings"),
                      reader.optional_text(row, "calibrates"), reader.optional_text(row, "note")};
  if (published) {
    result.published = reader.positive_number(row, "published");
  } else if (row.contains("published") || row.contains("calibrates")) {
    reader.fail(row, "a row with a published figure in a table with a question; source = \"...\" in its place is required");
  }
  return result;
}

}  // namespace

ReferenceTable read_reference_table(const fs::path& file) {
  const TomlReader reader(file.string());
  const toml::table& document = reader.document();
  ReferenceTable table;
  table.name = file.stem().string();
  table.title = reader.text(document, "title");
  table.question = reader.optional_text(document, "question");
  if (table.question.empty()) table.source = reader.text(document, "source");
  table.scenario = reader.text(document, "scenario");
  table.platform = reader.optional_text(document, "platform");
  table.settings = reader.texts(document, "settings");
  if (const toml::node* bytes = document.get("goodput_bytes_per_packet"); bytes != nullptr) {
    table.metric = ReferenceMetric::goodput;
    table.packet_bits = 8 * reader.positive_number(document, "goodput_bytes_per_packet");
  }
  for (const toml::table* column : reader.tables(document, "column")) {
    table.columns.push_back({reader.text(*column, "name"), reader.texts(*column, "counters")});
  }
  for (const toml::table* row : reader.tables(document, "row")) table.rows.push_back(read_row(reader, *row, table.published()));
  if (table.rows.empty()) reader.fail(document, "no [[row]]; at least one is required");
  for (const toml::table* effect : reader.tables(document, "effect")) {
    table.effects.push_back({reader.text(*effect, "name"), reference(reader, *effect, "from", table.rows, &ReferenceRow::id),
                             reference(reader, *effect, "to", table.rows, &ReferenceRow::id)});
  }
  for (const toml::table* interaction : reader.tables(document, "interaction")) {
    table.interactions.push_back(
        {reader.text(*interaction, "name"),
         reference(reader, *interaction, "first", table.effects, &ReferenceEffect::name),
         reference(reader, *interaction, "second", table.effects, &ReferenceEffect::name)});
  }
  return table;
}

std::vector<std::string> reference_names(const fs::path& data) { return toml_names(data / "reference"); }

std::vector<ReferenceTable> reference_tables(const fs::path& data, bool published) {
  std::vector<ReferenceTable> tables;
  for (const std::string& name : reference_names(data)) {
    ReferenceTable table = find_reference_table(data, name);
    if (table.published() == published) tables.push_back(std::move(table));
  }
  return tables;
}

ReferenceTable find_reference_table(const fs::path& data, const std::string& name) {
  const std::vector<std::string> names = reference_names(data);
  if (std::find(names.begin(), names.end(), name) == names.end()) {
    throw InputError(fmt::format("{}: no such table; all or one of {} is allowed{}", name, fmt::join(names, ", "),
                                 did_you_mean(name, names)));
  }
  return read_reference_table(data / "reference" / (name + ".toml"));
}

}  // namespace ringside
