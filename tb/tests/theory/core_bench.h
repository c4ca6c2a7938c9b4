// A core on a bench: machine code in, cycles out, with a memory that answers as told.
#pragma once

#include <cstdint>
#include <map>
#include <numeric>
#include <vector>

#include "model/core/decoder.h"
#include "model/core/pipeline.h"

namespace ringside::testing {

using Code = std::vector<std::uint8_t>;

// Every line is a first-level hit unless the test says otherwise. Any number of misses may be outstanding.
class MockPort final : public CorePort {
 public:
  std::uint64_t load_to_use = 5;
  std::map<std::uint64_t, std::pair<MemoryLevel, std::uint64_t>> lines;  // by line number: level and latency
  std::vector<std::pair<std::uint64_t, std::uint64_t>> loads;            // start and address
  std::vector<std::uint64_t> stores, prefetches, fetches, maintained;    // addresses

  void place(std::uint64_t address, MemoryLevel level, std::uint64_t latency) {
    lines[address / kCacheLine] = {level, latency};
  }
  MemoryAccess load(Cycle at, std::uint64_t address, std::uint32_t) override {
    loads.emplace_back(at.value, address);
    return answer(at, address);
  }
  MemoryAccess store(Cycle at, std::uint64_t address, std::uint32_t) override {
    stores.push_back(address);
    return answer(at, address);
  }
  MemoryAccess prefetch(Cycle at, std::uint64_t address, bool) override {  // a place's latency: until it is taken
    prefetches.push_back(address);
    if (!lines.contains(address / kCacheLine)) return {at, MemoryLevel::l1, false};
    return answer(at, address);
  }
  MemoryAccess fetch(Cycle at, std::uint64_t address) override {
    fetches.push_back(address);
    return answer(at, address);
  }

  MemoryAccess maintain(Cycle at, std::uint64_t address, CacheMaintenance) override {
    maintained.push_back(address);
    return answer(at, address);
  }

 private:
  MemoryAccess answer(Cycle at, std::uint64_t address) const {
    const auto found = lines.find(address / kCacheLine);
    if (found == lines.end()) return {at + Cycle{load_to_use}, MemoryLevel::l1, false};
    return {at + Cycle{found->second.second}, found->second.first, false};
  }
};

// A core whose figures are easy to calculate with.
inline CoreConfig plain_core() {
  CoreConfig c;
  c.architecture = "x86_64";
  c.llvm = "icelake-server";
  c.frequency = megahertz(3000);
  c.dispatch_width = c.retire_width = c.alu_ports = 4;
  c.rob_entries = 256;
  c.load_queue = 128;
  c.store_queue = 64;
  c.load_ports = 2;
  c.store_ports = 1;
  c.fetch_ahead = 4;
  c.taken_branch_cycles = 1;
  c.front_end_queue = 8;
  c.return_cycles = 1;
  c.mispredict_penalty = 15;
  c.predictor = {4096, 1024, 64, 256, 16};
  c.store_forward_latency = 5;
  c.store_forward_fail_penalty = 12;
  c.load_fence = 4;
  c.store_fence = 6;
  c.full_fence = 33;
  c.locked = 13;
  c.serialise = 100;
  c.pause = 140;
  c.rep_micro_ops = 6;
  // Zen 4's figures for zeroing with quad words; see traces/hardware/cpu/epyc-genoa.toml.
  c.rep_stos = {{{120, 15}, {128, 38}, {256, 39}, {512, 42}}, {{120, 9}, {128, 33}}, 32, 48, 7};
  c.rep_movs = {{{64, 14}, {128, 30}, {512, 39}, {1024, 55}}, {{64, 14}, {128, 30}, {512, 39}, {1024, 55}}, 32, 64, 0};
  return c;
}

inline CoreConfig zen4_core() {
  CoreConfig c = plain_core();
  c.llvm = "znver4";
  c.dispatch_width = 6;
  c.retire_width = 9;
  c.rob_entries = 320;
  c.load_ports = 3;
  c.store_ports = 2;
  c.mispredict_penalty = 13;
  return c;
}

inline CoreConfig in_order_core() {
  CoreConfig c = plain_core();
  c.architecture = "aarch64";
  c.llvm = "cortex-a53";
  c.dispatch_width = c.retire_width = c.alu_ports = 2;
  c.load_ports = 1;
  c.shared_memory_ports = true;
  c.in_order = true;
  return c;
}

inline Code operator+(Code a, const Code& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

inline Code times(std::size_t n, const Code& code) {
  Code all;
  for (std::size_t i = 0; i < n; ++i) all.insert(all.end(), code.begin(), code.end());
  return all;
}

inline Access load(std::uint64_t address, std::uint32_t size = 8) { return {address, size, AccessKind::load}; }
inline Access store(std::uint64_t address, std::uint32_t size = 8) { return {address, size, AccessKind::store}; }

struct CoreBench {
  explicit CoreBench(const CoreConfig& core) : config(core), decoder(core.isa(), core.llvm), pipeline(config, port) {}

  Block decode(const Code& code, std::uint64_t address = 0x200000) const { return decoder.decode(code, address); }

  // Cycles of one run of the block, which falls through.
  std::uint64_t run(Block& block, const std::vector<Access>& accesses = {}) {
    return run_to(block, block.address + block.size, accesses);
  }
  std::uint64_t run_to(Block& block, std::uint64_t next, const std::vector<Access>& accesses = {}) {
    const Cycle before = pipeline.retired();
    pipeline.run(block, accesses, next);
    block.settle_counts();
    return (pipeline.retired() - before).value;
  }
  // Cycles of `n` runs, after as many that fill the pipeline.
  std::uint64_t steady(Block& block, std::size_t n, const std::vector<Access>& accesses = {}) {
    for (std::size_t i = 0; i < n; ++i) run(block, accesses);
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < n; ++i) sum += run(block, accesses);
    return sum;
  }

  CoreConfig config;
  MockPort port;
  Decoder decoder;
  Pipeline pipeline;
};

inline std::uint64_t booked(const Block& block, StallReason reason) {
  std::uint64_t sum = 0;
  for (const auto& counts : block.counts) sum += counts.cycles[static_cast<std::size_t>(reason)];
  return sum;
}

}  // namespace ringside::testing
