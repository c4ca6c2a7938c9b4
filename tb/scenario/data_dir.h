// Where the program's data are: hardware files, scenarios, captures, the driver's sources and prebuilt images.
#pragma once

#include <filesystem>

namespace ringside {

// $RINGSIDE_DATA, else ../share/ringside beside the executable's folder. Throws InputError when it does not exist.
std::filesystem::path data_directory();

}  // namespace ringside
