#include "tb/board/source_lines.h"

#include <sstream>

#include "model/base/errors.h"
#include "tb/report/bounded_file.h"
#include "tb/report/printable.h"

namespace ringside {

namespace {

constexpr std::size_t kMaxSourceBytes = 4 << 20;
constexpr std::size_t kLongestLine = 160;  // bytes of one that are kept

// As a report has it: no tabs, which a terminal would not align, and nothing that it would obey.
std::string shown(const std::string& line) {
  std::string spaced;
  for (const char c : line) {
    if (c == '\r') continue;
    spaced += c == '\t' ? std::string(8 - spaced.size() % 8, ' ') : std::string(1, c);
  }
  return printable(spaced, kLongestLine);
}

std::vector<std::string> lines_of(const std::filesystem::path& file) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(file, error)) return {};
  std::vector<std::string> lines;
  try {
    std::istringstream text(read_bounded_file(file, kMaxSourceBytes, "a source file"));
    for (std::string line; std::getline(text, line);) lines.push_back(std::move(line));
  } catch (const InputError&) {
    return {};  // the profile does without
  }
  return lines;
}

}  // namespace

std::optional<std::size_t> SourceLines::place_of(std::uint64_t address) {
  const std::optional<SourceLocation> location = image_.source(address);
  if (!location) return std::nullopt;
  const auto [known, is_new] = known_.try_emplace({location->file, location->line, location->inlined}, places_.size());
  if (is_new) {
    places_.push_back({printable(location->file), location->line, printable(location->inlined),
                       text_of(location->file, location->line)});
  }
  return known->second;
}

std::string SourceLines::text_of(const std::string& file, std::uint32_t line) {
  const auto [known, is_new] = files_.try_emplace(file);
  if (is_new) known->second = lines_of(sources_ / file);  // an absolute name replaces the folder
  return line <= known->second.size() ? shown(known->second[line - 1]) : "";
}

}  // namespace ringside
