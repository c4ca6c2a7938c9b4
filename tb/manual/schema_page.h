// The JSON Schemas of what Ringside writes, as pages.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace ringside {

// Names of the schemas in a data directory, sorted: "report", "comparison".
std::vector<std::string> schema_names(const std::filesystem::path& data);

// Throws InputError.
nlohmann::ordered_json read_schema(const std::filesystem::path& data, const std::string& name);

// A table of the keys on top, then a section with a table for each of them that holds others. Of an array, it describes the
// items.
std::string schema_markdown(const nlohmann::ordered_json& schema);

}  // namespace ringside
