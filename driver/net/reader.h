// Processes that read sockets, as `iperf -s` does.
#pragma once

#include "driver/kernel/types.h"

struct tcp_reader_stats {
  u64 bytes;
  u64 calls;          // of recv that brought something
  u64 corrupt_bytes;  // that are not those of the stream
  u64 corrupt_first;  // place of the first one in its stream
};
extern tcp_reader_stats reader_stats;

#ifdef CONFIG_SMP
// Which processor the processes are started on, if not on CPU 0.
void tcp_readers_run_on(u32 cpu);
#endif

// Starts a process for each connection. `verify`: it compares what it reads with model/guest/stream.h.
void tcp_readers_start(u32 flows, bool verify);
