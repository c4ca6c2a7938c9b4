#include "driver/xdp/programs.h"

datarec rx_cnt[NR_CPUS];
#ifndef CONFIG_SMP
u32 cpu_number;
#endif
bpf_dtab tx_port;

constexpr u32 BPF_PROG_TYPE_XDP = 6;

constexpr bool frags = true;
constexpr bool other_port = true;

constexpr bpf_prog program(const char* name, bpf_func_t func, bool xdp_has_frags = false, bool other_port = false) {
  return {.pages = 1,
          .jited = 1,
          .type = BPF_PROG_TYPE_XDP,
          .len = 1,
          .tag = {},
          .stats = nullptr,
          .bpf_func = func,
          .name = name,
          .xdp_has_frags = xdp_has_frags,
          .insnsi = {},
          .other_port = other_port};
}

constinit const bpf_prog programs[] = {
    program("drop", xdp_drop, frags),
    program("drop-read", xdp_drop_read),
    program("pass", xdp_pass, frags),
    program("tx", xdp_tx),
    program("redirect", xdp_redirect, frags, other_port),
    program("redirect-same", xdp_redirect_same, frags),
    program("tx-frags", xdp_tx_frags, frags),
    program("checksum", xdp_checksum, frags),
    program("adjust", xdp_adjust, frags),
    program("adjust-checksum", xdp_adjust_checksum, frags),
    program("adjust-tx", xdp_adjust_tx, frags),
};

static bool same(const char* a, const char* b) {
  for (; *a == *b; a++, b++) {
    if (*a == '\0') return true;
  }
  return false;
}

const bpf_prog* bpf_prog_get_by_name(const char* name) {
  for (const bpf_prog& prog : programs) {
    if (same(prog.name, name)) return &prog;
  }
  return nullptr;
}
