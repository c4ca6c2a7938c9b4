// Fits the residuals of a platform: one number for each path, on the rows that a published table names for it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "model/base/units.h"
#include "tb/reproduce/reference_table.h"

namespace ringside {

struct FittedResidual {
  std::string parameter;  // "residual.drop"
  std::string row;        // that it was fitted to
  double published = 0;   // Mpps
  double simulated = 0;   // with the residual
  Time value{};
};

// Rows of the table that calibrate something, each fitted alone by the secant method until the rate is within 0.1 % of
// the published one or eight runs have been made; the nearest of them counts. A row that is slower than published without
// any residual gets zero.
std::vector<FittedResidual> fit_residuals(const ReferenceTable& table, const std::filesystem::path& program);

// The platform's data file: a value for every residual, fitted or zero, with the row it comes from.
std::string platform_file(const ReferenceTable& table, const std::vector<FittedResidual>& fitted);

}  // namespace ringside
