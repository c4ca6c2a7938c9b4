// RAM that is mapped for speed: every kind of store does what it does to RAM that is mapped plainly, and hooks see the same.
#include "model/core/engine_memory.h"

#include <gtest/gtest.h>
#include <unicorn/unicorn.h>

#include <algorithm>
#include <ostream>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "model/guest/contract.h"
#include "tb/scenario/data_dir.h"

namespace ringside::test {
namespace {

constexpr Bytes kRam = mebibytes(16);
constexpr std::uint64_t kPage = 4096;
constexpr std::uint64_t kPattern = 0x9e3779b97f4a7c15;  // what RAM holds before

// Stores of all sizes around a page boundary in rdi.
constexpr std::uint8_t kX86[] = {
    0x48, 0xb8, 0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11,  // movabs $0x1122334455667788,%rax
    0x88, 0x47, 0x10,                                            // mov %al,0x10(%rdi)
    0x66, 0x89, 0x47, 0x21,                                      // mov %ax,0x21(%rdi)
    0x89, 0x47, 0x32,                                            // mov %eax,0x32(%rdi)
    0x48, 0x89, 0x47, 0x43,                                      // mov %rax,0x43(%rdi)
    0x48, 0x89, 0x47, 0xfd,                                      // mov %rax,-0x3(%rdi)
    0x66, 0x48, 0x0f, 0x6e, 0xc0,                                // movq %rax,%xmm0
    0x66, 0x0f, 0x6c, 0xc0,                                      // punpcklqdq %xmm0,%xmm0
    0x0f, 0x11, 0x47, 0x55,                                      // movups %xmm0,0x55(%rdi)
    0x0f, 0x11, 0x87, 0xf9, 0x0f, 0x00, 0x00,                    // movups %xmm0,0xff9(%rdi)
    0x48, 0x8d, 0xa7, 0x00, 0x20, 0x00, 0x00,                    // lea 0x2000(%rdi),%rsp
    0x50,                                                        // push %rax
    0xe8, 0x00, 0x00, 0x00, 0x00,                                // call .+5
    0x5b,                                                        // pop %rbx
    0xf0, 0x48, 0x0f, 0xc1, 0x87, 0x80, 0x00, 0x00, 0x00,        // lock xadd %rax,0x80(%rdi)
    0x87, 0x87, 0x91, 0x00, 0x00, 0x00,                          // xchg %eax,0x91(%rdi)
    0xf0, 0x48, 0x0f, 0xb1, 0xb7, 0xa0, 0x00, 0x00, 0x00,        // lock cmpxchg %rsi,0xa0(%rdi)
    0x48, 0x8b, 0x87, 0xb0, 0x00, 0x00, 0x00,                    // mov 0xb0(%rdi),%rax
    0x48, 0x8b, 0x97, 0xb8, 0x00, 0x00, 0x00,                    // mov 0xb8(%rdi),%rdx
    0xf0, 0x48, 0x0f, 0xc7, 0x8f, 0xb0, 0x00, 0x00, 0x00,        // lock cmpxchg16b 0xb0(%rdi)
    0xf0, 0xff, 0x87, 0xfe, 0x0f, 0x00, 0x00,                    // lock incl 0xffe(%rdi)
    0x49, 0x89, 0xf8,                                            // mov %rdi,%r8
    0x48, 0x8d, 0xbf, 0xa0, 0x4f, 0x00, 0x00,                    // lea 0x4fa0(%rdi),%rdi
    0xb9, 0x90, 0x00, 0x00, 0x00,                                // mov $0x90,%ecx
    0xf3, 0xaa,                                                  // rep stos %al,%es:(%rdi)
    0x49, 0x8d, 0xb0, 0xfc, 0x0f, 0x00, 0x00,                    // lea 0xffc(%r8),%rsi
    0x49, 0x8d, 0xb8, 0x01, 0x30, 0x00, 0x00,                    // lea 0x3001(%r8),%rdi
    0xb9, 0x21, 0x00, 0x00, 0x00,                                // mov $0x21,%ecx
    0xf3, 0x48, 0xa5,                                            // rep movsq %ds:(%rsi),%es:(%rdi)
};
constexpr std::size_t kX86First = 28;  // bytes up to the first store that crosses the boundary, that included

// The same for x0.
constexpr std::uint8_t kAarch64[] = {
    0x01, 0xf1, 0x8e, 0xd2,  // mov x1, #0x7788
    0xc1, 0xac, 0xaa, 0xf2,  // movk x1, #0x5566, lsl #16
    0x81, 0x68, 0xc6, 0xf2,  // movk x1, #0x3344, lsl #32
    0x41, 0x24, 0xe2, 0xf2,  // movk x1, #0x1122, lsl #48
    0x01, 0x40, 0x00, 0x39,  // strb w1, [x0, #16]
    0x01, 0x10, 0x02, 0x78,  // sturh w1, [x0, #33]
    0x01, 0x20, 0x03, 0xb8,  // stur w1, [x0, #50]
    0x01, 0x30, 0x04, 0xf8,  // stur x1, [x0, #67]
    0x01, 0xd0, 0x1f, 0xf8,  // stur x1, [x0, #-3]
    0x01, 0x80, 0x05, 0xa9,  // stp x1, x0, [x0, #88]
    0x20, 0x0c, 0x08, 0x4e,  // dup v0.2d, x1
    0x00, 0x18, 0x80, 0x3d,  // str q0, [x0, #96]
    0x02, 0x1c, 0x00, 0xd1,  // sub x2, x0, #0x7
    0x40, 0x00, 0x80, 0x3d,  // str q0, [x2]
    0x40, 0x00, 0x10, 0xad,  // stp q0, q0, [x2, #512]
    0x03, 0x00, 0x0c, 0x91,  // add x3, x0, #0x300
    0x64, 0xfc, 0x5f, 0xc8,  // ldaxr x4, [x3]
    0x84, 0x00, 0x01, 0x8b,  // add x4, x4, x1
    0x64, 0xfc, 0x05, 0xc8,  // stlxr w5, x4, [x3]
    0xa5, 0xff, 0xff, 0x35,  // cbnz w5, .-12
    0x66, 0x00, 0xe1, 0xf8,  // ldaddal x1, x6, [x3]
    0x61, 0xfc, 0xe6, 0xc8,  // casal x6, x1, [x3]
    0xe8, 0x03, 0x01, 0xaa,  // mov x8, x1
    0xe9, 0x03, 0x01, 0xaa,  // mov x9, x1
    0xea, 0x03, 0x00, 0xaa,  // mov x10, x0
    0xeb, 0x03, 0x01, 0xaa,  // mov x11, x1
    0x07, 0x00, 0x10, 0x91,  // add x7, x0, #0x400
    0xec, 0x34, 0x7f, 0xc8,  // ldxp x12, x13, [x7]
    0xe8, 0x2c, 0x25, 0xc8,  // stxp w5, x8, x11, [x7]
    0xc5, 0xff, 0xff, 0x35,  // cbnz w5, .-8
    0xea, 0x7c, 0x28, 0x48,  // casp x8, x9, x10, x11, [x7]
    0x66, 0x80, 0x21, 0xb8,  // swp w1, w6, [x3]
    0x40, 0x70, 0x9f, 0x4c,  // st1 {v0.16b}, [x2], #16
    0x02, 0x04, 0x40, 0x91,  // add x2, x0, #0x1, lsl #12
    0x42, 0x80, 0x00, 0xd1,  // sub x2, x2, #0x20
    0x41, 0x8c, 0x00, 0xf8,  // str x1, [x2, #8]!
    0x22, 0x74, 0x0b, 0xd5,  // dc zva, x2
};
constexpr std::size_t kAarch64First = 36;

// A loop of two rounds whose first instruction, at the beginning, loads 1, and is made to load 2. What it loaded last is
// stored where rdi or x0 says.
constexpr std::uint8_t kX86Patch[] = {
    0xb8, 0x01, 0x00, 0x00, 0x00,              // mov $0x1,%eax
    0xc6, 0x05, 0xf5, 0xff, 0xff, 0xff, 0x02,  // movb $0x2,-0xb(%rip)
    0xff, 0xc3,                                // inc %ebx
    0x83, 0xfb, 0x02,                          // cmp $0x2,%ebx
    0x75, 0xed,                                // jne to the beginning
    0x48, 0x89, 0x07,                          // mov %rax,(%rdi)
};
constexpr std::uint8_t kAarch64Patch[] = {
    0x21, 0x00, 0x80, 0x52,  // mov w1, #1
    0xe2, 0xff, 0xff, 0x10,  // adr x2, to the beginning
    0x23, 0x08, 0x80, 0x52,  // mov w3, #0x0041
    0x03, 0x50, 0xaa, 0x72,  // movk w3, #0x5280, lsl #16
    0x43, 0x00, 0x00, 0xb9,  // str w3, [x2]
    0x84, 0x04, 0x00, 0x11,  // add w4, w4, #1
    0x9f, 0x08, 0x00, 0x71,  // cmp w4, #2
    0x21, 0xff, 0xff, 0x54,  // b.ne to the beginning
    0x01, 0x00, 0x00, 0xf9,  // str x1, [x0]
};

using Store = std::tuple<std::uint64_t, int, std::int64_t>;  // address, size, value

struct Outcome {
  uc_err error = UC_ERR_OK;
  std::vector<Store> stores;
  std::vector<std::uint8_t> ram;
  bool operator==(const Outcome&) const = default;
};

void on_store(uc_engine*, uc_mem_type, std::uint64_t address, int size, std::int64_t value, void* user) {
  static_cast<std::vector<Store>*>(user)->emplace_back(address, size, value);
}

enum class Mapping { plain, fast };

class EngineMemory : public testing::TestWithParam<const char*> {
 protected:
  bool x86() const { return std::string(GetParam()) == "x86-64"; }
  std::span<const std::uint8_t> program() const { return x86() ? std::span<const std::uint8_t>(kX86) : kAarch64; }

