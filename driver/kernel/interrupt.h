// Hard interrupts and what they defer: softirqs, and work that runs after those.
#pragma once

#include "driver/kernel/list.h"
#include "driver/kernel/percpu.h"

enum softirq_nr : u32 { NET_RX_SOFTIRQ = 3 };

using irq_handler_t = void (*)(void* dev_id);

// Installs the handler of an MSI-X vector. Returns -EINVAL for a vector out of range or in use.
int request_irq(u32 irq, irq_handler_t handler, void* dev_id);

// Takes the vector's handler away.
void free_irq(u32 irq);

// Runs the handlers of all vectors in `pending`, then softirqs, work, processes and timers until nothing is left.
void handle_interrupts(u64 pending);

// Where a process can be interrupted: the board delivers interrupts on request only. Softirqs that go on for too long
// are left to take turns with the process.
void interrupt_window();

inline constexpr u32 SOFTIRQ_OFFSET = 1u << 8;
DECLARE_PER_CPU(u32, __preempt_count);
__always_inline bool in_softirq() { return (READ_ONCE(*this_cpu_ptr(&__preempt_count)) & SOFTIRQ_OFFSET) != 0; }

void softirq_init();
void open_softirq(u32 nr, void (*action)());
void raise_softirq(u32 nr);

struct work_struct {
  list_head entry;
  void (*func)(work_struct* work);
};

void INIT_WORK(work_struct* work, void (*func)(work_struct* work));

// Queues work that is not queued yet.
void schedule_work(work_struct* work);
