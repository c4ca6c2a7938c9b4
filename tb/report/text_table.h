// Tables for a terminal and for Markdown.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace ringside {

enum class Tone { plain, good, bad, faint, strong };

// `text` in the tone's colour, or as it is.
std::string toned(std::string_view text, Tone tone, bool colour);

// `text` for Markdown outside of code: nothing in it is taken for markup.
std::string markdown_text(std::string_view text);

class TextTable {
 public:
  struct Cell {
    Cell(std::string t, Tone n = Tone::plain) : text(std::move(t)), tone(n) {}
    Cell(const char* t) : text(t) {}
    std::string text;
    Tone tone = Tone::plain;
  };

  // The first columns are text and the others are numbers, but for the last one if `last_is_text`.
  explicit TextTable(std::vector<Cell> header, bool last_is_text = false, std::size_t first_text_columns = 1);

  void row(std::vector<Cell> cells);
  bool empty() const { return rows_.size() == 1; }

  std::string text(bool colour) const;
  std::string markdown() const;

 private:
  using Row = std::vector<Cell>;

  bool is_left(std::size_t column) const;

  std::vector<Row> rows_;  // the first one is the header
  bool last_is_text_;
  std::size_t first_text_columns_;
};

}  // namespace ringside