  // Runs a program, which lies in the second page of the code, around the boundary `at`.
  Outcome run(Mapping mapping, std::uint64_t at, std::span<const std::uint8_t> code) const {
    PhysicalMemory memory(PhysAddr{guest::kRamBase}, kRam);
    std::uint8_t* const ram = memory.host(memory.base());
    for (std::uint64_t i = 0; i < kRam.value; ++i) ram[i] = static_cast<std::uint8_t>((i * kPattern) >> 56);
    image_.load(memory);
    std::copy(code.begin(), code.end(), memory.host(PhysAddr{image_.text_begin() + kPage}));

    uc_engine* engine = nullptr;
    EXPECT_EQ(uc_open(x86() ? UC_ARCH_X86 : UC_ARCH_ARM64, x86() ? UC_MODE_64 : UC_MODE_ARM, &engine), UC_ERR_OK);
    EXPECT_EQ(uc_ctl_set_cpu_model(engine, x86() ? static_cast<int>(UC_CPU_X86_ICELAKE_SERVER) : static_cast<int>(UC_CPU_ARM64_MAX)), UC_ERR_OK);
    std::unique_ptr<ringside::EngineMemory> engine_memory;
    if (mapping == Mapping::fast)
      engine_memory = std::make_unique<ringside::EngineMemory>(engine, image_, memory);
    else
      EXPECT_EQ(uc_mem_map_ptr(engine, guest::kRamBase, kRam.value, UC_PROT_ALL, ram), UC_ERR_OK);
    Outcome outcome;
    uc_hook hook;
    EXPECT_EQ(uc_hook_add(engine, &hook, UC_HOOK_MEM_WRITE, reinterpret_cast<void*>(on_store), &outcome.stores, 1, 0), UC_ERR_OK);
    EXPECT_EQ(uc_reg_write(engine, x86() ? static_cast<int>(UC_X86_REG_RDI) : static_cast<int>(UC_ARM64_REG_X0), &at), UC_ERR_OK);
    const std::uint64_t begin = image_.text_begin() + kPage;
    outcome.error = uc_emu_start(engine, begin, begin + code.size(), 0, 0);
    uc_close(engine);
    outcome.ram.assign(ram, ram + kRam.value);
    return outcome;
  }

