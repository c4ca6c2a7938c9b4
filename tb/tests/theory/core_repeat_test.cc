// Repeated string instructions, against what an EPYC Genoa does: 15 cycles for 72 bytes when throughput is the limit,
// nothing when the core waits for memory anyway, and a cliff at 128 bytes.
#include <gtest/gtest.h>

#include "tb/tests/theory/core_bench.h"

namespace ringside::testing {
namespace {

const Code kZero{0xf3, 0x48, 0xab};   // rep stosq
const Code kChase{0x48, 0x8b, 0x00};  // mov rax, [rax]
constexpr std::uint64_t kObject = 0x300000;
constexpr std::uint64_t kChased = 0x400000;

std::vector<Access> zeroed(std::uint64_t bytes, std::uint64_t address = kObject) {
  std::vector<Access> accesses;
  for (std::uint64_t offset = 0; offset < bytes; offset += 8) accesses.push_back(store(address + offset));
  return accesses;
}

// Eight independent operations, so many times.
Code work(std::size_t rounds) {
  Code round;
  for (std::uint8_t r = 0; r < 8; ++r) round = round + Code{0x49, 0x83, static_cast<std::uint8_t>(0xc0 + r), 0x01};
  return times(rounds, round);
}

// Cycles that zeroing adds to one round of `body`. The rep ends its block, as the emulator reports it.
double added(const Code& body, const std::vector<Access>& body_accesses, std::uint64_t bytes,
             std::uint64_t address = kObject, std::uint64_t latency = 50) {
  const auto cycles = [&](bool with) {
    CoreBench bench(zen4_core());
    bench.port.place(kChased, MemoryLevel::llc, latency);
    Block rep = bench.decode(kZero);
    Block rest = bench.decode(body, 0x200040);
    constexpr int kRounds = 200;
    Cycle start{};
    for (int i = 0; i < 2 * kRounds; ++i) {
      if (i == kRounds) start = bench.pipeline.retired();
      if (with) bench.run(rep, zeroed(bytes, address));
      bench.run(rest, body_accesses);
    }
    return static_cast<double>((bench.pipeline.retired() - start).value) / kRounds;
  };
  return cycles(true) - cycles(false);
}

TEST(CoreRepeat, BackToBackItTakesTheTable) {
  CoreBench bench(zen4_core());
  Block rep = bench.decode(kZero);
  EXPECT_NEAR(bench.steady(rep, 100, zeroed(72)) / 100.0, 15, 1);
  EXPECT_NEAR(bench.steady(rep, 100, zeroed(512)) / 100.0, 42, 1);
  EXPECT_NEAR(bench.steady(rep, 100, zeroed(512 + 320)) / 100.0, 52, 1);
  EXPECT_EQ(rep.instructions.front().element_size, 8);
}

TEST(CoreRepeat, SeventyTwoBytesCostFifteenCyclesWhenThroughputBound) {
  // 96, 200 and 400 independent operations.
  for (const std::size_t rounds : {12u, 25u, 50u}) EXPECT_NEAR(added(work(rounds), {}, 72), 15, 2) << rounds;
}

TEST(CoreRepeat, ItCostsAsMuchWhenDispatchIsTheLimit) { EXPECT_NEAR(added(times(120, {0x90}), {}, 72), 15, 2); }

TEST(CoreRepeat, AtTheEndOfALineItCostsMore) { EXPECT_NEAR(added(work(25), {}, 72, kObject + 48), 22, 2); }

TEST(CoreRepeat, BehindADependentMissItIsHidden) {
  EXPECT_LT(added(kChase, {load(kChased)}, 72), 1);
  EXPECT_LT(added(kChase + work(25), {load(kChased)}, 72, kObject, 100), 1);
}

TEST(CoreRepeat, PartOfItShowsBehindAShortChain) {
  // Measured behind twenty dependent operations, in a body with some other work: 2.4 to 2.7 ns, 8 to 10 cycles.
  EXPECT_NEAR(added(times(20, {0x48, 0x01, 0xd8}) + work(5), {}, 72), 9, 2);
  // Sixty and more: hidden.
  EXPECT_LT(added(times(60, {0x48, 0x01, 0xd8}), {}, 72), 1);
}

TEST(CoreRepeat, TheCliffAtOneHundredAndTwentyEightBytes) {
  EXPECT_NEAR(added(work(25), {}, 120), 15, 2);
  EXPECT_NEAR(added(work(25), {}, 128), 38, 2);
}

TEST(CoreRepeat, ALoadFromWhatItWroteWaitsForIt) {
  CoreBench bench(zen4_core());
  Block rep = bench.decode(kZero);
  Block read = bench.decode({0x48, 0x8b, 0x07}, 0x200040);
  const std::uint64_t cycles = bench.run(rep, zeroed(72)) + bench.run(read, {load(kObject + 64)});
  EXPECT_NEAR(cycles, 20, 2);  // measured: 20 to 21 cycles for the last word
}

TEST(CoreRepeat, ALaterOrdinaryStoreForwardsNormally) {
  CoreBench bench(zen4_core());
  Block rep = bench.decode(kZero);
  Block rest = bench.decode({0x48, 0x89, 0x07, 0x48, 0x8b, 0x07}, 0x200040);  // mov [rdi], rax; mov rax, [rdi]
  bench.run(rep, zeroed(72));
  bench.run(rest, {store(kObject), load(kObject)});
  EXPECT_EQ(bench.pipeline.counts().forwarded_loads, 1u);
}

// Misses that do not wait for each other overlap as far as the window reaches, and a repeated instruction takes its places in it:
// 256 entries hold 256 / (1 + 63) rounds of a load and of a rep with 63 micro-ops. What it takes of dispatch and retirement is in
// the table.
TEST(CoreRepeat, TakesItsPlacesInTheWindow) {
  CoreConfig config = plain_core();
  config.rep_micro_ops = 63;
  CoreBench bench(config);
  bench.port.place(kChased, MemoryLevel::dram, 1000);
  Block rep = bench.decode(kZero);
  Block miss = bench.decode({0x48, 0x8b, 0x0e}, 0x200040);  // mov rcx, [rsi]
  constexpr std::uint64_t kRounds = 200;
  const auto run = [&] {
    for (std::uint64_t i = 0; i < kRounds; ++i) {
      bench.run(miss, {load(kChased)});
      bench.run(rep, zeroed(72));
    }
    return bench.pipeline.retired().value;
  };
  const std::uint64_t start = run();
  EXPECT_NEAR((run() - start) / kRounds, 1000 / 4, 10);

  CoreBench alone(config);
  Block only = alone.decode(kZero);
  for (std::uint64_t i = 0; i < kRounds; ++i) alone.run(only, zeroed(72));
  EXPECT_EQ(alone.pipeline.retired().value / kRounds, 15u);
}

TEST(CoreRepeat, EachLineIsTouchedOnce) {
  CoreBench bench(zen4_core());
  Block rep = bench.decode({0xf3, 0xa4});  // rep movsb
  std::vector<Access> copied;
  for (std::uint64_t i = 0; i < 256; ++i) copied.insert(copied.end(), {load(kChased + i, 1), store(kObject + i, 1)});
  bench.run(rep, copied);
  EXPECT_EQ(bench.port.loads.size(), 4u);
  EXPECT_EQ(bench.port.stores.size(), 4u);
  EXPECT_EQ(rep.counts.front().executed, 1u);
}

}  // namespace
}  // namespace ringside::testing
