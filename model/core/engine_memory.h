// RAM as the emulator sees it. Debian's Unicorn (2.0.1) asks at every store to writable memory whether code was translated
// from there, by way of a tree that it allocates and frees: five times the cost of the store itself. It drops a store to
// memory that is read-only instead, after it has told a hook the value. So RAM is read-only to the emulator, and the hook
// stores. RAM is one region: each access that hooks see looks for the region that it belongs to, and finds the last one
// first.
#pragma once

#include "model/core/image.h"
#include "model/memory/physical_memory.h"

struct uc_struct;

namespace ringside {

class EngineMemory {
 public:
  // Maps `memory` into the emulator for every kind of access by the guest of `image`; code that it overwrites is
  // translated anew by this emulator, but by no other that has the same memory. Other hooks see stores as ever. Both this and `memory` must outlive the emulator. Throws
  // std::runtime_error.
  EngineMemory(uc_struct* engine, const Image& image, PhysicalMemory& memory);
  EngineMemory(const EngineMemory&) = delete;
  EngineMemory& operator=(const EngineMemory&) = delete;

 private:
  struct Hook;

  PhysicalMemory& memory_;
  std::uint64_t code_begin_, code_end_;
};

}  // namespace ringside
