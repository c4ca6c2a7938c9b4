#include "driver/kernel/interrupt.h"

#include "driver/kernel/board.h"
#include "driver/kernel/sched.h"
#include "driver/kernel/smp.h"

constexpr u32 NR_VECTORS = 64;
constexpr u32 NR_SOFTIRQS = 10;
constexpr int MAX_SOFTIRQ_RESTART = 10;

struct irqaction {
  irq_handler_t handler;
  void* dev_id;
};

static irqaction irq_actions[NR_VECTORS];
static void (*softirq_vec[NR_SOFTIRQS])();
static u32 nr_irqs;  // vectors in use
static DEFINE_PER_CPU(u32, softirq_pending);
DEFINE_PER_CPU(u32, __preempt_count);
static DEFINE_PER_CPU(list_head, workqueue);

static void __do_softirq() {
  u32 pending = *this_cpu_ptr(&softirq_pending);
  *this_cpu_ptr(&softirq_pending) = 0;
  *this_cpu_ptr(&__preempt_count) += SOFTIRQ_OFFSET;
  while (pending != 0) {
    const u32 nr = static_cast<u32>(__builtin_ctz(pending));
    softirq_vec[nr]();
    pending &= pending - 1;
  }
  *this_cpu_ptr(&__preempt_count) -= SOFTIRQ_OFFSET;
}

static void process_one_work() {
  work_struct* work = container_of(this_cpu_ptr(&workqueue)->next, work_struct, entry);
  list_del_init(&work->entry);
  work->func(work);
}

int request_irq(u32 irq, irq_handler_t handler, void* dev_id) {
  if (irq >= NR_VECTORS || irq_actions[irq].handler != nullptr) return -EINVAL;
  irq_actions[irq] = {handler, dev_id};
  nr_irqs++;
  return 0;
}

void free_irq(u32 irq) {
  if (irq >= NR_VECTORS || irq_actions[irq].handler == nullptr) return;
  irq_actions[irq] = {};
  nr_irqs--;
}

static void run_handlers(u64 pending) {
  if constexpr (SMP) pending = handle_ipis(pending);
  for (; pending != 0; pending &= pending - 1) {
    const irqaction* action = &irq_actions[__builtin_ctzll(pending)];
    if (likely(action->handler != nullptr)) action->handler(action->dev_id);
  }
}

void handle_interrupts(u64 pending) {
  run_handlers(pending);
  for (;;) {
    if (*this_cpu_ptr(&softirq_pending) != 0) {
      __do_softirq();
      // The board delivers interrupts on request only. What a single source has to say, its own polls find out.
      if (nr_irqs > 1) run_handlers(pending_interrupts());
    } else if (!list_empty(this_cpu_ptr(&workqueue))) {
      process_one_work();
    } else if (!task_runnable() && !run_timer()) {
      return;
    }
    schedule();
  }
}

void interrupt_window() {
  run_handlers(pending_interrupts());
  for (int restart = MAX_SOFTIRQ_RESTART; *this_cpu_ptr(&softirq_pending) != 0 && restart > 0; restart--) __do_softirq();
  if (*this_cpu_ptr(&softirq_pending) != 0) set_need_resched();
}

void softirq_init() {
  for (irqaction& action : irq_actions) action = {};
  nr_irqs = 0;
  for (u32 cpu = 0; cpu < nr_cpu_ids; cpu++) {
    *per_cpu_ptr(&softirq_pending, cpu) = 0;
    *per_cpu_ptr(&__preempt_count, cpu) = 0;
    INIT_LIST_HEAD(per_cpu_ptr(&workqueue, cpu));
  }
  sched_init();
}

void open_softirq(u32 nr, void (*action)()) { softirq_vec[nr] = action; }

void raise_softirq(u32 nr) { *this_cpu_ptr(&softirq_pending) |= BIT(nr); }

void INIT_WORK(work_struct* work, void (*func)(work_struct* work)) {
  INIT_LIST_HEAD(&work->entry);
  work->func = func;
}

void schedule_work(work_struct* work) {
  if (list_empty(&work->entry)) list_add_tail(&work->entry, this_cpu_ptr(&workqueue));
}
