// The board's RAM: real bytes, shared by guest and devices.
#pragma once

#include <cstdint>
#include <span>

#include "model/base/units.h"

namespace ringside {

// Zeroed, page-aligned RAM at [base, base + size) of the physical address space. Pages cost host memory when touched.
class PhysicalMemory {
 public:
  PhysicalMemory(PhysAddr base, Bytes size);
  ~PhysicalMemory();
  PhysicalMemory(const PhysicalMemory&) = delete;
  PhysicalMemory& operator=(const PhysicalMemory&) = delete;

  PhysAddr base() const { return base_; }
  Bytes size() const { return size_; }
  bool contains(PhysAddr at, std::uint64_t length) const {
    return at >= base_ && length <= size_.value && at.value - base_.value <= size_.value - length;
  }

  // Host pointer to a range that contains() holds for.
  std::uint8_t* host(PhysAddr at) { return data_ + (at.value - base_.value); }
  const std::uint8_t* host(PhysAddr at) const { return data_ + (at.value - base_.value); }

 private:
  PhysAddr base_;
  Bytes size_;
  std::uint8_t* data_;
};

}  // namespace ringside
