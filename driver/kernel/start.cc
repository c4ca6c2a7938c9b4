// Entry of a guest image, and the machine underneath: idle loop, panic, console.
#include "driver/kernel/board.h"
#include "driver/kernel/dma-mapping.h"
#include "driver/kernel/interrupt.h"
#include "driver/kernel/io.h"
#include "driver/kernel/mm.h"
#include "driver/kernel/smp.h"

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
#ifdef CONFIG_SMP
    if (cpu_idle_enter()) writeq(0, board_register(BoardReg::idle));
    cpu_idle_exit();
#else
    writeq(0, board_register(BoardReg::idle));
#endif
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

#ifdef CONFIG_SMP
void secondary_start_kernel(u64 cpu) {
  cpu_online(cpu);
  cpu_idle_loop();
}

void board_cpu_on(u32 cpu, void (*entry)(u64 cpu), u8* stack_top) {
  const ringside::guest::cpu_start start = {.cpu = cpu,
                                            .entry = reinterpret_cast<u64>(entry),
                                            .argument = cpu,
                                            .stack_top = reinterpret_cast<u64>(stack_top)};
  wmb();
  writeq(reinterpret_cast<u64>(&start), board_register(BoardReg::cpu_on));
}

void board_send_ipi(u32 cpu, u32 vector) {
  // What the other processor is to see must be there when the interrupt is.
  wmb();
  writeq(u64{cpu} << 32 | vector, board_register(BoardReg::ipi));
}

static bool is_percpu(const u64* at) {
  return reinterpret_cast<const u8*>(at) >= __per_cpu_start && reinterpret_cast<const u8*>(at) < __per_cpu_end;
}

// Counters of which each processor has its own: one entry for every copy.
static const guest_stat* with_every_copy(const guest_stat* table) {
  u64 entries = 1;
  for (const guest_stat* stat = table; stat->name[0] != '\0'; stat++) entries += is_percpu(stat->value) ? nr_cpu_ids : 1;
  guest_stat* all = memblock_alloc_array<guest_stat>(entries);
  guest_stat* to = all;
  for (const guest_stat* stat = table; stat->name[0] != '\0'; stat++) {
    const u32 copies = is_percpu(stat->value) ? nr_cpu_ids : 1;
    for (u32 cpu = 0; cpu < copies; cpu++) {
      *to = *stat;
      if (copies > 1) to->value = per_cpu_ptr(stat->value, cpu);
      to++;
    }
  }
  return all;
}
#else
static const guest_stat* with_every_copy(const guest_stat* table) { return table; }
#endif

void publish_statistics(const guest_stat* table) {
  writeq(reinterpret_cast<u64>(with_every_copy(table)), board_register(BoardReg::stats));
}

extern "C" [[noreturn]] void _start(const board_info* board);

void _start(const board_info* board) {
  if (board->magic != ringside::guest::kBoardMagic) panic("no board description");
  if (board->version != ringside::guest::kContractVersion) panic("board and image disagree on the contract's version");
  mm_init(board->heap_base, board->heap_size);
  dma_pool_init(board->dma_pool_base, board->dma_pool_size);
#ifdef CONFIG_SMP
  setup_per_cpu_areas(board->cpus);
#endif
  softirq_init();
#ifdef CONFIG_SMP
  smp_init();
#endif
  module_init(*board);
  handle_interrupts(0);
  cpu_idle_loop();
}
