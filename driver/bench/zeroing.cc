// A function that declares an automatic object of a given size, fills part of it and hands it to another, as a driver
// does with its per-packet context. What clearing it costs is up to the compiler's flags.
#include "driver/bench/programs.h"

static u8* const arena = reinterpret_cast<u8*>(0x0100'0000);

template <u32 size>
struct context {
  u64 word[size / 8];
};

template <u32 size>
noinline static u64 consume(context<size>* c) {
  return READ_ONCE(c->word[0]) + READ_ONCE(c->word[1]);
}

// 100 independent single-cycle operations in four chains.
static __always_inline void independent_work() {
  u64 a = 0, b = 0, c = 0, d = 0;
#if defined(__x86_64__)
  asm volatile(".rept 25\n\tadd $1, %0\n\tadd $1, %1\n\tadd $1, %2\n\tadd $1, %3\n\t.endr"
               : "+r"(a), "+r"(b), "+r"(c), "+r"(d));
#else
  asm volatile(".rept 25\n\tadd %0, %0, #1\n\tadd %1, %1, #1\n\tadd %2, %2, #1\n\tadd %3, %3, #1\n\t.endr"
               : "+r"(a), "+r"(b), "+r"(c), "+r"(d));
#endif
}

template <u32 size>
noinline static u64 handle(u64 seed) {
  alignas(64) context<size> c;
  c.word[0] = seed;
  c.word[1] = seed + 1;
  c.word[2] = seed + 2;
  return consume(&c);
}

// All but one word of the object is filled: what a compiler clears that it sees overwritten is wasted.
template <u32 size>
noinline static u64 handle_filled(u64 seed) {
  constexpr u32 left_alone = 5;
  alignas(64) context<size> c;
#pragma GCC unroll 32
  for (u32 i = 0; i < size / 8; i++) {
    if (i != left_alone) c.word[i] = seed + i;
  }
  return consume(&c);
}

template <u32 size>
static void filled_throughput(u32 count) {
  u64 sum = 0;
  for (u32 i = 0; i < count; i++) {
    sum += handle_filled<size>(i);
    independent_work();
  }
  asm volatile("" ::"r"(sum));
}

template <u32 size>
static void throughput(u32 count) {
  u64 sum = 0;
  for (u32 i = 0; i < count; i++) {
    sum += handle<size>(i);
    independent_work();
  }
  asm volatile("" ::"r"(sum));
}

// Each iteration waits for a load that the previous one's load gave the address of.
template <u32 size>
static void behind_miss(u32 count) {
  constexpr u32 lines = 65536;  // 4 MiB, in the last-level cache
  for (u32 i = 0, at = 0; i < lines; i++) {
    const u32 next = (at + lines / 2 + 13) & (lines - 1);
    *reinterpret_cast<u8**>(arena + u64{at} * 64) = arena + u64{next} * 64;
    at = next;
  }
  u8** p = reinterpret_cast<u8**>(arena);
  u64 sum = 0;
  for (u32 i = 0; i < count; i++) {
    p = reinterpret_cast<u8**>(*p);
    sum += handle<size>(i);
  }
  asm volatile("" ::"r"(p), "r"(sum));
}


#define FOR_SIZE(body)               \
  switch (argument) {                \
    case 40: return body<40>(count); \
    case 48: return body<48>(count); \
    case 64: return body<64>(count); \
    case 72: return body<72>(count); \
    case 96: return body<96>(count); \
    case 120: return body<120>(count); \
    case 128: return body<128>(count); \
    case 256: return body<256>(count); \
  }

// `argument` is the object's size in bytes.
static void object_throughput(u32 count, u32 argument) { FOR_SIZE(throughput) }
static void object_filled(u32 count, u32 argument) { FOR_SIZE(filled_throughput) }
static void object_behind_miss(u32 count, u32 argument) { FOR_SIZE(behind_miss) }

const bench_program zeroing_programs[] = {
    {"object-throughput", object_throughput},
    {"object-filled", object_filled},
    {"object-behind-miss", object_behind_miss},
    {nullptr, nullptr},
};
