#include "tb/bench/native/prediction.h"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <cstring>
#include <stdexcept>
#include <thread>

#include "tb/board/bare_core.h"
#include "tb/scenario/data_dir.h"
#include "tb/scenario/scenario.h"

namespace ringside::native {

namespace {

constexpr std::uint32_t kBatches = 60;
constexpr Time kPatience = milliseconds(200);

struct Answer {
  double ns;
  char failure[400];
};

double simulate(const Cell& cell, const SimulatedCore& core) {
  const std::vector<std::string> overrides{
      "cpu.model=" + core.cpu, fmt::format("cpu.frequency={} MHz", std::llround(core.ghz * 1000)),
      fmt::format("memory.dram_latency={} ps", std::llround(core.dram_ns * 1000)),
      fmt::format("memory.ram_size={} MiB", kRam.value >> 20), core.large_pages ? "memory.page_size=2MiB" : "memory.page_size=4KiB"};
  const Scenario scenario = load_scenario("", overrides, data_directory());
  guest::measurement result{};
  const BareRun run = run_bare_core(
      scenario, cell.file(), kPatience,
      [&](PhysicalMemory& memory, const Image& image) {
        const guest::measurement request = request_for(cell, image, kWarmUp + kBatches);
        std::memcpy(memory.host(PhysAddr{guest::kRamBase}), &request, sizeof request);
      },
      [&](PhysicalMemory& memory) { std::memcpy(&result, memory.host(PhysAddr{guest::kRamBase}), sizeof result); });
  if (!run.failure.empty()) throw std::runtime_error(run.failure);
  check_dropped(cell, result);

  constexpr std::size_t kMarks = 4;  // of a batch: around the polls, and around nothing
  if (run.marks.size() != kMarks * (kWarmUp + kBatches)) throw std::runtime_error("the image has not set all marks");
  std::uint64_t cycles = 0;
  for (std::size_t i = kMarks * kWarmUp; i < run.marks.size(); i += kMarks) {
    const ConsoleMark* const m = &run.marks[i];
    cycles += m[1].cycles - m[0].cycles - (m[3].cycles - m[2].cycles);
  }
  return static_cast<double>(cycles) / (kBatches * kPackets) / core.ghz;
}

// A process runs one simulation.
int start(const Cell& cell, const SimulatedCore& core, pid_t& child) {
  int channel[2];
  if (pipe(channel) != 0) throw std::runtime_error("pipe");
  child = fork();
  if (child < 0) throw std::runtime_error("fork");
  if (child != 0) {
    close(channel[1]);
    return channel[0];
  }
  Answer answer{};
  try {
    answer.ns = simulate(cell, core);
  } catch (const std::exception& error) {
    std::strncpy(answer.failure, error.what(), sizeof answer.failure - 1);
  }
  const bool sent = write(channel[1], &answer, sizeof answer) == sizeof answer;
  _exit(sent ? 0 : 1);
}

double finish(const Cell& cell, int channel, pid_t child) {
  Answer answer{};
  const bool received = read(channel, &answer, sizeof answer) == sizeof answer;
  close(channel);
  int status = 0;
  waitpid(child, &status, 0);
  if (!received) throw std::runtime_error(cell.name() + ": the simulation died");
  if (answer.failure[0] != '\0') throw std::runtime_error(cell.name() + ": " + answer.failure);
  return answer.ns;
}

}  // namespace

std::vector<double> predict(const std::vector<Cell>& cells, const SimulatedCore& core) {
  const std::size_t jobs = std::max(1u, std::thread::hardware_concurrency());
  std::vector<double> predicted(cells.size());
  for (std::size_t first = 0; first < cells.size(); first += jobs) {
    const std::size_t last = std::min(first + jobs, cells.size());
    std::vector<int> channels(last - first);
    std::vector<pid_t> children(last - first);
    for (std::size_t i = first; i < last; ++i) channels[i - first] = start(cells[i], core, children[i - first]);
    for (std::size_t i = first; i < last; ++i) predicted[i] = finish(cells[i], channels[i - first], children[i - first]);
  }
  return predicted;
}

}  // namespace ringside::native
