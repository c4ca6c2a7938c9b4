// A table that Ringside can run: rows with settings, and the figures that were published for them; or rows for which nothing
// was, all of them predictions.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace ringside {

struct ReferenceRow {
  std::string id;
  std::string name;
  double published = 0;                // in the table's metric; 0: nothing
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

// A figure per packet that is printed beside each row: the sum of some counters over the delivered packets.
struct ReferenceColumn {
  std::string name;
  std::vector<std::string> counters;  // "memory.mem_loads_dram"
};

// What the published figures count.
enum class ReferenceMetric { mpps, goodput };

struct ReferenceTable {
  std::string name;  // file name without ".toml"
  std::string title;
  std::string source;    // of the published figures; empty: there are none
  std::string question;  // what a table without published figures asks
  std::string scenario;
  std::string platform;  // platform.name that its residuals were fitted for; empty: none
  ReferenceMetric metric = ReferenceMetric::mpps;
  double packet_bits = 0;  // of goodput in one packet; 0 for Mpps
  std::vector<std::string> settings;
  std::vector<ReferenceColumn> columns;
  std::vector<ReferenceRow> rows;
  std::vector<ReferenceEffect> effects;
  std::vector<ReferenceInteraction> interactions;

  bool published() const { return !source.empty(); }

  // "Mpps" or "Gbit/s", and what a figure in it means in ns per packet.
  std::string unit() const { return metric == ReferenceMetric::mpps ? "Mpps" : "Gbit/s"; }
  double ns_per_packet(double figure) const {
    if (figure == 0) return 0;
    return metric == ReferenceMetric::mpps ? 1e3 / figure : packet_bits / figure;
  }
};

// With `source`, every row has a published figure; with `question` instead, none has, and none calibrates anything.
// Throws InputError with file and line.
ReferenceTable read_reference_table(const std::filesystem::path& file);

// Names of the tables in a data directory's reference folder, sorted.
std::vector<std::string> reference_names(const std::filesystem::path& data);

// The tables with, or without, published figures, in the order of their names.
std::vector<ReferenceTable> reference_tables(const std::filesystem::path& data, bool published);

// The table of that name. Throws InputError that names those there are.
ReferenceTable find_reference_table(const std::filesystem::path& data, const std::string& name);

}  // namespace ringside
