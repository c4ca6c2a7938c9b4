// A queue that allocates only when it outgrows everything it has held before.
#pragma once

#include <cstdint>
#include <vector>

namespace ringside {

// First in, first out. Elements keep the index they were given by push() until they are popped.
template <class T>
class RingBuffer {
 public:
  explicit RingBuffer(std::uint64_t capacity = 64) {
    std::uint64_t size = 1;
    while (size < capacity) size *= 2;
    slots_.resize(size);
  }

  bool empty() const { return head_ == tail_; }
  std::uint64_t size() const { return tail_ - head_; }
  std::uint64_t first_index() const { return head_; }
  std::uint64_t end_index() const { return tail_; }

  std::uint64_t push(const T& value) {
    if (size() == slots_.size()) grow();
    slots_[tail_ & mask()] = value;
    return tail_++;
  }

  // Elements from first_index() up to, not including, end_index().
  T& at(std::uint64_t index) { return slots_[index & mask()]; }
  const T& at(std::uint64_t index) const { return slots_[index & mask()]; }
  T& front() { return slots_[head_ & mask()]; }
  void pop() { ++head_; }
  void pop_newest() { --tail_; }

 private:
  std::uint64_t mask() const { return slots_.size() - 1; }

  void grow() {
    std::vector<T> larger(slots_.size() * 2);
    for (std::uint64_t i = head_; i != tail_; ++i) larger[i & (larger.size() - 1)] = slots_[i & mask()];
    slots_.swap(larger);
  }

  std::vector<T> slots_;
  std::uint64_t head_ = 0;
  std::uint64_t tail_ = 0;
};

}  // namespace ringside
