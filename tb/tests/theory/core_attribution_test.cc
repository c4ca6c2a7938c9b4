// What is booked on an instruction that holds dispatch back is what the run takes longer because of it, wherever the wait
// shows.
#include <gtest/gtest.h>

#include "tb/tests/theory/core_bench.h"

namespace ringside::testing {
namespace {

const Code kZero{0xf3, 0x48, 0xab};   // rep stosq
const Code kChase{0x48, 0x8b, 0x00};  // mov rax, [rax]
const Code kLoad{0x48, 0x8b, 0x0f};   // mov rcx, [rdi]
const Code kNop{0x90};
constexpr std::uint64_t kFar = 0x400000;

// What one round runs: code and its accesses. With `jumps`, the code is followed by so many jumps that are taken.
struct Body {
  Code code;
  std::vector<Access> accesses;
  std::size_t jumps = 0;
};

// Eight independent operations, so many times.
Code work(std::size_t rounds) {
  Code round;
  for (std::uint8_t r = 0; r < 8; ++r) round = round + Code{0x49, 0x83, static_cast<std::uint8_t>(0xc0 + r), 0x01};
  return times(rounds, round);
}

struct Cost {
  double cycles;  // of one round
  double on_rep;  // booked on the repeated instruction
  double booked;  // on all instructions
};

Cost measure(const Body& body, bool with_rep, std::uint64_t latency) {
  constexpr int kRounds = 400;
  CoreBench bench(zen4_core());
  bench.port.place(kFar, MemoryLevel::llc, latency);
  Block rep = bench.decode(kZero);
  Block rest = bench.decode(body.code, 0x200040);
  std::vector<Block> jumps;
  for (std::size_t i = 0; i < body.jumps; ++i) jumps.push_back(bench.decode(Code{0xeb, 0x3e}, 0x300000 + 0x40 * i));
  std::vector<Access> zeroed;
  for (std::uint64_t offset = 0; offset < 72; offset += 8) zeroed.push_back(store(0x500000 + offset));
  Cycle start{};
  for (int i = 0; i < 2 * kRounds; ++i) {
    if (i == kRounds) {
      start = bench.pipeline.retired();
      for (Block* block : {&rep, &rest}) std::fill(block->counts.begin(), block->counts.end(), InstructionCounts{});
      for (Block& block : jumps) std::fill(block.counts.begin(), block.counts.end(), InstructionCounts{});
    }
    if (with_rep) bench.run(rep, zeroed);
    bench.run(rest, body.accesses);
    for (Block& jump : jumps) bench.run_to(jump, jump.address + 0x40);
  }
  std::uint64_t booked = rep.cycles() + rest.cycles();
  for (const Block& jump : jumps) booked += jump.cycles();
  return {static_cast<double>((bench.pipeline.retired() - start).value) / kRounds, static_cast<double>(rep.cycles()) / kRounds,
          static_cast<double>(booked) / kRounds};
}

void expect_booked_on_rep(const char* what, const Body& body, std::uint64_t latency, double tolerance) {
  const Cost without = measure(body, false, latency);
  const Cost with = measure(body, true, latency);
  EXPECT_NEAR(with.on_rep, with.cycles - without.cycles, tolerance)
      << what << ": " << without.cycles << " cycles without and " << with.cycles << " with";
  EXPECT_DOUBLE_EQ(with.booked, with.cycles) << what;
}

TEST(CoreAttribution, RepPaysForWhatItDelays) {
  expect_booked_on_rep("dispatch is the limit", {times(120, kNop), {}}, 50, 1);
  expect_booked_on_rep("the units are the limit", {work(25), {}}, 50, 2);
  expect_booked_on_rep("a miss in each round", {kLoad + times(60, kNop), {load(kFar)}}, 50, 2);
  expect_booked_on_rep("a miss behind the work", {times(60, kNop) + kLoad, {load(kFar)}}, 60, 2);
}

TEST(CoreAttribution, RepThatIsHiddenPaysNothing) {
  expect_booked_on_rep("a chain of misses", {kChase, {load(kFar)}}, 50, 1);
  expect_booked_on_rep("a chain of misses and work", {kChase + work(25), {load(kFar)}}, 100, 1);
  expect_booked_on_rep("a long chain of additions", {times(60, {0x48, 0x01, 0xd8}), {}}, 50, 1);
}

// Where what it delayed is made up for later, by a window or a queue that had room, it pays too much; but never more than the
// fifteen cycles for which it held dispatch.
TEST(CoreAttribution, RepNeverPaysForMoreThanItHeld) {
  // Without the rep, this one is limited by the window: 70 cycles for 320 entries.
  const Body filled{times(60, kNop) + kLoad, {load(kFar)}};
  EXPECT_LE(measure(filled, true, 70).on_rep, 15);
  EXPECT_GE(measure(filled, true, 70).on_rep, measure(filled, true, 70).cycles - measure(filled, false, 70).cycles);
  for (const std::size_t nops : {20u, 60u, 200u}) {
    for (const std::uint64_t latency : {50u, 100u, 200u}) {
      const Body body{kLoad + times(nops, kNop), {load(kFar)}, 40};
      const Cost without = measure(body, false, latency);
      const Cost with = measure(body, true, latency);
      EXPECT_LE(with.on_rep, 15) << nops << " " << latency;
      EXPECT_GE(with.on_rep, with.cycles - without.cycles - 1) << nops << " " << latency;
    }
  }
}

// A branch that is predicted wrongly pays for the refill, not the instruction that comes next.
TEST(CoreAttribution, MispredictedBranchPaysForTheRefill) {
  CoreBench bench(plain_core());
  Block branch = bench.decode(Code{0x75, 0x3e});  // jne, to 0x200040
  Block next = bench.decode(times(8, kNop), 0x200040);
  Block other = bench.decode(times(8, kNop), 0x200002);
  std::uint32_t random = 1;
  for (int i = 0; i < 4000; ++i) {
    random = random * 1664525 + 1013904223;
    const bool taken = (random >> 16 & 1) != 0;
    bench.run_to(branch, taken ? 0x200040 : 0x200002);
    bench.run_to(taken ? next : other, 0x200000);
  }
  const auto reason = static_cast<std::size_t>(StallReason::mispredict);
  EXPECT_GT(branch.counts[0].mispredicts, 1000u);
  EXPECT_EQ(branch.counts[0].mispredicts, bench.pipeline.counts().mispredicts);
  EXPECT_NEAR(static_cast<double>(branch.counts[0].cycles[reason]), 15.0 * static_cast<double>(branch.counts[0].mispredicts),
              2.0 * static_cast<double>(branch.counts[0].mispredicts));
  EXPECT_EQ(booked(next, StallReason::mispredict) + booked(other, StallReason::mispredict), 0u);
}

TEST(CoreAttribution, CyclesMoveBetweenTheCallersTotals) {
  CoreBench bench(zen4_core());
  Block rep = bench.decode(kZero);
  Block rest = bench.decode(times(120, kNop), 0x200040);
  const std::vector<Access> zeroed{store(0x500000)};
  std::uint64_t of_rep = 0, of_rest = 0;
  for (int i = 0; i < 100; ++i) {
    bench.pipeline.count_cycles_in(of_rep);
    of_rep += bench.run(rep, zeroed);
    bench.pipeline.count_cycles_in(of_rest);
    of_rest += bench.run(rest);
  }
  EXPECT_EQ(of_rep, rep.cycles());
  EXPECT_EQ(of_rest, rest.cycles());
  EXPECT_EQ(of_rep + of_rest, bench.pipeline.retired().value);
}

TEST(CoreAttribution, SleepIsBookedOnTheStoreThatAsksForIt) {
  CoreBench bench(plain_core());
  Block before = bench.decode(times(4, kNop));
  Block block = bench.decode(Code{0x90, 0x48, 0x89, 0x07}, 0x200040);  // nop; mov [rdi], rax
  bench.run(before);
  const std::vector<Access> accesses{{0xf0000000, 8, AccessKind::mmio_store}};
  bench.pipeline.finish_mmio(bench.pipeline.run_to_mmio(block, accesses));
  bench.pipeline.sleep(bench.pipeline.retired() + Cycle{1000});
  bench.run(block, accesses);
  EXPECT_EQ(block.counts[1].cycles[static_cast<std::size_t>(StallReason::idle)], 1000u);
}

TEST(CoreAttribution, CountsTheLoadsThatMiss) {
  CoreBench bench(zen4_core());
  bench.port.place(0x400000, MemoryLevel::l2, 14);
  bench.port.place(0x400040, MemoryLevel::llc, 50);
  bench.port.place(0x400080, MemoryLevel::dram, 200);
  Block block = bench.decode(times(3, kLoad));
  for (const std::uint64_t address : {0x400000, 0x400040, 0x400080}) {
    bench.run(block, {load(0x600000), load(address), load(0x600000)});
  }
  EXPECT_EQ(block.counts[0].loads_from_l2 + block.counts[0].loads_from_llc + block.counts[0].loads_from_dram, 0u);
  EXPECT_EQ(block.counts[1].loads_from_l2, 1u);
  EXPECT_EQ(block.counts[1].loads_from_llc, 1u);
  EXPECT_EQ(block.counts[1].loads_from_dram, 1u);
}

}  // namespace
}  // namespace ringside::testing
