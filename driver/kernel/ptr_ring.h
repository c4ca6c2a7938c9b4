// FIFO of pointers: a null entry is free, so that producer and consumer share no index. Consumed entries are cleared in
// batches, which keeps the consumer off the producer's cache line.
#pragma once

#include "driver/kernel/barrier.h"
#include "driver/kernel/mm.h"
#include "driver/kernel/spinlock.h"

struct ptr_ring {
  ____cacheline_aligned int producer;
  spinlock_t producer_lock;
  ____cacheline_aligned int consumer_head;  // next valid entry
  int consumer_tail;                        // next entry to clear
  spinlock_t consumer_lock;
  ____cacheline_aligned int size;
  int batch;
  void** queue;
};

__always_inline bool __ptr_ring_full(const ptr_ring* r) { return r->queue[r->producer] != nullptr; }

// The caller holds producer_lock. Returns -ENOSPC if the ring is full.
__always_inline int __ptr_ring_produce(ptr_ring* r, void* ptr) {
  if (unlikely(!r->size) || __ptr_ring_full(r)) return -ENOSPC;
  smp_wmb();
  WRITE_ONCE(r->queue[r->producer++], ptr);
  if (unlikely(r->producer >= r->size)) r->producer = 0;
  return 0;
}

__always_inline void* __ptr_ring_peek(const ptr_ring* r) {
  return likely(r->size) ? READ_ONCE(r->queue[r->consumer_head]) : nullptr;
}

__always_inline bool __ptr_ring_empty(const ptr_ring* r) {
  return likely(r->size) ? READ_ONCE(r->queue[READ_ONCE(r->consumer_head)]) == nullptr : true;
}

__always_inline void __ptr_ring_discard_one(ptr_ring* r) {
  int consumer_head = r->consumer_head;
  int head = consumer_head++;
  // Cleared from the last one back, so that the producer sees space only when the whole batch is free.
  if (unlikely(consumer_head - r->consumer_tail >= r->batch || consumer_head >= r->size)) {
    while (likely(head >= r->consumer_tail)) r->queue[head--] = nullptr;
    r->consumer_tail = consumer_head;
  }
  if (unlikely(consumer_head >= r->size)) {
    consumer_head = 0;
    r->consumer_tail = 0;
  }
  WRITE_ONCE(r->consumer_head, consumer_head);
}

// For one consumer. Null if the ring is empty.
__always_inline void* __ptr_ring_consume(ptr_ring* r) {
  void* ptr = __ptr_ring_peek(r);
  if (ptr != nullptr) __ptr_ring_discard_one(r);
  return ptr;
}

inline void ptr_ring_init(ptr_ring* r, int size) {
  constexpr int lines_per_batch = 2;
  *r = {};
  r->queue = memblock_alloc_array<void*>(static_cast<u64>(size));
  r->size = size;
  r->batch = lines_per_batch * L1_CACHE_BYTES / static_cast<int>(sizeof(void*));
  if (r->batch > size / 2) r->batch = 1;
}
