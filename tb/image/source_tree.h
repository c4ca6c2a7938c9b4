// The files that a compilation reads.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace ringside {

// Contents of `sources` and of everything that they include with quotes, transitively, by path relative to `root`. An
// include is looked up beside the including file and then from `root`; one that is found in neither is the compiler's.
// Throws InputError for a source that does not exist.
std::map<std::string, std::string> read_sources(const std::filesystem::path& root, const std::vector<std::string>& sources);

}  // namespace ringside
