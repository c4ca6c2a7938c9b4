#include "tb/reproduce/calibration.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tb/reproduce/reproduction.h"

namespace ringside {

namespace {

constexpr int kMostRuns = 8;
constexpr double kGoodEnough = 0.001;

std::string nanoseconds_text(Time t) { return fmt::format("{}.{:02} ns", t.value / 1000, t.value % 1000 / 10); }

double simulate_with(const ReferenceTable& table, const ReferenceRow& row, const std::filesystem::path& program, Time residual) {
  return simulate_row(table, row, program, {row.calibrates + "=" + nanoseconds_text(residual)});
}

FittedResidual fit(const ReferenceTable& table, const ReferenceRow& row, const std::filesystem::path& program) {
  const double wanted_ns = table.ns_per_packet(row.published);
  const auto error = [&](double simulated) { return std::abs(simulated / row.published - 1); };
  Time residual{};
  double simulated = simulate_with(table, row, program, residual);
  FittedResidual best{row.calibrates, row.name, row.published, simulated, residual};
  double slope = 1;  // ns per packet for each ns of residual
  for (int run = 1; run < kMostRuns && error(best.simulated) > kGoodEnough; ++run) {
    const double missing_ns = wanted_ns - table.ns_per_packet(simulated);
    const double next_ns = std::max(0.0, static_cast<double>(residual.value) / 1e3 + missing_ns / slope);
    const Time next{static_cast<std::uint64_t>(std::llround(next_ns * 100)) * 10};
    if (next == residual) break;
    const double before = simulated;
    simulated = simulate_with(table, row, program, next);
    const double measured_slope = (table.ns_per_packet(simulated) - table.ns_per_packet(before)) / (to_ns(next) - to_ns(residual));
    slope = std::clamp(measured_slope, 0.2, 2.0);
    residual = next;
    if (error(simulated) < error(best.simulated)) {
      best.simulated = simulated;
      best.value = residual;
    }
  }
  return best;
}

}  // namespace

std::vector<FittedResidual> fit_residuals(const ReferenceTable& table, const std::filesystem::path& program) {
  std::vector<FittedResidual> fitted;
  for (const ReferenceRow& row : table.rows) {
    if (!row.calibrates.empty()) fitted.push_back(fit(table, row, program));
  }
  return fitted;
}

std::string platform_file(const ReferenceTable& table, const std::vector<FittedResidual>& fitted) {
  std::string text = fmt::format("# Written by `ringside calibrate {}`.\n", table.name);
  text += fmt::format("description = \"{}\"\n\n[residual]\n", table.title);
  for (const std::string name : {"drop", "tx", "tcp"}) {
    const auto at = std::find_if(fitted.begin(), fitted.end(),
                                 [&](const FittedResidual& f) { return f.parameter == "residual." + name; });
    const std::string value = nanoseconds_text(at == fitted.end() ? Time{} : at->value);
    const std::string source =
        at == fitted.end() ? "no row to fit it to"
                           : fmt::format("calibrated: fitted to the row \\\"{}\\\" of {} {}", at->row, at->published, table.unit());
    text += fmt::format("{} = {{ value = \"{}\", source = \"{}\" }}\n", name, value, source);
  }
  return text;
}

}  // namespace ringside
