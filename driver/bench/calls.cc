// Calls of every shape, as often as they were asked for.
#include "driver/bench/programs.h"

// Takes some cycles, each multiplication needing the one before.
static __always_inline void work() {
  u64 x = 3;
#pragma GCC unroll 8
  for (u32 i = 0; i < 8; i++) {
    asm volatile("" : "+r"(x));
    x *= x;
  }
  asm volatile("" ::"r"(x));
}

noinline static void leaf() { work(); }

// What follows a call keeps it from becoming a jump.
noinline static void calls_twice() {
  leaf();
  leaf();
  work();
}

noinline static void ends_in_jump() {
  work();
  leaf();
}

noinline static void descend(u32 levels) {
  if (levels > 1) descend(levels - 1);
  work();
}

// `argument` is how deep the recursion goes.
noinline static void call_shapes(u32 count, u32 argument) {
  void (*volatile pointer)() = leaf;
  for (u32 i = 0; i < count; i++) {
    calls_twice();
    ends_in_jump();
    descend(argument);
    pointer();
  }
}

const bench_program call_programs[] = {
    {"call-shapes", call_shapes},
    {nullptr, nullptr},
};
