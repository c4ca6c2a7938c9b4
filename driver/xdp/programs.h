// XDP programs of the image. Each is a source of its own, compiled by the image's compiler where Linux would translate
// BPF to machine code, and reached through the pointer in its bpf_prog.
#pragma once

#include "driver/kernel/devmap.h"
#include "driver/net/headers.h"

// Counters of one processor, kept as xdp-bench keeps them: in a per-CPU array map.
struct ____cacheline_aligned datarec {
  u64 processed;
  u64 dropped;
};

extern datarec rx_cnt[NR_CPUS];
#ifndef CONFIG_SMP
extern u32 cpu_number;
#endif

// Looks up this processor's counters; null if there are none.
__always_inline datarec* rx_cnt_lookup() {
#ifdef CONFIG_SMP
  const u32 cpu = static_cast<u32>(smp_processor_id());
#else
  const u32 cpu = READ_ONCE(cpu_number);
#endif
  return cpu < NR_CPUS ? &rx_cnt[cpu] : nullptr;
}

// Where the redirecting programs send to: entry 0 is another interface, entry 1 the one that received.
inline constexpr u32 TX_PORT_OTHER = 0;
inline constexpr u32 TX_PORT_SAME = 1;
extern bpf_dtab tx_port;

// Exchanges source and destination of an Ethernet header.
__always_inline void swap_mac(void* data) {
  u16* p = static_cast<u16*>(data);
  u16 dst[3];
  dst[0] = p[0];
  dst[1] = p[1];
  dst[2] = p[2];
  p[0] = p[3];
  p[1] = p[4];
  p[2] = p[5];
  p[3] = dst[0];
  p[4] = dst[1];
  p[5] = dst[2];
}

__always_inline void count_inc(u64& counter) { WRITE_ONCE(counter, counter + 1); }

u32 xdp_drop(const void* ctx, const bpf_insn* insn);
u32 xdp_drop_read(const void* ctx, const bpf_insn* insn);
u32 xdp_pass(const void* ctx, const bpf_insn* insn);
u32 xdp_redirect(const void* ctx, const bpf_insn* insn);
u32 xdp_redirect_same(const void* ctx, const bpf_insn* insn);
u32 xdp_tx(const void* ctx, const bpf_insn* insn);
u32 xdp_tx_frags(const void* ctx, const bpf_insn* insn);
u32 xdp_checksum(const void* ctx, const bpf_insn* insn);
u32 xdp_adjust(const void* ctx, const bpf_insn* insn);
u32 xdp_adjust_checksum(const void* ctx, const bpf_insn* insn);
u32 xdp_adjust_tx(const void* ctx, const bpf_insn* insn);
