#include "driver/xdp/programs.h"

datarec rx_cnt[NR_CPUS];
u32 cpu_number;

constexpr u32 BPF_PROG_TYPE_XDP = 6;

constexpr bpf_prog program(const char* name, bpf_func_t func) {
  return {.pages = 1,
          .jited = 1,
          .type = BPF_PROG_TYPE_XDP,
          .len = 1,
          .tag = {},
          .stats = nullptr,
          .bpf_func = func,
          .name = name,
          .insnsi = {}};
}

constinit const bpf_prog programs[] = {
    program("drop", xdp_drop),
    program("drop-read", xdp_drop_read),
    program("pass", xdp_pass),
    program("tx", xdp_tx),
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
