// Entry of an image that measures the driver's poll loop, and the machine underneath.
#include "driver/kernel/board.h"
#include "driver/kernel/interrupt.h"
#include "driver/kernel/io.h"
#include "driver/kernel/mm.h"
#include "driver/mlx5e/en.h"
#include "driver/native/loopback.h"
#include "driver/native/measurement.h"

using ringside::guest::BoardReg;
using ringside::guest::measurement;

static measurement* current;

static void write_board(BoardReg reg, u64 value) {
  writeq(value, reinterpret_cast<__iomem*>(ringside::guest::kBoardRegs + static_cast<u64>(reg)));
}

static void mark(char point) {
  if (current->mark != nullptr) {
    current->mark(point);
  } else {
    write_board(BoardReg::console, static_cast<u64>(point));
  }
}

u64 pending_interrupts() { return 0; }  // the harness raises them itself

void panic(const char* message) {
  if (current->mark != nullptr) current->panic(message);
  for (;;) write_board(BoardReg::panic, reinterpret_cast<u64>(message));
}

void cond_resched() { loopback_execute_command(); }

void publish_statistics(const guest_stat*) {}

// Makes the allocator hand out pages in no order, as after a long time in use. In order, they would be prefetched by cores
// that recognise the distance from page to page.
static void scramble_pages() {
  constexpr u32 count = 4096;  // more than the queue will hold
  static struct page* pages[count];
  u64 random = 1;
  const u32 n = alloc_pages_bulk(count, pages);
  for (u32 i = n; i > 1; i--) {
    random = random * 6364136223846793005u + 1442695040888963407u;
    const u32 other = static_cast<u32>((random >> 33) % i);
    struct page* const last = pages[i - 1];
    pages[i - 1] = pages[other];
    pages[other] = last;
  }
  for (u32 i = 0; i < n; i++) put_page(pages[i]);
}

// Two marks with nothing between follow each batch: they tell what marks cost.
static void measure(u32 packets, u32 length, bool cold) {
  constexpr u64 vector = 1;
  loopback_receive(packets, length, cold);
  mark(ringside::guest::kMarkBegin);
  handle_interrupts(vector);
  mark(ringside::guest::kMarkEnd);
  mark(ringside::guest::kMarkBegin);
  mark(ringside::guest::kMarkEnd);
  loopback_run_umr();
}

extern "C" void _start(measurement* m);

void _start(measurement* m) {
  current = m;
  mm_init(m->board.heap_base, m->board.heap_size);
  scramble_pages();
  softirq_init();
  loopback_init(reinterpret_cast<u8*>(m->board.nic_bar));
  mlx5e_priv* priv = mlx5e_probe(m->board);
  for (u32 i = 0; i < 2; i++) {  // pages and their UMRs, then their WQEs
    napi_schedule(&priv->channel->napi);
    handle_interrupts(0);
    loopback_run_umr();
  }
  napi_schedule(&priv->channel->napi);
  handle_interrupts(0);
  for (u32 i = 0; i < m->batches; i++) measure(m->packets, m->length, m->cold != 0);
  m->dropped = priv->channel_stats.rq.xdp_drop;
  if (m->mark == nullptr) write_board(BoardReg::exit, 0);
}
