#include "tb/image/source_tree.h"

#include <fmt/format.h>

#include <fstream>
#include <iterator>
#include <optional>
#include <string_view>

#include "model/base/errors.h"

namespace ringside {
namespace {

namespace fs = std::filesystem;

std::optional<std::string> read_file(const fs::path& path) {
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return std::nullopt;
  std::ifstream stream(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(stream), {});
}

// Names in lines of the form: #include "name".
std::vector<std::string> quoted_includes(std::string_view text) {
  std::vector<std::string> names;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    auto line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const auto skip = [&](std::string_view characters) {
      line.remove_prefix(std::min(line.find_first_not_of(characters), line.size()));
    };
    skip(" \t");
    if (!line.starts_with('#')) continue;
    line.remove_prefix(1);
    skip(" \t");
    if (!line.starts_with("include")) continue;
    line.remove_prefix(7);
    skip(" \t");
    if (!line.starts_with('"')) continue;
    line.remove_prefix(1);
    if (const auto quote = line.find('"'); quote != std::string_view::npos) names.emplace_back(line.substr(0, quote));
  }
  return names;
}

}  // namespace

std::map<std::string, std::string> read_sources(const fs::path& root, const std::vector<std::string>& sources) {
  std::map<std::string, std::string> files;
  std::vector<std::string> pending;
  const auto add = [&](const std::string& name) {
    if (files.contains(name)) return true;
    auto content = read_file(root / name);
    if (!content) return false;
    files.emplace(name, std::move(*content));
    pending.push_back(name);
    return true;
  };
  for (const auto& source : sources) {
    if (!add(source)) {
      throw InputError(fmt::format("{}: no such file; the recipe's sources must exist", (root / source).string()));
    }
  }
  while (!pending.empty()) {
    const auto name = pending.back();
    pending.pop_back();
    for (const auto& include : quoted_includes(files.at(name))) {
      const auto beside = (fs::path(name).parent_path() / include).lexically_normal().generic_string();
      if (!add(beside)) add(fs::path(include).lexically_normal().generic_string());
    }
  }
  return files;
}

}  // namespace ringside
