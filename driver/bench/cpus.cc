// Two processors: one starts the other, interrupts it, and shares memory with it.
#include "driver/bench/programs.h"
#include "driver/kernel/barrier.h"
#include "driver/kernel/spinlock.h"

using ringside::guest::BoardReg;
using ringside::guest::cpu_start;

constexpr u64 STACK_SIZE = 4096;
alignas(16) static u8 stack[STACK_SIZE];

struct alignas(64) shared_line {
  u64 word[8];
};
static shared_line ready, turn, counters[2];
static u32 rounds, distance;  // of the words that the two processors change, in words

static void start_other(void (*entry)(u64), u64 cpu) {
  static cpu_start start;
  start = {.cpu = cpu,
           .entry = reinterpret_cast<u64>(entry),
           .argument = cpu,
           .stack_top = reinterpret_cast<u64>(stack + STACK_SIZE)};
  mb();
  write_board(BoardReg::cpu_on, reinterpret_cast<u64>(&start));
}

static void wait_for(const u64* at, u64 value) {
  while (smp_load_acquire(at) != value) cpu_relax();
}

[[noreturn]] static void sleep_for_ever() {
  for (;;) {
    write_board(BoardReg::idle, 0);
    read_board(BoardReg::pending);
  }
}

// Answers each interrupt with its vector.
[[noreturn]] static void answer_interrupts(u64 cpu) {
  smp_store_release(&ready.word[0], cpu);
  for (;;) {
    write_board(BoardReg::idle, 0);
    const u64 pending = read_board(BoardReg::pending);
    smp_store_release(&turn.word[0], static_cast<u64>(__builtin_ctzll(pending)));
  }
}

// Interrupts the other processor `count` times, with vectors from 1 to 63 by turns, and waits for each answer.
static void interrupt_other(u32 count, u32) {
  start_other(answer_interrupts, 1);
  wait_for(&ready.word[0], 1);
  for (u32 i = 0; i < count; i++) {
    const u64 vector = 1 + i % 63;
    write_board(BoardReg::ipi, u64{1} << 32 | vector);
    wait_for(&turn.word[0], vector);
  }
}

[[noreturn]] static noinline void hand_back(u64 cpu) {
  smp_store_release(&ready.word[0], cpu);
  for (u64 i = 0; i < rounds; i++) {
    wait_for(&turn.word[0], 2 * i + 1);
    smp_store_release(&turn.word[0], 2 * i + 2);
  }
  sleep_for_ever();
}

// One word goes to the other processor and back, `count` times.
static void ping_pong(u32 count, u32) {
  rounds = count;
  start_other(hand_back, 1);
  wait_for(&ready.word[0], 1);
  for (u64 i = 0; i < count; i++) {
    smp_store_release(&turn.word[0], 2 * i + 1);
    wait_for(&turn.word[0], 2 * i + 2);
  }
}

static noinline void count_at(u64* word, u32 times) {
  for (u32 i = 0; i < times; i++) {
    WRITE_ONCE(*word, READ_ONCE(*word) + 1);
    mb();  // the line must be here
  }
}

[[noreturn]] static void count_beside(u64 cpu) {
  smp_store_release(&ready.word[0], cpu);
  count_at(&counters[0].word[distance], rounds);
  smp_store_release(&turn.word[0], u64{1});
  sleep_for_ever();
}

// Both processors count at once, in words that are `argument` words apart: 8 is a line of its own.
static void count_apart(u32 count, u32 argument) {
  rounds = count;
  distance = argument;
  start_other(count_beside, 1);
  wait_for(&ready.word[0], 1);
  count_at(&counters[0].word[0], count);
  wait_for(&turn.word[0], 1);
}

// `argument` is the processor.
static void start_cpu(u32, u32 argument) { start_other(answer_interrupts, argument); }

static void interrupt_cpu(u32, u32 argument) { write_board(BoardReg::ipi, u64{argument} << 32); }

static spinlock_t kept;

[[noreturn]] static void keep_lock(u64 cpu) {
  spin_lock(&kept);
  smp_store_release(&ready.word[0], cpu);
  sleep_for_ever();
}

static noinline void take_lock_for_ever() {
  spin_lock(&kept);
  barrier();  // or the call would become a jump
}

[[noreturn]] static void wait_for_lock(u64) {
  take_lock_for_ever();
  sleep_for_ever();
}

// One processor has a lock and sleeps, the other one wants it.
static void other_keeps_lock(u32, u32) {
  start_other(keep_lock, 1);
  wait_for(&ready.word[0], 1);
  take_lock_for_ever();
}

static void other_wants_lock(u32, u32) {
  spin_lock(&kept);
  start_other(wait_for_lock, 1);
  sleep_for_ever();
}

const bench_program cpu_programs[] = {
    {"interrupt-other", interrupt_other},
    {"ping-pong", ping_pong},
    {"count-apart", count_apart},
    {"start-cpu", start_cpu},
    {"interrupt-cpu", interrupt_cpu},
    {"other-keeps-lock", other_keeps_lock},
    {"other-wants-lock", other_wants_lock},
    {nullptr, nullptr},
};
