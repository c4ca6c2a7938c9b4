// Processes and timers of a machine without a clock. A process is a function that is called for each of its turns and returns
// when it has to wait or is asked to make room. It stays on its processor, where runnable processes take turns with softirqs
// that have been put off, as processes and ksoftirqd of equal weight do.
#pragma once

#include "driver/kernel/list.h"
#include "driver/kernel/percpu.h"

struct task_struct {
  list_head run_list;
  void (*turn)(task_struct* task);
#ifdef CONFIG_SMP
  u32 cpu;
#endif
};

// For work that can wait: it is done when the machine would otherwise be idle, by the last processor that is awake.
struct timer_list {
  list_head entry;
  void (*function)(timer_list* timer);
};

void sched_init();

// The process belongs to the processor that runs.
void task_init(task_struct* task, void (*turn)(task_struct* task));
// Moves a process that is not runnable.
#ifdef CONFIG_SMP
__always_inline void set_task_cpu(task_struct* task, u32 cpu) { task->cpu = cpu; }
#else
__always_inline void set_task_cpu(task_struct*, u32) {}
#endif
// Makes the process runnable if it is not, and asks the one that runs on its processor to make room.
void wake_up_process(task_struct* task);
// Whether somebody else should run.
bool need_resched();
void set_need_resched();
bool task_runnable();
// Gives the next runnable process, if any, a turn. It stays runnable only if it wakes itself.
void schedule();

void timer_setup(timer_list* timer, void (*function)(timer_list* timer));
void add_timer(timer_list* timer);
void del_timer(timer_list* timer);
#ifdef CONFIG_SMP
bool timers_pending();
#endif
// Fires one timer; false if there is none, or another processor has work.
bool run_timer();
