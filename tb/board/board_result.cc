// What a board reports at the end of a run.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>

#include "model/guest/contract.h"
#include "tb/board/board.h"
#include "tb/board/guest_profile.h"

namespace ringside {

namespace {

// Guest counters that each stand for the end of a packet.
bool ends_packet(std::string_view counter) {
  constexpr std::string_view kEnds[] = {"rx_xdp_drop", "rx_xdp_tx_xmit", "rx_oversize_pkts_sw_drop", "GRO_MERGED",
                                        "consume_skb"};
  return counter.starts_with("kfree_skb:") || std::find(std::begin(kEnds), std::end(kEnds), counter) != std::end(kEnds);
}

}  // namespace

Board::Totals Board::totals() const {
  std::optional<std::uint64_t> bytes_read;
  for (const Counter& counter : guest_counters()) {
    if (counter.name == "tcp_read_bytes") bytes_read = counter.value;
  }
  return {core_.local_time(),
          core_.cycles().value,
          tracker_.delivered(),
          tracker_.delivered_bytes(),
          core_.interrupts_taken(),
          value_of(wire_statistics_, "wire_busy"),
          caches_.dram().read_bytes() + caches_.dram().write_bytes(),
          device_->busy(),
          bytes_read};
}

RunResult Board::result() {
  const Totals now = totals();
  RunResult result;
  result.stop_reason = reason_;
  result.simulated = std::max(now.at, ended_at_);
  result.window = {window_start_.at,
                   now.at,
                   now.delivered - window_start_.delivered,
                   bytes(now.delivered_bytes - window_start_.delivered_bytes),
                   core_.counts().instructions,
                   now.cycles - window_start_.cycles,
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
  result.profile = guest_profile(core_, image_, result.window.cycles, scenario_.data / "src");
  report_counters(result);
  report_guest_counters(result);
  report_uses(result);
  result.stale_loads = stale_loads_;
  if (dram_image_ != nullptr) result.overwritten_lines = dram_image_->overwritten();
  result.latency = tracker_.latency().summary();
  result.fingerprint = tracker_.fingerprint();
  result.total_instructions = core_.total_instructions();
  return result;
}

void Board::report_functions(RunResult& result) const {
  std::map<std::string, FunctionCost> by_name;
  std::map<std::string, std::uint64_t> code_bytes;
  for (const GuestFunction& function : image_.functions()) code_bytes[function.name] += function.size;
  for (const Block* block : core_.blocks()) {
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

void Board::report_stacks(RunResult& result) {
  const CallTree& tree = core_.call_tree();
  result.stacks = call_stacks(tree, image_);
  result.unfollowed_calls = tree.unfollowed_calls();
  result.unbalanced_returns = tree.unbalanced_returns();
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
  const PipelineCounts& c = core_.counts();
  const auto add = [&](const char* name, const char* unit, std::uint64_t value, const char* description) {
    result.counters.push_back({"core", name, unit, value, description});
  };
  add("instructions", "instructions", c.instructions, "Guest instructions in the measured window.");
  add("micro_ops", "micro-ops", c.micro_ops, "Micro-ops dispatched in the window.");
  add("branches", "branches", c.branches, "Branches in the window.");
  add("branch_misses", "branches", c.mispredicts, "Branches predicted wrongly in the window.");
  add("loads", "loads", c.loads, "Loads in the window.");
  add("stores", "stores", c.stores, "Stores in the window.");
  add("forwarded_loads", "loads", c.forwarded_loads, "Loads served by an older store in the window.");
  add("interrupts", "interrupts", core_.interrupts_taken(), "Interrupts taken.");
}

std::vector<Counter> Board::guest_counters() const {
  constexpr std::size_t kMost = 4096;  // a table without an end is cut here
  std::vector<Counter> counters;
  for (std::size_t i = 0; guest_statistics_ != 0 && i < kMost; ++i) {
    const PhysAddr at{guest_statistics_ + i * sizeof(guest::guest_stat)};
    if (!memory_.contains(at, sizeof(guest::guest_stat))) break;
    guest::guest_stat entry;
    std::memcpy(&entry, memory_.host(at), sizeof entry);
    if (entry.name[0] == '\0') break;
    entry.name[sizeof entry.name - 1] = '\0';
    const PhysAddr where{reinterpret_cast<std::uint64_t>(entry.value)};
    std::uint64_t value = 0;
    if (!memory_.contains(where, sizeof value)) continue;
    std::memcpy(&value, memory_.host(where), sizeof value);
    counters.push_back({"driver", entry.name, "", value, "Counted by the guest."});
  }
  return counters;
}

void Board::report_guest_counters(RunResult& result) const {
  for (Counter& counter : guest_counters()) {
    if (counter.value != 0 && ends_packet(counter.name)) result.packets.ended.push_back({counter.name, counter.value});
    result.counters.push_back(std::move(counter));
  }
}

void Board::report_uses(RunResult& result) const {
  const Totals now = totals();
  const std::uint64_t elapsed = now.at.value - window_start_.at.value;
  const std::uint64_t cycles = now.cycles - window_start_.cycles;
  const std::uint64_t idle = result.stalls[static_cast<std::size_t>(StallReason::idle)];
  const auto busy = [&](std::string_view resource, std::uint64_t time) {
    result.limits.push_back({std::string(resource), time, elapsed});
  };
  result.limits.push_back({"core", cycles - std::min(idle, cycles), cycles});
  busy("wire", now.wire_busy - window_start_.wire_busy);
  for (std::size_t i = 0; i < now.device_busy.size(); ++i) {
    busy(now.device_busy[i].resource, now.device_busy[i].time_ps - window_start_.device_busy[i].time_ps);
  }
  busy("dram bandwidth",
       transfer_time(Bytes{now.dram_bytes - window_start_.dram_bytes}, scenario_.memory.dram_bandwidth).value);

  const auto memory = [&](const char* name) { return value_of(memory_statistics_, name); };
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
