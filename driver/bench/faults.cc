// Guests that go wrong.
#include "driver/bench/programs.h"
#include "driver/kernel/io.h"
#include "model/guest/contract.h"

noinline static void read_null(u32, u32) { READ_ONCE(*reinterpret_cast<u64*>(8)); }

noinline static void write_unmapped(u32, u32) { WRITE_ONCE(*reinterpret_cast<u64*>(0x5000'0000), u64{1}); }

noinline static void spin_for_ever(u32, u32) {
  for (;;) asm volatile("");
}

noinline static void undefined_instruction(u32, u32) {
#if defined(__x86_64__)
  asm volatile("ud2");
#else
  asm volatile("udf #0");
#endif
}

noinline static void jump_into_data(u32, u32) { reinterpret_cast<void (*)()>(0x0100'0000)(); }

noinline static void panic_on_purpose(u32, u32) {
  writeq(reinterpret_cast<u64>("out of teapots"),
         reinterpret_cast<__iomem*>(ringside::guest::kBoardRegs + static_cast<u64>(ringside::guest::BoardReg::panic)));
}

const bench_program fault_programs[] = {
    {"read-null", read_null},
    {"write-unmapped", write_unmapped},
    {"spin", spin_for_ever},
    {"undefined", undefined_instruction},
    {"wild-jump", jump_into_data},
    {"panic", panic_on_purpose},
    {nullptr, nullptr},
};
