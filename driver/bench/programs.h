// Small guests for tests: each exercises one property of the core, or breaks the contract in one way.
#pragma once

#include "driver/kernel/types.h"

// `count` is how often the body runs, `argument` means what the program says.
struct bench_program {
  const char* name;
  void (*run)(u32 count, u32 argument);
};

extern const bench_program call_programs[];
extern const bench_program chain_programs[];
extern const bench_program zeroing_programs[];
extern const bench_program fault_programs[];
