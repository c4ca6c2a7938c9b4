#include "driver/kernel/sched.h"

#include "driver/kernel/smp.h"
#include "driver/kernel/spinlock.h"

static DEFINE_PER_CPU(list_head, run_queue);
static list_head timers;
static DEFINE_PER_CPU(bool, resched);

// Run queues and timers are reached from any processor. Where there is one, nobody else can hold them.
#ifdef CONFIG_SMP
static DEFINE_PER_CPU(spinlock_t, rq_lock);
static spinlock_t timer_lock;
static __always_inline void lock_rq(u32 cpu) { spin_lock(per_cpu_ptr(&rq_lock, cpu)); }
static __always_inline void unlock_rq(u32 cpu) { spin_unlock(per_cpu_ptr(&rq_lock, cpu)); }
static __always_inline void lock_timers() { spin_lock(&timer_lock); }
static __always_inline void unlock_timers() { spin_unlock(&timer_lock); }
static __always_inline u32 task_cpu(const task_struct* task) { return task->cpu; }
#else
static __always_inline void lock_rq(u32) {}
static __always_inline void unlock_rq(u32) {}
static __always_inline void lock_timers() {}
static __always_inline void unlock_timers() {}
static __always_inline u32 task_cpu(const task_struct*) { return 0; }
#endif

void sched_init() {
  for (u32 cpu = 0; cpu < nr_cpu_ids; cpu++) INIT_LIST_HEAD(per_cpu_ptr(&run_queue, cpu));
  INIT_LIST_HEAD(&timers);
  for (u32 cpu = 0; cpu < nr_cpu_ids; cpu++) *per_cpu_ptr(&resched, cpu) = false;
}

void task_init(task_struct* task, void (*turn)(task_struct* task)) {
  INIT_LIST_HEAD(&task->run_list);
  task->turn = turn;
  set_task_cpu(task, static_cast<u32>(smp_processor_id()));
}

// The interrupt is for a processor that does not know yet that it should look.
static void resched_curr([[maybe_unused]] u32 cpu) {
  bool* flag = per_cpu_ptr(&resched, cpu);
#ifdef CONFIG_SMP
  if (!READ_ONCE(*flag) && cpu != static_cast<u32>(smp_processor_id())) {
    WRITE_ONCE(*flag, true);
    return smp_send_reschedule(cpu);
  }
#endif
  *flag = true;
}

void wake_up_process(task_struct* task) {
  const u32 cpu = task_cpu(task);
  if (!list_empty(&task->run_list)) return;
  lock_rq(cpu);
  if (!SMP || list_empty(&task->run_list)) {
    list_add_tail(&task->run_list, per_cpu_ptr(&run_queue, cpu));
    resched_curr(cpu);
  }
  unlock_rq(cpu);
}

bool need_resched() { return READ_ONCE(*this_cpu_ptr(&resched)); }
void set_need_resched() { WRITE_ONCE(*this_cpu_ptr(&resched), true); }
bool task_runnable() { return !list_empty(this_cpu_ptr(&run_queue)); }

void schedule() {
  list_head* queue = this_cpu_ptr(&run_queue);
  if (list_empty(queue)) return;
  const u32 cpu = static_cast<u32>(smp_processor_id());
  lock_rq(cpu);
  task_struct* next = container_of(queue->next, task_struct, run_list);
  list_del_init(&next->run_list);
  *this_cpu_ptr(&resched) = false;
  unlock_rq(cpu);
  next->turn(next);
}

void timer_setup(timer_list* timer, void (*function)(timer_list* timer)) {
  INIT_LIST_HEAD(&timer->entry);
  timer->function = function;
}

void add_timer(timer_list* timer) {
  if (!list_empty(&timer->entry)) return;
  lock_timers();
  list_add_tail(&timer->entry, &timers);
  unlock_timers();
}

void del_timer(timer_list* timer) {
  if (SMP && list_empty(&timer->entry)) return;
  lock_timers();
  list_del_init(&timer->entry);
  unlock_timers();
}

#ifdef CONFIG_SMP
bool timers_pending() { return !list_empty(&timers); }
#endif

bool run_timer() {
  if (list_empty(&timers)) return false;
#ifdef CONFIG_SMP
  if (!last_cpu_awake()) return false;
#endif
  lock_timers();
  if (SMP && list_empty(&timers)) {
    unlock_timers();
    return false;
  }
  timer_list* timer = container_of(timers.next, timer_list, entry);
  list_del_init(&timer->entry);
  unlock_timers();
  timer->function(timer);
  return true;
}
