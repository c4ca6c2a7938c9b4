// A report that was read back: what docs/report-schema.md describes, checked and made safe to print.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace ringside {

// Keys of the report, in the order of their names. All text has gone through printable().
struct RunReport {
  using Figures = std::map<std::string, double>;
  using Counts = std::map<std::string, std::uint64_t>;

  struct Function {
    double cycles_per_packet = 0;
    double instructions_per_packet = 0;
    std::optional<std::uint64_t> code_bytes;
    Figures stalls;  // cycles per packet
  };
  struct Counter {
    std::uint64_t value = 0;
    std::string unit;
  };
  struct Limit {
    std::string resource;
    double used = 0;  // 1 is all of it
  };
  struct Setting {
    nlohmann::ordered_json value;
    std::string unit;
    std::string from;
  };

  std::string file;  // as it was given
  std::string scenario;
  std::string stop_reason;
  std::string error;  // with stop_reason "error"
  std::string compiler;  // of the guest; empty where it is not known
  double mpps = 0, gbps = 0, ns_per_packet = 0;
  double instructions_per_packet = 0, cycles_per_packet = 0, ipc = 0;
  std::uint64_t window_packets = 0;
  std::uint64_t offered = 0, delivered = 0, in_flight = 0;
  Counts dropped;              // by cause
  std::vector<Limit> limits;   // most used first
  std::map<std::string, Function> functions;
  Figures stalls;              // cycles per packet by reason
  std::map<std::string, std::map<std::string, Counter>> counters;  // by group, then by name
  Counts latency_ps;           // by "p50", "max", ...; empty without packets
  std::map<std::string, Setting> config;
  std::string fingerprint;
};

// Throws InputError naming file, key, what was found and what is allowed.
RunReport read_run_report(const std::filesystem::path& file);

}  // namespace ringside
