// Variables of which each processor has its own copy, and the number of the processor that runs. Without CONFIG_SMP there is
// one processor and one copy. With it, a copy lies at the variable's address plus the processor's offset; CPU 0's offset is
// zero.
#pragma once

#include "driver/kernel/types.h"

#ifdef CONFIG_SMP

inline constexpr bool SMP = true;
inline constexpr u32 NR_CPUS = 4;

#define DEFINE_PER_CPU(type, name) __attribute__((section(".data..percpu"))) type name
#define DECLARE_PER_CPU(type, name) extern __attribute__((section(".data..percpu"))) type name

DECLARE_PER_CPU(u64, this_cpu_off);
DECLARE_PER_CPU(int, cpu_number);
extern u64 __per_cpu_offset[NR_CPUS];
extern u32 nr_cpu_ids;  // processors that the machine has
extern "C" u8 __per_cpu_start[], __per_cpu_end[];

// The register that kernels keep the offset in: the base of gs, or tpidr_el1.
#if defined(__x86_64__)
__always_inline void set_my_cpu_offset(u64 offset) {
  constexpr u32 msr_gs_base = 0xc000'0101;
  asm volatile("wrmsr" ::"c"(msr_gs_base), "a"(static_cast<u32>(offset)), "d"(static_cast<u32>(offset >> 32)) : "memory");
}
template <class T>
__always_inline T this_cpu_read(const T& variable) {
  T value;
  asm("mov %%gs:%1, %0" : "=r"(value) : "m"(variable));
  return value;
}
#elif defined(__aarch64__)
__always_inline void set_my_cpu_offset(u64 offset) { asm volatile("msr tpidr_el1, %0" ::"r"(offset) : "memory"); }
template <class T>
__always_inline T this_cpu_read(const T& variable) {
  u64 offset;
  asm("mrs %0, tpidr_el1" : "=r"(offset));
  return *reinterpret_cast<const T*>(reinterpret_cast<u64>(&variable) + offset);
}
#endif

template <class T>
__always_inline T* per_cpu_ptr(T* variable, u32 cpu) {
  return reinterpret_cast<T*>(reinterpret_cast<u64>(variable) + __per_cpu_offset[cpu]);
}
template <class T>
__always_inline T* this_cpu_ptr(T* variable) {
  return reinterpret_cast<T*>(reinterpret_cast<u64>(variable) + this_cpu_read(this_cpu_off));
}
__always_inline int smp_processor_id() { return this_cpu_read(cpu_number); }

#else

inline constexpr bool SMP = false;
inline constexpr u32 NR_CPUS = 1;
inline constexpr u32 nr_cpu_ids = 1;

#define DEFINE_PER_CPU(type, name) type name
#define DECLARE_PER_CPU(type, name) extern type name

#define per_cpu_ptr(variable, cpu) ((void)(cpu), (variable))
#define this_cpu_ptr(variable) (variable)
__always_inline int smp_processor_id() { return 0; }

#endif
