// x86-64: one string instruction. AArch64: 64 bytes a turn with pairs of registers.
#include "driver/kernel/uaccess.h"

#if defined(__x86_64__)

noinline void copy_to_user(void* to, const void* from, u64 n) {
  asm volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(n)::"memory");
}

#elif defined(__aarch64__)

noinline void copy_to_user(void* to, const void* from, u64 n) {
  constexpr u64 turn = 64;
  for (; n >= turn; n -= turn) {
    u64 a, b, c, d, e, f, g, h;
    asm volatile(
        "ldp %[a], %[b], [%[s]]\n\t"
        "ldp %[c], %[d], [%[s], #16]\n\t"
        "ldp %[e], %[f], [%[s], #32]\n\t"
        "ldp %[g], %[h], [%[s], #48]\n\t"
        "add %[s], %[s], #64\n\t"
        "stp %[a], %[b], [%[t]]\n\t"
        "stp %[c], %[d], [%[t], #16]\n\t"
        "stp %[e], %[f], [%[t], #32]\n\t"
        "stp %[g], %[h], [%[t], #48]\n\t"
        "add %[t], %[t], #64"
        : [t] "+r"(to), [s] "+r"(from), [a] "=&r"(a), [b] "=&r"(b), [c] "=&r"(c), [d] "=&r"(d), [e] "=&r"(e),
          [f] "=&r"(f), [g] "=&r"(g), [h] "=&r"(h)::"memory");
  }
  __builtin_memcpy(to, from, n);
}

#endif
