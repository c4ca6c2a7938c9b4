// Records with a stable number that are used over and over.
#pragma once

#include <cstdint>
#include <vector>

namespace ringside {

// Allocates only when more records are in use than ever before. A reference is valid until the next acquire().
template <class T>
class SlotPool {
 public:
  std::uint32_t acquire() {
    if (free_.empty()) {
      slots_.emplace_back();
      return static_cast<std::uint32_t>(slots_.size() - 1);
    }
    const std::uint32_t slot = free_.back();
    free_.pop_back();
    return slot;
  }
  void release(std::uint32_t slot) { free_.push_back(slot); }
  T& operator[](std::uint32_t slot) { return slots_[slot]; }

 private:
  std::vector<T> slots_;
  std::vector<std::uint32_t> free_;
};

}  // namespace ringside
