// What a run found out, as plain numbers: the board fills it in, the report and the summary print it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/base/units.h"
#include "tb/report/profile.h"

namespace ringside {

enum class StopReason : std::uint8_t {
  packets,      // run.packets were measured
  time,         // run.time has passed
  converged,    // the rate is known to run.converge
  exhausted,    // the traffic ended and every packet is accounted for
  undelivered,  // packets are offered, none reaches the driver
  exited,       // the guest ended the run
  interrupted,  // a person pressed Ctrl-C
  error,        // a guest fault or a broken invariant; the result is partial
};
std::string_view name(StopReason reason);
std::optional<StopReason> stop_reason(std::string_view name);

struct DropCause {
  std::string name;  // Linux name: "rx_out_of_buffer", "kfree_skb:NO_SOCKET"
  std::uint64_t packets = 0;
};

// Every packet of the run, from the first of the warm-up to the last: offered = delivered + dropped + in_flight.
struct PacketTotals {
  std::uint64_t offered = 0;
  std::uint64_t delivered = 0;  // reached the driver
  std::vector<DropCause> dropped;
  std::uint64_t in_flight = 0;
  // What became of the delivered ones, as the guest counts it. The rest is still in the driver's or the stack's hands.
  std::vector<DropCause> ended;

  std::uint64_t dropped_total() const;
};

// The measured part of the run, after the warm-up.
struct Window {
  Time start;
  Time end;
  std::uint64_t packets = 0;         // delivered
  Bytes frame_bytes;                 // of the delivered packets, with FCS
  std::uint64_t instructions = 0;    // of the guest
  std::uint64_t cycles = 0;          // of all cores, idle ones included
  Frequency frequency;               // of each core
  std::optional<Bytes> read{};       // by the guest's processes, of TCP connections
};

// One function of the guest inside the window, without what it calls.
struct FunctionCost {
  std::string name;
  std::uint64_t cycles = 0;
  std::uint64_t instructions = 0;
  std::uint64_t calls = 0;       // 0 where it is not counted
  std::uint64_t code_bytes = 0;  // of its machine code, 0 where that is not known
  StallCycles stalls{};
};

// Cycles of one call path inside the window, without those of the functions that its last one calls.
struct StackCost {
  std::vector<std::string> functions;  // outermost first
  std::uint64_t cycles = 0;
  std::uint64_t instructions = 0;
  std::uint64_t calls = 0;  // of the last one, by this path
};

struct Counter {
  std::string group;  // who counts: "wire", "nic", "pcie", "memory", "peer", "core", "driver"
  std::string name;
  std::string unit;
  std::uint64_t value = 0;
  std::string description;
};

// A resource that could limit the rate, and how much of it the window used.
struct Limit {
  std::string resource;  // "core", or "core0", "core1" where there are several; "pcie upstream", "wire", "dram bandwidth"
  std::uint64_t used = 0;
  std::uint64_t capacity = 0;
};

// How full or how effective something was: "LLC DDIO hits" 120 of 200 "lines".
struct Use {
  std::string group;  // "ring", "cache", "ddio", "pcie"
  std::string name;
  std::uint64_t value = 0;
  std::uint64_t of = 0;
  std::string unit;
};

// Last bit on the wire to the driver's sight of the completion, inside the window.
struct LatencySummary {
  std::uint64_t count = 0;
  Time min;
  Time mean;
  Time p50;
  Time p90;
  Time p99;
  Time p999;
  Time max;
};

// One part of the way from wire to driver, of the same packets. The stages follow each other.
struct LatencyStage {
  std::string name;
  LatencySummary latency;
};

// A load that saw bytes which DMA had replaced in DRAM since the core cached them.
struct StaleLoad {
  Time at;
  std::uint64_t address = 0;
  std::string where;  // "stmmac_rx+0x1c (stmmac_main.cc:123)"
};

// What the totals of a series mean.
enum class SeriesKind : std::uint8_t {
  sum,   // so many of the unit in an interval
  mean,  // unit times picoseconds: over the length of the interval, the mean
};

// How the run went over time, from the link coming up to the end.
struct History {
  struct Series {
    std::string group;  // "packets", "dropped", "busy"
    std::string name;
    std::string unit;
    SeriesKind kind = SeriesKind::sum;
    std::vector<std::uint64_t> growth;  // in each interval
  };
  Time start;
  std::vector<Time> ends;  // of the intervals; each begins where the one before ends
  std::vector<Series> series;
};

struct RunResult {
  StopReason stop_reason = StopReason::packets;
  std::string error;  // one line, when stop_reason is error
  Time simulated;     // when the run ended
  Window window;
  PacketTotals packets;
  std::string compiler;  // of the guest image; empty where that does not say
  std::vector<FunctionCost> functions;
  StallCycles stalls{};
  std::vector<StackCost> stacks;         // their cycles are those of the window
  std::uint64_t unfollowed_calls = 0;    // that got no stack of their own: too deep, or too many
  std::uint64_t unbalanced_returns = 0;  // to where no call had come from
  Profile profile;
  std::vector<Counter> counters;
  std::vector<Limit> limits;
  std::vector<Use> uses;
  LatencySummary latency;
  std::vector<LatencyStage> stages;
  History history;
  std::vector<StaleLoad> stale_loads;     // the first of them
  std::vector<std::uint64_t> overwritten_lines;  // addresses of the first dirty lines that replaced what DMA had written
  std::uint64_t fingerprint = 0;          // hash of the event stream
  std::uint64_t total_instructions = 0;   // of the whole run, warm-up included
};

// What the machine that ran the simulation did; the only part of a report that may differ between two runs.
struct HostResult {
  std::uint64_t wall_us = 0;
  std::uint64_t packets = 0;
  std::uint64_t guest_instructions = 0;
};

}  // namespace ringside
