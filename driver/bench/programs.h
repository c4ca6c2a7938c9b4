// Small guests for tests: each exercises one property of the core, or breaks the contract in one way.
#pragma once

#include "driver/kernel/io.h"
#include "model/guest/contract.h"

// `count` is how often the body runs, `argument` means what the program says.
struct bench_program {
  const char* name;
  void (*run)(u32 count, u32 argument);
};

inline __iomem* board_register(ringside::guest::BoardReg reg) {
  return reinterpret_cast<__iomem*>(ringside::guest::kBoardRegs + static_cast<u64>(reg));
}
inline u64 read_board(ringside::guest::BoardReg reg) { return readq(board_register(reg)); }
inline void write_board(ringside::guest::BoardReg reg, u64 value) { writeq(value, board_register(reg)); }

extern const bench_program call_programs[];
extern const bench_program chain_programs[];
extern const bench_program zeroing_programs[];
extern const bench_program fault_programs[];
extern const bench_program cpu_programs[];
