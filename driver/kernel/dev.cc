#include "driver/kernel/board.h"
#include "driver/kernel/devmap.h"
#include "driver/kernel/netdevice.h"
#include "driver/kernel/smp.h"
#include "driver/kernel/skbuff.h"
#include "driver/net/gro.h"

DEFINE_PER_CPU(softnet_data, softnet);
int netdev_budget = 300;

static __always_inline bool try_cmpxchg(unsigned long* ptr, unsigned long* old, unsigned long value) {
  return __atomic_compare_exchange_n(ptr, old, value, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED);
}

static __always_inline bool napi_is_scheduled(const napi_struct* napi) {
  return (READ_ONCE(napi->state) & BIT(NAPI_STATE_SCHED)) != 0;
}

static noinline int __napi_poll(napi_struct* napi, bool* repoll) {
  const int weight = napi->weight;
  int work = 0;
  if (napi_is_scheduled(napi)) work = napi->poll(napi, weight);
  if (unlikely(work > weight)) panic("NAPI poll function exceeded its budget");
  // With less than its weight done the device has completed, and may be on another list already.
  if (likely(work < weight)) return work;
  // Ticks of 250 Hz are too coarse to tell old packets from new ones, so that none is held over.
  napi_gro_flush(napi);
  gro_normal_list(napi);
  *repoll = true;
  return work;
}

static int napi_poll(napi_struct* napi, list_head* repoll) {
  bool do_repoll = false;
  list_del_init(&napi->poll_list);
  const int work = __napi_poll(napi, &do_repoll);
  if (do_repoll) list_add_tail(&napi->poll_list, repoll);
  return work;
}

static void net_rx_action() {
  softnet_data* sd = this_cpu_ptr(&softnet);
  int budget = netdev_budget;
  bpf_net_context net_ctx;
  list_head list;
  list_head repoll;
  bpf_net_ctx_set(&net_ctx);
  skb_defer_free_flush(sd);
  INIT_LIST_HEAD(&list);
  INIT_LIST_HEAD(&repoll);
  list_splice_tail_init(&sd->poll_list, &list);
  while (!list_empty(&list)) {
    napi_struct* napi = container_of(list.next, napi_struct, poll_list);
    const int work = napi_poll(napi, &repoll);
    sd->processed += static_cast<u64>(work);
    budget -= work;
    if (unlikely(budget <= 0)) {
      sd->time_squeeze++;
      break;
    }
  }
  // First come those not polled yet, then those that have more to do, then those scheduled meanwhile.
  list_splice_tail_init(&repoll, &list);
  list_splice_tail_init(&sd->poll_list, &list);
  list_splice_tail_init(&list, &sd->poll_list);
  if (!list_empty(&sd->poll_list)) raise_softirq(NET_RX_SOFTIRQ);
  bpf_net_ctx_clear();
}

void net_dev_init() {
  skb_init();
  for (u32 cpu = 0; cpu < nr_cpu_ids; cpu++) {
    softnet_data* sd = per_cpu_ptr(&softnet, cpu);
    *sd = {};
    INIT_LIST_HEAD(&sd->poll_list);
  }
#ifdef CONFIG_SMP
  smp_set_function([] { raise_softirq(NET_RX_SOFTIRQ); });
#endif
  open_softirq(NET_RX_SOFTIRQ, net_rx_action);
}

void netif_napi_add_weight(net_device* dev, napi_struct* napi, int (*poll)(napi_struct*, int), int weight) {
  static u32 next_id = 1;
  INIT_LIST_HEAD(&napi->poll_list);
  napi->poll = poll;
  napi->weight = weight;
  napi->dev = dev;
  napi->napi_id = next_id++;
  napi->list_owner = -1;
  init_gro_hash(napi);
  napi->state = BIT(NAPI_STATE_DISABLE) | BIT(NAPI_STATE_SCHED);
}

void napi_enable(napi_struct* napi) { WRITE_ONCE(napi->state, 0ul); }

void napi_disable(napi_struct* napi) {
  WRITE_ONCE(napi->state, static_cast<unsigned long>(BIT(NAPI_STATE_DISABLE) | BIT(NAPI_STATE_SCHED)));
  list_del_init(&napi->poll_list);
}

bool napi_schedule_prep(napi_struct* napi) {
  unsigned long val = READ_ONCE(napi->state);
  unsigned long next;
  do {
    if (unlikely(val & BIT(NAPI_STATE_DISABLE))) return false;
    next = val | BIT(NAPI_STATE_SCHED);
    // Scheduled already: leave a note that something new has arrived.
    if (val & BIT(NAPI_STATE_SCHED)) next |= BIT(NAPI_STATE_MISSED);
  } while (!try_cmpxchg(&napi->state, &val, next));
  return !(val & BIT(NAPI_STATE_SCHED));
}

void __napi_schedule(napi_struct* napi) {
  list_add_tail(&napi->poll_list, &this_cpu_ptr(&softnet)->poll_list);
  WRITE_ONCE(napi->list_owner, smp_processor_id());
  raise_softirq(NET_RX_SOFTIRQ);
}

bool napi_complete_done(napi_struct* napi, int) {
  if (napi->gro_bitmask != 0) napi_gro_flush(napi);
  gro_normal_list(napi);
  unsigned long val = READ_ONCE(napi->state);
  unsigned long next;
  list_del_init(&napi->poll_list);
  WRITE_ONCE(napi->list_owner, -1);
  do {
    next = val & ~static_cast<unsigned long>(BIT(NAPI_STATE_MISSED) | BIT(NAPI_STATE_SCHED));
    if (unlikely(val & BIT(NAPI_STATE_MISSED))) next |= BIT(NAPI_STATE_SCHED);
  } while (!try_cmpxchg(&napi->state, &val, next));
  if (unlikely(val & BIT(NAPI_STATE_MISSED))) {
    __napi_schedule(napi);
    return false;
  }
  return true;
}
