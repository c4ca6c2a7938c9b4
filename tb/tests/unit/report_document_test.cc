// The report's structure, its summary, and that neither depends on anything but its inputs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "tb/report/report.h"
#include "tb/report/summary.h"
#include "tb/tests/unit/sample_run.h"

namespace ringside {
namespace {

using test::sample_result;
using test::sample_scenario;
using testing::HasSubstr;
using testing::Not;

constexpr std::string_view kGolden = R"({
  "schema": "ringside-report",
  "version": 1,
  "scenario": {"name": "sample", "description": "A sample"},
  "config": {
    "cpu.rob_entries": {"value": 352, "unit": "uops", "from": "data file", "where": "hardware/cpu/x.toml:4",
                        "source": "data sheet"},
    "wire.rate": {"value": "25 Gbps", "from": "command line", "where": "--set"}
  },
  "result": {
    "stop_reason": "packets",
    "mpps": 20.0, "gbps": 10.24, "ns_per_packet": 50.0,
    "window": {"start_ps": 10000000, "end_ps": 60000000, "packets": 1000, "frame_bytes": 64000},
    "simulated_ps": 60000000,
    "packets": {"offered": 1500, "delivered": 1200, "dropped": {"rx_out_of_buffer": 280, "rx_discards_phy": 0},
                "in_flight": 20, "ended": {"rx_xdp_drop": 700, "kfree_skb:NO_SOCKET": 500}},
    "limits": [{"resource": "core", "used": 0.999}, {"resource": "pcie upstream", "used": 0.5}]
  },
  "guest": {
    "compiler": "GNU C++20 12.2.0",
    "instructions_per_packet": 310.0, "cycles_per_packet": 170.0, "ipc": 1.82353,
    "instructions": 310000, "cycles": 170000,
    "functions": [
      {"name": "large", "cycles_per_packet": 120.0, "instructions_per_packet": 200.0, "cycles": 120000,
       "instructions": 200000, "calls": 16, "code_bytes": 96, "stalls": {"dram": 60.0}},
      {"name": "small", "cycles_per_packet": 50.0, "instructions_per_packet": 110.0, "cycles": 50000,
       "instructions": 110000, "stalls": {}}
    ],
    "stalls": {"base": 110.0, "dram": 60.0},
    "stall_cycles": {"base": 110000, "dram": 60000},
    "stacks": [
      {"stack": ["start"], "cycles": 60000, "instructions": 100000},
      {"stack": ["start", "large"], "cycles": 60000, "instructions": 100000, "calls": 16},
      {"stack": ["start", "small"], "cycles": 50000, "instructions": 110000, "calls": 9}
    ],
    "unfollowed_calls": 3,
    "profile": {
      "columns": ["address", "bytes", "text", "place", "executed", "cycles", "stalls", "l1_misses", "l2_misses",
                  "llc_misses", "mispredicts"],
      "place_columns": ["file", "line", "inlined", "text"],
      "files": ["driver/large.cc", "driver/small.h"],
      "places": [[0, 7, "", "  load(a);"], [1, 3, "tiny", "int tiny() {"]],
      "functions": [
        {"name": "large", "instructions": [
          [2097152, 3, "mov rax, qword ptr [rdi]", 0, 1000, 60000, {"dram": 60000}, 990, 500, 250, 0],
          [2097155, 2, "je 0x200010", 1, 1000, 60000, {"base": 50000, "mispredict": 10000}, 0, 0, 0, 20],
          [2097168, 1, "ret", null, 1000, 0, {}, 0, 0, 0, 0]]}
      ]
    }
  },
  "uses": [{"group": "ring", "name": "rx ring", "value": 256, "of": 1024, "unit": "entries", "share": 0.25}],
  "counters": {"nic": {"rx_out_of_buffer": {"value": 280, "unit": "packets", "description": "No descriptor."}}},
  "latency": {"packets": 1000, "min_ps": 800000, "mean_ps": 1000000, "p50_ps": 900000, "p90_ps": 1500000,
              "p99_ps": 2000000, "p99.9_ps": 2500000, "max_ps": 3000000},
  "fingerprint": "0000000000001234",
  "host": {"wall_s": 0.5, "packets_per_s": 2400.0, "guest_mips": 2.0}
})";

constexpr HostResult kHost{500'000, 1'200, 1'000'000};

TEST(Report, HasTheDocumentedStructure) {
  // Text and not values: order and digits matter.
  EXPECT_EQ(report_text(make_report(sample_scenario(), sample_result(), kHost)), report_text(Json::parse(kGolden)));
}

