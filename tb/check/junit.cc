#include <fmt/format.h>

#include "tb/check/check_text.h"

namespace ringside {
namespace {

// For attributes and text alike. What is no character of XML has gone through printable() before.
std::string xml(const std::string& text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '&': result += "&amp;"; break;
      case '<': result += "&lt;"; break;
      case '>': result += "&gt;"; break;
      case '"': result += "&quot;"; break;
      default: result += c;
    }
  }
  return result;
}

struct Case {
  std::string name;
  std::string problem;  // of one line; empty: passed
  bool is_error = false;
};

std::vector<Case> cases_of(const CheckResult& result) {
  if (!result.bad_input.empty()) return {{"can be checked", result.bad_input, true}};
  if (!result.broken.empty()) return {{"runs", result.broken, false}};
  std::vector<Case> cases;
  for (const auto& metric : result.metrics) {
    cases.push_back({metric.baseline.name, metric.outcome == MetricOutcome::failed ? metric_sentence(metric) : "", false});
  }
  return cases;
}

std::string suite_xml(const CheckResult& result) {
  const auto cases = cases_of(result);
  std::size_t failures = 0, errors = 0;
  for (const Case& c : cases) (c.is_error ? errors : failures) += c.problem.empty() ? 0 : 1;
  std::string text = fmt::format("  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" time=\"{:.3f}\">\n",
                                 xml(result.scenario), cases.size(), failures, errors, result.seconds);
  bool explained = false;
  for (const Case& c : cases) {
    text += fmt::format("    <testcase classname=\"{}\" name=\"{}\" file=\"{}\"", xml(result.scenario), xml(c.name),
                        xml(result.baseline_file));
    if (c.problem.empty()) {
      text += "/>\n";
      continue;
    }
    const char* element = c.is_error ? "error" : "failure";
    // The whole text once: it is about all metrics of the suite.
    text += fmt::format(">\n      <{} message=\"{}\">{}</{}>\n    </testcase>\n", element, xml(c.problem),
                        explained ? "" : xml(check_text(result, false)), element);
    explained = true;
  }
  return text + "  </testsuite>\n";
}

}  // namespace

std::string junit_xml(const std::vector<CheckResult>& results) {
  std::size_t tests = 0, failures = 0, errors = 0;
  std::string suites;
  for (const CheckResult& result : results) {
    for (const Case& c : cases_of(result)) {
      ++tests;
      (c.is_error ? errors : failures) += c.problem.empty() ? 0 : 1;
    }
    suites += suite_xml(result);
  }
  return fmt::format("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                     "<testsuites name=\"ringside check\" tests=\"{}\" failures=\"{}\" errors=\"{}\">\n{}</testsuites>\n",
                     tests, failures, errors, suites);
}

}  // namespace ringside
