// Output files appear whole or not at all.
#pragma once

#include <filesystem>
#include <string_view>

namespace ringside {

// Writes `content` beside `path` and renames it into place. Throws InputError when the folder cannot be written, and
// leaves nothing behind then.
void write_file_atomically(const std::filesystem::path& path, std::string_view content);

// Throws InputError when write_file_atomically() could not succeed: for finding out before a long run.
void check_writable(const std::filesystem::path& path);

}  // namespace ringside
