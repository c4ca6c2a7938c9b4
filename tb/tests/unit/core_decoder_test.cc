#include <gtest/gtest.h>

#include <algorithm>

#include "model/base/errors.h"
#include "model/core/decoder.h"

namespace ringside {
namespace {

using Code = std::vector<std::uint8_t>;

Instruction x86(const Code& code, const char* cpu = "icelake-server") {
  return Decoder(Architecture::x86_64, cpu).decode(code, 0x1000).instructions.front();
}

Instruction arm(std::uint32_t word, const char* cpu = "cortex-a72") {
  const Code code{static_cast<std::uint8_t>(word), static_cast<std::uint8_t>(word >> 8),
                  static_cast<std::uint8_t>(word >> 16), static_cast<std::uint8_t>(word >> 24)};
  return Decoder(Architecture::aarch64, cpu).decode(code, 0x1000).instructions.front();
}

bool shares(const Instruction& producer, const Instruction& consumer) {
  const auto* begin = consumer.source.begin();
  for (unsigned i = 0; i < producer.results; ++i)
    if (std::find(begin, begin + consumer.sources, producer.result[i]) != begin + consumer.sources) return true;
  return false;
}

TEST(CoreDecoder, KnowsTheCoresWindowFromLlvm) {
  const MachineModel icelake = Decoder(Architecture::x86_64, "icelake-server").machine();
  EXPECT_EQ(icelake.reorder_buffer, 352u);
  EXPECT_EQ(icelake.load_latency, 5u);
  EXPECT_EQ(Decoder(Architecture::x86_64, "znver4").machine().issue_width, 6u);
  EXPECT_EQ(Decoder(Architecture::x86_64, "broadwell").machine().reorder_buffer, 192u);
  EXPECT_EQ(Decoder(Architecture::aarch64, "cortex-a72").machine().reorder_buffer, 128u);
  EXPECT_EQ(Decoder(Architecture::aarch64, "cortex-a53").machine().issue_width, 2u);
}

TEST(CoreDecoder, RefusesAnUnknownCore) {
  EXPECT_THROW(Decoder(Architecture::x86_64, "cortex-a72"), InputError);
  EXPECT_THROW(Decoder(Architecture::x86_64, ""), InputError);
}

TEST(CoreDecoder, NamesOfOneRegisterShareStorage) {
  const Instruction add = x86({0x48, 0x01, 0xd8});         // add rax, rbx
  EXPECT_TRUE(shares(add, x86({0x89, 0xc1})));             // mov ecx, eax
  EXPECT_TRUE(shares(add, x86({0x88, 0xc1})));             // mov cl, al
  EXPECT_TRUE(shares(add, x86({0x88, 0xe1})));             // mov cl, ah
  EXPECT_TRUE(shares(add, x86({0x74, 0x00})));             // je: the flags
  EXPECT_FALSE(shares(add, x86({0x48, 0x89, 0xd1})));      // mov rcx, rdx
  const Instruction word = arm(0x0b010000);                // add w0, w0, w1
  EXPECT_TRUE(shares(word, arm(0x91000400)));              // add x0, x0, #1
  EXPECT_FALSE(shares(arm(0xeb01001f), arm(0xaa1f03e0)));  // cmp x0, x1; mov x0, xzr
}

TEST(CoreDecoder, APartialWriteDependsOnTheRest) {
  const Instruction set = x86({0x0f, 0x95, 0xc0});  // setne al
  EXPECT_TRUE(shares(x86({0x48, 0x01, 0xd8}), set));
  const Instruction extend = x86({0x0f, 0xb6, 0xc3});  // movzx eax, bl
  EXPECT_FALSE(shares(extend, extend));
}

TEST(CoreDecoder, ZeroIdiomsDependOnNothing) {
  const Instruction clear = x86({0x31, 0xc0});  // xor eax, eax
  EXPECT_EQ(clear.sources, 0);
  EXPECT_EQ(clear.latency, 0);
  EXPECT_FALSE(clear.uses_alu);
  EXPECT_EQ(x86({0x31, 0xd8}).sources, 2);  // xor eax, ebx
}

TEST(CoreDecoder, LoadLatencyIsLeftToTheMemory) {
  for (const char* cpu : {"icelake-server", "broadwell", "znver4"}) {
    EXPECT_EQ(x86({0x48, 0x8b, 0x07}, cpu).latency, 0) << cpu;  // mov rax, [rdi]
    const Instruction add = x86({0x48, 0x03, 0x07}, cpu);       // add rax, [rdi]
    EXPECT_EQ(add.latency, 1) << cpu;
    EXPECT_EQ(add.micro_ops, 1) << cpu;
    EXPECT_EQ(add.address_sources, 1) << cpu;
    EXPECT_EQ(add.sources, 2) << cpu;
    const Instruction increment = x86({0x48, 0xff, 0x07}, cpu);  // inc qword ptr [rdi]
    EXPECT_EQ(increment.latency, 1) << cpu;
    EXPECT_EQ(increment.loads, 1) << cpu;
    EXPECT_EQ(increment.stores, 1) << cpu;
  }
  EXPECT_EQ(arm(0xf9400020).latency, 0);  // ldr x0, [x1]
  EXPECT_EQ(arm(0xf9400020, "cortex-a53").latency, 0);
}

TEST(CoreDecoder, InOrderLatencyIsWhatAForwardedConsumerSees) {
  EXPECT_EQ(arm(0x91000400, "cortex-a53").latency, 1);  // add x0, x0, #1
}

TEST(CoreDecoder, CountsAccessesAsTheEmulatorReportsThem) {
  struct Row {
    Code code;
    int loads;
    int stores;
  };
  const std::vector<Row> rows{
      {{0x50}, 0, 1},                    // push rax
      {{0x58}, 1, 0},                    // pop rax
      {{0xff, 0x37}, 1, 1},              // push [rdi]
      {{0xe8, 0, 0, 0, 0}, 0, 1},        // call
      {{0xff, 0xd0}, 0, 1},              // call rax
      {{0xff, 0x10}, 1, 1},              // call [rax]
      {{0xff, 0x20}, 1, 0},              // jmp [rax]
      {{0xc3}, 1, 0},                    // ret
      {{0xc9}, 1, 0},                    // leave
      {{0x48, 0xa5}, 1, 1},              // movsq
      {{0x48, 0xab}, 0, 1},              // stosq
      {{0x48, 0x87, 0x07}, 1, 1},        // xchg [rdi], rax
      {{0x0f, 0x10, 0x07}, 2, 0},        // movups xmm0, [rdi]
      {{0x0f, 0x11, 0x07}, 0, 2},        // movups [rdi], xmm0
      {{0x66, 0x0f, 0x1f, 0x00}, 0, 0},  // nop word ptr [rax]
      {{0x48, 0x8d, 0x47, 0x08}, 0, 0},  // lea rax, [rdi+8]
      {{0x0f, 0x18, 0x0f}, 0, 0},        // prefetcht0 [rdi]
      {{0x0f, 0xae, 0xe8}, 0, 0},        // lfence
      {{0xf3, 0x90}, 0, 0},              // pause
  };
  for (const Row& row : rows) {
    const Instruction in = x86(row.code);
    EXPECT_EQ(in.loads, row.loads) << Decoder(Architecture::x86_64, "icelake-server").disassemble(row.code, 0);
    EXPECT_EQ(in.stores, row.stores) << Decoder(Architecture::x86_64, "icelake-server").disassemble(row.code, 0);
  }
  EXPECT_EQ(arm(0xa8c107e0).loads, 2);   // ldp x0, x1, [sp], #16
  EXPECT_EQ(arm(0xa9bf07e0).stores, 2);  // stp x0, x1, [sp, #-16]!
  EXPECT_EQ(arm(0xc85f7c20).stores, 0);  // ldxr x0, [x1]
  EXPECT_EQ(arm(0xc8027c20).loads, 0);   // stxr w2, x0, [x1]
  EXPECT_EQ(arm(0xd503201f).loads, 0);   // nop
}

TEST(CoreDecoder, BasesAndTheStackPointerAreReadyEarly) {
  const Instruction pop = x86({0x58});
  EXPECT_EQ(pop.early_results, 1);
  EXPECT_EQ(pop.early_latency, 0);
  EXPECT_EQ(pop.results, 2);
  EXPECT_EQ(pop.micro_ops, 1);
  const Instruction post = arm(0xf8408441);  // ldr x1, [x2], #8
  EXPECT_EQ(post.early_results, 1);
  EXPECT_EQ(post.early_latency, 1);
  EXPECT_EQ(post.result[0], post.source[0]);
  EXPECT_EQ(post.address_sources, 1);
  const Instruction pair = arm(0xa9bf07e0);  // stp x0, x1, [sp, #-16]!
  EXPECT_EQ(pair.address_sources, 1);
  EXPECT_EQ(pair.sources, 3);
  EXPECT_EQ(pair.early_results, 1);
}

TEST(CoreDecoder, KindsOfBranches) {
  EXPECT_EQ(x86({0x74, 0x00}).branch, BranchKind::conditional);
  EXPECT_EQ(x86({0xeb, 0x00}).branch, BranchKind::direct_jump);
  EXPECT_EQ(x86({0xe8, 0, 0, 0, 0}).branch, BranchKind::direct_call);
  EXPECT_EQ(x86({0xff, 0xd0}).branch, BranchKind::indirect_call);
  EXPECT_EQ(x86({0xff, 0xe0}).branch, BranchKind::indirect_jump);
  EXPECT_EQ(x86({0xc3}).branch, BranchKind::function_return);
  EXPECT_EQ(arm(0x54000000).branch, BranchKind::conditional);      // b.eq
  EXPECT_EQ(arm(0xb4000000).branch, BranchKind::conditional);      // cbz x0
  EXPECT_EQ(arm(0x14000000).branch, BranchKind::direct_jump);      // b
  EXPECT_EQ(arm(0x94000000).branch, BranchKind::direct_call);      // bl
  EXPECT_EQ(arm(0xd63f0000).branch, BranchKind::indirect_call);    // blr x0
  EXPECT_EQ(arm(0xd61f0000).branch, BranchKind::indirect_jump);    // br x0
  EXPECT_EQ(arm(0xd65f03c0).branch, BranchKind::function_return);  // ret
}

TEST(CoreDecoder, BarriersAndStringInstructions) {
  EXPECT_EQ(x86({0x0f, 0xae, 0xe8}).barrier, Barrier::load_fence);
  EXPECT_EQ(x86({0x0f, 0xae, 0xf8}).barrier, Barrier::store_fence);
  EXPECT_EQ(x86({0x0f, 0xae, 0xf0}).barrier, Barrier::full_fence);
  EXPECT_EQ(x86({0x0f, 0xa2}).barrier, Barrier::serialise);
  EXPECT_EQ(x86({0xf3, 0x90}).barrier, Barrier::pause);
  EXPECT_EQ(x86({0x90}).barrier, Barrier::none);  // nop
  EXPECT_EQ(x86({0x48, 0x87, 0x07}).barrier, Barrier::locked);
  EXPECT_EQ(x86({0x48, 0x93}).barrier, Barrier::none);       // xchg rbx, rax
  EXPECT_EQ(arm(0xd5033bbf).barrier, Barrier::full_fence);   // dmb ish
  EXPECT_EQ(arm(0xd50339bf).barrier, Barrier::load_order);   // dmb ishld
  EXPECT_EQ(arm(0xd50332bf).barrier, Barrier::store_fence);  // dmb oshst
  EXPECT_EQ(arm(0xd5033f9f).barrier, Barrier::full_stop);    // dsb sy
  EXPECT_EQ(arm(0xd5033fdf).barrier, Barrier::serialise);    // isb
  const Instruction zero = x86({0xf3, 0x48, 0xab});
  EXPECT_EQ(zero.repeat, Repeat::store);
  EXPECT_EQ(zero.element_size, 8);
  EXPECT_EQ(x86({0xf3, 0xab}).element_size, 4);
  EXPECT_EQ(x86({0xf3, 0xa4}).repeat, Repeat::move);
  EXPECT_EQ(x86({0x48, 0xab}).repeat, Repeat::none);
}

TEST(CoreDecoder, ALockPrefixBelongsToItsInstruction) {
  const Block block = Decoder(Architecture::x86_64, "znver4").decode(Code{0x90, 0xf0, 0x48, 0x01, 0x07, 0x90}, 0x1000);
  ASSERT_EQ(block.instructions.size(), 3u);
  EXPECT_EQ(block.instructions[1].address, 0x1001u);
  EXPECT_EQ(block.instructions[1].length, 4);
  EXPECT_EQ(block.instructions[1].barrier, Barrier::locked);
  EXPECT_EQ(block.counts.size(), 3u);
}

TEST(CoreDecoder, ACompareAndItsJumpAreOneSlot) {
  const Decoder decoder(Architecture::x86_64, "icelake-server");
  const auto jump_slots = [&](const Code& code) { return int{decoder.decode(code, 0).instructions.back().micro_ops}; };
  EXPECT_EQ(jump_slots({0x48, 0x39, 0xd8, 0x75, 0x00}), 0);        // cmp rax, rbx; jne
  EXPECT_EQ(jump_slots({0x48, 0x83, 0xc0, 0x01, 0x75, 0x00}), 0);  // add rax, 1; jne
  EXPECT_EQ(jump_slots({0x80, 0x3f, 0x00, 0x75, 0x00}), 1);        // cmp byte ptr [rdi], 0; jne
  EXPECT_EQ(jump_slots({0x48, 0x0f, 0xaf, 0xc3, 0x75, 0x00}), 1);  // imul rax, rbx; jne
  EXPECT_EQ(jump_slots({0x48, 0x39, 0xd8, 0x90, 0x75, 0x00}), 1);  // not adjacent
}

TEST(CoreDecoder, ByteThatIsNoInstructionIsStillCounted) {
  const Block block = Decoder(Architecture::x86_64, "znver4").decode(Code{0x06, 0x90}, 0x1000);
  ASSERT_EQ(block.instructions.size(), 2u);
  EXPECT_EQ(block.instructions[0].length, 1);
  EXPECT_EQ(block.instructions[0].micro_ops, 1);
}

TEST(CoreDecoder, Disassembles) {
  EXPECT_EQ(Decoder(Architecture::x86_64, "znver4").disassemble(Code{0x48, 0x8b, 0x07}, 0), "mov rax, qword ptr [rdi]");
  EXPECT_EQ(Decoder(Architecture::x86_64, "znver4").disassemble(Code{0x06}, 0), "(bad)");
  const Decoder decoder(Architecture::x86_64, "znver4");
  EXPECT_EQ(decoder.disassemble(Code{0xf3, 0x48, 0xab}, 0), "rep stosq qword ptr es:[rdi], rax");
  EXPECT_EQ(decoder.disassemble(Code{0xf0, 0x48, 0xff, 0x07}, 0), "lock inc qword ptr [rdi]");
  EXPECT_EQ(decoder.disassemble(Code{0xe8, 0x0b, 0x00, 0x00, 0x00}, 0x1000), "call 0x1010");
}

TEST(CoreDecoder, KnowsWhereDirectBranchesLead) {
  const Decoder x86(Architecture::x86_64, "znver4");
  EXPECT_EQ(x86.branch_target(Code{0xe8, 0x0b, 0x00, 0x00, 0x00}, 0x1000), 0x1010u);  // call
  EXPECT_EQ(x86.branch_target(Code{0x75, 0xfe}, 0x1000), 0x1000u);                    // jne
  EXPECT_EQ(x86.branch_target(Code{0xff, 0xe0}, 0x1000), std::nullopt);               // jmp rax
  EXPECT_EQ(x86.branch_target(Code{0x48, 0x8b, 0x07}, 0x1000), std::nullopt);
  const Decoder arm(Architecture::aarch64, "cortex-a72");
  EXPECT_EQ(arm.branch_target(Code{0x04, 0x00, 0x00, 0x94}, 0x1000), 0x1010u);  // bl
  EXPECT_EQ(arm.branch_target(Code{0xc0, 0x03, 0x5f, 0xd6}, 0x1000), std::nullopt);  // ret
}

TEST(CoreDecoder, FindsPrefetchesAndTheirAddresses) {
  // prefetchw [rdi+rcx*8+16]; prefetcht0 [rip+0x100]; nop; clflushopt [rdi]
  const Code code{0x0f, 0x0d, 0x4c, 0xcf, 0x10, 0x0f, 0x18, 0x0d, 0x00, 0x01, 0x00, 0x00, 0x90, 0x66, 0x0f, 0xae, 0x3f};
  const auto found = Decoder(Architecture::x86_64, "znver4").find_cache_operations(code, 0x1000);
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[0].kind, CacheOperationKind::prefetch_write);
  EXPECT_EQ(found[0].address, 0x1000u);
  EXPECT_EQ(found[0].base, "RDI");
  EXPECT_EQ(found[0].index, "RCX");
  EXPECT_EQ(found[0].shift, 3u);
  EXPECT_EQ(found[0].displacement, 16);
  EXPECT_EQ(found[1].kind, CacheOperationKind::prefetch);
  EXPECT_EQ(found[1].base, "");
  EXPECT_EQ(found[1].displacement, 0x100c + 0x100);
  EXPECT_EQ(found[2].kind, CacheOperationKind::clean_invalidate);
  EXPECT_EQ(found[2].base, "RDI");
  EXPECT_EQ(found[2].address, 0x100du);
}

TEST(CoreDecoder, FindsArmPrefetchesAndMaintenance) {
  // prfm pldl1keep, [x0, #64]; prfm pstl1keep, [x0, w1, sxtw #3]; dc civac, x3; dc zva, x4; dmb ish
  const Code code{0x00, 0x20, 0x80, 0xf9, 0x10, 0xd8, 0xa1, 0xf8, 0x23, 0x7e,
                  0x0b, 0xd5, 0x24, 0x74, 0x0b, 0xd5, 0xbf, 0x3b, 0x03, 0xd5};
  const auto found = Decoder(Architecture::aarch64, "cortex-a72").find_cache_operations(code, 0x1000);
  ASSERT_EQ(found.size(), 4u);
  EXPECT_EQ(found[0].kind, CacheOperationKind::prefetch);
  EXPECT_EQ(found[0].base, "X0");
  EXPECT_EQ(found[0].displacement, 64);
  EXPECT_EQ(found[1].kind, CacheOperationKind::prefetch_write);
  EXPECT_EQ(found[1].index, "W1");
  EXPECT_TRUE(found[1].index_signed);
  EXPECT_EQ(found[1].shift, 3u);
  EXPECT_EQ(found[2].kind, CacheOperationKind::clean_invalidate);
  EXPECT_EQ(found[2].base, "X3");
  EXPECT_EQ(found[3].kind, CacheOperationKind::zero);
}

}  // namespace
}  // namespace ringside
