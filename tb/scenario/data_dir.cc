#include "tb/scenario/data_dir.h"

#include <fmt/format.h>

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

}  // namespace ringside
