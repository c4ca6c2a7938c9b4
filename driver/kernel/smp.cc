#include "driver/kernel/smp.h"

#ifdef CONFIG_SMP

#include "driver/kernel/barrier.h"
#include "driver/kernel/board.h"
#include "driver/kernel/interrupt.h"
#include "driver/kernel/mm.h"
#include "driver/kernel/sched.h"
#include "driver/kernel/string.h"

DEFINE_PER_CPU(u64, this_cpu_off) = 0;
DEFINE_PER_CPU(int, cpu_number) = 0;
u64 __per_cpu_offset[NR_CPUS];
u32 nr_cpu_ids = 1;

constexpr u64 THREAD_SIZE = 16 * 1024;  // of a processor's stack

constexpr u64 PERCPU_DYNAMIC_RESERVE = 4096;

struct percpu_reserve {
  ____cacheline_aligned u8 bytes[PERCPU_DYNAMIC_RESERVE];
};
static DEFINE_PER_CPU(percpu_reserve, reserve);
static u64 reserved;

static u32 online[NR_CPUS];
static void (*called_function)();
static atomic_t cpus_awake;

void setup_per_cpu_areas(u32 cpus) {
  if (cpus > NR_CPUS) panic("more processors than CONFIG_NR_CPUS");
  nr_cpu_ids = cpus != 0 ? cpus : 1;
  const u64 size = static_cast<u64>(__per_cpu_end - __per_cpu_start);
  for (u32 cpu = 1; cpu < nr_cpu_ids; cpu++) {
    u8* area = static_cast<u8*>(memblock_alloc(size, PAGE_SIZE));
    memcpy(area, __per_cpu_start, size);
    __per_cpu_offset[cpu] = static_cast<u64>(area - __per_cpu_start);
    *per_cpu_ptr(&this_cpu_off, cpu) = __per_cpu_offset[cpu];
    *per_cpu_ptr(&cpu_number, cpu) = static_cast<int>(cpu);
  }
  set_my_cpu_offset(__per_cpu_offset[0]);
  atomic_set(&cpus_awake, static_cast<s32>(nr_cpu_ids));
}

void* __alloc_percpu(u64 size) {
  u8* memory = reserve.bytes + reserved;
  reserved += ALIGN(size, L1_CACHE_BYTES);
  if (reserved > PERCPU_DYNAMIC_RESERVE) panic("no per-processor memory left");
  return memory;
}

void smp_init() {
  for (u32 cpu = 1; cpu < nr_cpu_ids; cpu++) {
    u8* stack = static_cast<u8*>(memblock_alloc(THREAD_SIZE, PAGE_SIZE));
    board_cpu_on(cpu, secondary_start_kernel, stack + THREAD_SIZE);
    while (smp_load_acquire(&online[cpu]) == 0) cpu_relax();
  }
}

void cpu_online(u64 cpu) {
  set_my_cpu_offset(__per_cpu_offset[cpu]);
  smp_store_release(&online[cpu], 1u);
}

void smp_send_reschedule(u32 cpu) { board_send_ipi(cpu, RESCHEDULE_VECTOR); }

void smp_call_function_single_async(u32 cpu) { board_send_ipi(cpu, CALL_FUNCTION_VECTOR); }

void smp_set_function(void (*function)()) { called_function = function; }

// Of RESCHEDULE_VECTOR, the interrupt is the message: processes are looked for after any.
u64 handle_ipis(u64 pending) {
  constexpr u64 ipis = u64{1} << CALL_FUNCTION_VECTOR | u64{1} << RESCHEDULE_VECTOR;
  if ((pending >> CALL_FUNCTION_VECTOR & 1) != 0) called_function();
  return pending & ~ipis;
}

bool cpu_idle_enter() { return !(atomic_dec_and_test(&cpus_awake) && timers_pending()); }

void cpu_idle_exit() { atomic_add(1, &cpus_awake); }

bool last_cpu_awake() { return atomic_read(&cpus_awake) == 1; }

#endif
