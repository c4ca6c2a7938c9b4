#include "tb/board/counter_guide.h"

#include <fmt/format.h>

#include <cctype>

#include "tb/image/toml_reader.h"

namespace ringside {

CounterGuide::CounterGuide(const std::filesystem::path& file) {
  std::error_code error;
  if (!std::filesystem::exists(file, error)) return;
  const TomlReader reader(file.string());
  for (const auto& [area, counters] : reader.document()) {
    if (!counters.is_table()) reader.fail(counters, fmt::format("{} is no table; [{}] with counters is allowed", area.str(), area.str()));
    for (const auto& [name, text] : *counters.as_table()) {
      if (!text.is_table()) {
        reader.fail(text, fmt::format("{} is no table; {} = {{ unit = \"packets\", help = \"...\" }} is allowed", name.str(), name.str()));
      }
      const toml::table& table = *text.as_table();
      entries_[std::string(name.str())] = {reader.text(table, "unit"), reader.text(table, "help")};
    }
  }
}

const CounterGuide::Entry& CounterGuide::of(std::string_view counter) const {
  std::string name(counter);
  const bool of_a_queue = name.size() > 2 && name[0] == 'q' && std::isdigit(static_cast<unsigned char>(name[1])) != 0 && name[2] == '_';
  if (of_a_queue) name[1] = 'N';
  const auto at = entries_.find(name);
  return at == entries_.end() ? unknown_ : at->second;
}

}  // namespace ringside
