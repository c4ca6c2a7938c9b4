// Child processes without a shell.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace ringside {

// Runs argv[0], searched on PATH, in `folder`, with standard output and error in the file `log`. Returns the exit status,
// 128 + signal if it was killed. Throws InputError when it cannot be started.
int run_process(const std::vector<std::string>& argv, const std::filesystem::path& folder, const std::filesystem::path& log);

}  // namespace ringside
