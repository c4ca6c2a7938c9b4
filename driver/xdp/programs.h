// XDP programs of the image. Each is a source of its own, compiled by the image's compiler where Linux would translate
// BPF to machine code, and reached through the pointer in its bpf_prog.
#pragma once

#include "driver/kernel/xdp.h"
#include "driver/net/headers.h"

// Counters of one processor, kept as xdp-bench keeps them: in a per-CPU array map.
struct ____cacheline_aligned datarec {
  u64 processed;
  u64 dropped;
};

inline constexpr u32 NR_CPUS = 1;

extern datarec rx_cnt[NR_CPUS];
extern u32 cpu_number;

// Looks up this processor's counters; null if there are none.
__always_inline datarec* rx_cnt_lookup() {
  const u32 cpu = READ_ONCE(cpu_number);
  return cpu < NR_CPUS ? &rx_cnt[cpu] : nullptr;
}

__always_inline void count_inc(u64& counter) { WRITE_ONCE(counter, counter + 1); }

u32 xdp_drop(const void* ctx, const bpf_insn* insn);
u32 xdp_drop_read(const void* ctx, const bpf_insn* insn);
u32 xdp_pass(const void* ctx, const bpf_insn* insn);
u32 xdp_tx(const void* ctx, const bpf_insn* insn);
