// Entry of the test guests: runs the program that board_info.xdp_program names, board_info.rx_ring times, with
// board_info.mtu as its argument, and leaves.
#include "driver/bench/programs.h"

using ringside::guest::board_info;
using ringside::guest::BoardReg;

static bool same(const char* a, const char* b) {
  while (*a != '\0' && *a == *b) a++, b++;
  return *a == *b;
}

static void run_from(const bench_program* table, const board_info* board) {
  for (; table->name != nullptr; table++) {
    if (!same(table->name, board->xdp_program)) continue;
    table->run(board->rx_ring, board->mtu);
    write_board(BoardReg::exit, 0);
  }
}

extern "C" [[noreturn]] void _start(const board_info* board);

void _start(const board_info* board) {
  run_from(call_programs, board);
  run_from(chain_programs, board);
  run_from(zeroing_programs, board);
  run_from(fault_programs, board);
  run_from(cpu_programs, board);
  for (;;) write_board(BoardReg::panic, reinterpret_cast<u64>("no such program"));
}
