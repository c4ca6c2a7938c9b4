// The memory functions that a compiler may call on its own.
#pragma once

#include "driver/kernel/types.h"

extern "C" {
void* memset(void* s, int c, size_t n);
void* memcpy(void* dest, const void* src, size_t n);
void* memmove(void* dest, const void* src, size_t n);
int memcmp(const void* a, const void* b, size_t n);
}

// Fills memory with a quadword.
// @param count  quadwords
static inline void* memset64(u64* s, u64 v, size_t count) {
#if defined(__x86_64__)
  u64* p = s;
  asm volatile("rep stosq" : "+D"(p), "+c"(count) : "a"(v) : "memory");
#else
  for (size_t i = 0; i < count; i++) s[i] = v;
#endif
  return s;
}
