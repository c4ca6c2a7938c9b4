// Processes and timers of a machine with one processor and no clock. A process is a function that is called for each of
// its turns and returns when it has to wait or is asked to make room. Runnable processes take turns with softirqs that
// have been put off, as processes and ksoftirqd of equal weight do.
#pragma once

#include "driver/kernel/list.h"

struct task_struct {
  list_head run_list;
  void (*turn)(task_struct* task);
};

// For work that can wait: it is done when the processor would otherwise be idle.
struct timer_list {
  list_head entry;
  void (*function)(timer_list* timer);
};

void sched_init();

void task_init(task_struct* task, void (*turn)(task_struct* task));
// Makes the process runnable if it is not, and asks the running one to make room.
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
// Fires one timer; false if there is none.
bool run_timer();
