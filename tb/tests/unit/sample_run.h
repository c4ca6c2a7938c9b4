// A run that was never simulated, with something in every part of it.
#pragma once

#include "tb/report/run_result.h"
#include "tb/scenario/scenario.h"

namespace ringside::test {

inline Scenario sample_scenario() {
  Scenario scenario;
  scenario.name = "sample";
  scenario.description = "A sample";
  Setting entries{.name = "cpu.rob_entries", .type = "number", .unit = "uops", .help = "", .allowed = "", .required = true,
                  .default_value = std::uint64_t{0}, .value = std::uint64_t{352}, .layer = Layer::data_file,
                  .place = {"/data/hardware/cpu/x.toml:4", "hardware/cpu/x.toml:4"}, .source = "data sheet"};
  Setting rate{.name = "wire.rate", .type = "bandwidth", .unit = "", .help = "", .allowed = "", .required = false,
               .default_value = std::string("100 Gbps"), .value = std::string("25 Gbps"), .layer = Layer::command_line,
               .place = {"--set wire.rate=25Gbps", "--set"}, .source = ""};
  scenario.settings.add(entries);
  scenario.settings.add(rate);
  return scenario;
}

// 1000 packets of 64 B in 50 us: 20 Mpps, 10.24 Gbps, 50 ns; 170,000 cycles at 3.4 GHz.
inline RunResult sample_result() {
  RunResult run;
  run.stop_reason = StopReason::packets;
  run.simulated = microseconds(60);
  run.window = {microseconds(10), microseconds(60), 1'000, bytes(64'000), 310'000, 170'000, megahertz(3'400)};
  run.packets = {1'500, 1'200, {{"rx_out_of_buffer", 280}, {"rx_discards_phy", 0}}, 20,
                 {{"rx_xdp_drop", 700}, {"kfree_skb:NO_SOCKET", 500}}};
  run.compiler = "GNU C++20 12.2.0";
  run.functions = {{"small", 50'000, 110'000, 0, 0, {}}, {"large", 120'000, 200'000, 16, 96, {}}};
  run.functions[1].stalls[static_cast<std::size_t>(StallReason::dram)] = 60'000;
  run.stalls[static_cast<std::size_t>(StallReason::base)] = 110'000;
  run.stalls[static_cast<std::size_t>(StallReason::dram)] = 60'000;
  run.stacks = {{{"start", "small"}, 50'000, 110'000, 9}, {{"start"}, 60'000, 100'000, 0}, {{"start", "large"}, 60'000, 100'000, 16}};
  run.unfollowed_calls = 3;
  InstructionCost load{0x200000, 3, "mov rax, qword ptr [rdi]", 0, 1'000, {}, 990, 500, 250, 0};
  load.stalls[static_cast<std::size_t>(StallReason::dram)] = 60'000;
  InstructionCost branch{0x200003, 2, "je 0x200010", 1, 1'000, {}, 0, 0, 0, 20};
  branch.stalls[static_cast<std::size_t>(StallReason::base)] = 50'000;
  branch.stalls[static_cast<std::size_t>(StallReason::mispredict)] = 10'000;
  const InstructionCost leave{0x200010, 1, "ret", std::nullopt, 1'000, {}, 0, 0, 0, 0};
  run.profile.places = {{"driver/large.cc", 7, "", "  load(a);"}, {"driver/small.h", 3, "tiny", "int tiny() {"}};
  run.profile.functions = {{"large", {load, branch, leave}}};
  run.counters = {{"nic", "rx_out_of_buffer", "packets", 280, "No descriptor."}};
  run.limits = {{"pcie upstream", 1, 2}, {"core", 999, 1'000}};
  run.uses = {{"ring", "rx ring", 256, 1'024, "entries"}};
  run.latency = {1'000, nanoseconds(800), nanoseconds(1'000), nanoseconds(900), nanoseconds(1'500), nanoseconds(2'000),
                 nanoseconds(2'500), nanoseconds(3'000)};
  run.fingerprint = 0x1234;
  return run;
}

}  // namespace ringside::test
