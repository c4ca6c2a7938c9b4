// Figures of a report by name: what `compare` lists first and what a baseline can limit.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tb/report/run_report.h"

namespace ringside {

enum class Better { higher, lower, neither };

struct Metric {
  std::string name;   // "mpps", "latency.p99", "functions.mlx5e_poll_rx_cq.cycles_per_packet"
  std::string label;  // as a person reads it: "cycles per packet"
  std::string unit;
  Better better = Better::neither;
  double value = 0;   // six significant digits
};

// The named figure, or nothing when the report has none of this name.
//
// mpps, gbps, ns_per_packet, cycles_per_packet, busy_cycles_per_packet (without idle ones), instructions_per_packet, ipc;
// loss (dropped of offered, in %); drops.CAUSE (in % of offered); latency.{min,mean,p50,p90,p99,p999,max} (ns);
// stalls.REASON, functions.NAME.cycles_per_packet, functions.NAME.instructions_per_packet, functions.NAME.code_bytes;
// counters.GROUP.NAME.
std::optional<Metric> find_metric(const RunReport& report, std::string_view name);

// Every name for which find_metric() has an answer, in a fixed order.
std::vector<std::string> metric_names(const RunReport& report);

// `value` with six significant digits, so that sums and differences of rounded figures are rounded too.
double six_digits(double value);

}  // namespace ringside
