// Dependent and independent work: what the width, the latencies and the caches of a core let through.
#include "driver/bench/programs.h"

// Room for working sets of up to 64 MiB, in the guest's free memory.
static u8* const arena = reinterpret_cast<u8*>(0x0100'0000);

// 64 additions, each needing the one before.
static void add_chain(u32 count, u32) {
  u64 x = 0;
  for (u32 i = 0; i < count; i++) {
#if defined(__x86_64__)
    asm volatile(".rept 64\n\tadd $1, %0\n\t.endr" : "+r"(x));
#else
    asm volatile(".rept 64\n\tadd %0, %0, #1\n\t.endr" : "+r"(x));
#endif
  }
}

// 64 additions in eight chains of eight.
static void add_independent(u32 count, u32) {
  u64 a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0;
  for (u32 i = 0; i < count; i++) {
#if defined(__x86_64__)
    asm volatile(
        ".rept 8\n\tadd $1, %0\n\tadd $1, %1\n\tadd $1, %2\n\tadd $1, %3\n\tadd $1, %4\n\tadd $1, %5\n\tadd $1, %6\n\t"
        "add $1, %7\n\t.endr"
        : "+r"(a), "+r"(b), "+r"(c), "+r"(d), "+r"(e), "+r"(f), "+r"(g), "+r"(h));
#else
    asm volatile(
        ".rept 8\n\tadd %0, %0, #1\n\tadd %1, %1, #1\n\tadd %2, %2, #1\n\tadd %3, %3, #1\n\tadd %4, %4, #1\n\t"
        "add %5, %5, #1\n\tadd %6, %6, #1\n\tadd %7, %7, #1\n\t.endr"
        : "+r"(a), "+r"(b), "+r"(c), "+r"(d), "+r"(e), "+r"(f), "+r"(g), "+r"(h));
#endif
  }
}

// Builds a cycle through `lines` cache lines in an order that no stream prefetcher follows, and goes round it.
static u8** chase_start(u32 lines) {
  // A stride coprime to the power-of-two number of lines visits each once.
  const u32 stride = lines / 2 + 13 + (lines / 2) % 2;
  u32 at = 0;
  for (u32 i = 0; i < lines; i++) {
    const u32 next = (at + (stride | 1)) & (lines - 1);
    *reinterpret_cast<u8**>(arena + u64{at} * 64) = arena + u64{next} * 64;
    at = next;
  }
  return reinterpret_cast<u8**>(arena);
}

// `argument` lines of 64 bytes, a power of two; `count` loads.
static void chase(u32 count, u32 argument) {
  u8** p = chase_start(argument);
  for (u32 i = 0; i < count; i++) p = reinterpret_cast<u8**>(*p);
  asm volatile("" ::"r"(p));
}

// Builds the cycle of `chase` without going round it.
static void chase_setup(u32, u32 argument) { asm volatile("" ::"r"(chase_start(argument))); }

// A store and a load of the same place, each needing the other: one forwarding per iteration.
static void forward(u32 count, u32) {
  volatile u64 cell = 0;
  u64 x = 1;
  for (u32 i = 0; i < count; i++) {
    asm volatile("" : "+r"(x));
    cell = x;
    x = cell;
  }
}

// A branch on one bit of a pseudo-random sequence (xorshift64), with `or_mask` set in it.
static __always_inline void branch_on_bit(u32 count, u64 or_mask) {
  u64 state = 88172645463325252ull;
  u64 sum = 0;
  for (u32 i = 0; i < count; i++) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    u64 bits = state | or_mask;
    asm volatile("" : "+r"(bits));
    if (bits & 1) {
      asm volatile("" : "+r"(sum));
      sum += 3;
    }
  }
  asm volatile("" ::"r"(sum));
}

static void random_branch(u32 count, u32 argument) { branch_on_bit(count, argument & 2); }
static void steady_branch(u32 count, u32 argument) { branch_on_bit(count, argument | 1); }

// Cache maintenance of `argument` lines by address, and the barrier that waits for it.
static void clean_lines(u32 count, u32 argument) {
  for (u32 i = 0; i < count; i++) {
    for (u32 line = 0; line < argument; line++) {
#if defined(__x86_64__)
      asm volatile("clflush (%0)" ::"r"(arena + u64{line} * 64) : "memory");
#else
      asm volatile("dc cvac, %0" ::"r"(arena + u64{line} * 64) : "memory");
#endif
    }
#if defined(__x86_64__)
    asm volatile("mfence" ::: "memory");
#else
    asm volatile("dsb sy" ::: "memory");
#endif
  }
}

const bench_program chain_programs[] = {
    {"add-chain", add_chain},         {"add-independent", add_independent}, {"chase", chase},
    {"chase-setup", chase_setup},     {"forward", forward},                 {"random-branch", random_branch},
    {"steady-branch", steady_branch}, {"clean-lines", clean_lines},         {nullptr, nullptr},
};
