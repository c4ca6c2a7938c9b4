#include "driver/kernel/sched.h"

static list_head run_queue;
static list_head timers;
static bool resched;

void sched_init() {
  INIT_LIST_HEAD(&run_queue);
  INIT_LIST_HEAD(&timers);
  resched = false;
}

void task_init(task_struct* task, void (*turn)(task_struct* task)) {
  INIT_LIST_HEAD(&task->run_list);
  task->turn = turn;
}

void wake_up_process(task_struct* task) {
  if (!list_empty(&task->run_list)) return;
  list_add_tail(&task->run_list, &run_queue);
  resched = true;
}

bool need_resched() { return READ_ONCE(resched); }
void set_need_resched() { WRITE_ONCE(resched, true); }
bool task_runnable() { return !list_empty(&run_queue); }

void schedule() {
  if (list_empty(&run_queue)) return;
  task_struct* next = container_of(run_queue.next, task_struct, run_list);
  list_del_init(&next->run_list);
  resched = false;
  next->turn(next);
}

void timer_setup(timer_list* timer, void (*function)(timer_list* timer)) {
  INIT_LIST_HEAD(&timer->entry);
  timer->function = function;
}

void add_timer(timer_list* timer) {
  if (list_empty(&timer->entry)) list_add_tail(&timer->entry, &timers);
}

void del_timer(timer_list* timer) { list_del_init(&timer->entry); }

bool run_timer() {
  if (list_empty(&timers)) return false;
  timer_list* timer = container_of(timers.next, timer_list, entry);
  list_del_init(&timer->entry);
  timer->function(timer);
  return true;
}
