// What a board reports at the end of a run.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "tb/board/board.h"
#include "tb/board/guest_counters.h"
#include "tb/board/guest_profile.h"

namespace ringside {

namespace {

// In the window.
std::uint64_t idle_cycles(const Core& core) {
  std::uint64_t sum = 0;
  for (const Block* block : core.blocks()) {
    for (const InstructionCounts& counts : block->counts) sum += counts.cycles[static_cast<std::size_t>(StallReason::idle)];
  }
  return sum;
}

}  // namespace

std::optional<std::uint64_t> Board::bytes_read() const {
  std::optional<std::uint64_t> bytes;
  for (const Counter& counter : guest_counters()) {
    if (counter.name == "tcp_read_bytes") bytes = counter.value;
  }
  return bytes;
}

Board::Totals Board::totals() const {
  std::vector<std::uint64_t> cycles;
  for (std::size_t cpu = 0; cpu < cpus_.size(); ++cpu) cycles.push_back(cpus_[cpu].cycles().value);
  return {cpus_.local_time(),
          cycles,
          tracker_.delivered(),
          tracker_.delivered_bytes(),
          core_.interrupts_taken(),
          value_of(wire_statistics_, "wire_busy"),
          caches_.dram().read_bytes() + caches_.dram().write_bytes(),
          device_->busy(),
          bytes_read()};
}

std::vector<Recorder::Reading> Board::readings() const {
  using enum SeriesKind;
  const Time now = timeline_.now();
  std::vector<Recorder::Reading> all{
      {"packets", "offered", "packets", sum, tracker_.offered()},
      {"packets", "delivered", "packets", sum, tracker_.delivered()},
      {"bytes", "offered", "bytes", sum, wire_.offered_bytes()},
      {"bytes", "delivered", "bytes", sum, tracker_.delivered_bytes()},
      {"events", "interrupts", "interrupts", sum, cpus_.interrupts_taken()},
  };
  for (std::size_t cpu = 0; cpu < cpus_.size(); ++cpu) {
    all.push_back({"busy", cpus_.name_of(cpu), "share", mean, to_time(cpus_[cpu].busy_cycles(now), scenario_.cpu.frequency).value});
  }
  all.push_back({"busy", "wire", "share", mean, value_of(wire_statistics_, "wire_busy")});
  for (const Device::Busy& busy : device_->busy()) all.push_back({"busy", busy.resource, "share", mean, busy.time_ps});
  const std::uint64_t dram_bytes = caches_.dram().read_bytes() + caches_.dram().write_bytes();
  all.push_back({"busy", "dram bandwidth", "share", mean, transfer_time(Bytes{dram_bytes}, scenario_.memory.dram_bandwidth).value});
  all.push_back({"level", "packets in the device", "packets", mean, tracker_.inside_over_time(now)});
  all.push_back({"level", "completions not read", "entries", mean, tracker_.unread_over_time(now)});
  for (const auto& [cause, packets] : tracker_.drops()) all.push_back({"dropped", cause, "packets", sum, packets});
  if (scenario_.traffic.pattern != "tcp") return all;
  if (const auto bytes = bytes_read()) all.push_back({"bytes", "read by processes", "bytes", sum, *bytes});
  return all;
}

std::uint64_t Board::window_cycles(const Totals& now) const {
  std::uint64_t sum = 0;
  for (std::size_t cpu = 0; cpu < cpus_.size(); ++cpu) sum += now.cycles[cpu] - window_start_.cycles[cpu];
  return sum;
}

RunResult Board::result() {
  cpus_.settle();
  const Totals now = totals();
  RunResult result;
  result.stop_reason = reason_;
  result.simulated = std::max(now.at, ended_at_);
  result.window = {window_start_.at,
                   now.at,
                   now.delivered - window_start_.delivered,
                   bytes(now.delivered_bytes - window_start_.delivered_bytes),
                   cpus_.instructions(),
                   window_cycles(now),
                   scenario_.cpu.frequency};
  if (scenario_.traffic.pattern == "tcp" && now.bytes_read) {
    result.window.read = bytes(*now.bytes_read - window_start_.bytes_read.value_or(0));
  }
  result.packets.offered = tracker_.offered();
  result.packets.delivered = tracker_.delivered();
  result.packets.in_flight = device_->packets_inside() + tracker_.unread();
  for (const auto& [cause, count] : tracker_.drops()) result.packets.dropped.push_back({cause, count});
  result.compiler = image_.compiler();
  report_functions(result);
  report_stacks(result);
  result.profile = guest_profile(cpus_, image_, result.window.cycles, scenario_.data / "src");
  report_counters(result);
  report_guest_counters(result);
  report_uses(result);
  result.stale_loads = stale_loads_;
  if (dram_image_ != nullptr) result.overwritten_lines = dram_image_->overwritten();
  result.latency = tracker_.latency().summary();
  result.stages = tracker_.stages();
  recorder_.record(timeline_.now(), readings());
  result.history = recorder_.history();
  result.fingerprint = tracker_.fingerprint();
  result.total_instructions = cpus_.total_instructions();
  return result;
}

void Board::report_functions(RunResult& result) const {
  std::map<std::string, FunctionCost> by_name;
  std::map<std::string, std::uint64_t> code_bytes;
  for (const GuestFunction& function : image_.functions()) code_bytes[function.name] += function.size;
  for (const Block* block : blocks_of(cpus_)) {
    for (std::size_t i = 0; i < block->instructions.size(); ++i) {
      const InstructionCounts& counts = block->counts[i];
      const std::uint64_t address = block->instructions[i].address;
      const GuestFunction* function = image_.find_function(address);
      const std::string name = function != nullptr ? function->name : fmt::format("{:#x}", address);
      FunctionCost& cost = by_name[name];
      cost.name = name;
      cost.instructions += counts.executed;
      if (function != nullptr && function->address == address) cost.calls += counts.executed;
      for (std::size_t reason = 0; reason < kStallReasons; ++reason) {
        cost.cycles += counts.cycles[reason];
        cost.stalls[reason] += counts.cycles[reason];
        result.stalls[reason] += counts.cycles[reason];
      }
    }
  }
  for (auto& [name, cost] : by_name) {
    cost.code_bytes = code_bytes[name];
    if (cost.cycles != 0 || cost.instructions != 0) result.functions.push_back(std::move(cost));
  }
}

// Where there are several cores, each has a root of its own.
void Board::report_stacks(RunResult& result) {
  for (std::size_t cpu = 0; cpu < cpus_.size(); ++cpu) {
    const CallTree& tree = cpus_[cpu].call_tree();
    for (StackCost& stack : call_stacks(tree, image_)) {
      if (cpus_.size() > 1) stack.functions.insert(stack.functions.begin(), cpus_.name_of(cpu));
      result.stacks.push_back(std::move(stack));
    }
    result.unfollowed_calls += tree.unfollowed_calls();
    result.unbalanced_returns += tree.unbalanced_returns();
  }
}

void Board::report_counters(RunResult& result) const {
  auto add_all = [&](std::string_view group, const Statistics& statistics) {
    for (const Statistic& s : statistics.all()) result.counters.push_back({std::string(group), s.name, s.unit, *s.value, s.description});
  };
  add_all("wire", wire_statistics_);
  add_all("nic", device_->device_statistics());
  add_all(device_->fabric_name(), device_->fabric_statistics());
  add_all("memory", memory_statistics_);
  add_all("peer", peer_statistics_);
  report_core_counters(result);
}

void Board::report_core_counters(RunResult& result) const {
  const auto add = [&](const std::string& name, const char* unit, std::uint64_t value, const char* description) {
    result.counters.push_back({"core", name, unit, value, description});
  };
  const auto add_sum = [&](const char* name, const char* unit, std::uint64_t PipelineCounts::* count, const char* description) {
    std::uint64_t sum = 0;
    for (std::size_t cpu = 0; cpu < cpus_.size(); ++cpu) sum += cpus_[cpu].counts().*count;
    add(name, unit, sum, description);
  };
  using C = PipelineCounts;
  add_sum("instructions", "instructions", &C::instructions, "Guest instructions in the measured window.");
  add_sum("micro_ops", "micro-ops", &C::micro_ops, "Micro-ops dispatched in the window.");
  add_sum("branches", "branches", &C::branches, "Branches in the window.");
  add_sum("branch_misses", "branches", &C::mispredicts, "Branches predicted wrongly in the window.");
  add_sum("loads", "loads", &C::loads, "Loads in the window.");
  add_sum("stores", "stores", &C::stores, "Stores in the window.");
  add_sum("forwarded_loads", "loads", &C::forwarded_loads, "Loads served by an older store in the window.");
  add("copied_bytes", "bytes", cpus_.copied_bytes(), "Bytes that the guest's memcpy, memmove and copy_to_user have stored.");
  add("interrupts", "interrupts", cpus_.interrupts_taken(), "Interrupts taken.");
  if (cpus_.size() == 1) return;
  const Totals now = totals();
  for (std::size_t cpu = 0; cpu < cpus_.size(); ++cpu) {
    const std::string prefix = cpus_.name_of(cpu) + "_";
    const std::uint64_t cycles = now.cycles[cpu] - window_start_.cycles[cpu];
    add(prefix + "cycles", "cycles", cycles, "Cycles of this core in the window.");
    add(prefix + "idle_cycles", "cycles", idle_cycles(cpus_[cpu]), "Those in which it waited for an interrupt.");
    add(prefix + "instructions", "instructions", cpus_[cpu].counts().instructions, "Its instructions in the window.");
  }
}

std::vector<Counter> Board::guest_counters() const {
  std::vector<Counter> counters;
  for (const GuestCounter& counter : ringside::guest_counters(memory_, guest_statistics_)) {
    // Each processor may have its own part of a counter.
    if (!counters.empty() && counters.back().name == counter.name) {
      counters.back().value += counter.value();
      continue;
    }
    const CounterGuide::Entry& known = counter_guide_.of(counter.name);
    counters.push_back({"driver", counter.name, known.unit, counter.value(), known.description});
  }
  return counters;
}

void Board::report_guest_counters(RunResult& result) const {
  for (Counter& counter : guest_counters()) {
    if (counter.value != 0 && ends_packet(counter.name)) result.packets.ended.push_back({counter.name, counter.value});
    result.counters.push_back(std::move(counter));
  }
}

void Board::report_cores(RunResult& result) const {
  const Totals now = totals();
  for (std::size_t cpu = 0; cpu < cpus_.size(); ++cpu) {
    const std::uint64_t cycles = now.cycles[cpu] - window_start_.cycles[cpu];
    result.limits.push_back({cpus_.name_of(cpu), cycles - std::min(idle_cycles(cpus_[cpu]), cycles), cycles});
  }
}

void Board::report_uses(RunResult& result) const {
  const Totals now = totals();
  const std::uint64_t elapsed = now.at.value - window_start_.at.value;
  const auto busy = [&](std::string_view resource, std::uint64_t time) {
    result.limits.push_back({std::string(resource), time, elapsed});
  };
  report_cores(result);
  busy("wire", now.wire_busy - window_start_.wire_busy);
  for (std::size_t i = 0; i < now.device_busy.size(); ++i) {
    busy(now.device_busy[i].resource, now.device_busy[i].time_ps - window_start_.device_busy[i].time_ps);
  }
  busy("dram bandwidth",
       transfer_time(Bytes{now.dram_bytes - window_start_.dram_bytes}, scenario_.memory.dram_bandwidth).value);

  // What each core counts, summed up.
  const auto memory = [&](const std::string& name) {
    std::uint64_t sum = value_of(memory_statistics_, name);
    for (std::size_t cpu = 0; cpu < cpus_.size(); ++cpu) sum += value_of(memory_statistics_, cpus_.name_of(cpu) + "_" + name);
    return sum;
  };
  const std::uint64_t loads = memory("mem_loads_l1") + memory("mem_loads_l2") + memory("mem_loads_llc") + memory("mem_loads_dram");
  result.uses.push_back({"cache", "loads that hit L1", memory("mem_loads_l1"), loads, "loads"});
  result.uses.push_back({"cache", "loads that hit L2", memory("mem_loads_l2"), loads, "loads"});
  result.uses.push_back({"cache", "loads that hit LLC", memory("mem_loads_llc"), loads, "loads"});
  result.uses.push_back({"cache", "loads from DRAM", memory("mem_loads_dram"), loads, "loads"});
  const std::uint64_t lines = memory("dma_write_lines");
  result.uses.push_back({"ddio", "DMA lines kept in the LLC", lines - memory("dma_writes_dram"), lines, "lines"});
  result.uses.push_back({"ddio", "dirty lines pushed to DRAM", memory("ddio_evictions"), lines, "lines"});
  result.uses.push_back({"ring", "completions not yet read", tracker_.unread(), scenario_.driver.rx_ring, "entries"});
}

}  // namespace ringside
