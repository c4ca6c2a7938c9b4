// Entry of a guest image, and the machine underneath: idle loop, panic, console.
#include "driver/kernel/board.h"
#include "driver/kernel/dma-mapping.h"
#include "driver/kernel/interrupt.h"
#include "driver/kernel/io.h"
#include "driver/kernel/mm.h"

using ringside::guest::BoardReg;

static __iomem* board_register(BoardReg reg) {
  return reinterpret_cast<__iomem*>(ringside::guest::kBoardRegs + static_cast<u64>(reg));
}

static void console_write(const char* text) {
  for (; *text != '\0'; text++) writeq(static_cast<u8>(*text), board_register(BoardReg::console));
}

u64 pending_interrupts() { return readq(board_register(BoardReg::pending)); }

// Handles interrupts, and the softirqs that they raise, for ever.
[[noreturn]] static void cpu_idle_loop() {
  for (;;) {
    writeq(0, board_register(BoardReg::idle));
    handle_interrupts(pending_interrupts());
  }
}

void panic(const char* message) {
  console_write("Kernel panic - not syncing: ");
  console_write(message);
  console_write("\n");
  for (;;) writeq(reinterpret_cast<u64>(message), board_register(BoardReg::panic));
}

void cond_resched() { cpu_relax(); }

void publish_statistics(const guest_stat* table) {
  writeq(reinterpret_cast<u64>(table), board_register(BoardReg::stats));
}

extern "C" [[noreturn]] void _start(const board_info* board);

void _start(const board_info* board) {
  if (board->magic != ringside::guest::kBoardMagic) panic("no board description");
  if (board->version != ringside::guest::kContractVersion) panic("board and image disagree on the contract's version");
  mm_init(board->heap_base, board->heap_size);
  dma_pool_init(board->dma_pool_base, board->dma_pool_size);
  softirq_init();
  module_init(*board);
  handle_interrupts(0);
  cpu_idle_loop();
}
