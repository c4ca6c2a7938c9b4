// Short ways through the pipeline and the first level: programs of all kinds of instructions take exactly the time, and book it
// on exactly the instructions, that they do when every instruction goes the long way.
#include <gtest/gtest.h>

#include <ostream>
#include <random>

#include "tb/tests/contract/memory_board.h"
#include "tb/tests/theory/core_bench.h"

namespace ringside::testing {
namespace {

// A memory that offers no short way.
class PlainPort final : public CorePort {
 public:
  explicit PlainPort(CoreMemory& memory) : memory_(memory) {}
  MemoryAccess load(Cycle at, std::uint64_t address, std::uint32_t size) override { return memory_.load(at, address, size); }
  MemoryAccess store(Cycle at, std::uint64_t address, std::uint32_t size) override { return memory_.store(at, address, size); }
  MemoryAccess prefetch(Cycle at, std::uint64_t address, bool write) override { return memory_.prefetch(at, address, write); }
  MemoryAccess fetch(Cycle at, std::uint64_t address) override { return memory_.fetch(at, address); }
  MemoryAccess maintain(Cycle at, std::uint64_t address, CacheMaintenance what) override {
    return memory_.maintain(at, address, what);
  }

 private:
  CoreMemory& memory_;
};

struct Program {
  const char* name;
  CoreConfig core;
  std::vector<Code> usual;  // of which most blocks consist
  std::vector<Code> rare;
  Code branch;  // conditional
};
void PrintTo(const Program& program, std::ostream* out) { *out << program.name; }

Program x86(const char* name, const CoreConfig& core) {
  return {name,
          core,
          {
              {0x48, 0x01, 0xd8},                    // add rax, rbx
              {0x48, 0x89, 0xc1},                    // mov rcx, rax
              {0x48, 0x8d, 0x54, 0x8b, 0x08},        // lea rdx, [rbx+rcx*4+8]
              {0x48, 0x0f, 0xaf, 0xc2},              // imul rax, rdx
              {0x48, 0x11, 0xca},                    // adc rdx, rcx
              {0x90},                                // nop
              {0x31, 0xc0},                          // xor eax, eax
              {0x0f, 0x44, 0xc1},                    // cmove eax, ecx
              {0x48, 0x8b, 0x06},                    // mov rax, [rsi]
              {0x48, 0x8b, 0x0c, 0xd6},              // mov rcx, [rsi+rdx*8]
              {0x48, 0x03, 0x4e, 0x08},              // add rcx, [rsi+8]
              {0x58},                                // pop rax
              {0x50},                                // push rax
              {0x48, 0x89, 0x07},                    // mov [rdi], rax
              {0x48, 0x89, 0x0c, 0xd7},              // mov [rdi+rdx*8], rcx
              {0x48, 0xff, 0x47, 0x10},              // inc qword [rdi+16]
              {0x48, 0x39, 0xd8},                    // cmp rax, rbx
          },
          {
              {0x48, 0xf7, 0xf3},                    // div rbx
              {0x0f, 0x18, 0x0e},                    // prefetcht0 [rsi]
              {0xf0, 0x48, 0x01, 0x07},              // lock add [rdi], rax
              {0x0f, 0xae, 0xf0},                    // mfence
              {0x0f, 0xae, 0xe8},                    // lfence
              {0xf3, 0x90},                          // pause
          },
          {0x75, 0x10}};                             // jne +16
}

Program aarch64(const char* name, const CoreConfig& core) {
  return {name,
          core,
          {
              {0x20, 0x00, 0x02, 0x8b},              // add x0, x1, x2
              {0xe3, 0x03, 0x00, 0xaa},              // mov x3, x0
              {0x04, 0x7c, 0x03, 0x9b},              // mul x4, x0, x3
              {0x1f, 0x00, 0x01, 0xeb},              // cmp x0, x1
              {0x25, 0x00, 0x40, 0xf9},              // ldr x5, [x1]
              {0x26, 0x68, 0x62, 0xf8},              // ldr x6, [x1, x2]
              {0x27, 0x84, 0x40, 0xf8},              // ldr x7, [x1], #8
              {0x45, 0x00, 0x00, 0xf9},              // str x5, [x2]
              {0x45, 0x8c, 0x1f, 0xf8},              // str x5, [x2, #-8]!
              {0x25, 0x18, 0x40, 0xa9},              // ldp x5, x6, [x1]
              {0x25, 0x18, 0xc1, 0xa8},              // ldp x5, x6, [x1], #16
              {0x45, 0x18, 0x00, 0xa9},              // stp x5, x6, [x2]
              {0x45, 0x18, 0x81, 0xa8},              // stp x5, x6, [x2], #16
          },
          {
              {0xbf, 0x3b, 0x03, 0xd5},              // dmb ish
              {0xbf, 0x39, 0x03, 0xd5},              // dmb ishld
              {0x9f, 0x3f, 0x03, 0xd5},              // dsb sy
              {0x00, 0x08, 0xc1, 0x9a},              // udiv x0, x0, x1
              {0x20, 0x00, 0x80, 0xf9},              // prfm pldl1keep, [x1]
          },
          {0x81, 0x00, 0x00, 0x54}};                 // b.ne +16
}

CoreConfig narrow(CoreConfig core) {
  core.rob_entries = 24;
  core.load_queue = 6;
  core.store_queue = 5;
  core.integer_registers = 14;
  core.code_line_cycles = 1;
  core.taken_branches = 2;
  core.line_instructions = 4;
  core.line_extra_cycles = 2;
  return core;
}

CoreConfig arm_core() {
  CoreConfig core = in_order_core();
  core.in_order = false;
  core.llvm = "cortex-a72";
  return core;
}

class CoreCalm : public ::testing::TestWithParam<Program> {
 protected:
  struct Way {
    explicit Way(const CoreConfig& core, bool plain)
        : board(small_memory()), port(board.core), pipeline(core, plain ? static_cast<CorePort&>(port) : board.core) {}
    MemoryBoard board;
    PlainPort port;
    Pipeline pipeline;
    std::vector<Block> blocks;
  };

