#include "tb/scenario/data_dir.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "model/base/errors.h"

namespace ringside {

std::filesystem::path data_directory() {
  const char* named = std::getenv("RINGSIDE_DATA");
  std::error_code error;
  if (named != nullptr && *named != '\0') {
    if (std::filesystem::is_directory(named, error)) return named;
    throw InputError(fmt::format("RINGSIDE_DATA: {} is no directory; Ringside's share/ringside is allowed", named));
  }
  const auto program = std::filesystem::read_symlink("/proc/self/exe", error);
  const auto beside = program.parent_path().parent_path() / "share" / "ringside";
  if (!error && std::filesystem::is_directory(beside, error)) return beside;
  throw InputError(fmt::format("{}: no such directory; install Ringside whole, or set RINGSIDE_DATA", beside.string()));
}

std::vector<std::string> toml_names(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (entry.path().extension() == ".toml") names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace ringside
