// A ConnectX of memory: what the driver needs to come up, and a receive side that writes packets and completions into a
// striding queue when it is told to. It has no time of its own.
#pragma once

#include "driver/kernel/types.h"

// Prepares the registers at `bar`, which is RAM.
void loopback_init(u8* bar);

// Executes the command that the driver has rung for.
void loopback_execute_command();

// Executes the UMR WQEs that the driver has rung for, and completes them without an event.
void loopback_run_umr();

// Writes `count` packets of `length` bytes and their completions, then the event. `cold` flushes both from the caches.
void loopback_receive(u32 count, u32 length, bool cold);
