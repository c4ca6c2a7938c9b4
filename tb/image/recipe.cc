#include "tb/image/recipe.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include "model/base/errors.h"

namespace ringside {
namespace {

namespace fs = std::filesystem;

// Reads one recipe; every complaint names the file and the line.
class Reader {
 public:
  explicit Reader(std::string file) : file_(std::move(file)) {}

  [[noreturn]] void fail(const toml::node& node, const std::string& complaint) const {
    throw InputError(fmt::format("{}:{}: {}", file_, node.source().begin.line, complaint));
  }

  const toml::table& table(const toml::table& parent, std::string_view key) const {
    const auto* found = parent[key].as_table();
    if (found == nullptr) fail(parent, fmt::format("no table {}; [{}] is required", key, key));
    return *found;
  }

  std::string text(const toml::table& parent, std::string_view key) const {
    const auto value = parent[key].value_exact<std::string>();
    if (!value) fail(parent, fmt::format("no string {}; {} = \"...\" is required", key, key));
    return *value;
  }

  std::vector<std::string> texts(const toml::table& parent, std::string_view key) const {
    const auto* array = parent[key].as_array();
    if (array == nullptr) fail(parent, fmt::format("no array {}; {} = [\"...\"] is required", key, key));
    std::vector<std::string> values;
    for (const auto& element : *array) {
      const auto value = element.value_exact<std::string>();
      if (!value) fail(element, fmt::format("{} has an element that is no string; strings are allowed", key));
      values.push_back(*value);
    }
    return values;
  }

  // [[key]]; absent is empty.
  std::vector<const toml::table*> tables(const toml::table& parent, std::string_view key) const {
    std::vector<const toml::table*> values;
    const auto* node = parent.get(key);
    if (node == nullptr) return values;
    if (!node->is_array_of_tables()) fail(*node, fmt::format("{} is no array of tables; [[{}]] is allowed", key, key));
    for (const auto& element : *node->as_array()) values.push_back(element.as_table());
    return values;
  }

 private:
  std::string file_;
};

toml::table parse(const fs::path& file) {
  std::error_code error;
  if (!fs::is_regular_file(file, error)) {
    throw InputError(fmt::format("{}: no such file; the recipe of the driver's image is required", file.string()));
  }
  try {
    return toml::parse_file(file.string());
  } catch (const toml::parse_error& failure) {
    throw InputError(fmt::format("{}:{}: {}; TOML 1.0 is allowed", file.string(), failure.source().begin.line,
                                 failure.description()));
  }
}

void append(std::vector<std::string>& to, const std::vector<std::string>& more) {
  to.insert(to.end(), more.begin(), more.end());
}

// Everything that compiling with `compiler` for `architecture` takes, in the order that the recipe's head states.
Toolchain toolchain_of(const Reader& reader, const toml::table& recipe, const toml::table& compiler,
                       std::string_view architecture) {
  const auto& own = reader.table(reader.table(compiler, "arch"), architecture);
  const auto& link = reader.table(recipe, "link");
  const auto& sources = reader.table(recipe, "sources");
  Toolchain toolchain;
  toolchain.command = reader.texts(own, "command");
  if (toolchain.command.empty()) reader.fail(own, "command is empty; the compiler's name is required");
  append(toolchain.flags, reader.texts(reader.table(recipe, "base"), "flags"));
  append(toolchain.flags, reader.texts(reader.table(reader.table(recipe, "arch"), architecture), "flags"));
  append(toolchain.flags, reader.texts(compiler, "flags"));
  append(toolchain.flags, reader.texts(own, "flags"));
  toolchain.link = reader.texts(link, "command");
  if (toolchain.link.empty()) reader.fail(link, "command is empty; the linker's name is required");
  append(toolchain.link, reader.texts(reader.table(link, "arch"), architecture));
  toolchain.linker_script = reader.text(link, "script");
  append(toolchain.sources, reader.texts(sources, "common"));
  append(toolchain.sources, reader.texts(sources, architecture));
  return toolchain;
}

}  // namespace

Recipe::Recipe(const fs::path& file) : file_(file) {
  const auto recipe = parse(file);
  const Reader reader(file.string());
  root_ = (fs::absolute(file).parent_path() / reader.text(recipe, "root") / "").lexically_normal().parent_path();
  include_ = reader.text(recipe, "include");
  for (const auto& [compiler, node] : reader.table(recipe, "compiler")) {
    if (!node.is_table()) reader.fail(node, fmt::format("compiler.{} is no table", compiler.str()));
    for (const auto& [architecture, unused] : reader.table(*node.as_table(), "arch")) {
      toolchains_.push_back({std::string(compiler.str()), std::string(architecture.str()),
                             toolchain_of(reader, recipe, *node.as_table(), architecture.str())});
    }
  }
  for (const auto* entry : reader.tables(recipe, "prebuild")) {
    prebuilds_.push_back({reader.text(*entry, "name"),
                          {reader.text(*entry, "arch"), reader.text(*entry, "compiler"), reader.texts(*entry, "flags")}});
  }
}

const Toolchain& Recipe::toolchain(const ImageRequest& request) const {
  std::string known;
  for (const auto& entry : toolchains_) {
    if (entry.compiler == request.compiler && entry.architecture == request.architecture) return entry.toolchain;
    known += fmt::format("{}{} for {}", known.empty() ? "" : ", ", entry.compiler, entry.architecture);
  }
  throw InputError(fmt::format("{}: cannot compile with {} for {}; {} are allowed", file_.string(), request.compiler,
                               request.architecture, known));
}

}  // namespace ringside
