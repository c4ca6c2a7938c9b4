#include "tb/bench/native/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "tb/bench/native/statistics.h"

namespace ringside::native {

namespace {

const CellResult* find(const std::vector<CellResult>& cells, const Cell& wanted) {
  const auto at = std::find_if(cells.begin(), cells.end(), [&](const CellResult& c) { return c.cell.name() == wanted.name(); });
  return at == cells.end() ? nullptr : &*at;
}

Difference between(std::string name, const CellResult& from, const CellResult& to) {
  return {std::move(name), to.silicon.low - from.silicon.low, to.predicted - from.predicted};
}

std::string machine_text(const Comparison& c) {
  std::string text = fmt::format("{} at {:.2f} GHz, DRAM {:.0f} ns, processor {}, {} repetitions, {} pages\n", c.machine.model, c.ghz, c.dram_ns, c.cpu,
                                 c.repetitions, c.large_pages ? "2 MiB" : "4 KiB");
  text += fmt::format("simulated: {}{}\n", c.core.name,
                      c.core.exact ? "" : ", the nearest core that there is a data file for; this machine has another");
  text += fmt::format("load average {:.2f}, {} ticks stolen, {} repetitions repeated because the clock moved or the core had other work{}\n", c.load,
                      c.stolen_ticks, c.rejected(),
                      c.noisy() ? "; NOISY: repetitions of some cells lie far apart, marked *" : "");
  return text;
}

}  // namespace

Measured summarised(const std::vector<double>& ns, unsigned rejected) {
  Measured m;
  m.low = quantile(ns, 0.1);
  m.median = quantile(ns, 0.5);
  m.spread = m.low == 0 ? 0 : (quantile(ns, 0.75) / m.low - 1) * 100;
  m.rejected = rejected;
  return m;
}

bool Comparison::noisy() const {
  return std::any_of(cells.begin(), cells.end(), [](const CellResult& c) { return c.silicon.spread > kNoisySpread; });
}

unsigned Comparison::rejected() const {
  return std::accumulate(cells.begin(), cells.end(), 0U, [](unsigned n, const CellResult& c) { return n + c.silicon.rejected; });
}

std::vector<Difference> Comparison::differences() const {
  std::vector<Difference> found;
  for (const CellResult& c : cells) {
    Cell other = c.cell;
    other.zeroing = "zero";
    const CellResult* const zeroed = c.cell.zeroing == "none" ? find(cells, other) : nullptr;
    const std::string where = c.cell.situation.name + ", " + c.cell.compiler;
    if (zeroed != nullptr) found.push_back(between("zeroing: " + where + ", " + c.cell.buffer, c, *zeroed));
  }
  for (const CellResult& c : cells) {
    Cell other = c.cell;
    other.buffer = "rq";
    const CellResult* const moved = c.cell.buffer == "stack" ? find(cells, other) : nullptr;
    const std::string where = c.cell.situation.name + ", " + c.cell.compiler;
    if (moved != nullptr) found.push_back(between("stack to rq: " + where + ", " + c.cell.zeroing, c, *moved));
  }
  return found;
}

double Comparison::resolution(double ns) { return std::max(0.15, 0.02 * ns); }

std::vector<Difference> Comparison::contrary() const {
  std::vector<Difference> found;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    for (std::size_t k = i + 1; k < cells.size(); ++k) {
      const Difference d = between(cells[i].cell.name() + " and " + cells[k].cell.name(), cells[i], cells[k]);
      const double least = resolution(cells[i].silicon.low);
      if (std::min(std::abs(d.silicon), std::abs(d.predicted)) < least) continue;
      if (std::signbit(d.silicon) != std::signbit(d.predicted)) found.push_back(d);
    }
  }
  return found;
}

std::string comparison_text(const Comparison& c) {
  std::string text = machine_text(c);
  text += fmt::format("\n{:<34} {:>8} {:>8} {:>8}   {:>9} {:>8}\n", "ns per packet", "silicon", "median", "spread", "simulated",
                      "error");
  for (const CellResult& cell : c.cells) {
    text += fmt::format("{:<34} {:>8.2f} {:>8.2f} {:>6.1f} %{} {:>9.2f} {:>+6.1f} %\n", cell.cell.name(), cell.silicon.low,
                        cell.silicon.median, cell.silicon.spread, cell.silicon.spread > kNoisySpread ? "*" : " ", cell.predicted,
                        cell.error_percent());
  }
  text += fmt::format("\n{:<44} {:>8} {:>9}\n", "difference, ns per packet", "silicon", "simulated");
  for (const Difference& d : c.differences()) {
    text += fmt::format("{:<44} {:>+8.2f} {:>+9.2f}\n", d.name, d.silicon, d.predicted);
  }
  const auto contrary = c.contrary();
  text += fmt::format("\npairs of cells in the contrary order: {} of {}\n", contrary.size(), c.cells.size() * (c.cells.size() - 1) / 2);
  for (const Difference& d : contrary) text += fmt::format("  {}: {:+.2f}, simulated {:+.2f}\n", d.name, d.silicon, d.predicted);
  return text;
}

nlohmann::ordered_json comparison_json(const Comparison& c) {
  nlohmann::ordered_json json{{"schema", "ringside-native"},
                              {"version", 1},
                              {"machine", c.machine.model},
                              {"simulated_core", c.core.name},
                              {"same_core", c.core.exact},
                              {"clock_ghz", c.ghz},
                              {"dram_ns", c.dram_ns},
                              {"page_size", c.large_pages ? "2MiB" : "4KiB"},
                              {"processor", c.cpu},
                              {"repetitions", c.repetitions},
                              {"load_average", c.load},
                              {"stolen_ticks", c.stolen_ticks},
                              {"noisy", c.noisy()}};
  for (const CellResult& cell : c.cells) {
    json["cells"].push_back({{"compiler", cell.cell.compiler},
                             {"zeroing", cell.cell.zeroing},
                             {"xdp_buff", cell.cell.buffer},
                             {"situation", cell.cell.situation.name},
                             {"silicon_ns", cell.silicon.low},
                             {"silicon_median_ns", cell.silicon.median},
                             {"silicon_spread_percent", cell.silicon.spread},
                             {"rejected", cell.silicon.rejected},
                             {"simulated_ns", cell.predicted},
                             {"error_percent", cell.error_percent()}});
  }
  for (const Difference& d : c.differences()) {
    json["differences"].push_back({{"name", d.name}, {"silicon_ns", d.silicon}, {"simulated_ns", d.predicted}});
  }
  json["contrary_pairs"] = c.contrary().size();
  return json;
}

}  // namespace ringside::native
