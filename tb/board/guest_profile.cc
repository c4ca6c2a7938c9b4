#include "tb/board/guest_profile.h"

#include <algorithm>
#include <map>

#include "tb/board/source_lines.h"

namespace ringside {

namespace {

constexpr std::uint64_t kSmallestShare = 200;       // a function with less than one 200th of the cycles is left out
constexpr std::size_t kMostInstructions = 4'000;    // of all functions together

// One address may be in several blocks that overlap.
struct Executed {
  const Instruction* instruction = nullptr;
  InstructionCounts counts;
};
using ByAddress = std::map<std::uint64_t, Executed>;

void add(InstructionCounts& sum, const InstructionCounts& counts) {
  sum.executed += counts.executed;
  for (std::size_t i = 0; i < kStallReasons; ++i) sum.cycles[i] += counts.cycles[i];
  sum.loads_from_l2 += counts.loads_from_l2;
  sum.loads_from_llc += counts.loads_from_llc;
  sum.loads_from_dram += counts.loads_from_dram;
  sum.mispredicts += counts.mispredicts;
}

// By function.
std::map<FunctionId, ByAddress> executed_code(const Processors& cpus, const Image& image) {
  std::map<FunctionId, ByAddress> code;
  for (const Block* block : blocks_of(cpus)) {
    for (std::size_t i = 0; i < block->instructions.size(); ++i) {
      if (block->counts[i].executed == 0) continue;
      const std::uint64_t address = block->instructions[i].address;
      const GuestFunction* function = image.find_function(address);
      Executed& executed = code[function == nullptr ? kUnknownFunction : function->id][address];
      executed.instruction = &block->instructions[i];
      add(executed.counts, block->counts[i]);
    }
  }
  return code;
}

std::uint64_t cycles_of(const ByAddress& code) {
  std::uint64_t sum = 0;
  for (const auto& [address, executed] : code) {
    for (const std::uint64_t cycles : executed.counts.cycles) sum += cycles;
  }
  return sum;
}

InstructionCost cost_of(const Executed& executed, const Core& core) {
  const InstructionCounts& counts = executed.counts;
  InstructionCost cost;
  cost.address = executed.instruction->address;
  cost.bytes = executed.instruction->length;
  cost.text = core.disassemble(*executed.instruction);
  cost.executed = counts.executed;
  cost.stalls = counts.cycles;
  cost.llc_misses = counts.loads_from_dram;
  cost.l2_misses = cost.llc_misses + counts.loads_from_llc;
  cost.l1_misses = cost.l2_misses + counts.loads_from_l2;
  cost.mispredicts = counts.mispredicts;
  return cost;
}

}  // namespace

std::vector<const Block*> blocks_of(const Processors& cpus) {
  std::vector<const Block*> all;
  for (std::size_t cpu = 0; cpu < cpus.size(); ++cpu) {
    const std::vector<const Block*> blocks = cpus[cpu].blocks();
    all.insert(all.end(), blocks.begin(), blocks.end());
  }
  return all;
}

std::vector<StackCost> call_stacks(const CallTree& tree, const Image& image) {
  const std::vector<CallTree::Node>& nodes = tree.nodes();
  std::vector<std::vector<std::string>> paths(nodes.size());
  std::vector<StackCost> stacks;
  for (std::size_t i = 1; i < nodes.size(); ++i) {
    const CallTree::Node& node = nodes[i];
    paths[i] = paths[node.parent];
    paths[i].push_back(image.function_names()[node.function]);
    if (node.cycles != 0) stacks.push_back({paths[i], node.cycles, node.instructions, node.calls});
  }
  return stacks;
}

Profile guest_profile(const Processors& cpus, const Image& image, std::uint64_t cycles, const std::filesystem::path& sources) {
  struct Candidate {
    std::uint64_t cycles;
    std::string name;
    const ByAddress* code;
  };
  const std::map<FunctionId, ByAddress> code = executed_code(cpus, image);
  std::vector<Candidate> candidates;
  for (const auto& [id, instructions] : code) {
    const std::uint64_t own = cycles_of(instructions);
    if (own != 0 && own >= cycles / kSmallestShare) candidates.push_back({own, image.function_names()[id], &instructions});
  }
  std::sort(candidates.begin(), candidates.end(), [](const Candidate& a, const Candidate& b) {
    return a.cycles != b.cycles ? a.cycles > b.cycles : a.name < b.name;
  });

  Profile profile;
  SourceLines lines(image, sources);
  std::size_t instructions = 0;
  for (const Candidate& candidate : candidates) {
    instructions += candidate.code->size();
    if (instructions > kMostInstructions) break;
    FunctionProfile& function = profile.functions.emplace_back(FunctionProfile{candidate.name, {}});
    for (const auto& [address, executed] : *candidate.code) {
      InstructionCost cost = cost_of(executed, cpus.boot_core());
      cost.place = lines.place_of(address);
      function.instructions.push_back(std::move(cost));
    }
  }
  profile.places = lines.take_places();
  return profile;
}

}  // namespace ringside
