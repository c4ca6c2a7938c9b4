// Memory of processes.
#pragma once

#include "driver/kernel/types.h"

// Copies `n` bytes to a process, with the instructions that kernels use for large copies.
void copy_to_user(void* to, const void* from, u64 n);
