// Runs the rows of a published table and sets what was simulated beside what was published.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "tb/reproduce/reference_table.h"

namespace ringside {

struct ReproducedRow {
  double simulated = 0;        // in the table's metric
  std::string error;           // why there is no figure
  nlohmann::ordered_json report;  // the run's whole report, without `host`
};

struct Reproduction {
  ReferenceTable table;
  std::vector<ReproducedRow> rows;  // as in the table
  double seconds = 0;               // wall clock
};

// Runs each row as a process of `program` (ringside itself), `jobs` at a time; 0 is one per processor.
Reproduction reproduce(const ReferenceTable& table, const std::filesystem::path& program, unsigned jobs);

// The figure of one row with `more` settings after its own, and without the table's platform. Throws std::runtime_error with
// the run's message when it fails.
double simulate_row(const ReferenceTable& table, const ReferenceRow& row, const std::filesystem::path& program,
                    const std::vector<std::string>& more);

// Relative error of a row in percent.
double error_percent(const ReferenceRow& row, const ReproducedRow& reproduced);

// The tables as a person reads them: aligned text, or Markdown.
std::string reproduction_text(const Reproduction& reproduction, bool markdown);

nlohmann::ordered_json reproduction_json(const Reproduction& reproduction);

}  // namespace ringside
