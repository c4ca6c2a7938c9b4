#include "model/memory/physical_memory.h"

#include <sys/mman.h>

#include <new>

namespace ringside {

PhysicalMemory::PhysicalMemory(PhysAddr base, Bytes size) : base_(base), size_(size) {
  void* data = mmap(nullptr, size.value, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (data == MAP_FAILED) throw std::bad_alloc();
  data_ = static_cast<std::uint8_t*>(data);
}

PhysicalMemory::~PhysicalMemory() { munmap(data_, size_.value); }

}  // namespace ringside