TEST(Report, PutsRowsOfTablesOnOneLine) {
  const Json report{{"a", Json::array()}, {"b", {1, "x"}}, {"c", {{1, {{"d", 2}}}, {3}}}, {"e", Json::object()}, {"f", {{{"g", {}}}}}};
  EXPECT_EQ(report_text(report),
            "{\n  \"a\": [],\n  \"b\": [1, \"x\"],\n  \"c\": [\n    [1, {\"d\":2}],\n    [3]\n  ],\n  \"e\": {},\n"
            "  \"f\": [\n    {\n      \"g\": null\n    }\n  ]\n}\n");
  EXPECT_EQ(Json::parse(report_text(report)), report);
}

TEST(Report, OnlyTheHostBlockDependsOnTheHost) {
  auto one = make_report(sample_scenario(), sample_result(), kHost);
  auto other = make_report(sample_scenario(), sample_result(), {1, 2, 3});
  EXPECT_NE(one, other);
  one.erase("host");
  other.erase("host");
  EXPECT_EQ(one.dump(), other.dump());
}

TEST(Report, NamesNoPathOfTheMachine) {
  EXPECT_THAT(make_report(sample_scenario(), sample_result(), kHost).dump(), Not(HasSubstr("/data/")));
}

TEST(Report, OfARunThatMeasuredNothing) {
  RunResult run;
  run.stop_reason = StopReason::error;
  run.error = "at 1.000000 us: core: read of unmapped memory";
  const auto report = make_report(sample_scenario(), run, {});
  EXPECT_EQ(report["result"]["stop_reason"], "error");
  EXPECT_EQ(report["result"]["error"], run.error);
  EXPECT_EQ(report["result"]["mpps"], 0.0);
  EXPECT_EQ(report["guest"]["ipc"], 0.0);
}

TEST(Summary, SaysWhatAPersonWantsToKnow) {
  std::ostringstream out;
  print_summary(out, "sample", sample_result(), kHost);
  const auto text = out.str();
  EXPECT_THAT(text, HasSubstr("20,000,000 rx/s"));
  EXPECT_THAT(text, HasSubstr("4,666,666 err,drop/s"));  // 280 in 60 us
  EXPECT_THAT(text, HasSubstr("20.00 Mpps   10.24 Gbps   50.0 ns per packet"));
  EXPECT_THAT(text, HasSubstr("170.0 cycles and 310.0 instructions per packet, 1.82 instructions per cycle at 3.4 GHz"));
  EXPECT_THAT(text, HasSubstr("1,500 offered = 1,200 delivered + 280 dropped + 20 in flight"));
  EXPECT_THAT(text, HasSubstr("rx_out_of_buffer 280"));
  EXPECT_THAT(text, HasSubstr("delivered packets ended as: rx_xdp_drop 700 kfree_skb:NO_SOCKET 500"));
  EXPECT_THAT(text, Not(HasSubstr("rx_discards_phy"))) << "causes that dropped nothing are left out";
  EXPECT_THAT(text, HasSubstr("limited by: core (99.9 % used); then pcie upstream 50.0 %"));
  EXPECT_THAT(text, HasSubstr("ring    rx ring (256 of 1,024 entries)"));
  EXPECT_LT(text.find("large"), text.find("small")) << "functions by cycles";
}

TEST(Summary, BlamesNothingThatHasRoomLeft) {
  auto run = sample_result();
  run.limits = {{"core", 480, 1'000}, {"wire", 1, 4}};
  std::ostringstream out;
  print_summary(out, "sample", run, kHost);
  EXPECT_THAT(out.str(), HasSubstr("nothing at its limit; busiest: core (48.0 % used); then wire 25.0 %"));
  EXPECT_THAT(out.str(), Not(HasSubstr("limited by")));
}

TEST(Summary, OfARunThatMeasuredNothing) {
  RunResult run;
  run.stop_reason = StopReason::interrupted;
  std::ostringstream out;
  print_summary(out, "sample", run, {});
  EXPECT_THAT(out.str(), HasSubstr("ended: interrupted"));
}

// 312,500 B in 50 us are 50 Gbit/s, which iperf would print so.
TEST(Report, SaysTheGoodputWhereProcessesRead) {
  RunResult run = sample_result();
  EXPECT_FALSE(make_report(sample_scenario(), run, {})["result"].contains("goodput_gbps"));
  run.window.read = bytes(312'500);
  run.counters.push_back({"driver", "tcp_corrupt_bytes", "", 3, ""});
  const Json result = make_report(sample_scenario(), run, {})["result"];
  EXPECT_EQ(result["goodput_gbps"], 50.0);
  EXPECT_EQ(result["window"]["read_bytes"], 312'500);
  std::ostringstream out;
  print_summary(out, "sample", run, {});
  EXPECT_NE(out.str().find("TCP goodput 50.00 Gbits/sec\n"), std::string::npos) << out.str();
  EXPECT_NE(out.str().find("CORRUPT DATA: the reader got 3 wrong bytes"), std::string::npos);
}

}  // namespace
}  // namespace ringside
