// The outcome of checks: for a person, for GitHub and for programs that read JUnit's XML.
#pragma once

#include <string>
#include <vector>

#include "tb/check/check.h"

namespace ringside {

// "mpps is 34.48 Mpps, baseline 47.07 (-26.75 %, may fall 0.5 %)".
std::string metric_sentence(const CheckedMetric& metric);

// One line when all is well; else what is out of tolerance and by how much, where the cycles went, and how to accept it.
std::string check_text(const CheckResult& result, bool colour);

// Workflow commands that GitHub shows at the baseline's lines; empty when all is well.
std::string github_annotations(const CheckResult& result);

// A JUnit document: a suite for each scenario, a test for each metric.
std::string junit_xml(const std::vector<CheckResult>& results);

}  // namespace ringside
