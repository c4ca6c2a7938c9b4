// Other processors: bringing them up, and interrupting them. Without CONFIG_SMP there are none, and only alloc_percpu() exists.
#pragma once

#include "driver/kernel/mm.h"
#include "driver/kernel/percpu.h"

// Vectors of interrupts between processors; devices use those below.
inline constexpr u32 CALL_FUNCTION_VECTOR = 62;
inline constexpr u32 RESCHEDULE_VECTOR = 63;

// Gives each of the `cpus` processors its copy of per-CPU variables.
void setup_per_cpu_areas(u32 cpus);

// Zeroed memory of which each processor has its own; panics if there is none left. The address is one for per_cpu_ptr().
void* __alloc_percpu(u64 size);

template <class T>
T* alloc_percpu() {
  if constexpr (SMP) return static_cast<T*>(__alloc_percpu(sizeof(T)));
  return memblock_alloc_array<T>(1);
}

// Starts all processors but the one that runs, and returns when they are up.
void smp_init();

// Where a processor that has been started begins, and what it says when it can be given work.
[[noreturn]] void secondary_start_kernel(u64 cpu);
void cpu_online(u64 cpu);

// Interrupts `cpu`, which then looks for processes to run.
void smp_send_reschedule(u32 cpu);

// Interrupts `cpu`, which then calls the function that smp_set_function() named.
void smp_call_function_single_async(u32 cpu);
void smp_set_function(void (*function)());

// Handles the interrupts between processors that `pending` has, and returns the others.
u64 handle_ipis(u64 pending);

// The processor has nothing to do. False if the machine would have none left that does, and timers wait: then it must go on.
bool cpu_idle_enter();
void cpu_idle_exit();
bool last_cpu_awake();