  void expect_same(std::uint64_t at, std::span<const std::uint8_t> code, std::size_t least_stores) const {
    const Outcome plain = run(Mapping::plain, at, code), fast = run(Mapping::fast, at, code);
    EXPECT_EQ(plain.error, UC_ERR_OK);
    EXPECT_EQ(fast.error, UC_ERR_OK);
    EXPECT_GE(plain.stores.size(), least_stores);
    EXPECT_EQ(plain.stores, fast.stores);
    EXPECT_TRUE(plain.ram == fast.ram);
  }

  const Image image_{(data_directory() / "test-images" / ("bench-" + std::string(GetParam()) + "-gcc-none.elf")).string(),
                     PhysAddr{guest::kRamBase + kRam.value}};
};

TEST_P(EngineMemory, StoresReachData) { expect_same(0x80'0000, program(), 20); }

TEST_P(EngineMemory, StoresCrossFromCodeToData) {
  expect_same((image_.text_end() + kPage - 1) / kPage * kPage, program(), 20);
}

TEST_P(EngineMemory, StoresCrossFromDataToCode) { expect_same(image_.text_begin(), program().first(x86() ? kX86First : kAarch64First), 5); }

TEST_P(EngineMemory, CodeThatIsOverwrittenIsTranslatedAnew) {
  const std::span<const std::uint8_t> patch = x86() ? std::span<const std::uint8_t>(kX86Patch) : kAarch64Patch;
  constexpr std::uint64_t kAt = 0x80'0000;
  // Mapped plainly, x86-64's store into the block that is running comes twice: only what is in RAM is compared.
  const Outcome fast = run(Mapping::fast, kAt, patch);
  EXPECT_EQ(fast.ram[kAt - guest::kRamBase], 2);
  EXPECT_TRUE(fast.ram == run(Mapping::plain, kAt, patch).ram);
}

// Nothing is written beyond RAM's end, and the guest faults there.
TEST_P(EngineMemory, StoresStopAtTheEndOfRam) {
  const std::uint64_t end = guest::kRamBase + kRam.value;
  const Outcome fast = run(Mapping::fast, end, program().first(x86() ? kX86First : kAarch64First));
  EXPECT_EQ(fast.error, UC_ERR_WRITE_UNMAPPED);
}

INSTANTIATE_TEST_SUITE_P(Isa, EngineMemory, testing::Values("x86-64", "aarch64"),
                         [](const auto& info) { return std::string(info.param) == "aarch64" ? "AArch64" : "X86"; });

}  // namespace
}  // namespace ringside::test
