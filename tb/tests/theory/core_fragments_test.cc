// A front end whose time depends on how many instructions of a line it passes: what loops on a Zen 5 (EPYC of family 26, model 2) took.
#include <gtest/gtest.h>

#include <stdexcept>
#include <utility>
#include <vector>

#include "tb/scenario/data_dir.h"
#include "tb/scenario/scenario.h"
#include "tb/tests/theory/core_bench.h"

namespace ringside::testing {
namespace {

constexpr std::uint64_t kText = 0x200000;

// The core as its data file has it.
CoreConfig zen5() { return load_scenario("", {"cpu.model=epyc-turin"}, data_directory()).cpu; }

Code nop(std::size_t bytes) {
  switch (bytes) {
    case 1: return {0x90};
    case 2: return {0x66, 0x90};
    case 3: return {0x0f, 0x1f, 0x00};
    case 4: return {0x0f, 0x1f, 0x40, 0};
    case 5: return {0x0f, 0x1f, 0x44, 0, 0};
    case 6: return {0x66, 0x0f, 0x1f, 0x44, 0, 0};
    case 7: return {0x0f, 0x1f, 0x80, 0, 0, 0, 0};
    case 8: return {0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0};
    case 15: return {0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x2e, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0};
    default: throw std::invalid_argument("no nop of so many bytes");
  }
}

const Code kJump{0xe9, 0, 0, 1, 0};  // where to, run_to() says

// Cycles of one time round a ring of blocks, each in a line of its own, in which `before` and so many nops precede a jump to the next.
double ring(std::size_t nops, std::size_t bytes, const Code& before = {}, const Code& jump = kJump) {
  constexpr std::size_t kBlocks = 32, kRounds = 50;
  CoreBench bench(zen5());
  std::vector<Block> blocks;
  for (std::size_t i = 0; i < kBlocks; ++i) {
    const Code code = (i == 0 ? before : Code{}) + times(nops, nop(bytes)) + jump;
    blocks.push_back(bench.decode(code, kText + i * 2 * kCacheLine));
  }
  const std::vector<Access> cleared(before.empty() ? 0 : 9, store(0x310000));
  Cycle start{};
  for (std::size_t round = 0; round < 2 * kRounds; ++round) {
    if (round == kRounds) start = bench.pipeline.retired();
    for (std::size_t i = 0; i < kBlocks; ++i)
      bench.run_to(blocks[i], blocks[(i + 1) % kBlocks].address, i == 0 ? cleared : std::vector<Access>{});
  }
  return static_cast<double>((bench.pipeline.retired() - start).value) / kRounds;
}

TEST(CoreFragments, JumpsFromLineToLine) {
  struct Measured {
    std::size_t nops, bytes;
    double cycles;
  };
  for (const auto& [nops, bytes, cycles] :
       {Measured{1, 4, 0.53}, {4, 4, 0.66}, {6, 4, 1.03}, {8, 4, 1.16}, {10, 4, 1.41}, {11, 4, 1.53}, {12, 4, 3.03}, {13, 4, 3.03},
        {11, 3, 1.53}, {12, 3, 3.02}, {18, 3, 3.03}, {22, 2, 3.02}, {24, 2, 5.02}, {28, 2, 4.98}, {4, 8, 0.66}, {6, 8, 1.03}})
    EXPECT_NEAR(ring(nops, bytes) / 32, cycles, 0.07 * cycles) << nops << " nops of " << bytes << " bytes";
}

TEST(CoreFragments, AnIndirectJumpSharesItsCycleWithNoOther) {
  const Code indirect{0x48, 0x8d, 0x05, 0, 0, 0, 0, 0xff, 0xe0};  // lea rax, [rip]; jmp rax
  for (const auto& [nops, cycles] : {std::pair{2u, 1.03}, {4u, 1.03}, {8u, 1.28}})
    EXPECT_NEAR(ring(nops, 4, {}, indirect) / 32, cycles, 0.07 * cycles) << nops;
}

// Full lines, one after the other.
TEST(CoreFragments, StraightCode) {
  const std::pair<std::size_t, double> measured[] = {{8, 1.01},  {10, 1.26}, {12, 1.51}, {13, 1.63}, {14, 1.76}, {15, 2.04}, {16, 2.37}, {17, 2.70},
                                                     {18, 3.04}, {20, 3.04}, {22, 3.04}, {24, 3.04}, {26, 3.70}, {28, 4.37}, {32, 5.08}};
  constexpr std::size_t kLines = 24, kRounds = 50;
  for (const auto& [instructions, cycles] : measured) {
    CoreBench bench(zen5());
    Code line;
    for (std::size_t k = 0; k < instructions; ++k) {
      const std::size_t size = (k + 1) * kCacheLine / instructions - k * kCacheLine / instructions;
      line = line + nop(size);
    }
    Block block = bench.decode(times(kLines, line) + kJump, kText);
    Cycle start{};
    for (std::size_t round = 0; round < 2 * kRounds; ++round) {
      if (round == kRounds) start = bench.pipeline.retired();
      bench.run_to(block, kText);
    }
    const double each = static_cast<double>((bench.pipeline.retired() - start).value) / (kRounds * kLines);
    EXPECT_NEAR(each, cycles, 0.08 * cycles) << instructions;
  }
}

// Lines that are full of few instructions come one per cycle all the same: 15-byte instructions went four per cycle.
TEST(CoreFragments, LongInstructions) {
  constexpr std::size_t kInstructions = 256;
  CoreBench bench(zen5());
  Block block = bench.decode(times(kInstructions, nop(15)) + kJump, kText);
  for (int i = 0; i < 20; ++i) bench.run_to(block, kText);
  EXPECT_NEAR(static_cast<double>(bench.run_to(block, kText)), kInstructions / 4.0, 5);
}

// A return begins a cycle of its own, and three pass until the next taken branch.
TEST(CoreFragments, CallsAndReturnsWithJumpsBetweenThem) {
  const double measured[] = {4.00, 4.00, 5.00, 4.99, 6.00, 6.08, 7.00, 7.01, 8.02};  // by how many jumps
  constexpr std::size_t kCalls = 12, kRounds = 50, kCallSize = 5;
  constexpr std::uint64_t kCallees = 0x201000;
  for (std::size_t jumps = 0; jumps < std::size(measured); ++jumps) {
    CoreBench bench(zen5());
    std::vector<Block> calls, between, returns;
    for (std::size_t i = 0; i < kCalls; ++i) {
      const std::uint64_t callee = kCallees + i * 0x400;
      calls.push_back(bench.decode({0xe8, 0, 0x10, 0, 0}, kText + i * kCallSize));
      for (std::size_t k = 0; k < jumps; ++k) between.push_back(bench.decode(kJump, callee + k * kCacheLine));
      returns.push_back(bench.decode({0xc3}, callee + jumps * kCacheLine));
    }
    Block again = bench.decode(kJump, kText + kCalls * kCallSize);
    Cycle start{};
    for (std::size_t round = 0; round < 2 * kRounds; ++round) {
      if (round == kRounds) start = bench.pipeline.retired();
      for (std::size_t i = 0; i < kCalls; ++i) {
        bench.run_to(calls[i], kCallees + i * 0x400, {store(0x300000)});
        for (std::size_t k = 0; k < jumps; ++k) bench.run_to(between[i * jumps + k], between[i * jumps + k].address + kCacheLine);
        bench.run_to(returns[i], kText + (i + 1) * kCallSize, {load(0x300000)});
      }
      bench.run_to(again, kText);
    }
    const double each = static_cast<double>((bench.pipeline.retired() - start).value) / (kRounds * kCalls);
    EXPECT_NEAR(each, measured[jumps], 0.15) << jumps;
  }
}

// Calls at the beginnings of lines that are full of nops behind them took 4.0 cycles with their returns, by 8 as by 22 nops.
TEST(CoreFragments, WhatFollowsAReturnComesWithIt) {
  constexpr std::size_t kCalls = 16, kRounds = 50;
  for (const std::size_t nops : {8u, 12u, 16u, 22u}) {
    CoreBench bench(zen5());
    std::vector<Block> calls, behind, returns;
    for (std::size_t i = 0; i < kCalls; ++i) {
      const std::uint64_t line = kText + i * kCacheLine;
      calls.push_back(bench.decode({0xe8, 0, 0x10, 0, 0}, line));
      Code code = times(nops, nop(2));
      for (std::size_t left; (left = kCacheLine - 5 - code.size()) > 0;) code = code + nop(left < 8 ? left : 8);
      behind.push_back(bench.decode(i + 1 == kCalls ? code + kJump : code, line + 5));
      returns.push_back(bench.decode(nop(4) + Code{0xc3}, 0x201000 + i * kCacheLine));
    }
    Cycle start{};
    for (std::size_t round = 0; round < 2 * kRounds; ++round) {
      if (round == kRounds) start = bench.pipeline.retired();
      for (std::size_t i = 0; i < kCalls; ++i) {
        bench.run_to(calls[i], returns[i].address, {store(0x300000)});
        bench.run_to(returns[i], behind[i].address, {load(0x300000)});
        bench.run_to(behind[i], calls[(i + 1) % kCalls].address);
      }
    }
    EXPECT_NEAR(static_cast<double>((bench.pipeline.retired() - start).value) / (kRounds * kCalls), 4.0, 0.3) << nops;
  }
}

// What passes at dispatch waits for a repeated store; further rounds of the front end go on behind it. 32 jumps behind seven instructions
// took 33 cycles alone and 50 with a repeated store of 15, behind twelve 49 and 66, and behind thirteen 97 and 98.
TEST(CoreFragments, ARepeatedStoreHidesRoundsOnly) {
  const Code clear{0xb9, 9, 0, 0, 0, 0x31, 0xc0, 0xf3, 0x48, 0xab};  // mov ecx, 9; xor eax, eax; rep stosq
  EXPECT_NEAR(ring(6, 4, clear) - ring(6, 4), 17, 3);
  EXPECT_NEAR(ring(11, 4, clear) - ring(11, 4), 17, 3);
  EXPECT_NEAR(ring(12, 4, clear) - ring(12, 4), 1, 3);
}

// Without a limit, the time of a line does not depend on what is in it.
TEST(CoreFragments, WithoutALimitALineIsALine) {
  CoreConfig config = zen5();
  config.line_instructions = 0;
  CoreBench bench(config);
  Block block = bench.decode(times(24 * 32, nop(2)) + kJump, kText);
  for (int i = 0; i < 20; ++i) bench.run_to(block, kText);
  EXPECT_NEAR(static_cast<double>(bench.run_to(block, kText)), 24 * 32 / 8.0, 3);
}

}  // namespace
}  // namespace ringside::testing
