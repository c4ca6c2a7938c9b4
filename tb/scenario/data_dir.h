// Where the program's data are: hardware files, scenarios, captures, the driver's sources and prebuilt images.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace ringside {

// $RINGSIDE_DATA, else ../share/ringside beside the executable's folder. Throws InputError when it does not exist.
std::filesystem::path data_directory();

// File names without ".toml" in a folder, sorted; none if there is no such folder.
std::vector<std::string> toml_names(const std::filesystem::path& folder);

}  // namespace ringside
