// Registers for results, as measured on an EPYC Turin: whether two misses overlap depends on how many results lie between them, where registers are what the
// core has fewest of.
#include <gtest/gtest.h>

#include "tb/tests/theory/core_bench.h"

namespace ringside::testing {
namespace {

constexpr std::uint64_t kLatency = 300;
constexpr std::uint64_t kRegisters = 60;

// Cycles from one miss to the next, with `count` fillers after each.
double cycles_per_miss(const Code& filler, std::size_t count, std::uint64_t registers = kRegisters) {
  CoreConfig config = zen4_core();
  config.integer_registers = registers;
  CoreBench bench(config);
  bench.port.place(0x400000, MemoryLevel::dram, kLatency);
  Block block = bench.decode(Code{0x48, 0x8b, 0x06} + times(count, filler));  // mov rax, [rsi]
  return static_cast<double>(bench.steady(block, 200, {load(0x400000)})) / 200.0;
}

const Code kLea{0x48, 0x8d, 0x57, 0x08};   // lea rdx, [rdi+8]
const Code kMove{0x48, 0x89, 0xfa};        // mov rdx, rdi
const Code kClear{0x31, 0xd2};             // xor edx, edx
const Code kCompare{0x48, 0x39, 0xfa};     // cmp rdx, rdi

TEST(CoreRegisters, AsManyResultsAsThereAreRegistersAreInFlight) {
  EXPECT_LT(cycles_per_miss(kLea, kRegisters - 5), kLatency / 2 + 30);
  EXPECT_GT(cycles_per_miss(kLea, kRegisters + 5), kLatency);
}

TEST(CoreRegisters, WithoutALimitTheReorderBufferIsOne) {
  EXPECT_LT(cycles_per_miss(kLea, 150, 0), kLatency / 2 + 30);
  EXPECT_GT(cycles_per_miss(kLea, 330, 0), kLatency);
}

TEST(CoreRegisters, MovesClearingsAndFlagsTakeNone) {
  for (const Code& filler : {kMove, kClear, kCompare}) EXPECT_LT(cycles_per_miss(filler, 120), kLatency / 2 + 30);
}

// Sixty of them leave room for sixty lea less than nops do.
TEST(CoreRegisters, WhatIsLoadedToBeComparedOrStoredAgainTakesOne) {
  CoreBench bench(zen4_core());
  EXPECT_EQ(bench.decode({0x48, 0x3b, 0x16}).registers, 1u);        // cmp rdx, [rsi]
  EXPECT_EQ(bench.decode({0x80, 0x3e, 0x00}).registers, 1u);        // cmp byte [rsi], 0
  EXPECT_EQ(bench.decode({0x48, 0x01, 0x16}).registers, 1u);        // add [rsi], rdx
}

TEST(CoreRegisters, APopTakesOneAndAPushNone) {
  CoreBench bench(zen4_core());
  EXPECT_EQ(bench.decode({0x5a}).registers, 1u);                    // pop rdx
  EXPECT_EQ(bench.decode({0x52}).registers, 0u);                    // push rdx
  EXPECT_EQ(bench.decode({0xc3}).registers, 1u);                    // ret
  EXPECT_EQ(bench.decode({0x48, 0xf7, 0xe7}).registers, 2u);        // mul rdi
  EXPECT_EQ(bench.decode({0x48, 0x03, 0x16}).registers, 1u);        // add rdx, [rsi]
  EXPECT_EQ(bench.decode({0x48, 0x89, 0x16}).registers, 0u);        // mov [rsi], rdx
}

}  // namespace
}  // namespace ringside::testing
