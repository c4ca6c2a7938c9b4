// A small report for tests that read reports, and ways to change it.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "tb/report/run_report.h"
#include "tb/tests/temporary_folder.h"

namespace ringside::test {

using Json = nlohmann::ordered_json;

// 20 Mpps, 50 ns or 100 cycles per packet: 70 in "handle", 20 in "poll", 10 idle in "sleep". 20 of 10,000 packets lost.
inline Json sample_report() {
  return Json::parse(R"({
    "schema": "ringside-report", "version": 1,
    "scenario": {"name": "sample", "description": "A sample"},
    "config": {"driver.flags": {"value": [], "from": "default"},
               "driver.rx_ring": {"value": 1024, "unit": "entries", "from": "default"}},
    "result": {"stop_reason": "converged", "mpps": 20.0, "gbps": 10.24, "ns_per_packet": 50.0,
               "window": {"start_ps": 0, "end_ps": 450000000, "packets": 9000, "frame_bytes": 576000},
               "simulated_ps": 500000000,
               "packets": {"offered": 10000, "delivered": 9900, "dropped": {"rx_out_of_buffer": 20}, "in_flight": 80},
               "limits": [{"resource": "core", "used": 0.9}, {"resource": "wire", "used": 0.2}]},
    "guest": {"compiler": "GNU C++20 12.2.0", "instructions_per_packet": 300.0, "cycles_per_packet": 100.0, "ipc": 3.0,
              "instructions": 2700000, "cycles": 900000,
              "functions": [
                {"name": "handle", "cycles_per_packet": 70.0, "instructions_per_packet": 220.0, "cycles": 630000,
                 "instructions": 1980000, "calls": 9000, "code_bytes": 400, "stalls": {"base": 50.0, "l2": 20.0}},
                {"name": "poll", "cycles_per_packet": 20.0, "instructions_per_packet": 80.0, "cycles": 180000,
                 "instructions": 720000, "calls": 200, "code_bytes": 300, "stalls": {"base": 20.0}},
                {"name": "sleep", "cycles_per_packet": 10.0, "instructions_per_packet": 0.1, "cycles": 90000,
                 "instructions": 900, "code_bytes": 50, "stalls": {"idle": 10.0}}],
              "stalls": {"base": 70.0, "l2": 20.0, "idle": 10.0}},
    "uses": [],
    "counters": {"nic": {"rx_out_of_buffer": {"value": 20, "unit": "packets", "description": ""},
                         "rx_packets_phy": {"value": 10000, "unit": "packets", "description": ""}},
                 "core": {"branch_misses": {"value": 900, "unit": "branches", "description": ""}}},
    "latency": {"packets": 9000, "min_ps": 800000, "mean_ps": 1000000, "p50_ps": 900000, "p90_ps": 1500000,
                "p99_ps": 2000000, "p99.9_ps": 2500000, "max_ps": 3000000},
    "fingerprint": "00000000000000aa",
    "host": {"wall_s": 0.5, "packets_per_s": 2400.0, "guest_mips": 2.0}
  })");
}

inline RunReport read(const Json& report, const std::string& name = "sample.json") {
  const TemporaryFolder folder;
  auto run = read_run_report(folder.write(name, report.dump()));
  run.file = name;
  return run;
}

// The sample with `handle` made slower by `cycles` per packet, all of them on "l2", and another fingerprint.
inline Json slower_report(double cycles) {
  Json report = sample_report();
  report["guest"]["functions"][0]["cycles_per_packet"] = 70.0 + cycles;
  report["guest"]["functions"][0]["stalls"]["l2"] = 20.0 + cycles;
  report["guest"]["stalls"]["l2"] = 20.0 + cycles;
  report["guest"]["cycles_per_packet"] = 100.0 + cycles;
  report["result"]["ns_per_packet"] = 50.0 + cycles / 2;
  report["result"]["mpps"] = 1000 / (50.0 + cycles / 2);
  report["fingerprint"] = "00000000000000bb";
  return report;
}

}  // namespace ringside::test
