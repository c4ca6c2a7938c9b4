// The report: one JSON document of version 1, described in docs/report-schema.md.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "tb/report/run_result.h"
#include "tb/scenario/scenario.h"

namespace ringside {

using Json = nlohmann::ordered_json;

inline constexpr int kReportVersion = 1;

// The whole document.
Json make_report(const Scenario& scenario, const RunResult& result, const HostResult& host);

// The document as text: two spaces of indent, a newline at the end.
std::string report_text(const Json& report);

}  // namespace ringside
