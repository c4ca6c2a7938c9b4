// The memory functions that a compiler may call on its own.
#pragma once

#include "driver/kernel/types.h"

extern "C" {
void* memset(void* s, int c, size_t n);
void* memcpy(void* dest, const void* src, size_t n);
void* memmove(void* dest, const void* src, size_t n);
int memcmp(const void* a, const void* b, size_t n);
}
