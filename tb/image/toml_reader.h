// Reads TOML files of which every key is known; each complaint names the file and the line.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <toml++/toml.h>

namespace ringside {

class TomlReader {
 public:
  // Parses the file. Throws InputError, as all members do.
  explicit TomlReader(std::string file);

  const toml::table& document() const { return document_; }

  [[noreturn]] void fail(const toml::node& node, const std::string& complaint) const;

  // A string that must be there.
  std::string text(const toml::table& table, std::string_view key) const;
  // Empty if it is absent.
  std::string optional_text(const toml::table& table, std::string_view key) const;
  // An array of strings; absent is empty.
  std::vector<std::string> texts(const toml::table& table, std::string_view key) const;
  double positive_number(const toml::table& table, std::string_view key) const;
  // The tables of an array of tables; absent is empty.
  std::vector<const toml::table*> tables(const toml::table& table, std::string_view key) const;

 private:
  std::string file_;
  toml::table document_;
};

}  // namespace ringside
