#include "tb/image/recipe.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/base/errors.h"
#include "tb/image/toml_reader.h"

namespace ringside {
namespace {

namespace fs = std::filesystem;

void append(std::vector<std::string>& to, const std::vector<std::string>& more) {
  to.insert(to.end(), more.begin(), more.end());
}

// "x86-64" and "x86_64" are spellings of the same.
std::string canonical(std::string architecture) {
  std::replace(architecture.begin(), architecture.end(), '-', '_');
  return architecture;
}

// "driver/kernel/*.cc" as the files of that folder, sorted; anything else as it is.
std::vector<std::string> expanded(const fs::path& root, const std::string& source) {
  const auto star = source.find("/*");
  if (star == std::string::npos) return {source};
  const auto folder = source.substr(0, star);
  const auto suffix = source.substr(star + 2);
  std::vector<std::string> files;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(root / folder, error)) {
    const auto name = entry.path().filename().string();
    if (name.ends_with(suffix)) files.push_back(folder + "/" + name);
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

Recipe::Recipe(const fs::path& file) : files_{file}, root_(fs::absolute(file).parent_path().parent_path()) {
  std::error_code error;
  if (!fs::is_regular_file(file, error)) {
    throw InputError(fmt::format("{}: no such file; the recipe of the driver's image is required", file.string()));
  }
  const TomlReader reader(file.string());
  const toml::table& table = reader.document();
  for (const auto& source : reader.texts(table, "sources")) append(sources_, expanded(root_, source));
  for (const auto* entry : reader.tables(table, "driver")) {
    auto& sources = drivers_[reader.text(*entry, "name")];
    for (const auto& source : reader.texts(*entry, "sources")) append(sources, expanded(root_, source));
  }
  linker_script_ = reader.text(table, "linker_script");
  if (const std::string base = reader.optional_text(table, "base"); !base.empty()) {
    files_.push_back(file.parent_path() / base);
    read_toolchains(TomlReader(files_.back().string()));
  }
  read_toolchains(reader);
  for (const auto* entry : reader.tables(table, "prebuild")) {
    prebuilds_.push_back({reader.text(*entry, "name"),
                          {reader.text(*entry, "architecture"), reader.text(*entry, "compiler"), reader.texts(*entry, "flags"),
                           {}, drivers_.empty() ? std::string() : reader.text(*entry, "driver")}});
  }
}

void Recipe::read_toolchains(const TomlReader& reader) {
  const toml::table& table = reader.document();
  for (const auto* entry : reader.tables(table, "toolchain")) {
    Toolchain toolchain{canonical(reader.text(*entry, "architecture")), reader.text(*entry, "compiler"),
                        reader.text(*entry, "command"), reader.texts(table, "flags"), reader.texts(table, "link"),
                        reader.optional_text(*entry, "packages")};
    append(toolchain.compile_flags, reader.texts(*entry, "flags"));
    append(toolchain.link_flags, reader.texts(*entry, "link"));
    toolchains_.push_back(std::move(toolchain));
  }
}

std::vector<std::string> Recipe::sources(const std::string& driver) const {
  auto all = sources_;
  if (drivers_.empty()) return all;
  const auto found = drivers_.find(driver);
  if (found == drivers_.end()) {
    std::string known;
    for (const auto& [name, sources] : drivers_) known += (known.empty() ? "" : ", ") + name;
    throw InputError(fmt::format("{}: no driver \"{}\"; {} are allowed", files_.front().string(), driver, known));
  }
  append(all, found->second);
  return all;
}

const Toolchain& Recipe::toolchain(const ImageRequest& request) const {
  const auto architecture = canonical(request.architecture);
  std::string known;
  for (const auto& toolchain : toolchains_) {
    if (toolchain.compiler == request.compiler && toolchain.architecture == architecture) return toolchain;
    known += fmt::format("{}{} for {}", known.empty() ? "" : ", ", toolchain.compiler, toolchain.architecture);
  }
  throw InputError(fmt::format("{}: cannot compile with {} for {}; {} are allowed", files_.front().string(), request.compiler,
                               request.architecture, known));
}

}  // namespace ringside
