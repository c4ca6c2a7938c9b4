// What -fstack-protector needs. The flag's guard is one global, where a kernel has one per processor or task.
#include "driver/kernel/board.h"

extern "C" {
extern const u64 __stack_chk_guard;
const u64 __stack_chk_guard = 0x5a8f'13d7'62c4'9e00;
[[noreturn]] void __stack_chk_fail();
}

void __stack_chk_fail() { panic("stack protector: a stack frame is corrupted"); }
