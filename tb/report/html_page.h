// Reports as a page for a browser: one file that needs nothing else and loads nothing.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace ringside {

// The page of one report. `page` is the built tb/html, html/page.html of the data directory. Of a report that is too large,
// code and call paths are left out, the coldest first. Throws InputError when the page cannot be read, or would still be
// larger than kLargestPage.
std::string html_report(const std::filesystem::path& page, const nlohmann::ordered_json& report);

// The page of two runs beside each other. `comparison` is of comparison_json() of the two reports.
std::string html_comparison(const std::filesystem::path& page, const nlohmann::ordered_json& comparison,
                            const nlohmann::ordered_json& first, const nlohmann::ordered_json& second);

// Of a page that either function returns.
inline constexpr std::size_t kLargestPage = 5'000'000;  // bytes

}  // namespace ringside
