// Reading files that somebody else wrote: in bounded memory and time, whatever is in them.
#pragma once

#include <filesystem>
#include <string>

#include <nlohmann/json.hpp>

namespace ringside {

// The whole file. Throws InputError when it cannot be read or is larger than `limit` bytes, of which `what` ("a report")
// has fewer; a pipe or device is read no further than that.
std::string read_bounded_file(const std::filesystem::path& file, std::size_t limit, std::string_view what);

// A JSON document of at most 16 MiB, 500,000 values, 2,000 of them in one object, and 32 levels; keys keep their order.
// Throws InputError with line and column.
nlohmann::ordered_json read_bounded_json(const std::filesystem::path& file, std::string_view what);

}  // namespace ringside
