// A published table that Ringside can run: rows of figures with the settings under which they were measured.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace ringside {

struct ReferenceRow {
  std::string id;
  std::string name;
  double published = 0;                // Mpps
  std::vector<std::string> settings;   // "key=value", after those of the table
  std::string calibrates;              // parameter that was fitted to this row; empty: the row is a prediction
  std::string note;                    // what remains to be explained
};

// The change from one row to another, in ns per packet.
struct ReferenceEffect {
  std::string name;
  std::size_t from, to;  // rows
};

// How much one effect depends on another: the difference of two effects.
struct ReferenceInteraction {
  std::string name;
  std::size_t first, second;  // effects
};

struct ReferenceTable {
  std::string name;  // file name without ".toml"
  std::string title;
  std::string source;
  std::string scenario;
  std::string platform;  // platform.name that its residuals were fitted for; empty: none
  std::vector<std::string> settings;
  std::vector<ReferenceRow> rows;
  std::vector<ReferenceEffect> effects;
  std::vector<ReferenceInteraction> interactions;
};

// Throws InputError with file and line.
ReferenceTable read_reference_table(const std::filesystem::path& file);

// Names of the tables in a data directory's reference folder, sorted.
std::vector<std::string> reference_names(const std::filesystem::path& data);

// The table of that name. Throws InputError that names those there are.
ReferenceTable find_reference_table(const std::filesystem::path& data, const std::string& name);

}  // namespace ringside