  std::uint64_t draw(std::uint64_t below) { return random_() % below; }

  Code code_of_block() {
    Code code;
    for (std::uint64_t n = 1 + draw(12); n > 0; --n) {
      const bool rare = draw(24) == 0;
      const std::vector<Code>& from = rare ? GetParam().rare : GetParam().usual;
      code = code + from[draw(from.size())];
    }
    return draw(4) == 0 ? code : code + GetParam().branch;
  }

  std::vector<Access> accesses_of(const Block& block) {
    std::vector<Access> all;
    for (const Instruction& in : block.instructions) {
      const std::uint64_t lines = draw(8) == 0 ? 4000 : 40;  // of those that miss, and of those that hit
      const std::uint64_t address = MemoryBoard::address(draw(lines)) + draw(16) * 4;
      if (in.prefetch) all.push_back({address, 1, AccessKind::prefetch});
      for (unsigned i = 0; i < in.loads && !in.prefetch; ++i) all.push_back(load(address + i * 8));
      for (unsigned i = 0; i < in.stores; ++i) all.push_back(store(address + i * 8));
    }
    return all;
  }

  std::mt19937_64 random_{7};
};

TEST_P(CoreCalm, ShortWaysTakeWhatTheLongOneTakes) {
  const CoreConfig& core = GetParam().core;
  const Decoder decoder(core.isa(), core.llvm);
  Way usual(core, false), rule(core, true);
  for (std::uint64_t i = 0; i < 60; ++i) {
    const Code code = code_of_block();
    const std::uint64_t address = MemoryBoard::address(200'000) + i * 96;
    usual.blocks.push_back(decoder.decode(code, address));
    rule.blocks.push_back(decoder.decode(code, address));
    for (Instruction& in : rule.blocks.back().instructions) in.shape = Shape::other;
  }
  std::uint64_t account[2] = {};
  usual.pipeline.count_cycles_in(account[0]);
  rule.pipeline.count_cycles_in(account[1]);
  std::uint64_t calm = 0;
  for (const Block& block : usual.blocks)
    for (const Instruction& in : block.instructions) calm += in.shape != Shape::other;
  ASSERT_GT(calm, 200u);
  for (int run = 0; run < 20'000; ++run) {
    const std::size_t which = draw(8) != 0 ? draw(6) : draw(usual.blocks.size());
    const Block& block = usual.blocks[which];
    const std::vector<Access> accesses = accesses_of(block);
    const std::uint64_t next = block.address + block.size + (draw(3) == 0 ? 0x10 : 0);
    const std::uint64_t sleep = draw(500) == 0 ? draw(5000) : 0;
    for (Way* way : {&usual, &rule}) {
      way->pipeline.run(way->blocks[which], accesses, next);
      if (sleep != 0) way->pipeline.sleep(way->pipeline.retired() + Cycle{sleep});
    }
    ASSERT_EQ(usual.pipeline.retired(), rule.pipeline.retired()) << "run " << run;
    ASSERT_EQ(usual.pipeline.front(), rule.pipeline.front()) << "run " << run;
  }
  for (std::size_t b = 0; b < usual.blocks.size(); ++b) {
    usual.blocks[b].settle_counts();
    rule.blocks[b].settle_counts();
    for (std::size_t i = 0; i < usual.blocks[b].counts.size(); ++i)
      EXPECT_EQ(usual.blocks[b].counts[i], rule.blocks[b].counts[i]) << "block " << b << ", instruction " << i;
  }
  EXPECT_EQ(usual.board.core.counts(), rule.board.core.counts());
  EXPECT_EQ(account[0], account[1]);
  EXPECT_EQ(usual.pipeline.counts().loads, rule.pipeline.counts().loads);
  EXPECT_EQ(usual.pipeline.counts().stores, rule.pipeline.counts().stores);
  EXPECT_EQ(usual.pipeline.counts().forwarded_loads, rule.pipeline.counts().forwarded_loads);
  EXPECT_GT(usual.pipeline.counts().forwarded_loads, 50u);
}

INSTANTIATE_TEST_SUITE_P(Cores, CoreCalm,
                         ::testing::Values(x86("Plain", plain_core()), x86("Zen4", zen4_core()), x86("Narrow", narrow(plain_core())),
                                         aarch64("OutOfOrder", arm_core()), aarch64("NarrowOutOfOrder", narrow(arm_core())),
                                         aarch64("InOrder", in_order_core())),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace ringside::testing
