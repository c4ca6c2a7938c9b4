#include "tb/report/text_table.h"

#include <fmt/format.h>

#include <algorithm>

namespace ringside {
namespace {

// Columns on the screen; printable() text has one per code point, but for scripts that no report uses.
std::size_t width(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

std::string padded(const std::string& text, std::size_t to, bool left) {
  const std::string space(to - std::min(to, width(text)), ' ');
  return left ? text + space : space + text;
}

}  // namespace

std::string toned(std::string_view text, Tone tone, bool colour) {
  if (!colour || text.empty() || tone == Tone::plain) return std::string(text);
  constexpr int kSelect[] = {0, 32, 31, 2, 1};  // SGR: green, red, faint, bold
  return fmt::format("\x1b[{}m{}\x1b[0m", kSelect[static_cast<std::size_t>(tone)], text);
}

std::string markdown_text(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '<') {
      result += "&lt;";
    } else if (c == '&') {
      result += "&amp;";
    } else {
      if (std::string_view("\\`*_[]|~#@!").find(c) != std::string_view::npos) result += '\\';
      result += c;
    }
  }
  return result;
}

TextTable::TextTable(std::vector<Cell> header, bool last_is_text, std::size_t first_text_columns)
    : last_is_text_(last_is_text), first_text_columns_(first_text_columns) {
  row(std::move(header));
}

void TextTable::row(std::vector<Cell> cells) { rows_.push_back(std::move(cells)); }

bool TextTable::is_left(std::size_t column) const {
  return column < first_text_columns_ || (last_is_text_ && column + 1 == rows_.front().size());
}

std::string TextTable::text(bool colour) const {
  std::vector<std::size_t> widths(rows_.front().size());
  for (const Row& row : rows_) {
    for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], width(row[c].text));
  }
  std::string result;
  for (const Row& row : rows_) {
    std::string line;
    for (std::size_t c = 0; c < row.size(); ++c) {
      const Cell& cell = row[c];
      const bool last = c + 1 == row.size();
      const bool unpadded = last && is_left(c);
      line += (c == 0 ? "" : "  ") + toned(unpadded ? cell.text : padded(cell.text, widths[c], is_left(c)), cell.tone, colour);
    }
    while (line.ends_with(' ')) line.pop_back();
    result += line + "\n";
  }
  return result;
}

std::string TextTable::markdown() const {
  const std::size_t columns = rows_.front().size();
  std::string result;
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    const Row& row = rows_[r];
    result += "|";
    for (std::size_t c = 0; c < columns; ++c) {
      result += fmt::format(" {} |", c < row.size() ? markdown_text(row[c].text) : "");
    }
    result += "\n";
    if (r != 0) continue;
    result += "|";
    for (std::size_t c = 0; c < columns; ++c) result += is_left(c) ? "---|" : "---:|";
    result += "\n";
  }
  return result;
}

}  // namespace ringside
