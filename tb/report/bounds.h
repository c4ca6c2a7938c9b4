// What each resource could carry if it were the only one: the analytic bound beside the rate that was measured.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tb/report/run_result.h"
#include "tb/scenario/scenario.h"

namespace ringside {

struct Bound {
  enum class From {
    configuration,  // parameters and the mean size of frames alone
    measured_work,  // what a packet took of the resource in the window
  };
  std::string resource;    // where it is also a Limit, of the same name
  double mpps = 0;
  From from = From::configuration;
  std::string arithmetic;  // "100 Gbps / (64 B + 20 B)"
};

// Lowest first. Of reception: what is transmitted takes its share besides. Empty where nothing was measured.
std::vector<Bound> bounds(const Scenario& scenario, const RunResult& run);

}  // namespace ringside
