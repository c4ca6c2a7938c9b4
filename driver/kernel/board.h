// What the kernel needs from the machine it runs on. kernel/start.cc implements it on the board.
#pragma once

#include "driver/kernel/types.h"
#include "model/guest/contract.h"

using ringside::guest::board_info;
using ringside::guest::guest_stat;

// Stops the machine with a message for a person.
[[noreturn]] void panic(const char* message);

// Lets something else make progress while the caller waits for a device.
void cond_resched();

// Interrupt vectors that have become pending since the last call.
u64 pending_interrupts();

// Starts another processor in `entry`, with its number as argument, and interrupts one.
void board_cpu_on(u32 cpu, void (*entry)(u64 cpu), u8* stack_top);
void board_send_ipi(u32 cpu, u32 vector);

// Tells the board where counters are. `table` ends with an empty name and must stay valid.
void publish_statistics(const guest_stat* table);

// Entry of the driver that is linked into the image: finds its device and brings the interface up.
void module_init(const board_info& board);
