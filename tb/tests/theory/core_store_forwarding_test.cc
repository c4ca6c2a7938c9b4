// Loads that find their data among the stores which have not reached the cache yet.
#include <gtest/gtest.h>

#include "tb/tests/theory/core_bench.h"

namespace ringside::testing {
namespace {

constexpr std::uint64_t kSlot = 0x300000;

TEST(CoreStoreForwarding, AForwardedLoadTakesItsLatency) {
  CoreBench bench(plain_core());
  Block block = bench.decode(times(50, Code{0x48, 0x89, 0x07, 0x48, 0x8b, 0x07}));  // mov [rdi], rax; mov rax, [rdi]
  std::vector<Access> accesses;
  for (int i = 0; i < 50; ++i) accesses.insert(accesses.end(), {store(kSlot), load(kSlot)});
  EXPECT_EQ(bench.steady(block, 4, accesses), 4u * 50 * 5);
  EXPECT_EQ(bench.pipeline.counts().forwarded_loads, 8u * 50);
}

TEST(CoreStoreForwarding, AReadModifyWriteChainTakesForwardingPlusTheAdd) {
  CoreBench bench(plain_core());
  Block block = bench.decode(times(50, Code{0x48, 0x01, 0x07}));  // add [rdi], rax
  std::vector<Access> accesses;
  for (int i = 0; i < 50; ++i) accesses.insert(accesses.end(), {load(kSlot), store(kSlot)});
  EXPECT_EQ(bench.steady(block, 4, accesses), 4u * 50 * 6);
}

TEST(CoreStoreForwarding, TwoStoresForOneLoadFail) {
  // mov [rdi], eax; mov [rdi+4], eax; mov rax, [rdi]: the load waits until both are in the cache.
  CoreBench bench(plain_core());
  Block block = bench.decode(times(20, Code{0x89, 0x07, 0x89, 0x47, 0x04, 0x48, 0x8b, 0x07}));
  std::vector<Access> accesses;
  for (int i = 0; i < 20; ++i) accesses.insert(accesses.end(), {store(kSlot, 4), store(kSlot + 4, 4), load(kSlot)});
  // Store executed: 1; retired and in the first level: 5 (the mock's hit); second store one cycle behind: 1;
  // penalty: 12.
  EXPECT_NEAR(bench.steady(block, 4, accesses), 4.0 * 20 * (1 + 5 + 1 + 12), 4.0 * 20);
  EXPECT_EQ(bench.pipeline.counts().forwarded_loads, 0u);
}

TEST(CoreStoreForwarding, ALoadInsideAStoreIsForwarded) {
  CoreBench bench(plain_core());
  Block block = bench.decode({0x48, 0x89, 0x07, 0x8b, 0x47, 0x04});  // mov [rdi], rax; mov eax, [rdi+4]
  bench.run(block, {store(kSlot), load(kSlot + 4, 4)});
  EXPECT_EQ(bench.pipeline.counts().forwarded_loads, 1u);
}

TEST(CoreStoreForwarding, ACommittedStoreIsOutOfTheWay) {
  CoreBench bench(plain_core());
  Block first = bench.decode({0x89, 0x07});                   // mov [rdi], eax
  Block second = bench.decode({0x48, 0x8b, 0x07}, 0x200040);  // mov rax, [rdi]
  bench.run(first, {store(kSlot, 4)});
  bench.pipeline.sleep(bench.pipeline.retired() + Cycle{100});
  EXPECT_EQ(bench.run(second, {load(kSlot)}), bench.port.load_to_use);
}

}  // namespace
}  // namespace ringside::testing
