// Silicon beside simulation, as a table for people and as JSON.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "tb/bench/native/cell.h"
#include "tb/bench/native/machine.h"

namespace ringside::native {

inline constexpr double kNoisySpread = 5;  // percent

// What the repetitions of one cell gave, in ns per packet at the same clock.
struct Measured {
  double low = 0, median = 0;  // the tenth percentile: what others do to the machine only adds
  double spread = 0;           // percent: from there to the upper quartile
  unsigned rejected = 0;       // repetitions during which the clock changed, or the core had other work
};

Measured summarised(const std::vector<double>& ns, unsigned rejected);

struct CellResult {
  Cell cell;
  Measured silicon;
  double predicted = 0;  // ns per packet
  double error_percent() const { return (predicted / silicon.low - 1) * 100; }
};

// What one change does to a packet, everything else being equal.
struct Difference {
  std::string name;
  double silicon, predicted;  // ns per packet
};

struct Comparison {
  Machine machine;
  CoreModel core;
  double ghz = 0;
  double dram_ns = 0;
  bool large_pages = false;
  unsigned cpu = 0, repetitions = 0;
  double load = 0;                 // average, at the end
  std::uint64_t stolen_ticks = 0;  // meanwhile
  std::vector<CellResult> cells;

  bool noisy() const;
  unsigned rejected() const;  // repetitions of all cells
  // Zeroing in each build and situation, then the buffer's place.
  std::vector<Difference> differences() const;
  // Differences of less are not told apart: the larger of 0.15 ns and 2 % of the cell.
  static double resolution(double ns);
  // Differences that silicon and simulation both resolve, and of which they disagree about the sign.
  std::vector<Difference> contrary() const;
};

std::string comparison_text(const Comparison& comparison);
nlohmann::ordered_json comparison_json(const Comparison& comparison);

}  // namespace ringside::native
