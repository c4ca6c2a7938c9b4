// What reading and writing of a baseline share.
#pragma once

#include <toml++/toml.h>

#include <filesystem>
#include <string>
#include <string_view>

namespace ringside {

inline constexpr int kBaselineVersion = 1;

std::string read_baseline_text(const std::filesystem::path& file);

// Throws InputError. Bounded in memory and in depth, whatever the text is.
toml::table parse_baseline(const std::filesystem::path& file, std::string_view text);

}  // namespace ringside
